//! Moves apart what is too near, without a velocity: a second program over the same unknowns, from where the velocities lead.
//!
//! The metric is K of the step, so that the smallest correction is that of the masses and stiffnesses which answer contact, and what moves
//! apart keeps its common centre of mass. There is no friction. Each contact has the row that the velocities had last, so that what these
//! hold where it is lacks nothing here: a normal found where the step ends is not that of the prediction, a cable over a drum lacked up to
//! 5e-3 of its thickness by it, and went to and fro between the two.
//!
//! Contacts that no place satisfies together (a box between two walls) stay as near as they are, and the others are moved. A program that
//! is not solved, and an answer that leads far away, are not taken. Either is counted.

use super::dynamics::Dynamics;
use super::inside::Inside;
use super::program::{Ends, Program};
use super::row::Row;
use super::rows::{Contacts, Store};
use super::scene::{Scene, farthest};
use super::search::Search;
use super::tables::{PlaceShift, QpReport, QpSettings};
use crate::{OuterSettings, Problem, QpError, Rows, Settings, Solver, Status, resolve};
use impinge_bodies::{ContactError, Limited};
use impinge_contact::Prediction;
use impinge_geometry::DVec3;
use impinge_swept::widest;

/// Times the way asked for and the thickness together that a correction may move anything. Each box of a pile is moved by what is below
/// it too; surfaces that are asked to part on all sides go ways without end.
const FAR: f64 = 10.0;
/// How often contacts that contradict each other are let stay.
const TRIES: u32 = 8;

/// Scratch of the program.
#[derive(Default)]
pub(crate) struct Places {
    store: Store,
    rows: Rows,
    unknown: Vec<DVec3>,
    mu: Vec<f64>,
    seeds: Vec<Row>,
    solver: Solver,
}

/// The step as the velocities leave it.
pub(crate) struct Left<'a> {
    pub scene: Scene<'a>,
    pub settings: QpSettings,
    pub dt: f64,
    pub prediction: &'a Prediction,
    pub dynamics: &'a Dynamics,
    pub limited: &'a [Limited],
    /// As in [`Contacts`].
    pub inside: &'a [Inside],
    /// Of the program of velocities: its rows, and where it ends.
    pub velocities: &'a Store,
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
        let Left { scene, settings, dt, prediction, dynamics, limited, inside, velocities } = *left;
        let ends = Ends { end: &velocities.end, surface: &velocities.surface, way: settings.recovery * dt };
        let Self { store, rows, unknown, mu, seeds, solver } = self;
        seeds.clear();
        seeds.extend(velocities.latest().map(|r| Row { near: ends.is_near(r), friction: None, ..*r }));
        if ends.lacking(seeds, limited) == 0 {
            return Ok(());
        }
        store.begin(limited.len());
        rows.clear();
        unknown.clear();
        unknown.resize(dynamics.layout.blocks(), DVec3::zero());
        let program = Program::Places(ends);
        let mut found = Contacts {
            scene,
            program,
            dt,
            prediction,
            dynamics,
            limited,
            search,
            inside,
            store,
            failed: None,
        };
        found.place(unknown);
        let refused = |_| ShiftError::Qp(QpError::Setting("a row of a place is not finite"));
        found.store.low.note(&program, &scene, seeds);
        for &r in seeds.iter() {
            found.push(r, unknown, rows).map_err(refused)?;
        }
        found.strains(unknown, rows).map_err(refused)?;
        mu.clear();
        mu.resize(rows.len(), 0.0);
        // Each row says what rounding makes of it. What a place lacks the next step sees, and does not add up.
        let tolerance = settings.tolerance;
        let qp = Settings { tolerance, velocity_tolerance: 0.0, polish: false, ..Settings::default() };
        let outer = OuterSettings { qp, rounds: settings.rounds, ..OuterSettings::default() };
        let still = vec![DVec3::zero(); unknown.len()];
        let empty = Rows::new();
        let problem = Problem { k: dynamics.system(), b: &still, rows: &empty, layout: dynamics.layout };
        // As a solver of its own for each step, as for the velocities.
        solver.forget();
        let (mut taken, mut placed) = (false, false);
        for _ in 0..=TRIES {
            let answer = resolve(solver, &problem, rows, &still, &mut found, &outer, unknown, mu)
                .map_err(ShiftError::Qp)?;
            if let Some(e) = found.failed.take() {
                return Err(ShiftError::Stage(e));
            }
            report.place_solves += answer.solves.len() as u32;
            placed = answer.clean;
            let Some(last) = answer.solves.last() else { break };
            if last.status != Some(Status::Infeasible) {
                taken = last.status == Some(Status::Solved);
                break;
            }
            unknown.fill(DVec3::zero());
            found.place(unknown);
            placed = true;
            let stay = found.let_stay(&last.conflict, rows);
            report.unplaced += stay;
            if stay == 0 {
                break;
            }
            mu.clear();
            mu.resize(rows.len(), 0.0);
        }
        if !placed {
            found.place(unknown);
        }
        let (_, moved) = farthest(&ends.surface.x1, &found.store.surface.x1);
        if !taken || moved > FAR * (ends.way + widest(scene.reach)) {
            report.unplaced = ends.lacking(seeds, limited) as u32;
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

impl Contacts<'_> {
    /// Contacts of these rows stay as near as they are, at unknowns of nothing; how many were to move.
    fn let_stay(&mut self, conflict: &[u32], rows: &mut Rows) -> u32 {
        let mut stay = 0;
        for r in self.store.rows.iter_mut().filter(|r| r.near && conflict.contains(&r.row)) {
            r.near = false;
            r.goal = self.program.goal(r, r.start);
            rows.set_bound(r.row as usize, (r.gap(&self.store.surface.x1) - r.goal) / self.dt);
            stay += 1;
        }
        stay
    }
}

/// Why there is no answer.
pub(crate) enum ShiftError {
    Qp(QpError),
    Stage(ContactError),
}
