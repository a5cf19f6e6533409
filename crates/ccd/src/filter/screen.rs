//! Tiers 0 and 1 for eight pairs at a time.
//!
//! Takes coordinates packed by lane, gives one verdict per lane. Only differences of coordinates are used, so what
//! all four points have in common (a fall, a drift) costs no precision.
//!
//! **Tier 0, exact.** If along one coordinate axis one feature stays strictly on one side of the other at t = 0 and at
//! t = 1, it does so at every t in between: all differences are linear in t. Comparisons do not round.
//!
//! **Tier 1.** The cubic `f(t) = P1·(P2×P3)` with `P_i = x_i − x_0` has the Bernstein coefficients
//! `b0 = P1⁰·n00`, `3 b1 = P1¹·n00 + P1⁰·m`, `3 b2 = P1⁰·n11 + P1¹·m`, `b3 = P1¹·n11`, with `n00 = P2⁰×P3⁰`,
//! `n11 = P2¹×P3¹`, `m = P2⁰×P3¹ + P2¹×P3⁰`. If all are certainly of one sign, `f` has no root and the features never
//! share a plane.
//!
//! Error: each difference is one rounding; `b0`, `b3` sum 6 products with at most 8 roundings each, `3 b1`, `3 b2` 18
//! products with at most 10. With `M_k = max |P_i,k|` over i and both ends, the errors stay below 48u·MxMyMz and
//! 180u·MxMyMz. [`bound`] is 96u·MxMyMz, tripled for the middle two: second-order terms and its own rounding included.
//! The added [`TINY`] covers products that underflow; it needs `M ≤ LARGEST`, else the lane goes on.

use crate::Kind;
use impinge_geometry::DVec3;
use impinge_geometry::for_each_set;

/// Lanes of a block.
pub(crate) const W: usize = 8;

/// 2⁻⁵³.
pub(crate) const U: f64 = f64::EPSILON / 2.0;

/// 2⁻⁷⁰⁰, far above anything an underflow can do to a sum of products of numbers up to [`LARGEST`]: each underflow
/// is at most 2⁻¹⁰⁷⁵, is magnified at most by `LARGEST²`, and fewer than 2⁶ of them meet.
pub(crate) const TINY: f64 = 1.901109156629516e-211;

/// 2³⁰⁰: products of three stay finite.
pub(crate) const LARGEST: f64 = 2.037035976334486e90;

/// Coordinates of eight pairs: `[end][point][axis][lane]`.
#[derive(Clone)]
pub(crate) struct Block {
    pub x: [[[[f64; W]; 3]; 4]; 2],
}

impl Block {
    #[must_use]
    pub fn zero() -> Self {
        Self { x: [[[[0.0; W]; 3]; 4]; 2] }
    }
}

/// Verdict of a lane; a number, so that it stays in the same registers.
pub(crate) mod verdict {
    /// Tier 0: a separating axis.
    pub const AXIS: f64 = 0.0;
    /// Tier 1: the cubic has no root.
    pub const SIGNS: f64 = 1.0;
    /// Tier 1: the conditions of a contact contradict each other throughout.
    pub const CONDITIONS: f64 = 3.0;
    /// None of these; look closer.
    pub const OPEN: f64 = 2.0;
}

/// Error bound of `b0` and `b3`.
#[inline(always)]
pub(crate) fn bound(m: [f64; 3]) -> f64 {
    96.0 * U * (m[0] * m[1] * m[2]) + TINY
}

#[inline(always)]
pub(crate) fn min(a: f64, b: f64) -> f64 {
    // One instruction, unlike `f64::min`, which cares for NaN; the batch refuses NaN before it comes here.
    if a < b { a } else { b }
}

#[inline(always)]
pub(crate) fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The gap between the features along one axis; positive when one stays on one side of the other at both ends.
///
/// In numbers instead of booleans: the compiler keeps eight lanes of numbers in one register. A difference of two
/// coordinates has the right sign however it rounds.
#[inline(always)]
fn gap<const EDGES: bool>(at0: [f64; 4], at1: [f64; 4]) -> f64 {
    let [o, a, b, c] = at0;
    let [p, q, r, s] = at1;
    if EDGES {
        let above = min(min(b, c) - max(o, a), min(r, s) - max(p, q));
        let below = min(min(o, a) - max(b, c), min(p, q) - max(r, s));
        max(above, below)
    } else {
        let above = min(min(min(a, b), c) - o, min(min(q, r), s) - p);
        let below = min(o - max(max(a, b), c), p - max(max(q, r), s));
        max(above, below)
    }
}

#[inline(always)]
pub(crate) fn largest(a: [f64; 3], b: [f64; 3]) -> f64 {
    max(max(max(a[0].abs(), a[1].abs()), a[2].abs()), max(max(b[0].abs(), b[1].abs()), b[2].abs()))
}

