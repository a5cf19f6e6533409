//! How far the volume along one axis can be off, from the triangles that cross each pixel: a lower and an upper sum.
//!
//! V is the integral of ℓ, the length that a ray has in both bodies, over the pixels; the image has h² ℓ at each centre. Of the triangles
//! over a pixel the ranges of depth there are joined to *clusters*. Between clusters no surface passes over any point of the pixel, so the
//! winding numbers are those on the centre's ray: these lengths are known. Within a cluster where both bodies can be over a length L,
//! of which the centre has m:
//!
//! * The length is from 0 to L wherever the point: the pixel is off by −h² m to h² (L − m). That holds for silhouettes and walls along the ray.
//! * Where a body has one sheet in the cluster (all its triangles face one way, and its winding number changes by one), ℓ is continuous
//!   and piecewise linear, with slopes that are those of the sheets' triangles, or their differences. A slope that is the same all over
//!   adds nothing about the centre, so with r the half-ranges of the slopes along the two axes the pixel is off by (r_u + r_v) h³/4 at most.
//!
//! The first falls as h times the length of the walls seen edge on, the second as h². Neither asks which triangles are neighbours.

use super::lattice::View;
use super::sample::Sample;
use super::within::Triangle;
use impinge_geometry::DVec3;

/// Pixels that a triangle is taken to reach beyond where it is: room for rounding.
pub const REACH: f64 = 1e-6;
/// Coordinates in pixels up to which a triangle is followed row by row; rounding is far below [`REACH`] there.
const FOLLOWED: f64 = 1e8;
/// A triangle whose area on the image is below this part of what it is the difference of is a wall: its slope has no digits.
const WALL: f64 = 1e-9;
/// Bytes of a triangle over a pixel while it is sorted in.
pub const OVER_BYTES: usize = 2 * size_of::<Over>();

/// Bounds of ∫ℓ minus the image's sum (m³): from `-below` to `above`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Off {
    /// The image's sum (m³).
    pub sum: f64,
    pub below: f64,
    pub above: f64,
}

impl Off {
    pub fn add(&mut self, o: &Self) {
        self.sum += o.sum;
        self.below += o.below;
        self.above += o.above;
    }
}

/// A triangle seen along an axis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Corners in pixels from the lattice's corner.
    at: [[f64; 2]; 3],
    /// Depths of its corners: the least, the greatest (m).
    near: f64,
    far: f64,
    /// Its first corner, and the slope of its plane (m, m per m); how far off the slope may be.
    origin: [f64; 3],
    slope: [f64; 2],
    doubt: f64,
    /// What that makes of a depth on the triangle (m).
    blur: f64,
    /// 1 where rays leave the body, −1 where they enter, 0 for a wall.
    facing: i8,
    /// Which of the two bodies.
    body: u8,
    /// Rows of pixels it may reach.
    pub rows: [u32; 2],
}

impl Seen {
    #[must_use]
    pub fn new(view: &View, corner: [DVec3; 3], body: u8) -> Self {
        let p = corner.map(|c| view.project(c));
        let at = p.map(|[u, v, _]| [0, 1].map(|k| ([u, v][k] - view.origin[k]) * view.inverse));
        let [a, b, c] = p;
        let (s, t) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
        let (turn, terms) = (s[0] * t[1] - s[1] * t[0], (s[0] * t[1]).abs() + (s[1] * t[0]).abs());
        let steep = [s[2] * t[1] - s[1] * t[2], s[0] * t[2] - s[2] * t[0]];
        let sizes = [(s[2] * t[1]).abs() + (s[1] * t[2]).abs(), (s[0] * t[2]).abs() + (s[2] * t[0]).abs()];
        let slope = steep.map(|n| n / turn);
        // Each product and difference is right to half a unit; four of them to a quotient.
        let doubt = [0, 1].map(|k| 8.0 * f64::EPSILON * (sizes[k] + slope[k].abs() * terms) / turn.abs());
        let doubt = doubt[0].max(doubt[1]);
        let sure = turn.abs() > WALL * terms && (slope[0].abs() + slope[1].abs() + doubt).is_finite();
        let facing = if !sure {
            0
        } else if turn > 0.0 {
            1
        } else {
            -1
        };
        let rows = span(at.map(|p| p[1]), view.count[1]);
        let near = a[2].min(b[2]).min(c[2]);
        let far = a[2].max(b[2]).max(c[2]);
        let reach = [0, 1].map(|k| s[k].abs().max(t[k].abs()) + view.pixel);
        let blur = doubt * (reach[0] + reach[1]);
        Self { at, near, far, origin: a, slope, doubt, blur, facing, body, rows }
    }

