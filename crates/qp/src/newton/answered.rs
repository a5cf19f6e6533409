//! A start that is an answer already: of the rows that a detection pass adds, most islands have none.

use super::Newton;
use crate::backend::DENSE_UNKNOWNS;
use crate::problem::{Problem, Regularisation, Report, Settings, Status};
use crate::rows::RowKind;
use impinge_geometry::DVec3;

/// Part of the tolerance that answers of small systems have left.
const POLISHED: f64 = 1e-3;

/// Rows with an impulse, without tangents.
pub(super) fn active(p: &Problem<'_>, mu: &[f64]) -> u32 {
    let pushes = |(m, kind): &(&f64, &RowKind)| **m != 0.0 && **kind != RowKind::Tangent;
    mu.iter().zip(p.rows.kinds()).filter(pushes).count() as u32
}

impl Newton {
    /// The report of Δv and μ that meet the tolerance as they come: what was solved in the pass before stays what it was, to the bit. Without a
    /// motion nothing was solved yet.
    pub(super) fn answered(
        &mut self,
        p: &Problem<'_>,
        s: &Settings,
        dv: &[DVec3],
        mu: &[f64],
    ) -> Option<Report> {
        let moves = dv.iter().any(|v| *v != DVec3::zero());
        if !moves || mu.len() != p.rows.len() || s.regularisation != Regularisation::Removed {
            return None;
        }
        let kkt = self.measure.of(p, dv, mu, 0.0);
        // Small systems go past the tolerance, and what is kept must have done so.
        let dense = 3 * p.b.len() <= DENSE_UNKNOWNS;
        let enough = if dense { POLISHED * s.tolerance } else { s.tolerance };
        let solved = kkt.worst_beyond(s.velocity_tolerance) <= enough;
        let active = active(p, mu);
        solved.then(|| Report { status: Some(Status::Solved), active, kkt, ..Report::default() })
    }
}
