//! Vertex against a plane: closed form (seed 003; ERRATA T7).
//!
//! The plane is n·x = o with the free side n·x > o. On a straight path the height is linear, so there is at most one
//! interval and I = −k Δt n ∫ min(0, h) dt is the area of a triangle or a trapezium. A plane that moves is handled by giving
//! the vertex' motion relative to it.

use crate::{Force, Params};
use impinge_geometry::DVec3;

/// What a plane does to a vertex in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaneImpulse {
    /// Start and end of the penetration, fractions of the step; `None` for a vertex that stays free (touching counts as free).
    pub interval: Option<[f64; 2]>,
    /// ∫ max(0, −h) dt (m, time in steps); of [`Force::AtEnd`] the depth at the end for all of the step.
    pub depth_integral: f64,
    /// On the vertex, along the normal (N·s).
    pub impulse: f64,
    /// Depth at the end of the step (m).
    pub depth: f64,
    /// ½ k δ² at the end of the step (J).
    pub energy: f64,
}

/// Heights `h0`, `h1` (m) above the plane at both ends of the step, stiffness `k` (N/m).
///
/// Total, and never NaN: where a height, the stiffness or `dt` is NaN or infinite, or the answer overflows, it is that of a free
/// vertex, so a contact that such numbers had is lost. Check positions where they are made, and the stiffness once with
/// [`crate::check_stiffness`]. A negative stiffness pulls, as [`crate::Particle::explicit`] with a perturbed one asks for.
#[inline]
#[must_use]
pub fn height_impulse(h0: f64, h1: f64, k: f64, params: &Params) -> PlaneImpulse {
    // Closed forms without cancellation: the crossing splits the step in proportion to the heights.
    let (interval, area) = match (h0 < 0.0, h1 < 0.0) {
        (false, false) => return PlaneImpulse::default(),
        (true, true) => ([0.0, 1.0], -0.5 * (h0 + h1)),
        (false, true) => {
            let t = h0 / (h0 - h1);
            ([t, 1.0], 0.5 * h1 * (h1 / (h0 - h1)))
        }
        (true, false) => {
            let t = h0 / (h0 - h1);
            ([0.0, t], 0.5 * h0 * (h0 / (h1 - h0)))
        }
    };
    let depth = (-h1).max(0.0);
    let area = match params.force {
        Force::Integrated => area,
        Force::AtEnd if depth == 0.0 => return PlaneImpulse::default(),
        Force::AtEnd => depth,
    };
    let (impulse, energy) = (k * params.dt * area, 0.5 * k * depth * depth);
    if !(h0.is_finite() && h1.is_finite() && area.is_finite() && impulse.is_finite() && energy.is_finite()) {
        return PlaneImpulse::default();
    }
    PlaneImpulse { interval: Some(interval), depth_integral: area, impulse, depth, energy }
}

/// A vertex that moves from `x0` to `x1` against the plane `normal · x = offset` (unit normal, m). What is not finite is free, as
/// in [`height_impulse`].
#[inline]
#[must_use]
pub fn plane_impulse(
    x0: DVec3,
    x1: DVec3,
    normal: DVec3,
    offset: f64,
    k: f64,
    params: &Params,
) -> PlaneImpulse {
    height_impulse(normal.dot(x0) - offset, normal.dot(x1) - offset, k, params)
}

/// [`plane_impulse`] of many vertices; fills as many rows as all slices have.
pub fn plane_impulses(
    x0: &[DVec3],
    x1: &[DVec3],
    normal: DVec3,
    offset: f64,
    k: f64,
    params: &Params,
    out: &mut [PlaneImpulse],
) {
    for ((x0, x1), out) in x0.iter().zip(x1).zip(out) {
        *out = plane_impulse(*x0, *x1, normal, offset, k, params);
    }
}