/// One lane: the scalar twin, and the body of the wide kernel. Written without inner loops: the compiler spreads only
/// innermost loops over lanes, and gave up on these when there were loops over axes in them.
#[inline(always)]
fn lane<const EDGES: bool, const N: usize>(x: &[[[[f64; N]; 3]; 4]; 2], l: usize) -> f64 {
    let [s, e] = x;
    let at0 = |k: usize| [s[0][k][l], s[1][k][l], s[2][k][l], s[3][k][l]];
    let at1 = |k: usize| [e[0][k][l], e[1][k][l], e[2][k][l], e[3][k][l]];
    let (x0, y0, z0, x1, y1, z1) = (at0(0), at0(1), at0(2), at1(0), at1(1), at1(2));
    let gap = max(max(gap::<EDGES>(x0, x1), gap::<EDGES>(y0, y1)), gap::<EDGES>(z0, z1));
    let rel = |v: [f64; 4]| [v[1] - v[0], v[2] - v[0], v[3] - v[0]];
    let (x0, y0, z0, x1, y1, z1) = (rel(x0), rel(y0), rel(z0), rel(x1), rel(y1), rel(z1));
    let m = [largest(x0, x1), largest(y0, y1), largest(z0, z1)];
    let p0 = [[x0[0], y0[0], z0[0]], [x0[1], y0[1], z0[1]], [x0[2], y0[2], z0[2]]];
    let p1 = [[x1[0], y1[0], z1[0]], [x1[1], y1[1], z1[1]], [x1[2], y1[2], z1[2]]];
    // The quadratic vectors; of E23 the outer coefficients are the normals of the cubic.
    let e23 = polar(&p0, &p1, 1, 2);
    let e31 = polar(&p0, &p1, 2, 0);
    let e12 = polar(&p0, &p1, 0, 1);
    let e = bound(m);
    let [n00, mid, n11] = e23;
    let b0 = dot(p0[0], n00);
    let b1 = dot(p1[0], n00) + dot(p0[0], mid);
    let b2 = dot(p0[0], n11) + dot(p1[0], mid);
    let b3 = dot(p1[0], n11);
    let low = min(min(b0, b3), min(b1, b2) * (1.0 / 3.0));
    let high = max(max(b0, b3), max(b1, b2) * (1.0 / 3.0));
    // How far the coefficients stay from zero beyond their error; negative when the lane is too large for the bounds.
    let room = LARGEST - max(m[0], max(m[1], m[2]));
    let clear = min(max(low, -high) - e, room);
    let axis = |k: usize, mm: f64| {
        let q = |v: [[f64; 3]; 3]| [v[0][k], 0.5 * v[1][k], v[2][k]];
        contradiction::<EDGES>(q(e23), q(e31), q(e12)) - (96.0 * U * mm + TINY)
    };
    let apart = max(max(axis(0, m[1] * m[2]), axis(1, m[2] * m[0])), axis(2, m[0] * m[1]));
    let apart = min(apart, room);
    if gap > 0.0 {
        verdict::AXIS
    } else if clear > 0.0 {
        verdict::SIGNS
    } else if apart > 0.0 {
        verdict::CONDITIONS
    } else {
        verdict::OPEN
    }
}

/// `P_a⁰×P_b⁰`, `P_a⁰×P_b¹ + P_a¹×P_b⁰`, `P_a¹×P_b¹`.
#[inline(always)]
fn polar(p0: &[[f64; 3]; 3], p1: &[[f64; 3]; 3], a: usize, b: usize) -> [[f64; 3]; 3] {
    let (c, d) = (cross(p0[a], p1[b]), cross(p1[a], p0[b]));
    [cross(p0[a], p0[b]), [c[0] + d[0], c[1] + d[1], c[2] + d[2]], cross(p1[a], p1[b])]
}

/// Tier 1, second part: how far, on one axis, two of the quantities that must have one sign where the features touch
/// stay on opposite sides of zero for all t in [0, 1].
///
/// `x, y, z` are the Bernstein coefficients of the components of `E23, E31, E12`: at most 4 products of 5 roundings,
/// 10u·MiMj; the sum of three adds two roundings of numbers up to 6 MiMj: 42u·MiMj. The bound used is 96u·MiMj plus
/// [`TINY`].
#[inline(always)]
fn contradiction<const EDGES: bool>(x: [f64; 3], y: [f64; 3], z: [f64; 3]) -> f64 {
    let low = |q: [f64; 3]| min(min(q[0], q[1]), q[2]);
    let high = |q: [f64; 3]| max(max(q[0], q[1]), q[2]);
    // The most certain of those above zero, and of those below.
    if EDGES {
        let sum = [x[0] + y[0] + z[0], x[1] + y[1] + z[1], x[2] + y[2] + z[2]];
        let up = max(max(low(y), low(z)), max(-high(x), low(sum)));
        let down = max(max(-high(y), -high(z)), max(low(x), -high(sum)));
        min(up, down)
    } else {
        let up = max(max(low(x), low(y)), low(z));
        let down = max(max(-high(x), -high(y)), -high(z));
        min(up, down)
    }
}

/// One pair, scalar: the same verdict as its lane in a block.
#[inline]
pub(crate) fn one(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> f64 {
    let x: [[[[f64; 1]; 3]; 4]; 2] =
        [x0, x1].map(|x| std::array::from_fn(|i| std::array::from_fn(|k| [x[i][k]])));
    match kind {
        Kind::VertexFace => lane::<false, 1>(&x, 0),
        Kind::EdgeEdge => lane::<true, 1>(&x, 0),
    }
}

#[inline(always)]
fn all_lanes<const EDGES: bool>(block: &Block, out: &mut [f64; W]) {
    for l in 0..W {
        out[l] = lane::<EDGES, W>(&block.x, l);
    }
}

for_each_set! {
    /// Verdicts of a block.
    pub(crate) screen<EDGES> = all_lanes(block: &Block, out: &mut [f64; W])
}
