//! Polygons: the cut of a plane through a tet, and clipping by the four faces of another.
//!
//! A corner is eight numbers, [x, y, z, p, λ₀, λ₁, λ₂, λ₃]: place, pressure, and the barycentric weights in the other
//! tet, all affine, so that a point between two corners is one blend of eight lanes, and clipping by face j asks for
//! the sign of λⱼ only.

use super::relative::{ROUNDING, TIED, max, min};
use crate::blocks::TetRecord;
use impinge_geometry::DVec3;

/// A corner with everything affine it carries.
pub type Corner = [f64; 8];

/// Room for the corners of a polygon: 4 + 4 at most for convex ones; rounding may add a few.
pub const ROOM: usize = 24;

/// Distances from a face up to this many times the rounding of places are none: corners of a polygon are blends, and carry
/// more of it than a vertex.
pub const IN_FACE: f64 = 32.0;
/// Weights above this are of no face, whatever the tet's shape: asked first, because it costs nothing.
pub const NEAR_FACE: f64 = 1e-6;

/// How many times steeper a body must be than the other to count as rigid beside it, and how many times what counts as in a face it must then
/// be pressed in so that they do not only touch.
const MUCH: f64 = 1e3;

/// A polygon being clipped: two buffers used in turn.
#[repr(C, align(64))]
pub struct Polygon {
    buffers: [[Corner; ROOM]; 2],
    now: usize,
    len: usize,
}

/// Edges a cut passes, for every set of corners on the positive side (bit i: corner i), counter-clockwise seen from
/// there; always from the positive corner to the other, so that two tets find the same point on a shared edge.
/// All have four entries, so that nothing is asked on the way; `SIDES` says how many count.
const CUTS: [[[u8; 2]; 4]; 16] = [
    [[0, 0]; 4],
    [[0, 1], [0, 3], [0, 2], [0, 1]],
    [[1, 0], [1, 2], [1, 3], [1, 0]],
    [[0, 2], [1, 2], [1, 3], [0, 3]],
    [[2, 0], [2, 3], [2, 1], [2, 0]],
    [[0, 3], [2, 3], [2, 1], [0, 1]],
    [[1, 0], [2, 0], [2, 3], [1, 3]],
    [[0, 3], [2, 3], [1, 3], [0, 3]],
    [[3, 0], [3, 1], [3, 2], [3, 0]],
    [[0, 1], [3, 1], [3, 2], [0, 2]],
    [[1, 2], [3, 2], [3, 0], [1, 0]],
    [[0, 2], [1, 2], [3, 2], [0, 2]],
    [[2, 0], [3, 0], [3, 1], [2, 1]],
    [[0, 1], [3, 1], [2, 1], [0, 1]],
    [[1, 0], [2, 0], [3, 0], [1, 0]],
    [[0, 0]; 4],
];

