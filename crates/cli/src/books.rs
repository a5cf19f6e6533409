//! Whether the energy of a run came from somewhere.

use crate::worst::worst;
use impinge_contact::{BodyKind, EnergyTerms};
use impinge_world::{Dofs, NodeState, Simulation};
use serde::{Deserialize, Serialize};

/// Of the size, in a step: motion that is nothing but rounding where all is at rest. Elastic energies are sums of terms of the order of their
/// modulus that cancel, so they are no better than the square of this.
const ROUNDING: f64 = 1e-8;

/// Energy that a run must account for.
#[derive(Serialize, Deserialize)]
pub struct Books {
    start: f64,
    /// Stored in contacts that are there from the start.
    stored: f64,
    driven: f64,
    /// Put in by corrections of positions: what is moved up without a velocity has more potential energy, and none from nowhere. No scale for
    /// what else is gained: what moved a millimetre up would hide a kick.
    corrected: f64,
    most: f64,
    most_kinetic: f64,
    swing: f64,
    /// No scale is smaller than this: one step of free fall, and where all rests without weight, what rounding could move.
    floor: f64,
    /// Momentum (kg m/s) of what rounding could move, where all rests without weight; else 0.
    pub still: f64,
    /// Nothing has weight, and all is at rest at the start.
    pub rest: bool,
    /// The highest speed seen (m/s).
    pub fastest: f64,
    first: bool,
}

/// Kinetic and potential, without what contacts store: what a contact holds it gives back later, and owes until then.
fn outer(e: &EnergyTerms) -> f64 {
    e.translational + e.rotational + e.gravity + e.anchors + e.elastic
}

impl Books {
    /// From before the first step, under this gravity (m/s²); `size` (m) is that of what moves.
    pub fn new(sim: &Simulation, gravity: f64, size: f64) -> Self {
        let e = sim.energy();
        let dofs = sim.column::<Dofs>();
        let rigid = (0..dofs.bodies.len()).filter(|&b| dofs.bodies.kind[b] == BodyKind::Rigid);
        let mass = dofs.nodes.mass.iter().sum::<f64>() + rigid.map(|b| dofs.bodies.mass[b]).sum::<f64>();
        let rest = gravity == 0.0 && e.kinetic() == 0.0;
        let rounding = if rest { ROUNDING * size / sim.dt() } else { 0.0 };
        Self {
            start: outer(&e),
            stored: 0.0,
            driven: 0.0,
            corrected: 0.0,
            most: 0.0,
            most_kinetic: e.kinetic(),
            swing: 0.0,
            floor: 0.5 * mass * ((gravity * sim.dt()).powi(2) + rounding.powi(2)),
            still: mass * rounding,
            rest,
            fastest: fastest(sim),
            first: true,
        }
    }

    /// After a step.
    pub fn take(&mut self, sim: &Simulation) {
        self.fastest = self.fastest.max(fastest(sim));
        let e = sim.ledger().energy;
        if self.first {
            self.stored = e.contact.max(0.0);
            self.first = false;
        }
        self.driven += e.work_driven.max(0.0) + e.work_applied.max(0.0);
        self.corrected += e.work_corrections.max(0.0);
        let now = outer(&e);
        self.most = worst(self.most, now - self.start - self.stored - self.driven - self.corrected);
        self.most_kinetic = self.most_kinetic.max(e.kinetic());
        self.swing = self.swing.max(self.start - now);
    }

    /// Over the energy in play: the most that moved, the most that was given up, what was stored and driven in.
    pub fn gained(&self) -> f64 {
        let play = self.most_kinetic.max(self.swing).max(self.stored + self.driven).max(self.floor);
        // Where kinetic energy is itself from nowhere it is no scale for that.
        let play = (play - self.most).max(self.floor);
        if self.most <= 0.0 { 0.0 } else { self.most / play.max(f64::MIN_POSITIVE) }
    }
}

fn fastest(sim: &Simulation) -> f64 {
    let nodes = sim.column::<NodeState>().v.iter().fold(0.0f64, |m, v| m.max(v.mag()));
    (0..sim.names().len() as u32).fold(nodes, |m, b| m.max(sim.twist(b).velocity.mag()))
}
