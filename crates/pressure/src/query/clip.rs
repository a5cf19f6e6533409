//! Polygons: the cut of a plane through a tet, and clipping by the four faces of another.
//!
//! A corner is eight numbers, [x, y, z, p, λ₀, λ₁, λ₂, λ₃]: place, pressure, and the barycentric weights in the other
//! tet, all affine, so that a point between two corners is one blend of eight lanes, and clipping by face j asks for
//! the sign of λⱼ only.

use super::relative::min;
use crate::blocks::TetRecord;

/// A corner with everything affine it carries.
pub type Corner = [f64; 8];

/// Room for the corners of a polygon: 4 + 4 at most for convex ones; rounding may add a few.
pub const ROOM: usize = 24;

/// A polygon being clipped: two buffers used in turn.
#[repr(C, align(64))]
pub struct Polygon {
    buffers: [[Corner; ROOM]; 2],
    now: usize,
    len: usize,
}

/// Edges a cut passes, for every set of corners on the positive side (bit i: corner i), counter-clockwise seen from
/// there; always from the positive corner to the other, so that two tets find the same point on a shared edge.
const CUTS: [&[[u8; 2]]; 16] = [
    &[],
    &[[0, 1], [0, 3], [0, 2]],
    &[[1, 0], [1, 2], [1, 3]],
    &[[0, 2], [1, 2], [1, 3], [0, 3]],
    &[[2, 0], [2, 3], [2, 1]],
    &[[0, 3], [2, 3], [2, 1], [0, 1]],
    &[[1, 0], [2, 0], [2, 3], [1, 3]],
    &[[0, 3], [2, 3], [1, 3]],
    &[[3, 0], [3, 1], [3, 2]],
    &[[0, 1], [3, 1], [3, 2], [0, 2]],
    &[[1, 2], [3, 2], [3, 0], [1, 0]],
    &[[0, 2], [1, 2], [3, 2]],
    &[[2, 0], [3, 0], [3, 1], [2, 1]],
    &[[0, 1], [3, 1], [2, 1]],
    &[[1, 0], [2, 0], [3, 0]],
    &[],
];

/// p + (q − p) t, all eight.
#[inline(always)]
fn blend(p: &Corner, q: &Corner, t: f64) -> Corner {
    let mut r = [0.0; 8];
    for e in 0..8 {
        r[e] = p[e] + (q[e] - p[e]) * t;
    }
    r
}

impl Polygon {
    pub const EMPTY: Self = Self { buffers: [[[0.0; 8]; ROOM]; 2], now: 0, len: 0 };

    /// The corners.
    #[inline(always)]
    pub fn corners(&self) -> &[Corner] {
        &self.buffers[self.now][..self.len]
    }

    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
        self.now = 0;
    }

    #[inline(always)]
    pub fn push(&mut self, c: Corner) {
        if self.len < ROOM {
            self.buffers[self.now][self.len] = c;
            self.len += 1;
        }
    }

    /// The cut of the plane h = 0 through a tet whose corners are `c`, counter-clockwise seen from h > 0.
    #[inline(always)]
    pub fn cut(&mut self, h: [f64; 4], c: &[Corner; 4]) {
        self.clear();
        let positive = (0..4).fold(0usize, |m, i| m | usize::from(h[i] >= 0.0) << i);
        for &[i, j] in CUTS[positive] {
            let (i, j) = (i as usize, j as usize);
            self.buffers[0][self.len] = blend(&c[i], &c[j], h[i] / (h[i] - h[j]));
            self.len += 1;
        }
    }

    /// Keeps what lies on the inner side of number `k` of the corners (≥ 0); `false` when less than a triangle is left.
    #[inline(always)]
    pub fn clip(&mut self, k: usize) -> bool {
        let (first, second) = self.buffers.split_at_mut(1);
        let (from, to) =
            if self.now == 0 { (&first[0], &mut second[0]) } else { (&second[0], &mut first[0]) };
        let n = self.len;
        if n == 0 {
            return false;
        }
        let mut m = 0usize;
        let mut last = from[n - 1];
        for i in 0..n {
            let this = from[i];
            let (a, b) = (last[k], this[k]);
            // Room is left for two corners: no check in between.
            if m + 2 > ROOM {
                break;
            }
            if (a >= 0.0) != (b >= 0.0) {
                // From the inner to the outer corner, whichever way the edge is walked: neighbours agree.
                let (p, q) = if a >= 0.0 { (&last, &this) } else { (&this, &last) };
                let mut r = blend(p, q, p[k] / (p[k] - q[k]));
                r[k] = 0.0;
                to[m] = r;
                m += 1;
            }
            if b >= 0.0 {
                to[m] = this;
                m += 1;
            }
            last = this;
        }
        self.now = 1 - self.now;
        self.len = m;
        m >= 3
    }

    /// Clips by all four weights. `false` when nothing is left.
    #[inline(always)]
    pub fn clip_to_tet(&mut self) -> bool {
        let mut lowest = [0.0f64; 4];
        let mut highest = [f64::NEG_INFINITY; 4];
        for c in self.corners() {
            for j in 0..4 {
                lowest[j] = min(lowest[j], c[4 + j]);
                highest[j] = if c[4 + j] > highest[j] { c[4 + j] } else { highest[j] };
            }
        }
        if highest.iter().any(|&h| h <= 0.0) {
            return false;
        }
        for j in 0..4 {
            if lowest[j] < 0.0 && !self.clip(4 + j) {
                return false;
            }
        }
        self.len >= 3
    }
}

