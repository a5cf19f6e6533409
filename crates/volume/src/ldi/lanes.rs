//! Eight triangles at a time: those a few rows high, whose sides are beyond doubt in every row.
//!
//! The same sides, rows and depths as [`super::raster`] has them, one triangle in each lane; which pixels a side leaves to its right
//! is a matter of exact signs, so that the two ways cannot differ. What is tall or in doubt is left to the other.

use super::lattice::View;
use super::layers::{Depths, Waiting};
use super::raster::{DOUBT_PIXELS, ROUNDING, one};
use super::registers::{LANES, signs, transpose};
use super::visible::Visible;
use super::within::Triangle;
use impinge_contact::for_each_set;
use impinge_contact::wide::{Instructions, Set};

/// Blocks of as many fetched in one go.
const BLOCKS: usize = 8;
/// Rows that a triangle may reach here.
const TALL: usize = 8;

type Lanes = [f64; LANES];
type Whole = [i32; LANES];

/// Three corners of eight triangles.
#[derive(Default)]
struct Corners {
    /// By corner: u, v, depth and row, each of all triangles.
    at: [[Lanes; 4]; 3],
    number: [u32; LANES],
}

/// Bits of a pixel that a side's position is counted in: half as wide as the whole numbers of [`super::raster`], so that twice as many fit an instruction.
const BITS: u32 = 20;
/// One pixel.
const ONE: i32 = 1 << BITS;
/// [`DOUBT_PIXELS`] so counted. What rounding leaves is a quarter of it: half a unit where a side starts and for each of [`TALL`] rows.
const DOUBT: i32 = (DOUBT_PIXELS * ONE as f64) as i32;
/// Pixels that a triangle may be wide here: its sides' positions, which are counted from its first corner's column, must fit.
const WIDEST: f64 = 1024.0;

/// A side of eight triangles: where it passes a row, and how far it goes from row to row (pixels from [`Setup::base`] times 2²⁰, modulo 2³²:
/// of a steep side the rows that are not its own are beyond any number here, and it comes back from there exactly).
#[derive(Default)]
struct Sides {
    at: Whole,
    step: Whole,
}

/// What the rows of eight triangles have in common.
#[derive(Default)]
struct Setup {
    long: Sides,
    low: Sides,
    high: Sides,
    /// The column that positions are counted from, the first pixel of the first row.
    base: Whole,
    pixel: Whole,
    /// Rows below the corner in the middle, all rows.
    below: Whole,
    rows: Whole,
    /// Bit 0: whether the long side rises along the triangle's own direction.
    rises: Whole,
    /// The first row.
    first: Lanes,
    slope: [Lanes; 2],
    /// The first corner: u, v and depth.
    corner: [Lanes; 3],
    near: Lanes,
    far: Lanes,
}

/// A row of eight triangles.
#[derive(Clone, Copy, Default)]
struct Row {
    at: Lanes,
    pixel: Whole,
    from: Whole,
    span: Whole,
    /// A bit for each lane: whether there is a span.
    some: u32,
    tag: [u32; LANES],
}

/// Moves a whole number to the low bits; added and taken away again it rounds.
const WHOLE: f64 = 1.5 * 4_503_599_627_370_496.0;

/// The whole number nearest to one below 2⁵¹, modulo 2³².
#[inline(always)]
fn low_bits(x: f64) -> i32 {
    (x + WHOLE).to_bits() as i32
}

