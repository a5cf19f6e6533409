//! Rows of collisions (seed 001 §4.2 and 4.3, errata Q2 and Q3): vertex–triangle and edge–edge with thickness.
//!
//! A pair is four points with signed weights, `p − q = Σ wᵢ xᵢ`, and the unit normal n towards p's free side, as
//! `impinge_ccd` gives them. The gap `g = n·Σ wᵢ xᵢ` is signed (negative inside), and the surfaces stay apart by the
//! thickness r at the end of the step when
//!
//! ```text
//! g + h n·Σ wᵢ (vᵢ + Δvᵢ) ≥ r     ⇔     −n·Σ wᵢ Δvᵢ ≤ (g − r)/h + n·Σ wᵢ vᵢ = c
//! ```
//! The paper prints (11) with ≤ and (12) with the velocity term of c reversed; as printed a motion that ends 0.1 inside
//! passes.

use impinge_ccd::Contact;
use impinge_geometry::{DVec3, tangents};

/// A row before its points are mapped to degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointRow<const N: usize> {
    /// Gradient on the change of velocity of each point.
    pub gradient: [DVec3; N],
    /// Upper bound of `Σ gradientᵢ·Δvᵢ` (m/s).
    pub bound: f64,
    /// What is limited now: signed gap, or length of a spring (m).
    pub measure: f64,
}

/// `Σ wᵢ aᵢ` of weights whose sum is zero, by differences: far from the origin four large products leave only rounding.
fn blend(a: &[DVec3; 4], w: &[f64; 4]) -> DVec3 {
    (a[1] - a[0]) * w[1] + (a[2] - a[0]) * w[2] + (a[3] - a[0]) * w[3]
}

/// The row of a pair with signed weights, whose sum is zero; `thickness` is rᵢ + rⱼ (m), `h` the step (s), > 0. The first weight is
/// taken for what the others leave.
#[must_use]
pub fn contact_row(
    x: &[DVec3; 4],
    v: &[DVec3; 4],
    weight: &[f64; 4],
    normal: DVec3,
    thickness: f64,
    h: f64,
) -> PointRow<4> {
    let gap = normal.dot(blend(x, weight));
    PointRow {
        gradient: weight.map(|w| normal * -w),
        bound: (gap - thickness) / h + normal.dot(blend(v, weight)),
        measure: gap,
    }
}

/// Vertex–triangle, points `[p, a, b, c]`, with the barycentric weights of the point hit (12).
#[must_use]
pub fn vertex_triangle(
    x: &[DVec3; 4],
    v: &[DVec3; 4],
    weights: [f64; 3],
    normal: DVec3,
    thickness: f64,
    h: f64,
) -> PointRow<4> {
    contact_row(x, v, &[1.0, -weights[0], -weights[1], -weights[2]], normal, thickness, h)
}

/// Edge–edge, points `[i0, i1, j0, j1]`, meeting at `(1−a) i0 + a i1` and `(1−b) j0 + b j1` (14).
#[must_use]
pub fn edge_edge(
    x: &[DVec3; 4],
    v: &[DVec3; 4],
    [a, b]: [f64; 2],
    normal: DVec3,
    thickness: f64,
    h: f64,
) -> PointRow<4> {
    contact_row(x, v, &[1.0 - a, a, -(1.0 - b), -b], normal, thickness, h)
}

/// The row of a first contact of continuous collision detection: its weights and normal, the gap at the start of the step.
#[must_use]
pub fn ccd_row(x: &[DVec3; 4], v: &[DVec3; 4], contact: &Contact, thickness: f64, h: f64) -> PointRow<4> {
    contact_row(x, v, &contact.weight, contact.normal, thickness, h)
}

/// The tangent rows of a contact, weights as for [`contact_row`]: `t·Σ wᵢ (vᵢ + Δvᵢ) = 0` is "no slip". For [`crate::Rows::push_friction`].
#[must_use]
pub fn friction_rows(v: &[DVec3; 4], weight: &[f64; 4], normal: DVec3) -> [PointRow<4>; 2] {
    let slip = blend(v, weight);
    tangents(normal).map(|t| PointRow {
        gradient: weight.map(|w| t * w),
        bound: -t.dot(slip),
        measure: t.dot(slip),
    })
}
