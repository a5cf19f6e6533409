//! Rigid bodies that turn too far in a step for anything to follow them.

use crate::bodies::Bodies;
use impinge_bodies::places;
use impinge_contact::BodyKind;
use impinge_world::{Dofs, Simulation};

/// The farthest that a step may turn a body (rad): beyond, contacts and gyroscopic moments are those of a few places on its way.
const FARTHEST: f64 = 1.0;

/// What is farther by less than this is the same to the digits that are told.
const FARTHER: f64 = 1.01;

/// Follows the body that turns farthest in a step.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Spun {
    /// What it turns by (rad), its number, and when (s).
    farthest: Option<(f64, u32, f64)>,
}

impl Spun {
    /// Told of the start.
    pub fn of(sim: &Simulation, who: &Bodies) -> Self {
        let mut spun = Self::default();
        spun.see(sim, who);
        spun
    }

    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) {
        let dofs = sim.column::<Dofs>();
        for b in (0..sim.names().len() as u32).filter(|&b| dofs.bodies.kind[b as usize] == BodyKind::Rigid) {
            let turn = sim.twist(b).angular_velocity.mag() * sim.dt();
            if turn > FARTHEST && self.farthest.is_none_or(|(most, ..)| turn > FARTHER * most) {
                self.farthest = Some((turn, who.of([b])[0], sim.time()));
            }
        }
    }

    /// What there is to say of it.
    pub fn warning(&self, sim: &Simulation, who: &Bodies) -> Option<String> {
        let (turn, body, time) = self.farthest?;
        Some(format!(
            "body '{}' turns by {} rad in a step at t = {time:.3} s: no response follows contacts or keeps the energy over more than \
             {FARTHEST} rad; use dt < {:.1e} s, or a smaller angular_velocity",
            who.names([body])[0],
            places(turn, 2),
            sim.dt() * FARTHEST / turn
        ))
    }
}
