//! Triangles to depth layers: which pixels a triangle covers along one axis, and how deep.
//!
//! Row by row between two sides of the triangle. Where a side passes a row is decided once per side, from its vertices in one
//! order and exactly (Shewchuk's orient2d) where rounding is in doubt, with every pixel centre moved by (ε, ε²), ε > 0
//! infinitely small: a ray through an edge or a corner of a closed surface meets it as often inwards as outwards.

use super::lattice::View;
use robust::{Coord, orient2d};

/// One surface met by one ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Coordinate along the axis (m).
    pub depth: f64,
    /// Twice the triangle's number among all bodies', plus 1 where the ray enters.
    pub tag: u32,
}

impl Sample {
    #[inline]
    pub fn enters(&self) -> bool {
        self.tag & 1 == 1
    }

    #[inline]
    pub fn triangle(&self) -> u32 {
        self.tag >> 1
    }

    /// Order along the ray; at one depth leaving comes first, so that touching is no overlap.
    #[inline]
    fn before(&self, o: &Self) -> bool {
        let key = |s: &Self| (s.tag & 1, s.tag >> 1);
        self.depth < o.depth || (self.depth == o.depth && key(self) < key(o))
    }
}

/// A triangle seen along the axis.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub corner: [[f64; 3]; 3],
    pub triangle: u32,
    /// Rows it may cover.
    pub rows: [u32; 2],
}

impl Seen {
    /// `None` where the triangle covers no row or column of pixels.
    #[inline]
    pub fn new(view: &View, corner: [[f64; 3]; 3], triangle: u32) -> Option<Self> {
        let [a, b, c] = corner;
        // No pixel's centre between its ends: most triangles of a fine mesh. A millionth of a pixel is room for rounding.
        let between = |k: usize| {
            let index = |x: f64| (x - view.origin[k]) * view.inverse - 0.5;
            let n = view.count[k] as f64;
            let first = ceiling(index(a[k].min(b[k]).min(c[k])).clamp(-1.0, n) - 1e-6);
            let end = ceiling(index(a[k].max(b[k]).max(c[k])).clamp(-1.0, n) + 1e-6);
            (first.max(0), end.min(view.count[k] as i64))
        };
        let (u, rows) = (between(0), between(1));
        let covers = u.0 < u.1 && rows.0 < rows.1;
        covers.then_some(Self { corner, triangle, rows: [rows.0 as u32, rows.1 as u32] })
    }
}

/// The least whole number not below x. `ceil` is a call on a baseline processor.
#[inline(always)]
fn ceiling(x: f64) -> i64 {
    let i = x as i64;
    // The largest stands for all that is larger.
    i.saturating_add(i64::from((i as f64) < x))
}

/// A side of a triangle, from its lower end (along v) to its upper.
struct Side {
    ends: [[f64; 2]; 2],
    /// Position in pixels at the lower end, and per metre of v.
    base: f64,
    slope: f64,
    doubt: f64,
}

impl Side {
    /// `size`: the largest coordinate of the triangle's corners, for the rounding of all three sides.
    #[inline(always)]
    fn new(view: &View, p: &[f64; 3], q: &[f64; 3], size: f64) -> Self {
        let (p, q) = if p[1] <= q[1] { (p, q) } else { (q, p) };
        let slope = (q[0] - p[0]) / (q[1] - p[1]) * view.inverse;
        Self {
            ends: [[p[0], p[1]], [q[0], q[1]]],
            base: (p[0] - view.origin[0]) * view.inverse - 0.5,
            slope,
            doubt: 8e-15 * size * (view.inverse + slope.abs()) + 1e-10,
        }
    }

    /// The first pixel of row `v` to the right of the side.
    #[inline(always)]
    fn first_right(&self, view: &View, v: f64, row: usize) -> usize {
        let x = self.base + self.slope * (v - self.ends[0][1]);
        let i = ceiling(x);
        let over = i as f64 - x;
        // A NaN or a number too large to count fails this.
        if over > self.doubt && over < 1.0 - self.doubt {
            return i.clamp(0, view.count[0] as i64) as usize;
        }
        self.exact_first_right(view, x, row)
    }

    #[cold]
    fn exact_first_right(&self, view: &View, x: f64, row: usize) -> usize {
        let c = |p: [f64; 2]| Coord { x: p[0], y: p[1] };
        // On the side, the centre's move along u puts it to the right.
        let right = |i: usize| orient2d(c(self.ends[0]), c(self.ends[1]), c(view.centre(i, row))) <= 0.0;
        let n = view.count[0];
        let mut i = (x.round().max(0.0) as usize).min(n);
        while i > 0 && right(i - 1) {
            i -= 1;
        }
        while i < n && !right(i) {
            i += 1;
        }
        i
    }
}

/// The layers of a band of rows: `samples[start[p]..start[p + 1]]` are those of its pixel p, along the ray.
#[derive(Clone, Debug, Default)]
pub struct Band {
    pub first_row: usize,
    pub rows: usize,
    pub start: Vec<u32>,
    pub samples: Vec<Sample>,
    /// Most layers of a pixel.
    pub deepest: usize,
    raw: Vec<(u32, Sample)>,
    /// The triangles that reach the band, by their place in the list of seen ones.
    pub list: Vec<u32>,
}

