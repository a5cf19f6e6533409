//! Continuous normals: how the normal of a moving triangle, or the common normal of two moving edges, turns
//! within a step.
//!
//! Takes the positions of a pair at both ends of the step (order as in [`Kind`]; every point moves on a straight
//! line, t ∈ [0, 1]) and gives the unnormalised normal m(t) and |m(t)|² as Bernstein polynomials. Source: the
//! supplement of "Continuous Penalty Forces" (seed 000), appendix A:
//!
//! * Theorem 1 (triangle): m = (b−a)×(c−a) = Σ nᵢ Bᵢ²(t), |m|² = Σ Lᵢ Bᵢ⁴(t), unit normal m/√(Σ Lᵢ Bᵢ⁴);
//! * Theorem 2 (two edges): the same with m = (b−a)×(d−c). The supplement prints (c−d), which is the opposite
//!   sign of the paper; this file follows the paper (ERRATA C7). It also prints the basis with t and 1−t
//!   exchanged and L₁ = n₁·n₁; right are Bᵢ² = C(2,i) tⁱ(1−t)²⁻ⁱ and L₁ = n₀·n₁ (ERRATA C6).
//! * The paper's section "Extension to higher order deformations" for points on quadratic Bézier paths: m has
//!   degree 4, |m|² degree 8.
//!
//! The paper replaces L(t) by one number L_k; √((L₀+…+L₄)/5) is the root mean square of |m| over the whole step,
//! exactly (ERRATA C8). How far that is from L(t) depends on the deformation (ERRATA C12: a median of 15 % in the
//! impulse for moderate ones), so integrators that can afford it should use |m|² itself.
//!
//! Nothing here allocates or fails; a collapsed triangle gives zeros. Coordinates beyond about 1e75 overflow |m|².

use crate::kind::Kind;
use impinge_geometry::DVec3;

/// The two vectors whose cross product is the normal: (b−a, c−a) or (b−a, d−c).
#[inline]
fn spans(kind: Kind, x: &[DVec3; 4]) -> (DVec3, DVec3) {
    match kind {
        Kind::VertexFace => (x[2] - x[1], x[3] - x[1]),
        Kind::EdgeEdge => (x[1] - x[0], x[3] - x[2]),
    }
}