const SIDES: [u8; 16] = [0, 3, 3, 4, 3, 4, 4, 3, 3, 4, 4, 3, 4, 3, 3, 0];

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
    #[must_use]
    pub fn corners(&self) -> &[Corner] {
        &self.buffers[self.now][..self.len]
    }

    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
        self.now = 0;
    }

    /// Calls `f` for each corner.
    #[inline(always)]
    pub fn each_corner(&mut self, f: impl FnMut(&mut Corner)) {
        self.buffers[self.now][..self.len].iter_mut().for_each(f);
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
        let positive = (0..4).fold(0usize, |m, i| m | usize::from(h[i] >= 0.0) << i);
        for (n, &[i, j]) in CUTS[positive].iter().enumerate() {
            let (i, j) = (i as usize & 3, j as usize & 3);
            self.buffers[0][n] = blend(&c[i], &c[j], h[i] / (h[i] - h[j]));
        }
        self.now = 0;
        self.len = SIDES[positive] as usize;
    }

    /// Keeps what lies on the inner side of number `K` of the corners (≥ 0); `false` when less than a triangle is left.
    ///
    /// The inner corners of a convex polygon are one run around it: its ends are found by bits, so that no corner asks a
    /// question that cannot be foretold. Where rounding makes two runs, each edge is looked at in turn.
    #[inline(always)]
    pub fn clip<const K: usize>(&mut self) -> bool {
        let (first, second) = self.buffers.split_at_mut(1);
        let (from, to) =
            if self.now == 0 { (&first[0], &mut second[0]) } else { (&second[0], &mut first[0]) };
        let n = self.len;
        let mut inner = 0u32;
        for (i, c) in from[..n].iter().enumerate() {
            inner |= u32::from(c[K] >= 0.0) << i;
        }
        let all = (1u32 << n) - 1;
        if inner == all {
            return n >= 3;
        }
        if inner == 0 {
            self.len = 0;
            return false;
        }
        self.now = 1 - self.now;
        // Inner corners whose predecessor is not.
        let starts = inner & !((inner << 1 | inner >> (n - 1)) & all);
        let mut m = 0;
        if starts & (starts - 1) == 0 {
            let count = inner.count_ones() as usize;
            let start = starts.trailing_zeros() as usize;
            let wrap = |i: usize| if i >= n { i - n } else { i };
            let (before, end) = (wrap(start + n - 1), wrap(start + count - 1));
            let after = wrap(end + 1);
            to[0] = edge::<K>(&from[start], &from[before]);
            let mut i = start;
            for k in 0..count {
                to[1 + k] = from[i];
                i = wrap(i + 1);
            }
            to[1 + count] = edge::<K>(&from[end], &from[after]);
            m = count + 2;
        } else {
            for i in 0..n {
                let j = if i == 0 { n - 1 } else { i - 1 };
                if m + 2 > ROOM {
                    break;
                }
                match (inner >> j & 1 == 1, inner >> i & 1 == 1) {
                    (true, false) => {
                        to[m] = edge::<K>(&from[j], &from[i]);
                        m += 1;
                    }
                    (false, true) => {
                        to[m] = edge::<K>(&from[i], &from[j]);
                        to[m + 1] = from[i];
                        m += 2;
                    }
                    (true, true) => {
                        to[m] = from[i];
                        m += 1;
                    }
                    (false, false) => {}
                }
            }
        }
        self.len = m;
        m >= 3
    }

    /// Whether `b` is steeper than this (Pa/m), and a corner has more pressure than that over `within` (m).
    #[cold]
    fn presses(&self, b: &TetRecord, steep: f64, within: f64) -> bool {
        b.gradient().mag() > steep && self.corners().iter().any(|c| c[3] > steep * within)
    }

    /// Clips by all four weights of the tet `b`. `false` when nothing is left.
    ///
    /// A polygon in a face that two tets share belongs to one of them: to the one behind it, seen along `n`, a normal of
    /// the polygon's plane. The weight of that face is then rounding and says nothing: either both had the polygon or none.
    /// In the face is what is nearer to it than `within` (m), a distance because the two tets have different heights.
    ///
    /// An outer face has one tet, and what lies in it is mostly two bodies that touch, which have no pressure there. Where `b` is far
    /// stiffer than the other body, whose pressure has the gradient `other`, all of a contact lies that near to it, and belongs to `b`.
    ///
    /// What is no farther from an inner face than `tied` (m), on either side, lies in it as well.
    #[inline(always)]
    pub fn clip_to_tet(
        &mut self,
        n: DVec3,
        b: &TetRecord,
        (within, tied): (f64, f64),
        other: Option<DVec3>,
    ) -> bool {
        let mut lowest = [0.0f64; 4];
        let mut highest = [f64::NEG_INFINITY; 4];
        for c in self.corners() {
            for j in 0..4 {
                lowest[j] = min(lowest[j], c[4 + j]);
                highest[j] = if c[4 + j] > highest[j] { c[4 + j] } else { highest[j] };
            }
        }
        if highest.iter().any(|&h| h <= NEAR_FACE) {
            for j in (0..4).filter(|&j| highest[j] <= NEAR_FACE) {
                let slope = DVec3::new(b.x[4 + j], b.y[4 + j], b.z[4 + j]);
                let outer = b.outer >> j & 1 == 1;
                let height = slope.mag();
                let (mut in_face, in_tie) = (within * height, tied * height);
                if !outer && highest[j] <= in_tie && lowest[j] >= -in_tie {
                    in_face = max(in_face, in_tie);
                }
                if highest[j] <= in_face {
                    if outer && other.is_some_and(|g| self.presses(b, g.mag() * MUCH, within)) {
                        if lowest[j] >= -in_face {
                            lowest[j] = 0.0;
                        }
                        continue;
                    }
                    if !(lowest[j] >= -in_face && n.dot(slope) < 0.0) {
                        return false;
                    }
                    lowest[j] = 0.0;
                }
            }
        }
        (lowest[0] >= 0.0 || self.clip::<4>())
            && (lowest[1] >= 0.0 || self.clip::<5>())
            && (lowest[2] >= 0.0 || self.clip::<6>())
            && (lowest[3] >= 0.0 || self.clip::<7>())
            && self.len >= 3
    }
}

