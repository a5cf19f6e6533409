//! Rows of springs (seed 001 §4.5, erratum Q4): longest and shortest length, and rate of strain.
//!
//! With n from j to i, length l and relative velocity `ṙ = (vᵢ − vⱼ)·n`, the length after a step h is l + h(ṙ + Δṙ) to first
//! order, so
//!
//! ```text
//! l_max:   (Δvᵢ − Δvⱼ)·n ≤ (l_max − l)/h − ṙ          l_min:   −(Δvᵢ − Δvⱼ)·n ≤ (l − l_min)/h + ṙ
//! rate:    ±(Δvᵢ − Δvⱼ)·n ≤ rate·l₀ ∓ ṙ
//! ```
//! The paper leaves out ṙ. The length is a convex function of Δv: a linearised upper limit is a supporting cut, so the true
//! limit is a little inside it, and cuts taken again at the answer ([`strain_upper_at`]) close in on it. A lower limit is not
//! convex; its row is the strict side (the linear length is never more than the true one).

use crate::contact::PointRow;
use impinge_geometry::{DVec3, try_normalized};

/// Length and direction of a spring; `None` when its ends coincide.
fn direction(x: [DVec3; 2]) -> Option<(DVec3, f64)> {
    let d = x[0] - x[1];
    let n = try_normalized(d)?;
    Some((n, d.mag()))
}

fn row(n: DVec3, sign: f64, bound: f64, measure: f64) -> PointRow<2> {
    PointRow { gradient: [n * sign, n * -sign], bound, measure }
}

/// Not longer than `longest` (m) after the step `h` (s). Points `[i, j]`; `None` when they coincide (no direction: a
/// spring of no length cannot be too long, unless it moves by more in one step).
#[must_use]
pub fn strain_upper(x: [DVec3; 2], v: [DVec3; 2], longest: f64, h: f64) -> Option<PointRow<2>> {
    let (n, l) = direction(x)?;
    Some(row(n, 1.0, (longest - l) / h - (v[0] - v[1]).dot(n), l))
}

/// Not shorter than `shortest` (m) after the step `h` (s).
#[must_use]
pub fn strain_lower(x: [DVec3; 2], v: [DVec3; 2], shortest: f64, h: f64) -> Option<PointRow<2>> {
    let (n, l) = direction(x)?;
    Some(row(n, -1.0, (l - shortest) / h + (v[0] - v[1]).dot(n), l))
}

/// The cut of the upper limit at a proposed change of velocity `dv`: direction and length are those the spring would have
/// at the end of the step. For the next round of an outer loop.
#[must_use]
pub fn strain_upper_at(
    x: [DVec3; 2],
    v: [DVec3; 2],
    dv: [DVec3; 2],
    longest: f64,
    h: f64,
) -> Option<PointRow<2>> {
    let (n, l) = direction([x[0] + (v[0] + dv[0]) * h, x[1] + (v[1] + dv[1]) * h])?;
    Some(row(n, 1.0, (longest - l) / h + (dv[0] - dv[1]).dot(n), l))
}

/// Strain grows by at most `rate` (1/s) of the rest length, and shrinks by at most as much: two rows.
#[must_use]
pub fn strain_rate(x: [DVec3; 2], v: [DVec3; 2], rest: f64, rate: f64) -> Option<[PointRow<2>; 2]> {
    let (n, l) = direction(x)?;
    let now = (v[0] - v[1]).dot(n);
    Some([row(n, 1.0, rate * rest - now, l), row(n, -1.0, rate * rest + now, l)])
}

/// A prescribed velocity (§4.4): three equalities `Δv = target − v`, along the axes.
#[must_use]
pub fn fixed_velocity(v: DVec3, target: DVec3) -> [PointRow<1>; 3] {
    let c = target - v;
    [(DVec3::unit_x(), c.x), (DVec3::unit_y(), c.y), (DVec3::unit_z(), c.z)].map(|(axis, c)| PointRow {
        gradient: [axis],
        bound: c,
        measure: 0.0,
    })
}
