//! Discrete penalty force on features tracked by CCD (seed 000 Fig. 8 b; the papers' middle ground).
//!
//! The pair that made contact stays the pair; what differs from continuous forces is that the depth is taken at the end of
//! the step only: I = k Δt δ(1) n(1), zero for a pair that has come and gone (Fig. 4 a). Where the normal vanishes at the
//! end, and only there, its limit takes its place (C13).

use crate::Used;
use crate::pair::{PairError, PairImpulse, check_pair_stiffness, finish};
use crate::path::{Path, Straight, normal_before_end};
use impinge_ccd::{Carried, Interval, Kind, Opens};
use impinge_geometry::DVec3;

/// The impulse of a pair that penetrates at the end of the step; `None` for one that does not.
///
/// # Errors
/// [`PairError`] for coordinates that are NaN or infinite, and a stiffness that is that or negative.
pub fn tracked_discrete(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    carried: Option<&Carried>,
    opens: Opens,
    k: f64,
    dt: f64,
) -> Result<Option<PairImpulse>, PairError> {
    check_pair_stiffness(k)?;
    let intervals = impinge_ccd::intervals(kind, x0, x1, carried, opens)?;
    Ok(intervals.iter().find(|i| i.t_out >= 1.0).map(|i| at_end(kind, x0, x1, i, k, dt)))
}

/// The impulse of an interval that is open at the end of the step; zero for one that is not. Total: zero, its couple too, where a
/// coordinate or the stiffness is NaN or infinite, which [`tracked_discrete`] refuses. A negative stiffness pulls.
#[must_use]
pub fn at_end(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    interval: &Interval,
    k: f64,
    dt: f64,
) -> PairImpulse {
    let path = Straight::new(kind, x0, x1);
    let (depth, normal) = depth_and_normal(&path, interval.side_end);
    let open = interval.t_out >= 1.0;
    let impulse = if open { normal * (k * dt * depth) } else { DVec3::zero() };
    let mut row = finish(interval, x0, impulse, 0.0, Used::Exact, if open { depth } else { 0.0 }, k);
    if open && normal != DVec3::zero() {
        row.normal = normal;
    }
    row
}

/// Depth (m, ≥ 0) at the end and unit normal towards the free side, whose coplanarity sign is `side`; zeros where there is no normal.
pub(crate) fn depth_and_normal(path: &Straight, side: i8) -> (f64, DVec3) {
    let at = path.at(1.0);
    let m = normal_before_end(path).unwrap_or_else(|| at.normal());
    let length = m.mag();
    if !(length > 0.0 && length.is_finite()) {
        return (0.0, DVec3::zero());
    }
    let n = m * (f64::from(side) / length);
    ((-n.dot(at.r)).max(0.0), n)
}
