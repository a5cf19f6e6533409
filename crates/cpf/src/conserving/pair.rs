//! One pair: its potential, and the discrete gradient of it.

use super::depth::{Blocks, Depth, Found, Triple, add_outer, blocks_on_points, dot, on_points, triple};
use super::{average, equivariant};
use crate::path::Frame;
use impinge_ccd::{Carried, Entry, Interval, Kind, NotFinite, Opens};
use impinge_geometry::{DMat3, DVec3, add, scale};

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

/// ∂G/∂x₁ (N/m): `[i][j]` maps a change of point j to a change of G on point i. Not symmetric.
pub type PairTangent = [[DMat3; 4]; 4];

/// Discrete gradient of a pair's potential.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairGradient {
    /// G on the four points (N); the force is −G, the impulse −Δt G.
    pub gradient: [DVec3; 4],
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

/// The derivative of what [`pair_gradient`] gives, by the end of the step; `None` when the pair is free throughout.
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
pub fn pair_tangent(
    scheme: Scheme,
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    carried: Option<&Carried>,
    opens: Opens,
    law: (f64, f64),
    dt: f64,
) -> Result<Option<PairTangent>, NotFinite> {
    let intervals = impinge_ccd::intervals(kind, x0, x1, carried, opens)?;
    Ok(tangent_over(scheme, kind, x0, x1, &intervals, law, dt))
}

/// A pair on its way through the step.
struct Way<'a> {
    y0: Triple,
    y1: Triple,
    intervals: &'a [Interval],
    first: &'a Interval,
    last: &'a Interval,
    /// In contact at the start and at the end.
    open: [bool; 2],
    /// The scheme is equivariant, and all is on one side.
    steady: bool,
}

impl<'a> Way<'a> {
    fn new(
        scheme: Scheme,
        kind: Kind,
        x0: &[DVec3; 4],
        x1: &[DVec3; 4],
        intervals: &'a [Interval],
    ) -> Option<Self> {
        let (first, last) = (intervals.first()?, intervals.last()?);
        let (y0, y1) = (triple(&Frame::of(kind, x0)), triple(&Frame::of(kind, x1)));
        let open = [first.entry == Entry::Initial, last.t_out >= 1.0];
        let steady = scheme == Scheme::Equivariant
            && intervals.iter().all(|i| i.side == first.side && i.side_end == first.side);
        Some(Self { y0, y1, intervals, first, last, open, steady })
    }

    /// Depth at the start and at the end of what is open there (m), by these sides.
    fn depths(&self, sides: [i8; 2]) -> [f64; 2] {
        let depth = |y, side: i8| Depth::new(y, f64::from(side)).map_or(0.0, |d| d.value.max(0.0));
        [
            if self.open[0] { depth(&self.y0, sides[0]) } else { 0.0 },
            if self.open[1] { depth(&self.y1, sides[1]) } else { 0.0 },
        ]
    }

    fn energy(&self, k: f64) -> [f64; 2] {
        self.depths([self.first.side, self.last.side_end]).map(|d| 0.5 * k * d.powi(2))
    }

    /// The damper of `c` over Δt (N/m) on a path average, along ∇δ at the middle: ∇δ, its force, and whether that is all of it. It never
    /// pulls.
    fn damper(&self, average: &Triple, c: f64) -> Option<(Depth, f64, bool)> {
        let side = self.last.side_end;
        let ends = self.depths([side; 2]);
        let change = ends[1] - ends[0];
        let middle: Triple = std::array::from_fn(|i| (self.y0[i] + self.y1[i]) * 0.5);
        let d = Depth::new(&middle, f64::from(side)).filter(|_| c > 0.0 && change != 0.0)?;
        let along = dot(&d.gradient, &d.gradient);
        let least = -dot(average, &d.gradient) / along;
        let force = (c * change).max(least);
        Some((d, force, force == c * change))
    }

    /// The path average with its damper.
    fn averaged(&self, k: f64, c: f64, energy: [f64; 2]) -> Found {
        let (mut gradient, _) = average::gradient(&self.y0, &self.y1, self.intervals, k, energy);
        let mut dissipated = 0.0;
        if let Some((d, force, _)) = self.damper(&gradient, c) {
            for i in 0..3 {
                gradient[i] += d.gradient[i] * force;
                dissipated += force * d.gradient[i].dot(self.y1[i] - self.y0[i]);
            }
        }
        Found { gradient, dissipated }
    }

    /// The tangent of that.
    fn averaged_tangent(&self, k: f64, c: f64) -> Blocks {
        let (gradient, pieces) = average::gradient(&self.y0, &self.y1, self.intervals, k, self.energy(k));
        let mut tangent = average::tangent(&self.y0, &self.y1, self.intervals, k, pieces);
        if let Some((d, force, true)) = self.damper(&gradient, c) {
            let hessian = d.hessian();
            for (t, h) in tangent.as_flattened_mut().iter_mut().zip(hessian.as_flattened()) {
                *t = add(t, &scale(h, 0.5 * force));
            }
            let end = Depth::new(&self.y1, f64::from(self.last.side_end));
            if let Some(end) = end.filter(|d| self.open[1] && d.value > 0.0) {
                add_outer(&mut tangent, &d.gradient, &end.gradient, c);
            }
        }
        tangent
    }
}

/// As [`pair_gradient`], over penetration intervals that are known already; `None` without one.
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
    let (k, c) = law;
    let way = Way::new(scheme, kind, x0, x1, intervals)?;
    let (y0, y1, open, last) = (&way.y0, &way.y1, way.open, way.last);
    let energy = way.energy(k);
    let mut found = None;
    if way.steady {
        found = equivariant::gradient(y0, y1, f64::from(way.first.side), open, k, c / dt);
    }
    let used = if found.is_some() { Scheme::Equivariant } else { Scheme::PathAverage };
    let found = found.unwrap_or_else(|| way.averaged(k, c / dt, energy));
    let mean: [DVec3; 3] = std::array::from_fn(|i| (y0[i] + y1[i]) * 0.5);
    let couple = (0..3).fold(DVec3::zero(), |sum, i| sum + mean[i].cross(found.gradient[i]));
    let carried = open[1].then_some(Carried { side: last.side_end, weight: Some(last.weight) });
    Some(PairGradient {
        gradient: on_points(kind, &found.gradient),
        energy,
        couple,
        dissipated: found.dissipated,
        scheme: used,
        carried,
    })
}

/// As [`pair_tangent`], over penetration intervals that are known already; `None` without one.
#[must_use]
pub fn tangent_over(
    scheme: Scheme,
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    intervals: &[Interval],
    law: (f64, f64),
    dt: f64,
) -> Option<PairTangent> {
    let (k, c) = law;
    let way = Way::new(scheme, kind, x0, x1, intervals)?;
    let mut found = None;
    if way.steady {
        found = equivariant::tangent(&way.y0, &way.y1, f64::from(way.first.side), way.open, k, c / dt);
    }
    let found = found.unwrap_or_else(|| way.averaged_tangent(k, c / dt));
    Some(blocks_on_points(kind, &found))
}