/// Where number `K` vanishes between an inner and an outer corner; always from the inner one, whichever way the edge is
/// walked, so that neighbours agree.
#[inline(always)]
fn edge<const K: usize>(inner: &Corner, outer: &Corner) -> Corner {
    blend(inner, outer, inner[K] / (inner[K] - outer[K]))
}

/// The difference `d`; where it is rounding of terms that sum to `size`, as good as 0 with the sign of `tie` (1 or −1).
#[inline(always)]
#[must_use]
pub fn known_sign(d: f64, size: f64, tie: f64) -> f64 {
    if d.abs() <= ROUNDING * size { tie * f64::MIN_POSITIVE } else { d }
}

/// p_a − p_b at the corners of `a`, and the size of what they are differences of (Pa). What is rounding gets the sign of `tie`, so that a face of `a` in
/// the plane of equal pressure is cut whole by one of its tets, and the border of a part where both pressures are equal on one of its sides. Of an inner
/// face that is [`TIED`], all corners get it; an outer one is there in the plane of equal pressure where the other body is far softer.
#[inline(always)]
#[must_use]
pub fn differences(a: &TetRecord, b: &TetRecord, tie: f64) -> ([f64; 4], f64) {
    let (mut h, mut size) = ([0.0; 4], 0.0f64);
    for i in 0..4 {
        let [x, y, z] = [b.g[0] * a.x[i], b.g[1] * a.y[i], b.g[2] * a.z[i]];
        h[i] = a.p[i] - (x + y + z + b.c);
        // At a corner where all terms vanish they still carry the rounding of the others.
        size = max(size, a.p[i].abs() + x.abs() + y.abs() + z.abs() + b.c.abs());
    }
    // Bit i: corner i. Face i is opposite to it.
    let large = (0..4).fold(0u8, |m, i| m | u8::from(h[i].abs() > TIED * size) << i);
    let face = large & large.wrapping_sub(1) == 0 && large & a.outer == 0;
    let least = if face { TIED / ROUNDING } else { 1.0 };
    (h.map(|d| known_sign(d, least * size, tie)), size)
}

/// A point with its pressure and its weights in `b`.
#[inline(always)]
#[must_use]
pub fn corner(b: &TetRecord, x: f64, y: f64, z: f64, p: f64) -> Corner {
    let mut c = [x, y, z, p, 0.0, 0.0, 0.0, 0.0];
    for j in 0..4 {
        c[4 + j] = b.x[4 + j] * x + b.y[4 + j] * y + b.z[4 + j] * z + b.d[j];
    }
    c
}

/// The corners of `a` with their weights in `b`.
#[inline(always)]
#[must_use]
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