impl Band {
    /// Fills the band with the triangles that reach it; stops beyond `most` samples.
    pub fn raster(&mut self, view: &View, seen: &[Seen], most: usize) {
        let list = std::mem::take(&mut self.list);
        let columns = view.count[0];
        self.raw.clear();
        self.start.clear();
        self.start.resize(self.rows * columns + 1, 0);
        let (lo, hi) = (self.first_row, self.first_row + self.rows);
        for t in list.iter().map(|&t| &seen[t as usize]) {
            let rows = (t.rows[0] as usize).max(lo)..(t.rows[1] as usize).min(hi);
            if self.raw.len() <= most {
                self.triangle(view, t, rows);
            }
        }
        self.list = list;
        self.sort();
    }

    fn triangle(&mut self, view: &View, t: &Seen, rows: std::ops::Range<usize>) {
        let [a, b, c] = t.corner;
        let (u, v) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
        let turn = u[0] * v[1] - u[1] * v[0];
        let per_turn = 1.0 / turn;
        let (gu, gv) = ((u[2] * v[1] - u[1] * v[2]) * per_turn, (u[0] * v[2] - u[2] * v[0]) * per_turn);
        let (near, far) = (a[2].min(b[2]).min(c[2]), a[2].max(b[2]).max(c[2]));
        let size = [a, b, c].iter().fold(0.0, |m: f64, p| m.max(p[0].abs()).max(p[1].abs()));
        // Corners by v; the side from the lowest to the highest faces the other two. Sides along u are passed by no row.
        let mut order = [0usize, 1, 2];
        let lower = |x: usize, y: usize| t.corner[x][1] <= t.corner[y][1];
        if !lower(order[0], order[1]) {
            order.swap(0, 1);
        }
        if !lower(order[1], order[2]) {
            order.swap(1, 2);
            if !lower(order[0], order[1]) {
                order.swap(0, 1);
            }
        }
        let [bottom, middle, top] = order;
        let side = |p: usize, q: usize| Side::new(view, &t.corner[p], &t.corner[q], size);
        let (long, long_rises) = (side(bottom, top), (bottom + 1) % 3 == top);
        let centre = |row: usize| view.origin[1] + (row as f64 + 0.5) * view.pixel;
        let (mut row, end) = (rows.start, rows.end);
        while row < end && centre(row) < t.corner[bottom][1] {
            row += 1;
        }
        for (from, to) in [(bottom, middle), (middle, top)] {
            let upper = t.corner[to][1];
            if row == end || centre(row) >= upper {
                continue;
            }
            let short = side(from, to);
            while row < end && centre(row) < upper {
                let v = centre(row);
                let (x, y) = (long.first_right(view, v, row), short.first_right(view, v, row));
                let (rising, falling) = if long_rises { (x, y) } else { (y, x) };
                // Counter-clockwise, seen against the ray: the rising side is on the right, the ray leaves.
                let (span, enters) =
                    if rising > falling { (falling..rising, 0) } else { (rising..falling, 1) };
                let at_row = a[2] + gv * (v - a[1]);
                let tag = t.triangle << 1 | enters;
                let first_pixel = (row - self.first_row) * view.count[0];
                for i in span {
                    let depth = at_row + gu * (view.origin[0] + (i as f64 + 0.5) * view.pixel - a[0]);
                    // A triangle seen edge on has no slope to speak of; its depth is between its corners'.
                    let depth = if depth >= near { if depth <= far { depth } else { far } } else { near };
                    let pixel = (first_pixel + i) as u32;
                    self.start[pixel as usize + 1] += 1;
                    self.raw.push((pixel, Sample { depth, tag }));
                }
                row += 1;
            }
        }
    }

    /// Counting sort by pixel, then each pixel along its ray.
    fn sort(&mut self) {
        let pixels = self.start.len() - 1;
        self.deepest = 0;
        for p in 0..pixels {
            self.deepest = self.deepest.max(self.start[p + 1] as usize);
            self.start[p + 1] += self.start[p];
        }
        self.samples.clear();
        self.samples.resize(self.raw.len(), Sample { depth: 0.0, tag: 0 });
        for &(p, s) in &self.raw {
            let slot = &mut self.start[p as usize];
            self.samples[*slot as usize] = s;
            *slot += 1;
        }
        // Every start has become the next one's.
        for p in (0..pixels).rev() {
            self.start[p + 1] = self.start[p];
        }
        self.start[0] = 0;
        for p in 0..pixels {
            let ray = &mut self.samples[self.start[p] as usize..self.start[p + 1] as usize];
            for i in 1..ray.len() {
                let s = ray[i];
                let mut k = i;
                while k > 0 && s.before(&ray[k - 1]) {
                    ray[k] = ray[k - 1];
                    k -= 1;
                }
                ray[k] = s;
            }
        }
    }
}
