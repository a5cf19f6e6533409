//! One pair: its potential, and the discrete gradient of it.

use super::depth::{self, Depth, Found, blocks_on_points, on_points, triple};
use super::{average, equivariant};
use crate::path::Frame;
use impinge_ccd::{Carried, Entry, Interval, Kind, NotFinite, Opens};
use impinge_geometry::{DMat3, DVec3};

/// Which discrete gradient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Average over the path: energy and linear momentum.
    PathAverage,
    /// Gonzalez, Simo–Tarnow: energy, linear and angular momentum. Pairs for which it says nothing — that enter and leave within the
    /// step, whose normal vanishes on the way — get the path average.
    #[default]
    Equivariant,
}

/// Discrete gradient of a pair's potential.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairGradient {
    /// G on the four points (N); the force is −G, the impulse −Δt G.
    pub gradient: [DVec3; 4],
    /// ∂G/∂x₁ (N/m): `tangent[i][j]` maps a change of point j to a change of G on point i. Not symmetric.
    pub tangent: [[DMat3; 4]; 4],
    /// Potential at the start and at the end (J).
    pub energy: [f64; 2],
    /// Σ x̄ᵢ × Gᵢ about the pair's own points at mid-step (N·m): −Δt times it is the angular momentum that is lost.
    pub couple: DVec3,
    /// Energy the damper takes in the step (J, ≥ 0).
    pub dissipated: f64,
    /// What was used.
    pub scheme: Scheme,
    /// What to carry to the next step; `None` for a pair that is free at the end.
    pub carried: Option<Carried>,
}

/// The discrete gradient of a pair with stiffness `k` (N/m) and damping `c` (N·s/m) on the step of `dt` (s) from `x0` to `x1`;
/// `None` when the pair is free throughout.
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
pub fn pair_gradient(
    scheme: Scheme,
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    carried: Option<&Carried>,
    opens: Opens,
    law: (f64, f64),
    dt: f64,
) -> Result<Option<PairGradient>, NotFinite> {
    let intervals = impinge_ccd::intervals(kind, x0, x1, carried, opens)?;
    Ok(gradient_over(scheme, kind, x0, x1, &intervals, law, dt))
}

/// The same over penetration intervals that are known already; `None` without one.
#[must_use]
pub fn gradient_over(
    scheme: Scheme,
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    intervals: &[Interval],
    law: (f64, f64),
    dt: f64,
) -> Option<PairGradient> {
    let (Some(first), Some(last)) = (intervals.first(), intervals.last()) else { return None };
    let (k, c) = law;
    let (y0, y1) = (triple(&Frame::of(kind, x0)), triple(&Frame::of(kind, x1)));
    let open = [first.entry == Entry::Initial, last.t_out >= 1.0];
    let depth = |y, side: i8| Depth::new(y, f64::from(side)).map_or(0.0, |d| d.value.max(0.0));
    let energy = [
        if open[0] { 0.5 * k * depth(&y0, first.side).powi(2) } else { 0.0 },
        if open[1] { 0.5 * k * depth(&y1, last.side_end).powi(2) } else { 0.0 },
    ];
    let steady = intervals.iter().all(|i| i.side == first.side && i.side_end == first.side);
    let mut found = None;
    if scheme == Scheme::Equivariant && steady {
        found = equivariant::gradient(&y0, &y1, f64::from(first.side), open, k, c / dt);
    }
    let used = if found.is_some() { Scheme::Equivariant } else { Scheme::PathAverage };
    let found = found.unwrap_or_else(|| {
        let mut found = average::gradient(&y0, &y1, intervals, k, energy);
        let side = f64::from(last.side_end);
        let ends = [
            if open[0] { depth(&y0, last.side_end) } else { 0.0 },
            if open[1] { depth(&y1, last.side_end) } else { 0.0 },
        ];
        damp(&mut found, &y0, &y1, side, ends, c / dt);
        found
    });
    let mean: [DVec3; 3] = std::array::from_fn(|i| (y0[i] + y1[i]) * 0.5);
    let couple = (0..3).fold(DVec3::zero(), |sum, i| sum + mean[i].cross(found.gradient[i]));
    let carried = open[1].then_some(Carried { side: last.side_end, weight: Some(last.weight) });
    Some(PairGradient {
        gradient: on_points(kind, &found.gradient),
        tangent: blocks_on_points(kind, &found.tangent),
        energy,
        couple,
        dissipated: found.dissipated,
        scheme: used,
        carried,
    })
}

/// Adds the damper of `c` over Δt (N/m) to a path average, along ∇δ at the middle; it never pulls. `ends` are the depths of the open ends (m).
fn damp(found: &mut Found, y0: &depth::Triple, y1: &depth::Triple, side: f64, ends: [f64; 2], c: f64) {
    let middle: depth::Triple = std::array::from_fn(|i| (y0[i] + y1[i]) * 0.5);
    let change = ends[1] - ends[0];
    let Some(d) = Depth::new(&middle, side).filter(|_| c > 0.0 && change != 0.0) else { return };
    let along = depth::dot(&d.gradient, &d.gradient);
    let least = -depth::dot(&found.gradient, &d.gradient) / along;
    let force = (c * change).max(least);
    if force == c * change {
        for (i, row) in d.hessian().iter().enumerate() {
            for (j, h) in row.iter().enumerate() {
                found.tangent[i][j] =
                    impinge_geometry::add(&found.tangent[i][j], &impinge_geometry::scale(h, 0.5 * force));
            }
        }
        if let Some(end) = Depth::new(y1, side).filter(|_| ends[1] > 0.0) {
            depth::add_outer(&mut found.tangent, &d.gradient, &end.gradient, c);
        }
    }
    for i in 0..3 {
        found.gradient[i] += d.gradient[i] * force;
        found.dissipated += force * d.gradient[i].dot(y1[i] - y0[i]);
    }
}
