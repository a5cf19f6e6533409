//! Moves apart what is too near, without a velocity: a second program over the same unknowns, from where the velocities lead.
//!
//! The metric is K of the step, so that the smallest correction is that of the masses and stiffnesses which answer contact, and what moves
//! apart keeps its common centre of mass. There is no friction. Rows are found anew where the step ends, each with the normal that it has
//! there: a contact that got several rows on the way there would ask for its way in several directions.
//!
//! What no place satisfies (a box between two walls), what is not solved, and an answer that leads far away are not taken: the step is
//! then corrected by nothing, and says so.

use super::aim::{Aim, Ends};
use super::dynamics::Dynamics;
use super::rows::{Contacts, Store, farthest};
use super::search::{Scene, Search};
use crate::qp::{PlaceShift, QpReport, QpSettings};
use crate::stage::StageError;
use crate::strain::Limited;
use impinge_contact::Prediction;
use impinge_geometry::DVec3;
use impinge_qp::{
    OuterReport, OuterSettings, Problem, QpError, Rows, Settings, Solver, Status, resolve,
};

/// Times the way asked for that a correction may move anything, beside the thickness. Surfaces that lean against each other part by
/// more than they are asked to; surfaces that are asked to part on all sides, by ways without end.
const FAR: f64 = 10.0;

/// Scratch of the program.
#[derive(Default)]
pub(super) struct Places {
    store: Store,
    rows: Rows,
    unknown: Vec<DVec3>,
    mu: Vec<f64>,
}

/// The step as the velocities leave it.
pub(super) struct Left<'a> {
    pub scene: Scene<'a>,
    pub settings: QpSettings,
    pub dt: f64,
    pub prediction: &'a Prediction,
    pub dynamics: &'a Dynamics,
    pub limited: &'a [Limited],
    /// Of the program of velocities: its rows, and where it ends.
    pub velocities: &'a Store,
    /// The farthest that any two surfaces keep (m).
    pub widest: f64,
}

impl Places {
    /// Writes the shift, which is empty where nothing is to be moved or can be.
    pub fn solve(
        &mut self,
        left: &Left<'_>,
        search: &mut Search,
        shift: &mut PlaceShift,
        report: &mut QpReport,
    ) -> Result<(), ShiftError> {
        shift.clear();
        let Left { scene, settings, dt, prediction, dynamics, limited, velocities, .. } = *left;
        let ends = Ends { end: &velocities.end, surface: &velocities.surface, way: settings.recovery * dt };
        if !ends.lack(&velocities.rows, limited) {
            return Ok(());
        }
        let Self { store, rows, unknown, mu } = self;
        store.begin(limited.len());
        rows.clear();
        unknown.clear();
        unknown.resize(dynamics.layout.blocks(), DVec3::zero());
        let aim = Aim::Places(ends);
        let mut found = Contacts { scene, aim, dt, prediction, dynamics, limited, search, store, failed: None };
        let refused = |_| ShiftError::Qp(QpError::Setting("a row of a place is not finite"));
        found.detect(unknown, rows).map_err(refused)?;
        if let Some(e) = found.failed.take() {
            return Err(ShiftError::Stage(e));
        }
        // A row of the velocities that lacks way may have a normal from elsewhere.
        if !ends.lack(&found.store.rows, limited) {
            return Ok(());
        }
        mu.clear();
        mu.resize(rows.len(), 0.0);
        let qp = Settings { tolerance: settings.tolerance, ..Settings::default() };
        let outer = OuterSettings { qp, rounds: settings.rounds, ..OuterSettings::default() };
        let still = vec![DVec3::zero(); unknown.len()];
        let empty = Rows::new();
        let problem =
            Problem { k: dynamics.system(), b: &still, rows: &empty, layout: dynamics.layout };
        // A solver of its own for each step, as for the velocities.
        let mut solver = Solver::new();
        let answer = resolve(&mut solver, &problem, rows, &still, &mut found, &outer, unknown, mu)
            .map_err(ShiftError::Qp)?;
        if let Some(e) = found.failed.take() {
            return Err(ShiftError::Stage(e));
        }
        report.place_solves = answer.solves.len() as u32;
        found.place(unknown);
        let (_, moved) = farthest(&ends.surface.x1, &found.store.surface.x1);
        let ordinary = moved <= FAR * ends.way + left.widest;
        if !(ordinary && solved(&answer)) {
            report.unplaced = 1;
            return Ok(());
        }
        shift.nodes.extend(unknown[..dynamics.layout.nodes].iter().map(|u| *u * dt));
        shift.bodies.extend(dynamics.ways(unknown, dt).map(|(b, by, turn)| (b as u32, by, turn)));
        if shift.nodes.iter().all(|d| *d == DVec3::zero()) {
            shift.nodes.clear();
        }
        Ok(())
    }
}

fn solved(answer: &OuterReport) -> bool {
    answer.solves.last().is_some_and(|s| s.status == Some(Status::Solved))
}

/// Why there is no answer.
pub(super) enum ShiftError {
    Qp(QpError),
    Stage(StageError),
}