    /// The columns it may reach in a row.
    fn columns(&self, row: u32, view: &View) -> [u32; 2] {
        let (lo, hi) = (f64::from(row) - REACH, f64::from(row) + 1.0 + REACH);
        if self.at.iter().flatten().any(|x| !(x.abs() < FOLLOWED)) {
            return span(self.at.map(|p| p[0]), view.count[0]);
        }
        let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
        for k in 0..3 {
            let ([x0, y0], [x1, y1]) = (self.at[k], self.at[(k + 1) % 3]);
            if y0.max(y1) < lo || y0.min(y1) > hi {
                continue;
            }
            for y in [lo, hi] {
                let part = if y1 == y0 { 0.0 } else { ((y - y0) / (y1 - y0)).clamp(0.0, 1.0) };
                let x = x0 + part * (x1 - x0);
                left = left.min(x);
                right = right.max(x);
            }
            if y1 == y0 {
                left = left.min(x1);
                right = right.max(x1);
            }
        }
        // Only rounding reaches this row.
        if left > right {
            return [0, 0];
        }
        span([left, right, left], view.count[0])
    }

    /// Its depths over a pixel (m), or `None` where it has none.
    fn depths(&self, view: &View, centre: [f64; 2], slack: f64) -> Option<[f64; 2]> {
        if self.facing == 0 {
            return Some([self.near - slack, self.far + slack]);
        }
        let from = [centre[0] - self.origin[0], centre[1] - self.origin[1]];
        let middle = self.origin[2] + self.slope[0] * from[0] + self.slope[1] * from[1];
        let half = (0.5 + REACH) * view.pixel;
        let room = half * (self.slope[0].abs() + self.slope[1].abs())
            + self.doubt * (from[0].abs() + from[1].abs() + 2.0 * half)
            + slack;
        let (lo, hi) = ((self.near - slack).max(middle - room), (self.far + slack).min(middle + room));
        (lo <= hi).then_some([lo, hi])
    }
}

/// Whole pixels, of so many, that a range touches.
fn span(x: [f64; 3], count: usize) -> [u32; 2] {
    let (lo, hi) = (x[0].min(x[1]).min(x[2]) - REACH, x[0].max(x[1]).max(x[2]) + REACH);
    let most = count as f64;
    if !(hi >= 0.0 && lo <= most) {
        return [0, 0];
    }
    [lo.clamp(0.0, most) as u32, (hi.floor() + 1.0).clamp(0.0, most) as u32]
}

/// A triangle over a pixel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Over {
    lo: f64,
    hi: f64,
    pixel: u32,
    face: u32,
}

/// Least and greatest of the slopes of a body's triangles in a cluster.
#[derive(Clone, Copy, Debug)]
struct Slopes {
    lo: [f64; 2],
    hi: [f64; 2],
    doubt: f64,
    blur: f64,
    facing: Option<i8>,
}

impl Slopes {
    fn new() -> Self {
        Self { lo: [f64::INFINITY; 2], hi: [f64::NEG_INFINITY; 2], doubt: 0.0, blur: 0.0, facing: None }
    }

    fn add(&mut self, s: &Seen) {
        for k in 0..2 {
            self.lo[k] = self.lo[k].min(s.slope[k]);
            self.hi[k] = self.hi[k].max(s.slope[k]);
        }
        self.doubt = self.doubt.max(s.doubt);
        self.blur = self.blur.max(s.blur);
        self.facing = match self.facing {
            None => Some(s.facing),
            Some(f) if f == s.facing => Some(f),
            Some(_) => Some(0),
        };
    }
}

/// What a strip of rows is measured with.
pub struct Strip<'a> {
    pub view: &'a View,
    pub seen: &'a [Seen],
    /// Those that reach the strip.
    pub list: &'a [u32],
    pub rows: [usize; 2],
    /// Layers of the strip's pixels: `samples[start[p]..start[p + 1]]`.
    pub start: &'a [u32],
    pub samples: &'a [Sample],
    /// Triangles of the first body: samples from this number on are the second's.
    pub second: u32,
    /// Rounding of a depth (m).
    pub slack: f64,
}