/// Bernstein vectors n₀, n₁, n₂ of the unnormalised normal m(t), degree 2 (area units, m²).
///
/// Theorem 1 for [`Kind::VertexFace`], Theorem 2 for [`Kind::EdgeEdge`]. n₁ is taken as (u₀×v₁ + u₁×v₀)/2, which
/// equals the printed (n₀ + n₂ − ω)/2 without its cancellation. Error per component: 4 roundings of the largest
/// product that enters it.
#[inline]
#[must_use]
pub fn normal_coefficients(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> [DVec3; 3] {
    let ((u0, v0), (u1, v1)) = (spans(kind, x0), spans(kind, x1));
    [u0.cross(v0), (u0.cross(v1) + u1.cross(v0)) * 0.5, u1.cross(v1)]
}

/// [`normal_coefficients`] of many pairs: `stencils[i]` names the four points of pair `i` in the columns `x0` and
/// `x1`. Fills as many entries as `stencils` and `out` both have.
///
/// # Panics
/// When a stencil names a point that `x0` or `x1` does not have.
pub fn normal_coefficients_into(
    kind: Kind,
    x0: &[DVec3],
    x1: &[DVec3],
    stencils: &[[u32; 4]],
    out: &mut [[DVec3; 3]],
) {
    for (stencil, n) in stencils.iter().zip(out) {
        let p = stencil.map(|i| i as usize);
        *n = normal_coefficients(kind, &p.map(|i| x0[i]), &p.map(|i| x1[i]));
    }
}

/// m(t), unnormalised (m²); exact at t = 0 and t = 1 for the given vectors.
#[inline]
#[must_use]
pub fn normal_at(n: &[DVec3; 3], t: f64) -> DVec3 {
    let s = 1.0 - t;
    n[0] * (s * s) + n[1] * (2.0 * t * s) + n[2] * (t * t)
}

/// The unit normal m(t)/|m(t)|, or `None` where m(t) is zero or not finite (a collapsed triangle, parallel
/// edges). The sign is m's: where m passes through zero it flips although nothing physical happens (ERRATA C13).
#[inline]
#[must_use]
pub fn unit_normal_at(n: &[DVec3; 3], t: f64) -> Option<DVec3> {
    impinge_geometry::try_normalized(normal_at(n, t))
}

/// Bernstein coefficients L₀ … L₄ of |m(t)|², degree 4 (m⁴); Theorem 1 (10)–(11).
#[inline]
#[must_use]
pub fn length_squared_coefficients(n: &[DVec3; 3]) -> [f64; 5] {
    [
        n[0].dot(n[0]),
        n[0].dot(n[1]),
        (2.0 * n[1].dot(n[1]) + n[0].dot(n[2])) / 3.0,
        n[1].dot(n[2]),
        n[2].dot(n[2]),
    ]
}

/// |m(t)|² from L₀ … L₄ (m⁴). L₁ to L₃ may be negative; rounding can make the value slightly so where m vanishes.
#[inline]
#[must_use]
pub fn length_squared_at(l: &[f64; 5], t: f64) -> f64 {
    let s = 1.0 - t;
    let (ss, st, tt) = (s * s, s * t, t * t);
    l[0] * ss * ss + 4.0 * l[1] * ss * st + 6.0 * l[2] * st * st + 4.0 * l[3] * st * tt + l[4] * tt * tt
}

/// L_k = √((L₀+…+L₄)/5), the paper's constant for |m| (m²): the root mean square over the step, because every
/// Bᵢ⁴ integrates to 1/5 (ERRATA C8). Zero where rounding makes the sum negative.
#[inline]
#[must_use]
pub fn rms_length(l: &[f64; 5]) -> f64 {
    ((l[0] + l[1] + l[2] + l[3] + l[4]) / 5.0).max(0.0).sqrt()
}

/// Bernstein vectors of m(t), degree 4, for points on quadratic Bézier paths with control points `b[0]` (start),
/// `b[1]`, `b[2]` (end): for x₀ + vt + ½at² these are x₀, x₀ + v/2, x₀ + v + a/2.
///
/// Product of two degree-2 Bernstein forms; with b₁ = (b₀+b₂)/2 it is the degree-2 normal, raised to degree 4.
#[must_use]
pub fn accelerated_normal_coefficients(kind: Kind, b: &[[DVec3; 4]; 3]) -> [DVec3; 5] {
    let [(u0, v0), (u1, v1), (u2, v2)] = [spans(kind, &b[0]), spans(kind, &b[1]), spans(kind, &b[2])];
    [
        u0.cross(v0),
        (u0.cross(v1) + u1.cross(v0)) * 0.5,
        (u0.cross(v2) + u1.cross(v1) * 4.0 + u2.cross(v0)) / 6.0,
        (u1.cross(v2) + u2.cross(v1)) * 0.5,
        u2.cross(v2),
    ]
}

/// Bernstein coefficients of |m(t)|², degree 8 (m⁴), from [`accelerated_normal_coefficients`]; their mean is
/// ∫₀¹|m|²dt.
#[must_use]
pub fn accelerated_length_squared_coefficients(n: &[DVec3; 5]) -> [f64; 9] {
    const BINOMIAL_4: [f64; 5] = [1.0, 4.0, 6.0, 4.0, 1.0];
    const BINOMIAL_8: [f64; 9] = [1.0, 8.0, 28.0, 56.0, 70.0, 56.0, 28.0, 8.0, 1.0];
    let mut l = [0.0; 9];
    for i in 0..5 {
        for j in 0..5 {
            l[i + j] += BINOMIAL_4[i] * BINOMIAL_4[j] * n[i].dot(n[j]);
        }
    }
    for (l, c) in l.iter_mut().zip(BINOMIAL_8) {
        *l /= c;
    }
    l
}
