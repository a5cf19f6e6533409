//! The two decisions of exact volumes: on which side of a triangle's plane a point lies, and how two lines pass.
//!
//! Signs of 3×3 determinants, by a filter and then exactly (Shewchuk's predicates, the `robust` crate). A zero is
//! decided as if body A were moved by (ε, ε², ε³) with ε > 0 infinitely small (simulation of simplicity, Edelsbrunner and
//! Mücke 1990): coplanar faces, shared corners and equal meshes become ordinary. A decision is the same whichever
//! triangle asks for it, so what is cut stays closed.

use impinge_geometry::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Bound of the rounding of a 3×3 determinant, relative to the product of the rows' 1-norms (true constant: 8 ε).
const FILTER: f64 = 1e-14;

/// A triangle's plane, ready for many points.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    pub corners: [DVec3; 3],
    /// (b − a) × (c − a): twice the area, outwards.
    pub normal: DVec3,
    /// Where the shortest side starts. Differences and products are taken about it: those of two long sides of a needle would turn its
    /// normal by the rounding of a long side over the width.
    pub base: u8,
    filter: f64,
}

/// Which body a thing belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    A,
    B,
}

fn norm1(v: DVec3) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

impl Plane {
    #[inline]
    #[must_use]
    pub fn new(corners: [DVec3; 3]) -> Self {
        let side = |i: usize| corners[(i + 1) % 3] - corners[i];
        let length = [0, 1, 2].map(|i| side(i).mag_sq());
        let base = if length[1] < length[0] && length[1] <= length[2] {
            1
        } else if length[2] < length[0] {
            2
        } else {
            0
        };
        let (u, v) = (side(base), corners[(base + 2) % 3] - corners[base]);
        Self { corners, normal: u.cross(v), base: base as u8, filter: FILTER * norm1(u) * norm1(v) }
    }

    /// The triangle has no area, exactly.
    #[inline]
    #[must_use]
    pub fn is_flat(&self) -> bool {
        norm1(self.normal) <= self.filter && exact_normal_signs(self.corners) == [0; 3]
    }

    /// The corner that differences are taken about.
    #[inline]
    fn origin(&self) -> DVec3 {
        self.corners[usize::from(self.base)]
    }

    /// normal · (p − a), with rounding.
    #[inline]
    #[must_use]
    pub fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p - self.origin())
    }

    /// Barycentric weights of the projection of `p` to the plane; thirds where there is no area. The two that are computed are those of the
    /// corners away from [`Plane::base`]: the far one by the short side, and what rounding takes from the near one the base gets.
    #[must_use]
    pub fn weights(&self, p: DVec3) -> [f64; 3] {
        let at = |k: usize| (usize::from(self.base) + k) % 3;
        let (u, v) = (self.corners[at(1)] - self.origin(), self.corners[at(2)] - self.origin());
        let (w, n) = (p - self.origin(), self.normal);
        let nn = n.dot(n);
        let (near, far) = (w.cross(v).dot(n) / nn, u.cross(w).dot(n) / nn);
        if !(near.is_finite() && far.is_finite()) {
            return [1.0 / 3.0; 3];
        }
        let mut weights = [0.0; 3];
        (weights[at(0)], weights[at(1)], weights[at(2)]) = (1.0 - near - far, near, far);
        weights
    }

    /// +1 when `p` is on the outer side, −1 on the inner. `of` is the body of the triangle; `p` belongs to the other.
    /// A triangle without area has everything on its outer side; see [`Plane::is_flat`].
    #[inline(always)]
    #[must_use]
    pub fn side(&self, of: Of, p: DVec3) -> i8 {
        let w = p - self.origin();
        let h = self.normal.dot(w);
        if h.abs() > self.filter * norm1(w) { if h > 0.0 { 1 } else { -1 } } else { self.exact_side(of, p) }
    }

    /// [`Plane::side`] of three points. Written out: `map` of an array is a call for each.
    #[inline]
    #[must_use]
    pub fn sides(&self, of: Of, p: &[DVec3; 3]) -> [i8; 3] {
        [self.side(of, p[0]), self.side(of, p[1]), self.side(of, p[2])]
    }

    #[cold]
    fn exact_side(&self, of: Of, p: DVec3) -> i8 {
        let v = |q: DVec3| Coord3D { x: q.x, y: q.y, z: q.z };
        let [a, b, c] = self.corners;
        let s = -sign(orient3d(v(a), v(b), v(c), v(p)));
        if s != 0 {
            return s;
        }
        // d(height) = normal · shift of p relative to the triangle; A moves, B stands.
        let first = exact_normal_signs(self.corners).into_iter().find(|&s| s != 0).unwrap_or(0);
        match (first, of) {
            (0, _) => 1,
            (s, Of::B) => s,
            (s, Of::A) => -s,
        }
    }
}

/// The exact signs of (b − a) × (c − a).
fn exact_normal_signs([a, b, c]: [DVec3; 3]) -> [i8; 3] {
    let turn = |p: fn(DVec3) -> Coord<f64>| sign(orient2d(p(a), p(b), p(c)));
    [
        turn(|q| Coord { x: q.y, y: q.z }),
        turn(|q| Coord { x: q.z, y: q.x }),
        turn(|q| Coord { x: q.x, y: q.y }),
    ]
}

