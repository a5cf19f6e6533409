//! The polynomials of one pair in Bernstein form, with forward error bounds.
//!
//! Takes the eight points of a pair, gives the cubic `f = P1·(P2×P3)` and the quadratic vectors `E23, E31, E12` in
//! polar form: from differences of coordinates only, never from velocities.

use super::screen::{LARGEST, TINY, U, bound};
use crate::Kind;
use impinge_geometry::DVec3;

/// A vector as an array: indexing a [`DVec3`] by a variable axis is a call with a branch.
pub(crate) type Vector = [f64; 3];

/// Bernstein coefficients of a cubic.
pub(crate) type Cubic = [f64; 4];

/// Bernstein coefficients of a quadratic.
pub(crate) type Quadratic = [f64; 3];

/// What the certified tier needs to know of a pair.
pub(crate) struct Pair {
    pub kind: Kind,
    /// `P_i` at both ends.
    pub p: [[Vector; 3]; 2],
    /// Coefficients of `f`.
    pub f: Cubic,
    /// Error of each of them, and of `f` evaluated from exact coefficients anywhere in [0, 1].
    pub error: f64,
    /// As `error`, with the rounding of an evaluation or of a blossom: 12 roundings of numbers up to `max |b|`.
    pub error_at: f64,
    /// `M_k`.
    pub m: [f64; 3],
}

#[inline(always)]
pub(crate) fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

impl Pair {
    /// `None` when the numbers are too large or too small for the bounds to mean anything.
    #[inline]
    #[must_use]
    pub fn new(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Option<Self> {
        let at = |x: &[DVec3; 4]| [x[1] - x[0], x[2] - x[0], x[3] - x[0]].map(<Vector>::from);
        let p = [at(x0), at(x1)];
        let mut m = [0.0f64; 3];
        let mut finite = true;
        for d in p.iter().flatten() {
            for k in 0..3 {
                m[k] = if d[k].abs() > m[k] { d[k].abs() } else { m[k] };
                // Also refuses NaN (∞ − ∞).
                finite &= d[k].abs() <= LARGEST;
            }
        }
        if !finite {
            return None;
        }
        let [p0, p1] = &p;
        let (n00, n11) = (cross(&p0[1], &p0[2]), cross(&p1[1], &p1[2]));
        let mid = add(cross(&p0[1], &p1[2]), cross(&p1[1], &p0[2]));
        let third = 1.0 / 3.0;
        let f = [
            dot(&p0[0], &n00),
            (dot(&p1[0], &n00) + dot(&p0[0], &mid)) * third,
            (dot(&p0[0], &n11) + dot(&p1[0], &mid)) * third,
            dot(&p1[0], &n11),
        ];
        let error = bound(m);
        let top = f[0].abs().max(f[1].abs()).max(f[2].abs().max(f[3].abs()));
        Some(Self { kind, p, f, error, error_at: error + 16.0 * U * top, m })
    }

    /// The error of a coefficient of a component along `k` of `E23, E31, E12`, of their sums by two or three, of their
    /// values and blossoms.
    ///
    /// A coefficient of one of them sums 4 products (halved: the middle one) with at most 5 roundings each: 10u·MiMj. A
    /// value or blossom adds 2 levels of 3 roundings of numbers up to 2 MiMj: 12u·MiMj; the sum of three values two more
    /// of numbers up to 6 MiMj, and three times all of it: 3·22 + 12 < 96.
    #[inline(always)]
    #[must_use]
    pub fn quadratic_error(&self, k: usize) -> f64 {
        96.0 * U * (self.m[(k + 1) % 3] * self.m[(k + 2) % 3]) + TINY
    }

    /// Components along axis `k` of `E23, E31, E12`.
    #[inline(always)]
    #[must_use]
    pub fn orientations(&self, k: usize) -> [Quadratic; 3] {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let [p0, p1] = &self.p;
        let c = |a: &Vector, b: &Vector| a[i] * b[j] - a[j] * b[i];
        let e = |a: usize, b: usize| {
            [c(&p0[a], &p0[b]), 0.5 * (c(&p0[a], &p1[b]) + c(&p1[a], &p0[b])), c(&p1[a], &p1[b])]
        };
        [e(1, 2), e(2, 0), e(0, 1)]
    }

    /// Quantities along axis `k` that must all be ≥ 0 or all ≤ 0 where the features touch: the three orientations
    /// for vertex–face; `y, z, −x, x + y + z` for edge–edge. Vertex–face repeats its first one.
    #[inline(always)]
    #[must_use]
    pub fn conditions(&self, k: usize) -> [Quadratic; 4] {
        let [x, y, z] = self.orientations(k);
        match self.kind {
            Kind::VertexFace => [x, y, z, x],
            Kind::EdgeEdge => {
                let sum = std::array::from_fn(|i| x[i] + y[i] + z[i]);
                [y, z, x.map(|v| -v), sum]
            }
        }
    }
}

/// `f(t)`; within `error_at` of the truth together with the errors of the coefficients.
#[inline]
pub(crate) fn cubic_at(b: &Cubic, t: f64) -> f64 {
    let s = 1.0 - t;
    let (ss, tt) = (s * s, t * t);
    (b[0] * ss * s + b[3] * tt * t) + 3.0 * s * t * (b[1] * s + b[2] * t)
}

/// Bernstein coefficients of `b` over `[lo, hi]`, by blossoms straight from the original coefficients, so that
/// neither the cut points nor the depth of the subdivision add to the error: 3 levels of 3 roundings each.
#[inline]
pub(crate) fn cubic_over(b: &Cubic, lo: f64, hi: f64) -> Cubic {
    let (l, h) = (1.0 - lo, 1.0 - hi);
    let a = [l * b[0] + lo * b[1], l * b[1] + lo * b[2], l * b[2] + lo * b[3]];
    let c = [h * b[0] + hi * b[1], h * b[1] + hi * b[2], h * b[2] + hi * b[3]];
    let aa = [l * a[0] + lo * a[1], l * a[1] + lo * a[2]];
    let ac = [h * a[0] + hi * a[1], h * a[1] + hi * a[2]];
    let cc = [h * c[0] + hi * c[1], h * c[1] + hi * c[2]];
    [l * aa[0] + lo * aa[1], h * aa[0] + hi * aa[1], h * ac[0] + hi * ac[1], h * cc[0] + hi * cc[1]]
}

/// As [`cubic_over`] for a quadratic.
#[inline]
pub(crate) fn quadratic_over(q: &Quadratic, lo: f64, hi: f64) -> Quadratic {
    let (l, h) = (1.0 - lo, 1.0 - hi);
    let a = [l * q[0] + lo * q[1], l * q[1] + lo * q[2]];
    let c = [h * q[0] + hi * q[1], h * q[1] + hi * q[2]];
    [l * a[0] + lo * a[1], h * a[0] + hi * a[1], h * c[0] + hi * c[1]]
}
