//! Literal continuous penalty forces of one pair: an impulse per penetration interval (seed 000 §3.3–3.5, seed 003).
//!
//! Takes a vertex and a triangle or two edges at both ends of a step, and what the last step knew of them; gives for each
//! interval [t_a, t_b] of `impinge_ccd::intervals` the impulse I = −k Δt ∫ n nᵀ(p−q) dt on the first feature, where it acts,
//! how it was normalised and how far off it can be. (ERRATA C1, C2, C10, C11, C13.)

use crate::integral::{certified, mean_distance, signed_distance};
use crate::lanes::{self, NEAR};
use crate::path::{Path, Straight, normal_before_end};
use crate::step_error::usable;
use crate::{Normalisation, ParamError, Params, Used, gauss::GAUSS_3};
use impinge_ccd::{Carried, Entry, Interval, Kind, NotFinite, Opens};
use impinge_geometry::{DVec3, try_normalized};
use smallvec::SmallVec;
use std::fmt;

/// The impulse of one penetration interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairImpulse {
    /// Start, fraction of the step.
    pub t_in: f64,
    /// End; 1 when the pair penetrates at the end of the step.
    pub t_out: f64,
    /// Sign of the coplanarity function on the free side.
    pub side: i8,
    /// The sign to carry to the next step.
    pub side_end: i8,
    /// How the interval began.
    pub entry: Entry,
    /// Signed weights of the traced points: point i receives `weight[i]·impulse`.
    pub weight: [f64; 4],
    /// On the first feature (N·s).
    pub impulse: DVec3,
    /// Unit direction of the impulse; the normal at the start of the interval where the impulse is zero.
    pub normal: DVec3,
    /// Depth at the end of the step (m); 0 when the pair is free by then.
    pub depth: f64,
    /// ½ k δ² at the end of the step (J).
    pub energy: f64,
    /// How the normal was normalised.
    pub used: Used,
    /// Bound of the error of `impulse` (N·s), rounding aside: of L_k against |m(t)|, or of the quadrature.
    pub error: f64,
    /// Moment (N·m·s) that the impulses, acting on the points where they are at the start of the step, leave in the system:
    /// (p−q)(0) × impulse. Literal CPF leaks it (ERRATA C14, ACCEPTANCE B55).
    pub couple: DVec3,
}

impl PairImpulse {
    /// Impulses on the four points (N·s); their sum is zero up to the weights' rounding.
    #[must_use]
    pub fn on_points(&self) -> [DVec3; 4] {
        self.weight.map(|w| self.impulse * w)
    }
}

/// Impulses of the intervals of one pair; straight motion has at most two.
pub type PairImpulses = SmallVec<[PairImpulse; 2]>;

/// Why there is no impulse of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PairError {
    /// A coordinate is NaN or infinite.
    NotFinite(NotFinite),
    /// The stiffness is NaN, infinite or negative.
    Stiffness(ParamError),
}