/// The sign of det(q − p, r − p, s − p) for the edge p → q of A and r → s of B. 0 only where the edges are parallel;
/// then neither can pass through a triangle at the other.
#[inline]
#[must_use]
pub fn passing([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> i8 {
    let (e, u, v) = (q - p, r - p, s - p);
    let d = e.dot(u.cross(v));
    if d.abs() > FILTER * norm1(e) * norm1(u) * norm1(v) {
        return if d > 0.0 { 1 } else { -1 };
    }
    exact_passing([p, q], [r, s])
}

#[cold]
fn exact_passing([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> i8 {
    let v = |q: DVec3| Coord3D { x: q.x, y: q.y, z: q.z };
    // orient3d(q, r, s, p) = det(q − p, r − p, s − p).
    let d = sign(orient3d(v(q), v(r), v(s), v(p)));
    if d != 0 {
        return d;
    }
    // d(det) = shift · ((q − p) × (s − r)).
    for (y, z) in [(1, 2), (2, 0), (0, 1)] {
        let s = cross_sign([q[y], p[y], s[z], r[z]], [q[z], p[z], s[y], r[y]]);
        if s != 0 {
            return s;
        }
    }
    0
}

/// The exact sign of (a0 − a1)(a2 − a3) − (b0 − b1)(b2 − b3).
fn cross_sign(a: [f64; 4], b: [f64; 4]) -> i8 {
    let (x, y) = ((a[0] - a[1]) * (a[2] - a[3]), (b[0] - b[1]) * (b[2] - b[3]));
    if (x - y).abs() > 1e-14 * (x.abs() + y.abs()) {
        return sign(x - y);
    }
    let mut sum = Expansion::default();
    for (f, s) in [(a, 1.0), (b, -1.0)] {
        for p in two_difference(f[0], f[1]) {
            for q in two_difference(f[2], f[3]) {
                two_product(s * p, q).into_iter().for_each(|t| sum.add(t));
            }
        }
    }
    sum.sign()
}

/// a − b as value and error (Knuth).
fn two_difference(a: f64, b: f64) -> [f64; 2] {
    let d = a - b;
    let bb = a - d;
    let aa = d + bb;
    [d, (a - aa) + (bb - b)]
}

/// a · b as value and error (Dekker; no fused multiply-add, which depends on the target).
fn two_product(a: f64, b: f64) -> [f64; 2] {
    let split = |x: f64| {
        let c = 134_217_729.0 * x;
        let hi = c - (c - x);
        (hi, x - hi)
    };
    let p = a * b;
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    [p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)]
}

/// A sum without rounding: parts that do not overlap, smallest first (Shewchuk 1997).
#[derive(Default)]
struct Expansion {
    parts: [f64; 16],
    len: usize,
}

impl Expansion {
    fn add(&mut self, x: f64) {
        let (mut q, mut kept) = (x, 0);
        for i in 0..self.len {
            let (sum, e) = {
                let s = q + self.parts[i];
                let bb = s - q;
                (s, (q - (s - bb)) + (self.parts[i] - bb))
            };
            q = sum;
            if e != 0.0 {
                self.parts[kept] = e;
                kept += 1;
            }
        }
        if q != 0.0 {
            self.parts[kept] = q;
            kept += 1;
        }
        self.len = kept;
    }

    fn sign(&self) -> i8 {
        if self.len == 0 { 0 } else { sign(self.parts[self.len - 1]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_signs_where_rounding_sees_nothing() {
        // (1 + 2⁻⁵²) · 1 − 1 · (1 + 2⁻⁵²)(1 − 2⁻⁵³ …): products that agree to the last bit but one.
        let e = f64::EPSILON;
        let a = [1.0 + e, 0.0, 1.0 - e, 0.0]; // 1 − ε²
        assert_eq!(cross_sign(a, [1.0, 0.0, 1.0, 0.0]), -1);
        assert_eq!(cross_sign([1.0, 0.0, 1.0, 0.0], a), 1);
        assert_eq!(cross_sign(a, a), 0);
        // Differences that round: (1 − 2⁻⁶⁰) exactly.
        let tiny = 2f64.powi(-60);
        assert_eq!(cross_sign([1.0, tiny, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0]), -1);
    }

    #[test]
    fn ties_move_a_and_not_b() {
        let t = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
        let plane = Plane::new(t);
        let p = DVec3::new(0.2, 0.2, 0.0);
        assert_eq!(plane.side(Of::B, p), 1, "p is A's and moves up");
        assert_eq!(plane.side(Of::A, p), -1, "the triangle is A's and moves up");
        // Crossing lines that touch.
        let (a, b) = ([-DVec3::unit_x(), DVec3::unit_x()], [-DVec3::unit_y(), DVec3::unit_y()]);
        assert_eq!(passing(a, b), 1, "x × y = +z");
        assert_eq!(passing(b, a), -1);
        assert_eq!(passing(a, a), 0);
        assert_eq!(Plane::new([t[0]; 3]).side(Of::A, p), 1);
    }
}
