//! Eight triangles at a time: those a few rows high, whose sides are beyond doubt in every row.
//!
//! The same sides, rows and depths as [`super::raster`] has them, one triangle in each lane; which pixels a side leaves to its right
//! is a matter of exact signs, so that the two ways cannot differ. What is tall or in doubt is left to the other.

use super::lattice::View;
use super::layers::{Depths, Waiting};
use super::raster::{DOUBT_PIXELS, ROUNDING, one};
use super::visible::{Corner, Triangle, Visible};
use impinge_contact::for_each_set;

/// Triangles looked at together.
const LANES: usize = 8;
/// Blocks of as many fetched in one go.
const BLOCKS: usize = 8;
/// Rows that a triangle may reach here.
const TALL: usize = 8;

type Lanes = [f64; LANES];

/// Three corners of eight triangles.
#[derive(Default)]
struct Corners {
    at: [[Corner; LANES]; 3],
    number: [u32; LANES],
}

/// A side of eight triangles: `at + slope (v − from)` is where it passes v, in pixels.
#[derive(Default)]
struct Sides {
    at: Lanes,
    slope: Lanes,
    from: Lanes,
}

/// What the rows of eight triangles have in common.
#[derive(Default)]
struct Setup {
    long: Sides,
    low: Sides,
    high: Sides,
    /// The row of the corner in the middle, the first row, how many.
    turns: Lanes,
    first: Lanes,
    rows: Lanes,
    /// 1 where the long side rises along the triangle's own direction.
    rises: Lanes,
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
    pixel: [u32; LANES],
    from: [u32; LANES],
    span: [u32; LANES],
    /// 1 where there is a span.
    some: [u8; LANES],
    tag: [u32; LANES],
}

/// Moves a whole number to the low bits; added and taken away again it rounds.
const WHOLE: f64 = 1.5 * 4_503_599_627_370_496.0;

#[inline(always)]
fn low_bits(x: f64) -> u32 {
    (x + WHOLE).to_bits() as u32
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

#[inline(always)]
fn setup(view: &View, steepest: f64, band: [f64; 2], c: &Corners, s: &mut Setup) {
    let inverse = view.inverse;
    // By corner: u, v, depth and row, each of all triangles.
    let mut x = [[[0.0; LANES]; 4]; 3];
    for (x, at) in x.iter_mut().zip(&c.at) {
        for l in 0..LANES {
            x[0][l] = at[l][0];
            x[1][l] = at[l][1];
            x[2][l] = at[l][2];
            x[3][l] = at[l][3];
        }
    }
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
        s.rises[l] = if x01 ^ x12 ^ again { 1.0 } else { 0.0 };
        // One division for three; a side within a row is asked by none.
        let rise = |p: f64, q: f64| if q == p { 1.0 } else { q - p };
        let (d02, d01, d12) = (rise(v0, v2), rise(v0, v1), rise(v1, v2));
        let per_all = inverse / (d02 * d01 * d12);
        let side = |pu: f64, qu: f64, per_rise: f64| {
            let slope = (qu - pu) * per_rise;
            // Not a number is in doubt wherever it is asked for.
            ((pu - view.origin[0]) * inverse - 0.5, if slope.abs() < steepest { slope } else { f64::NAN })
        };
        (s.long.at[l], s.long.slope[l]) = side(u0, u2, d01 * d12 * per_all);
        (s.low.at[l], s.low.slope[l]) = side(u0, u1, d02 * d12 * per_all);
        (s.high.at[l], s.high.slope[l]) = side(u1, u2, d02 * d01 * per_all);
        s.long.from[l] = v0;
        s.low.from[l] = v0;
        s.high.from[l] = v1;
        s.turns[l] = r1;
        let first = if r0 > band[0] { r0 } else { band[0] };
        let end = if r2 < band[1] { r2 } else { band[1] };
        s.first[l] = first;
        s.rows[l] = if end > first { end - first } else { 0.0 };
    }
}