/// p_a − p_b at the corners of `a`.
#[inline(always)]
pub fn differences(a: &TetRecord, b: &TetRecord) -> [f64; 4] {
    let mut h = [0.0; 4];
    for i in 0..4 {
        h[i] = a.p[i] - (b.g[0] * a.x[i] + b.g[1] * a.y[i] + b.g[2] * a.z[i] + b.c);
    }
    h
}

/// A point with its pressure and its weights in `b`.
#[inline(always)]
pub fn corner(b: &TetRecord, x: f64, y: f64, z: f64, p: f64) -> Corner {
    let mut c = [x, y, z, p, 0.0, 0.0, 0.0, 0.0];
    for j in 0..4 {
        c[4 + j] = b.x[4 + j] * x + b.y[4 + j] * y + b.z[4 + j] * z + b.d[j];
    }
    c
}

/// The corners of `a` with their weights in `b`.
#[inline(always)]
pub fn corners(a: &TetRecord, b: &TetRecord) -> [Corner; 4] {
    [
        corner(b, a.x[0], a.y[0], a.z[0], a.p[0]),
        corner(b, a.x[1], a.y[1], a.z[1], a.p[1]),
        corner(b, a.x[2], a.y[2], a.z[2], a.p[2]),
        corner(b, a.x[3], a.y[3], a.z[3], a.p[3]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::DVec3;

    #[test]
    fn every_cut_turns_counter_clockwise_seen_from_the_positive_side() {
        let x = [[0.1, -0.2, 0.3], [1.0, 0.1, -0.1], [0.2, 1.1, 0.0], [0.0, 0.3, 0.9]];
        let at = |i: usize| DVec3::from(x[i]);
        assert!((at(1) - at(0)).dot((at(2) - at(0)).cross(at(3) - at(0))) > 0.0);
        let c: [Corner; 4] = [0, 1, 2, 3].map(|i| [x[i][0], x[i][1], x[i][2], 0.0, 0.0, 0.0, 0.0, 0.0]);
        let mut seen = 0;
        for a in 0..13 {
            for b in 0..7 {
                for d in -6..7 {
                    let n = DVec3::new(
                        (f64::from(a) * 0.5).cos(),
                        (f64::from(a) * 0.5).sin(),
                        f64::from(b) - 3.0,
                    )
                    .normalized();
                    let h = [0, 1, 2, 3].map(|i| n.dot(at(i)) - 0.15 * f64::from(d));
                    let mut p = Polygon::EMPTY;
                    p.cut(h, &c);
                    let q = p.corners();
                    for k in 2..q.len() {
                        let v = |i: usize| DVec3::new(q[i][0], q[i][1], q[i][2]);
                        assert!((v(k - 1) - v(0)).cross(v(k) - v(0)).dot(n) > 0.0);
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 300);
    }
}