impl fmt::Display for PairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(e) => e.fmt(f),
            Self::Stiffness(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for PairError {}

impl From<NotFinite> for PairError {
    fn from(e: NotFinite) -> Self {
        Self::NotFinite(e)
    }
}

/// Refuses a stiffness that no pair can have; zero pushes with nothing.
pub(crate) fn check_pair_stiffness(k: f64) -> Result<(), PairError> {
    if usable(k) { Ok(()) } else { Err(PairError::Stiffness(ParamError::Stiffness(k))) }
}

/// Literal CPF of one pair with stiffness `k` (N/m). Points: `[p, a, b, c]` or `[a, b, c, d]`, at the start and at the end.
///
/// # Errors
/// [`PairError`] for coordinates that are NaN or infinite, and a stiffness that is that or negative.
pub fn pair_impulses(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    carried: Option<&Carried>,
    opens: Opens,
    k: f64,
    params: &Params,
) -> Result<PairImpulses, PairError> {
    check_pair_stiffness(k)?;
    let intervals = impinge_ccd::intervals(kind, x0, x1, carried, opens)?;
    Ok(intervals.iter().map(|i| over_interval(kind, x0, x1, i, k, params)).collect())
}

/// The impulse of one interval that is known already.
///
/// Total: a pair so large or small that |m|² leaves the range of doubles (sizes beyond 1e±75) gets a zero impulse, and so does one
/// with a coordinate or a stiffness that is NaN or infinite, which [`pair_impulses`] refuses. A negative stiffness pulls.
#[must_use]
pub fn over_interval(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    interval: &Interval,
    k: f64,
    params: &Params,
) -> PairImpulse {
    let known = lanes::one(kind, x0, x1, interval);
    let path = Straight::new(kind, x0, x1);
    let scale = -k * params.dt;
    let off = known.off[0];
    let (mut value, mut error, mut used) = (DVec3::zero(), 0.0, Used::Exact);
    if off.is_finite() {
        let (by_constant, tolerance) = match params.normalisation {
            Normalisation::Constant => (true, 1.0),
            Normalisation::Exact { tolerance } => (false, tolerance),
            Normalisation::Auto { tolerance } => (off <= tolerance, tolerance),
        };
        (value, error, used) = if !by_constant {
            let found = certified(&path, interval.t_in, interval.t_out, tolerance);
            (found.value, found.error, Used::Exact)
        } else if off < NEAR {
            (known.value(0), known.error[0], Used::Constant)
        } else {
            let (a, b) = (interval.t_in, interval.t_out);
            (known.value(0), off * mean_distance(&path, &GAUSS_3, a, b), Used::Constant)
        };
    }
    // The lanes know no depth where the normal vanishes at the end.
    let vanishes = path.end.normal() == DVec3::zero();
    let depth = if vanishes { depth_at_end(&path, interval) } else { known.depth[0] };
    finish(interval, x0, value * scale, error * scale.abs(), used, depth, k)
}

/// Depth at t = 1 of a pair whose interval is `interval` (m).
pub(crate) fn depth_at_end<P: Path>(path: &P, interval: &Interval) -> f64 {
    if interval.t_out < 1.0 {
        return 0.0;
    }
    let at = path.at(1.0);
    let distance = normal_before_end(path).map_or_else(|| signed_distance(&at), |n| n.dot(at.r));
    (-f64::from(interval.side_end) * distance).max(0.0)
}

/// The row of an interval.
pub(crate) fn finish(
    interval: &Interval,
    x0: &[DVec3; 4],
    impulse: DVec3,
    error: f64,
    used: Used,
    depth: f64,
    k: f64,
) -> PairImpulse {
    let finite = impinge_geometry::is_finite(impulse) && error.is_finite() && depth.is_finite();
    let (impulse, error, depth) = if finite { (impulse, error, depth) } else { (DVec3::zero(), 0.0, 0.0) };
    let w = interval.weight;
    // Differences first: far from the origin the sum of four large products would leave only rounding.
    let apart = (x0[1] - x0[0]) * w[1] + (x0[2] - x0[0]) * w[2] + (x0[3] - x0[0]) * w[3];
    let couple = apart.cross(impulse);
    PairImpulse {
        t_in: interval.t_in,
        t_out: interval.t_out,
        side: interval.side,
        side_end: interval.side_end,
        entry: interval.entry,
        weight: w,
        impulse,
        normal: try_normalized(impulse).unwrap_or(interval.normal),
        depth,
        // Not 0·∞ where the stiffness is none.
        energy: if finite { 0.5 * k * depth * depth } else { 0.0 },
        used,
        error,
        couple: if impinge_geometry::is_finite(couple) { couple } else { DVec3::zero() },
    }
}

/// Impulses on the four points with the weights of the first interval for all of them: (13) and (17) to the letter. The
/// weights of each interval's own contact ([`PairImpulse::on_points`]) are the better choice where there are two (ERRATA C11).
#[must_use]
pub fn on_points_by_first_contact(impulses: &[PairImpulse]) -> [DVec3; 4] {
    let Some(first) = impulses.first() else { return [DVec3::zero(); 4] };
    let total = impulses.iter().fold(DVec3::zero(), |sum, i| sum + i.impulse);
    first.weight.map(|w| total * w)
}