/// Row `k` of each triangle; `doubt` becomes 1 where it is in doubt.
#[inline(always)]
fn row(view: &View, band: f64, k: f64, c: &Corners, s: &Setup, doubt: &mut Lanes, out: &mut Row) {
    let (columns, pixel) = (view.count[0] as f64, view.pixel);
    for l in 0..LANES {
        let row = s.first[l] + k;
        let v = view.origin[1] + (row + 0.5) * pixel;
        let above = row >= s.turns[l];
        let at = pick(above, s.high.at[l], s.low.at[l]);
        let slope = pick(above, s.high.slope[l], s.low.slope[l]);
        let from = pick(above, s.high.from[l], s.low.from[l]);
        let x = s.long.at[l] + s.long.slope[l] * (v - s.long.from[l]);
        let y = at + slope * (v - from);
        let (near_x, near_y) = ((x + WHOLE) - WHOLE, (y + WHOLE) - WHOLE);
        let (off_x, off_y) = (x - near_x, y - near_y);
        let sure = (off_x.abs() > DOUBT_PIXELS) & (off_y.abs() > DOUBT_PIXELS);
        let asked = k < s.rows[l];
        doubt[l] = if asked & !sure { 1.0 } else { doubt[l] };
        let within = |x: f64| {
            let x = if x > 0.0 { x } else { 0.0 };
            if x < columns { x } else { columns }
        };
        let x = within(near_x + if off_x > 0.0 { 1.0 } else { 0.0 });
        let y = within(near_y + if off_y > 0.0 { 1.0 } else { 0.0 });
        let (left, right) = (if x < y { x } else { y }, if x < y { y } else { x });
        // Counter-clockwise, seen against the ray: the rising side is on the right, the ray leaves.
        let leaves = (s.rises[l] == 1.0) == (x > y);
        let span = if asked { right - left } else { 0.0 };
        out.at[l] = s.corner[2][l] + s.slope[1][l] * (v - s.corner[1][l]);
        out.pixel[l] = low_bits((row - band) * columns + left);
        out.from[l] = low_bits(left);
        out.span[l] = low_bits(span);
        out.some[l] = low_bits(if span > 0.0 { 1.0 } else { 0.0 }) as u8;
        out.tag[l] = c.number[l] << 1 | low_bits(if leaves { 0.0 } else { 1.0 });
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
fn enlist(k: usize, r: &Row, spans: &mut [u8], count: usize) -> usize {
    // Eight bytes to eight bits.
    let mask = u64::from_le_bytes(r.some).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let (lanes, more) = WHICH[mask as usize];
    let numbers = lanes + 0x0101_0101_0101_0101 * (k * LANES) as u64;
    spans[count..count + LANES].copy_from_slice(&numbers.to_le_bytes());
    count + usize::from(more)
}

/// Fetches the corners of a block; where it is short its last triangle stands in all lanes that are left.
#[inline(always)]
fn gather(visible: &Visible, block: &[u32], c: &mut Corners) {
    let triangles: [&Triangle; LANES] =
        std::array::from_fn(|l| &visible.triangles[block[l.min(block.len() - 1)] as usize]);
    for (number, t) in c.number.iter_mut().zip(triangles) {
        *number = t.number;
    }
    for (k, at) in c.at.iter_mut().enumerate() {
        for (at, t) in at.iter_mut().zip(triangles) {
            *at = visible.corners[t.corners[k] as usize];
        }
    }
}

/// See [`raster`].
#[inline(always)]
fn raster_lanes(
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
    let steepest = 2e-7 / (ROUNDING * visible.size) - view.inverse;
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
                gather(visible, block, c);
            }
        }
        let c = &group[i % BLOCKS];
        setup(view, steepest, [lo, hi], c, &mut s);
        let mut other = [0.0; LANES];
        let mut highest = 0.0;
        for l in 0..LANES {
            let there = l < block.len();
            other[l] = if there & (s.rows[l] > TALL as f64) { 1.0 } else { 0.0 };
            s.rows[l] = if there & (s.rows[l] <= TALL as f64) { s.rows[l] } else { 0.0 };
            highest = if s.rows[l] > highest { s.rows[l] } else { highest };
        }
        let rows = &mut rows[..highest as usize];
        let mut count = 0;
        for (k, r) in rows.iter_mut().enumerate() {
            row(view, lo, k as f64, c, &s, &mut other, r);
            count = enlist(k, r, &mut spans, count);
        }
        let all_here = other == [0.0; LANES];
        if !all_here {
            count = 0;
            for (k, r) in rows.iter_mut().enumerate() {
                for l in 0..LANES {
                    r.some[l] = if other[l] == 0.0 { r.some[l] } else { 0 };
                }
                count = enlist(k, r, &mut spans, count);
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
            at = out.span(at, &visible.columns, span, r.pixel[l], r.tag[l], depths);
        }
        out.written(at);
        if all_here {
            continue;
        }
        for l in 0..block.len() {
            if other[l] != 0.0 {
                out.one_by_one += 1;
                one(view, visible, block[l], band, out);
            }
        }
    }
}

for_each_set! {
    /// Samples of the triangles of `list` in the rows `band`, from the first of which pixels are counted; stops beyond `most` samples.
    pub raster = raster_lanes(view: &View, visible: &Visible, list: &[u32], band: [usize; 2], most: usize, out: &mut Waiting)
}