/// The smaller and the larger of two numbers, in one instruction: there are none that are not numbers.
#[inline(always)]
fn less(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

#[inline(always)]
fn more(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

/// Both are read, one is taken: a choice between two places in memory would be looked up lane by lane.
#[inline(always)]
fn pick(first: bool, x: f64, y: f64) -> f64 {
    let mask = 0u64.wrapping_sub(u64::from(first));
    f64::from_bits(x.to_bits() & mask | y.to_bits() & !mask)
}

/// All bits or none, so that a choice is arithmetic.
#[inline(always)]
fn all(set: bool) -> i32 {
    0i32.wrapping_sub(i32::from(set))
}

#[inline(always)]
fn setup(view: &View, steepest: f64, band: [f64; 2], c: &Corners, s: &mut Setup) {
    let inverse = view.inverse;
    let x = &c.at;
    for l in 0..LANES {
        let (u, v, w, row) = (
            [x[0][0][l], x[1][0][l], x[2][0][l]],
            [x[0][1][l], x[1][1][l], x[2][1][l]],
            [x[0][2][l], x[1][2][l], x[2][2][l]],
            [x[0][3][l], x[1][3][l], x[2][3][l]],
        );
        s.corner[0][l] = u[0];
        s.corner[1][l] = v[0];
        s.corner[2][l] = w[0];
        let (p, q) = ([u[1] - u[0], v[1] - v[0], w[1] - w[0]], [u[2] - u[0], v[2] - v[0], w[2] - w[0]]);
        let turn = p[0] * q[1] - p[1] * q[0];
        let per_turn = 1.0 / turn;
        s.slope[0][l] = (p[2] * q[1] - p[1] * q[2]) * per_turn;
        s.slope[1][l] = (p[0] * q[2] - p[2] * q[0]) * per_turn;
        s.near[l] = less(w[2], less(w[1], w[0]));
        s.far[l] = more(w[2], more(w[1], w[0]));
        let narrow = (p[0].abs() * inverse < WIDEST) & (q[0].abs() * inverse < WIDEST);
        let base = ((u[0] - view.origin[0]) * inverse + WHOLE) - WHOLE;
        s.base[l] = low_bits(base);
        // Corners by row, by exchanges: an odd number of them turns the triangle over.
        let x01 = row[1] < row[0];
        let (u0, u1) = (pick(x01, u[1], u[0]), pick(x01, u[0], u[1]));
        let (v0, v1) = (pick(x01, v[1], v[0]), pick(x01, v[0], v[1]));
        let (r0, r1) = (pick(x01, row[1], row[0]), pick(x01, row[0], row[1]));
        let x12 = row[2] < r1;
        let (u1, u2) = (pick(x12, u[2], u1), pick(x12, u1, u[2]));
        let (v1, v2) = (pick(x12, v[2], v1), pick(x12, v1, v[2]));
        let (r1, r2) = (pick(x12, row[2], r1), pick(x12, r1, row[2]));
        let again = r1 < r0;
        let (u0, u1) = (pick(again, u1, u0), pick(again, u0, u1));
        let (v0, v1) = (pick(again, v1, v0), pick(again, v0, v1));
        let (r0, r1) = (pick(again, r1, r0), pick(again, r0, r1));
        s.rises[l] = i32::from(x01 ^ x12 ^ again);
        let first = if r0 > band[0] { r0 } else { band[0] };
        let end = if r2 < band[1] { r2 } else { band[1] };
        s.first[l] = first;
        s.pixel[l] = low_bits((first - band[0]) * view.count[0] as f64);
        s.below[l] = low_bits(r1 - first);
        let rows = if end > first { end - first } else { 0.0 };
        s.rows[l] = low_bits(if narrow { rows } else { rows * (1.0 + TALL as f64) });
        let height = view.origin[1] + (first + 0.5) * view.pixel;
        // One division for three; a side within a row is asked by none.
        let rise = |p: f64, q: f64| if q == p { 1.0 } else { q - p };
        let (d02, d01, d12) = (rise(v0, v2), rise(v0, v1), rise(v1, v2));
        let per_all = inverse / (d02 * d01 * d12);
        let side = |pu: f64, pv: f64, qu: f64, per_rise: f64| {
            let slope = (qu - pu) * per_rise;
            let at = ((pu - view.origin[0]) * inverse - 0.5 - base) + slope * (height - pv);
            let step = slope * view.pixel;
            // On a pixel's centre in every row is in doubt wherever it is asked for.
            let sure = slope.abs() < steepest;
            (
                low_bits(if sure { at * f64::from(ONE) } else { 0.0 }),
                low_bits(if sure { step * f64::from(ONE) } else { 0.0 }),
            )
        };
        (s.long.at[l], s.long.step[l]) = side(u0, v0, u2, d01 * d12 * per_all);
        (s.low.at[l], s.low.step[l]) = side(u0, v0, u1, d02 * d12 * per_all);
        (s.high.at[l], s.high.step[l]) = side(u1, v1, u2, d02 * d01 * per_all);
    }
}

/// Row `k` of each triangle, and on to the next; `doubt` is no longer 0 where it is in doubt.
#[inline(always)]
fn row<const AVX: bool>(view: &View, k: i32, c: &Corners, s: &mut Setup, doubt: &mut Whole, out: &mut Row) {
    const MASK: i32 = ONE - 1;
    let columns = view.count[0] as i32;
    let first_pixel = k.wrapping_mul(columns);
    let (mut x, mut y, mut asked, mut off) = ([0; LANES], [0; LANES], [0; LANES], [0; LANES]);
    for l in 0..LANES {
        x[l] = s.long.at[l];
        let above = all(k >= s.below[l]);
        y[l] = s.high.at[l] & above | s.low.at[l] & !above;
        asked[l] = all(k < s.rows[l]);
    }
    for l in 0..LANES {
        let near = |x: i32| all((x.wrapping_add(DOUBT) & MASK) < 2 * DOUBT);
        off[l] = asked[l] & (near(x[l]) | near(y[l]));
    }
    for l in 0..LANES {
        doubt[l] |= off[l];
    }
    for x in [&mut x, &mut y] {
        for l in 0..LANES {
            x[l] = ((x[l].wrapping_add(MASK) >> BITS).wrapping_add(s.base[l])).max(0).min(columns);
        }
    }
    let (mut left, mut span, mut less, mut tag, mut pixel) =
        ([0; LANES], [0; LANES], [0; LANES], [0; LANES], [0; LANES]);
    for l in 0..LANES {
        left[l] = x[l].min(y[l]);
        span[l] = asked[l] & (x[l].max(y[l]) - left[l]);
        // Counter-clockwise, seen against the ray: the rising side is on the right, the ray leaves.
        tag[l] = c.number[l] << 1 | ((s.rises[l] ^ all(x[l] > y[l])) & 1) as u32;
        pixel[l] = s.pixel[l].wrapping_add(first_pixel).wrapping_add(left[l]);
    }
    for l in 0..LANES {
        less[l] = -span[l];
    }
    out.pixel = pixel;
    out.from = left;
    out.span = span;
    out.tag = tag;
    out.some = signs::<AVX>(&less);
    for side in [&mut s.long, &mut s.low, &mut s.high] {
        for l in 0..LANES {
            side.at[l] = side.at[l].wrapping_add(side.step[l]);
        }
    }
    let k = f64::from(k);
    for l in 0..LANES {
        let v = view.origin[1] + (s.first[l] + k + 0.5) * view.pixel;
        out.at[l] = s.corner[2][l] + s.slope[1][l] * (v - s.corner[1][l]);
    }
}

/// By which of eight lanes are wanted (bits): their numbers one after the other in bytes, and how many.
const WHICH: [(u64, u8); 256] = {
    let mut which = [(0, 0); 256];
    let mut mask = 0;
    while mask < 256 {
        let mut l = 0;
        while l < 8 {
            if mask >> l & 1 == 1 {
                which[mask].0 |= l << (8 * which[mask].1);
                which[mask].1 += 1;
            }
            l += 1;
        }
        mask += 1;
    }
    which
};

/// Writes the numbers of row `k`'s spans behind the first `count`, and some that mean nothing; how many there are now.
#[inline(always)]
fn enlist(k: usize, some: u32, spans: &mut [u8], count: usize) -> usize {
    let (lanes, more) = WHICH[(some & 255) as usize];
    let numbers = lanes + 0x0101_0101_0101_0101 * (k * LANES) as u64;
    spans[count..count + LANES].copy_from_slice(&numbers.to_le_bytes());
    count + usize::from(more)
}

/// Fetches the corners of a block; where it is short its last triangle stands in all lanes that are left.
#[inline(always)]
fn gather<const AVX: bool>(visible: &Visible, block: &[u32], c: &mut Corners) {
    let triangles: [&Triangle; LANES] =
        std::array::from_fn(|l| &visible.within.triangles[block[l.min(block.len() - 1)] as usize]);
    for (number, t) in c.number.iter_mut().zip(triangles) {
        *number = t.number;
    }
    for (k, at) in c.at.iter_mut().enumerate() {
        let corners = std::array::from_fn(|l| &visible.corners[triangles[l].corners[k] as usize]);
        transpose::<AVX>(corners, at);
    }
}

/// See [`raster`].
#[inline(always)]
fn raster_lanes<const AVX: bool>(
    view: &View,
    visible: &Visible,
    list: &[u32],
    band: [usize; 2],
    most: usize,
    out: &mut Waiting,
) {
    let (lo, hi) = (band[0] as f64, band[1] as f64);
    // What rounding does to a side's position, in pixels, is ROUNDING · size · (1 / pixel + |slope|): below 2e-7 it is far from
    // the doubt, and no position is beyond some ten million pixels.
    let steepest = 2e-7 / (ROUNDING * visible.within.size) - view.inverse;
    let mut group: [Corners; BLOCKS] = std::array::from_fn(|_| Corners::default());
    let mut s = Setup::default();
    let mut rows = [Row::default(); TALL];
    let mut spans = [0u8; (TALL + 1) * LANES];
    for (i, block) in list.chunks(LANES).enumerate() {
        if out.count() > most {
            break;
        }
        // Some blocks ahead: lanes that were just written one by one cannot be read as a whole yet.
        if i % BLOCKS == 0 {
            let ahead = &list[i * LANES..];
            // A closure would be another function, without these instructions.
            for (block, c) in ahead.chunks(LANES).zip(&mut group) {
                gather::<AVX>(visible, block, c);
            }
        }
        let c = &group[i % BLOCKS];
        setup(view, steepest, [lo, hi], c, &mut s);
        let mut other = [0; LANES];
        let mut highest = 0;
        for l in 0..LANES {
            let (there, tall) = (l < block.len(), s.rows[l] > TALL as i32);
            other[l] = i32::from(there & tall);
            s.rows[l] = if there & !tall { s.rows[l] } else { 0 };
            highest = s.rows[l].max(highest);
        }
        let rows = &mut rows[..highest as usize];
        let mut count = 0;
        for (k, r) in rows.iter_mut().enumerate() {
            row::<AVX>(view, k as i32, c, &mut s, &mut other, r);
            count = enlist(k, r.some, &mut spans, count);
        }
        let all_here = other == [0; LANES];
        if !all_here {
            count = 0;
            let here = other.iter().rev().fold(0, |bits, &o| bits << 1 | u32::from(o == 0));
            for (k, r) in rows.iter().enumerate() {
                count = enlist(k, r.some & here, &mut spans, count);
            }
        }
        let mut at = out.room();
        for &i in &spans[..count] {
            let (r, l) = (&rows[usize::from(i) / LANES], usize::from(i) % LANES);
            let depths = Depths {
                at: r.at[l],
                slope: s.slope[0][l],
                from: s.corner[0][l],
                near: s.near[l],
                far: s.far[l],
            };
            let span = [r.from[l] as usize, r.span[l] as usize];
            at = out.span(at, &visible.columns, span, r.pixel[l] as u32, r.tag[l], depths);
        }
        out.written(at);
        if all_here {
            continue;
        }
        for l in 0..block.len() {
            if other[l] != 0 {
                out.one_by_one += 1;
                one(view, visible, block[l], band, out);
            }
        }
    }
}

for_each_set! {
    chosen<AVX> = raster_lanes(view: &View, visible: &Visible, list: &[u32], band: [usize; 2], most: usize, out: &mut Waiting)
}

/// Samples of the triangles of `list` in the rows `band`, from the first of which pixels are counted; stops beyond `most` samples.
#[inline(always)]
pub fn raster(
    with: Instructions,
    view: &View,
    visible: &Visible,
    list: &[u32],
    band: [usize; 2],
    most: usize,
    out: &mut Waiting,
) {
    if with.set() == Set::Baseline {
        chosen::<false>(with, view, visible, list, band, most, out);
    } else {
        chosen::<true>(with, view, visible, list, band, most, out);
    }
}