impl Strip<'_> {
    /// Adds up the strip; `Err` is how many triangles over pixels there were when they became more than `most`.
    pub fn off(&self, most: usize) -> Result<Off, usize> {
        let columns = self.view.count[0];
        let mut over: Vec<Over> = Vec::new();
        for &face in self.list {
            let seen = &self.seen[face as usize];
            let rows = (seen.rows[0] as usize).max(self.rows[0])..(seen.rows[1] as usize).min(self.rows[1]);
            for row in rows {
                let [from, end] = seen.columns(row as u32, self.view);
                for column in from..end {
                    let centre = self.view.centre(column as usize, row);
                    if let Some([lo, hi]) = seen.depths(self.view, centre, self.slack) {
                        let pixel = ((row - self.rows[0]) * columns) as u32 + column;
                        over.push(Over { lo, hi, pixel, face });
                    }
                }
                if over.len() > most {
                    return Err(over.len());
                }
            }
        }
        // One list for each pixel, in the order of the triangles.
        let pixels = (self.rows[1] - self.rows[0]) * columns;
        let mut start = vec![0u32; pixels + 2];
        over.iter().for_each(|o| start[o.pixel as usize + 2] += 1);
        for p in 2..start.len() {
            start[p] += start[p - 1];
        }
        let mut sorted = vec![Over::default(); over.len()];
        for o in &over {
            let slot = &mut start[o.pixel as usize + 1];
            sorted[*slot as usize] = *o;
            *slot += 1;
        }
        let mut off = Off::default();
        for p in 0..pixels {
            let list = &mut sorted[start[p] as usize..start[p + 1] as usize];
            let body = |o: &Over| self.seen[o.face as usize].body;
            // A ray that misses one body for the whole pixel has nothing in both.
            if list.is_empty() || list.iter().all(|o| body(o) == body(&list[0])) {
                continue;
            }
            list.sort_unstable_by(|a, b| a.lo.total_cmp(&b.lo).then(a.face.cmp(&b.face)));
            off.add(&self.pixel(list, &self.samples[self.start[p] as usize..self.start[p + 1] as usize]));
        }
        Ok(off)
    }

    /// One pixel; `list` by lower depth.
    fn pixel(&self, list: &[Over], mut ray: &[Sample]) -> Off {
        let mut off = Off::default();
        let area = self.view.pixel * self.view.pixel;
        let mut inside = [0i32; 2];
        let mut first = 0;
        let mut last = f64::NEG_INFINITY;
        while first < list.len() {
            let (lo, mut hi, mut end) = (list[first].lo, list[first].hi, first + 1);
            while end < list.len() && list[end].lo <= hi {
                hi = hi.max(list[end].hi);
                end += 1;
            }
            if inside.iter().all(|w| *w > 0) {
                off.sum += (lo - last) * area;
            }
            last = hi;
            let met = if end == list.len() { ray.len() } else { ray.partition_point(|s| s.depth <= hi) };
            let own;
            (own, ray) = ray.split_at(met);
            let before = inside;
            let mut length = 0.0;
            let mut from = lo;
            for s in own {
                let depth = s.depth.clamp(lo, hi);
                if inside.iter().all(|w| *w > 0) {
                    length += depth - from;
                }
                from = depth;
                inside[usize::from(s.triangle() >= self.second)] += if s.enters() { 1 } else { -1 };
            }
            if inside.iter().all(|w| *w > 0) {
                length += hi - from;
            }
            off.sum += length * area;
            let cluster = &list[first..end];
            first = end;
            let present = [0, 1].map(|b| cluster.iter().any(|o| self.seen[o.face as usize].body == b));
            // A body without a surface here is what it was, for the whole pixel.
            if (0..2).any(|b| !present[b] && before[b] <= 0) {
                continue;
            }
            let most = self.most([lo, hi], cluster, before, inside);
            if !(most > 0.0) {
                // Nowhere inside both; the centre's rounding would be all there is.
                off.below += length * area;
                continue;
            }
            let (mut below, mut above) = (length * area, (most - length).max(0.0) * area);
            if let Some(sheet) = self.sheets(cluster, before, inside) {
                below = below.min(sheet);
                above = above.min(sheet);
            }
            // The ends of the cluster and the samples in it are rounded.
            let rounding = 4.0 * self.slack * area;
            off.below += below + rounding;
            off.above += above + rounding;
        }
        off
    }

    /// The longest that a ray can be inside both bodies in a cluster (m). A body that is outside below it starts with its own triangles, and
    /// one that is outside above it ends with them.
    fn most(&self, [lo, hi]: [f64; 2], cluster: &[Over], before: [i32; 2], after: [i32; 2]) -> f64 {
        let mut range = [lo, hi];
        for b in 0..2 {
            let own = || cluster.iter().filter(|o| usize::from(self.seen[o.face as usize].body) == b);
            if before[b] <= 0 {
                range[0] = range[0].max(own().fold(f64::INFINITY, |m, o| m.min(o.lo)));
            }
            if after[b] <= 0 {
                range[1] = range[1].min(own().fold(f64::NEG_INFINITY, |m, o| m.max(o.hi)));
            }
        }
        range[1] - range[0]
    }

    /// How far a cluster is off where each body that changes in it does so by one sheet (m³).
    fn sheets(&self, cluster: &[Over], before: [i32; 2], after: [i32; 2]) -> Option<f64> {
        let mut slopes = [Slopes::new(); 2];
        for o in cluster {
            let seen = &self.seen[o.face as usize];
            slopes[usize::from(seen.body)].add(seen);
        }
        // +1: both sides of the sheet are known, and rays are inside below it; −1: above it.
        let mut leaves = [None; 2];
        for b in 0..2 {
            match slopes[b].facing {
                None if before[b] > 0 => {}
                Some(f) if f != 0 && after[b] == before[b] - i32::from(f) => {
                    if before[b].max(after[b]) == 1 {
                        leaves[b] = Some(f > 0);
                    } else if before[b].min(after[b]) < 1 {
                        // Outside on both sides: nothing of it counts, and nothing is off.
                        return Some(0.0);
                    }
                }
                _ => return None,
            }
        }
        let view = self.view;
        let [a, b] = &slopes;
        let mut range = [[0.0; 2]; 2];
        let (mut doubt, mut blur, mut steepest) = (0.0, 0.0, 0.0f64);
        for k in 0..2 {
            range[k] = match leaves {
                [None, None] => [0.0; 2],
                [Some(_), None] => [a.lo[k], a.hi[k]],
                [None, Some(_)] => [b.lo[k], b.hi[k]],
                // The nearer of two ends, or the farther of two starts.
                [Some(x), Some(y)] if x == y => [a.lo[k].min(b.lo[k]), a.hi[k].max(b.hi[k])],
                // From one sheet to the other, or nothing where they have changed places.
                [Some(_), Some(_)] => [(a.lo[k] - b.hi[k]).min(0.0), (a.hi[k] - b.lo[k]).max(0.0)],
            };
            steepest = steepest.max(range[k][0].abs()).max(range[k][1].abs());
        }
        for (s, sheet) in slopes.iter().zip(leaves) {
            if sheet.is_some() {
                doubt += s.doubt;
                blur += s.blur;
            }
        }
        let half: f64 = range.iter().map(|r| 0.5 * (r[1] - r[0]) + doubt).sum();
        // Centres are rounded: their place is off by a few units of their coordinate.
        let far = view.origin.iter().map(|o| o.abs()).fold(0.0, f64::max);
        let side = far + view.pixel * view.count[0].max(view.count[1]) as f64;
        let moved = 8.0 * f64::EPSILON * side * (steepest + doubt);
        Some(view.pixel * view.pixel * (0.25 * view.pixel * half * (1.0 + 1e-9) + moved + blur))
    }
}

/// The visible triangles along an axis, in place of what was there.
pub fn fill(view: &View, triangles: &[Triangle], points: &[DVec3], second: u32, out: &mut Vec<Seen>) {
    out.clear();
    out.resize(triangles.len(), Seen::default());
    impinge_contact::par::fill(out, 4096, |i, seen| {
        let t = &triangles[i];
        if !t.out_of_sight(view.axis) {
            *seen = Seen::new(view, t.corners.map(|v| points[v as usize]), u8::from(t.number >= second));
        }
    });
}
