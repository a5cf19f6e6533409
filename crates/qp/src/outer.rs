//! The loop around the QP for self-collision: rows gather until a detection pass is clean, and a step that could not be made
//! clean is cut short.
//!
//! One solve sees only the pairs it was told of, and its answer may bring others together. So: solve, detect on the motion
//! found, add rows, solve again with the old rows kept (Otaduy et al. 2009 call this iterative constraint anticipation). The
//! loop ends with a clean pass, or with [`OuterSettings::rounds`] used up, or with rows that contradict each other; in the
//! last two cases the motion of what penetrates is cut where it would first touch ([`OuterReport::clamped`]), again until
//! clean. Programs whose rows still change may end at [`Settings::enough`]; it falls from pass to pass once no row is new, and what the
//! loop ends with is solved to the tolerance. The state at the start of the step is clean by agreement, so standing still is the last resort and always there.

use crate::problem::{Problem, QpError, Report, Settings, Status};
use crate::rows::{RowError, Rows};
use crate::solver::Solver;
use impinge_geometry::{DVec3, halt};

/// A pass that finds no new row leaves bounds off by about this part of what the one before left.
const FINER: f64 = 1e-2;

/// A pair that penetrates within the step.
#[derive(Clone, Debug, PartialEq)]
pub struct Penetration {
    /// Blocks that move its points (a rigid body's linear and angular block both).
    pub blocks: Vec<u32>,
    /// Fraction of the step up to which there is no contact, in \[0, 1\]; never late.
    pub t: f64,
}

/// Collision detection, as the loop needs it.
pub trait Detector {
    /// Adds the rows of pairs that come closer than their thickness when the velocities change by `dv`; returns how many were
    /// new or changed. Rows that are there already must not be added again as they are; a pair that comes back from another
    /// direction may be.
    ///
    /// # Errors
    /// [`RowError`] from the table.
    fn append(&mut self, dv: &[DVec3], rows: &mut Rows) -> Result<usize, RowError>;

    /// The pairs that penetrate (thickness 0, continuous) when the velocities change by `dv`.
    fn penetrations(&mut self, dv: &[DVec3], out: &mut Vec<Penetration>);
}

/// Settings of the loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OuterSettings {
    /// Each QP.
    pub qp: Settings,
    /// Most detection passes.
    pub rounds: u32,
    /// Passes of the final cut; after half of them everything that moves is cut alike.
    pub cuts: u32,
}

impl Default for OuterSettings {
    fn default() -> Self {
        Self { qp: Settings::default(), rounds: 20, cuts: 20 }
    }
}

/// What the loop did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OuterReport {
    /// Of each QP, in order.
    pub solves: Vec<Report>,
    /// The last detection pass found nothing new.
    pub clean: bool,
    /// Blocks whose motion was cut short in the end.
    pub clamped: u32,
    /// The smallest fraction of the step that a cut block still moves (1: nothing was cut).
    pub smallest_fraction: f64,
    /// Pairs that still penetrate; 0 unless the start of the step was not clean.
    pub left: u32,
}

/// Runs the loop from `rows` as they are (warm start `mu`); `v` are the velocities at the start of the step, needed for the
/// cut. `dv`, `mu` take the answer of the last feasible QP, cut where it had to be; on the way in `dv` is the state to fall back
/// on.
///
/// # Errors
/// [`QpError`] of a solve; [`QpError::Setting`] when the detector's row was refused.
pub fn resolve(
    solver: &mut Solver,
    problem: &Problem<'_>,
    rows: &mut Rows,
    v: &[DVec3],
    detector: &mut impl Detector,
    settings: &OuterSettings,
    dv: &mut [DVec3],
    mu: &mut Vec<f64>,
) -> Result<OuterReport, QpError> {
    problem.check_lengths("dv", dv)?;
    problem.check_lengths("v", v)?;
    let mut report = OuterReport { smallest_fraction: 1.0, ..OuterReport::default() };
    // Rows that are about to change need no answer to the last digit.
    let mut qp = settings.qp;
    for pass in 0..=settings.rounds {
        if pass == settings.rounds {
            qp.enough = 0.0;
        }
        let answer = solver.solve(&Problem { rows, ..*problem }, &qp, dv, mu)?;
        let (feasible, rough) = (answer.status != Some(Status::Infeasible), answer.rough);
        report.solves.push(answer);
        if !feasible || pass == settings.rounds || halt::asked() {
            break;
        }
        let refused = |_| QpError::Setting("the detector made a row that is not finite; drop that pair");
        let before = rows.len();
        if detector.append(dv, rows).map_err(refused)? == 0 && !rough {
            report.clean = true;
            break;
        }
        mu.resize(rows.len(), 0.0);
        if rows.len() == before {
            qp.enough *= FINER;
        }
    }
    cut(v, detector, settings.cuts, dv, &mut report);
    Ok(report)
}

/// Shortens the motion of what penetrates until nothing does.
fn cut(v: &[DVec3], detector: &mut impl Detector, passes: u32, dv: &mut [DVec3], report: &mut OuterReport) {
    let mut found = Vec::new();
    let mut fraction = vec![1.0f64; dv.len()];
    for pass in 0..=passes {
        found.clear();
        detector.penetrations(dv, &mut found);
        if found.is_empty() || halt::asked() {
            break;
        }
        // A hair before the contact; and in the end everything stands still, which is the start of the step.
        let shorten = |t: f64| if pass == passes { 0.0 } else { 0.9 * t.clamp(0.0, 1.0) };
        let mut factor = vec![1.0f64; dv.len()];
        for p in &found {
            for &b in &p.blocks {
                let f = &mut factor[b as usize];
                *f = f.min(shorten(p.t));
            }
        }
        if 2 * pass >= passes {
            let least = factor.iter().fold(1.0, |m: f64, f| m.min(*f));
            factor.fill(least);
        }
        for i in 0..dv.len() {
            if factor[i] < 1.0 {
                // Positions move by h (v + Δv): that is what is shortened.
                dv[i] = (v[i] + dv[i]) * factor[i] - v[i];
                fraction[i] *= factor[i];
            }
        }
        if pass == passes {
            found.clear();
            detector.penetrations(dv, &mut found);
        }
    }
    report.left = found.len() as u32;
    report.clamped = fraction.iter().filter(|f| **f < 1.0).count() as u32;
    report.smallest_fraction = fraction.iter().fold(1.0, |m: f64, f| m.min(*f));
}
