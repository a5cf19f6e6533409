//! Eight triangles at a time: those a few rows high, whose sides are beyond doubt in every row.
//!
//! The same sides, rows and depths as [`super::raster`] has them, one triangle in each lane; which pixels a side leaves to its right
//! is a matter of exact signs, so that the two ways cannot differ. What is tall or in doubt is left to the other.

use super::lattice::View;
use super::layers::{Depths, Waiting};
use super::raster::{DOUBT_PIXELS, FAR, ROUNDING, one};
use super::visible::Visible;
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
    u: [Lanes; 3],
    v: [Lanes; 3],
    depth: [Lanes; 3],
    row: [Lanes; 3],
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
    tag: [u32; LANES],
}

/// Moves a whole number to the low bits; added and taken away again it rounds.
const WHOLE: f64 = 1.5 * 4_503_599_627_370_496.0;

#[inline(always)]
fn low_bits(x: f64) -> u32 {
    (x + WHOLE).to_bits() as u32
}

/// Both are read, one is taken: a choice between two places in memory would be looked up lane by lane.
#[inline(always)]
fn pick(first: bool, x: f64, y: f64) -> f64 {
    let mask = 0u64.wrapping_sub(u64::from(first));
    f64::from_bits(x.to_bits() & mask | y.to_bits() & !mask)
}

#[inline(always)]
fn setup(view: &View, band: [f64; 2], c: &Corners, s: &mut Setup) {
    let inverse = view.inverse;
    for l in 0..LANES {
        let (u, v, w, row) = (
            [c.u[0][l], c.u[1][l], c.u[2][l]],
            [c.v[0][l], c.v[1][l], c.v[2][l]],
            [c.depth[0][l], c.depth[1][l], c.depth[2][l]],
            [c.row[0][l], c.row[1][l], c.row[2][l]],
        );
        let (p, q) = ([u[1] - u[0], v[1] - v[0], w[1] - w[0]], [u[2] - u[0], v[2] - v[0], w[2] - w[0]]);
        let turn = p[0] * q[1] - p[1] * q[0];
        let per_turn = 1.0 / turn;
        s.slope[0][l] = (p[2] * q[1] - p[1] * q[2]) * per_turn;
        s.slope[1][l] = (p[0] * q[2] - p[2] * q[0]) * per_turn;
        s.near[l] = w[0].min(w[1]).min(w[2]);
        s.far[l] = w[0].max(w[1]).max(w[2]);
        let largest = |x: [f64; 3]| x[0].abs().max(x[1].abs()).max(x[2].abs());
        let size = largest(u).max(largest(v));
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
            let sure = ROUNDING * size * (inverse + slope.abs()) < 2e-7;
            // Not a number is in doubt wherever it is asked for.
            ((pu - view.origin[0]) * inverse - 0.5, if sure { slope } else { f64::NAN })
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

/// Row `k` of each triangle; `doubt` becomes 1 where it is in doubt, `total` counts pixels.
#[inline(always)]
fn row(
    view: &View,
    band: f64,
    k: f64,
    c: &Corners,
    s: &Setup,
    [doubt, total]: [&mut Lanes; 2],
    out: &mut Row,
) {
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
        let sure =
            (off_x.abs() > DOUBT_PIXELS) & (off_y.abs() > DOUBT_PIXELS) & (x.abs() < FAR) & (y.abs() < FAR);
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
        total[l] += span;
        out.at[l] = c.depth[0][l] + s.slope[1][l] * (v - c.v[0][l]);
        out.pixel[l] = low_bits((row - band) * columns + left);
        out.from[l] = low_bits(left);
        out.span[l] = low_bits(span);
        out.tag[l] = c.number[l] << 1 | low_bits(if leaves { 0.0 } else { 1.0 });
    }
}

/// Fetches the corners of a block; where it is short its last triangle stands in all lanes that are left.
#[inline(always)]
fn gather(view: &View, visible: &Visible, block: &[u32], c: &mut Corners) {
    for l in 0..LANES {
        let t = &visible.triangles[block[l.min(block.len() - 1)] as usize];
        c.number[l] = t.number;
        for k in 0..3 {
            let at = t.corners[k] as usize;
            let [u, v, depth] = view.project(visible.points[at]);
            (c.u[k][l], c.v[k][l], c.depth[k][l]) = (u, v, depth);
            c.row[k][l] = f64::from(visible.places[at].row);
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
    let mut group: [Corners; BLOCKS] = std::array::from_fn(|_| Corners::default());
    let mut s = Setup::default();
    let mut rows = [Row::default(); TALL];
    let mut spans = [0u8; 2 * TALL * LANES];
    for (i, block) in list.chunks(LANES).enumerate() {
        if out.count() > most {
            break;
        }
        // Some blocks ahead: lanes that were just written one by one cannot be read as a whole yet.
        if i % BLOCKS == 0 {
            let ahead = &list[i * LANES..];
            // A closure would be another function, without these instructions.
            for (block, c) in ahead.chunks(LANES).zip(&mut group) {
                gather(view, visible, block, c);
            }
        }
        let c = &group[i % BLOCKS];
        setup(view, [lo, hi], c, &mut s);
        let (mut other, mut total) = ([0.0; LANES], [0.0; LANES]);
        let mut highest = 0.0;
        for l in 0..LANES {
            let there = l < block.len();
            other[l] = if there & (s.rows[l] > TALL as f64) { 1.0 } else { 0.0 };
            s.rows[l] = if there & (s.rows[l] <= TALL as f64) { s.rows[l] } else { 0.0 };
            highest = if s.rows[l] > highest { s.rows[l] } else { highest };
        }
        let rows = &mut rows[..highest as usize];
        for (k, r) in rows.iter_mut().enumerate() {
            row(view, lo, k as f64, c, &s, [&mut other, &mut total], r);
        }
        let mut samples = 0.0;
        for l in 0..LANES {
            samples += if other[l] == 0.0 { total[l] } else { 0.0 };
        }
        let mut count = 0;
        for (k, r) in rows.iter().enumerate() {
            for l in 0..LANES {
                spans[count % spans.len()] = (k * LANES + l) as u8;
                count += usize::from((r.span[l] > 0) & (other[l] == 0.0));
            }
        }
        out.room(samples as usize);
        let mut writer = out.writer(samples as usize);
        for &i in &spans[..count] {
            let (r, l) = (&rows[usize::from(i) / LANES], usize::from(i) % LANES);
            let depths =
                Depths { at: r.at[l], slope: s.slope[0][l], from: c.u[0][l], near: s.near[l], far: s.far[l] };
            writer.write(
                &visible.columns,
                r.from[l] as usize,
                r.span[l] as usize,
                r.pixel[l],
                r.tag[l],
                &depths,
            );
        }
        if other == [0.0; LANES] {
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
