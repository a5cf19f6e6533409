//! Whether the energy of a run came from somewhere.
//!
//! A step that ends with far more energy than the run ever had or was given is not accepted: what follows it is no physics, and each step after it
//! takes longer. What a program does to bodies is booked as work; where contacts may begin in an overlap of its making, the books begin anew.

use crate::components::{Dofs, Forces};
use crate::simulation::Simulation;
use crate::stage::StageError;
use crate::worst::worst;
use hecs::{Entity, World};
use impinge_contact::{Advanced, BodyKind, EnergyTerms, Ledger};
use impinge_geometry::DVec3;

/// Of the size, in a step: motion that is nothing but rounding where all is at rest. Elastic energies are sums of terms of the order of their
/// modulus that cancel, so they are no better than the square of this.
const ROUNDING: f64 = 1e-8;

/// Energy from nowhere over the energy in play from which on a step is refused: a thousand times the speed of anything that happened before.
const ABSURD: f64 = 1e6;

/// Energy that a run must account for.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EnergyBooks {
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
    /// No scale is smaller than this: what moves at the start or is stored in springs and deformables, one step of free fall, and where all rests
    /// without weight, what rounding could move.
    floor: f64,
    /// Momentum (kg m/s) of what rounding could move, where all rests without weight; else 0.
    pub still: f64,
    /// Nothing has weight, and all is at rest at the start.
    pub rest: bool,
    first: bool,
}

/// Kinetic and potential, without what contacts store: what a contact holds it gives back later, and owes until then.
fn outer(e: &EnergyTerms) -> f64 {
    e.translational + e.rotational + e.gravity + e.anchors + e.elastic
}

impl EnergyBooks {
    /// From before a step; `size` (m) is that of what moves.
    #[must_use]
    pub fn new(sim: &Simulation, size: f64) -> Self {
        let (e, gravity) = (sim.energy(), sim.column::<Forces>().0.gravity.mag());
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
            floor: (0.5 * mass * ((gravity * sim.dt()).powi(2) + rounding.powi(2)))
                .max(e.kinetic() + e.anchors + e.elastic),
            still: mass * rounding,
            rest,
            first: true,
        }
    }

    /// The energies of a step.
    pub fn take(&mut self, e: &EnergyTerms) {
        if self.first {
            self.stored = e.contact.max(0.0);
            self.first = false;
        }
        self.driven += e.work_driven.max(0.0) + e.work_applied.max(0.0);
        self.corrected += e.work_corrections.max(0.0);
        let now = outer(e);
        let gained = now - self.start - self.stored - self.driven - self.corrected;
        self.most = worst(self.most, gained);
        self.most_kinetic = self.most_kinetic.max(e.kinetic());
        self.swing = self.swing.max(self.start - now);
    }

    /// A program put in so much between two steps (J).
    pub(crate) fn give(&mut self, work: f64) {
        self.driven += work.max(0.0);
    }

    /// Over the energy in play: the most that moved, the most that was given up, what was stored and driven in.
    #[must_use]
    pub fn gained(&self) -> f64 {
        let play = self.most_kinetic.max(self.swing).max(self.stored + self.driven).max(self.floor);
        // Where kinetic energy is itself from nowhere it is no scale for that.
        let play = (play - self.most).max(self.floor);
        if self.most <= 0.0 { 0.0 } else { self.most / play.max(f64::MIN_POSITIVE) }
    }

    /// With the energies of a step that is to be accepted.
    ///
    /// # Errors
    /// [`impinge_bodies::ContactError::Absurd`], unless nobody books what contacts store.
    pub(crate) fn with_step(
        mut self,
        (world, arena): (&World, Entity),
        (booked, dt): (bool, f64),
        names: &[String],
    ) -> Result<Self, StageError> {
        let (Ok(ledger), Ok(dofs), Ok(advanced)) =
            (world.get::<&Ledger>(arena), world.get::<&Dofs>(arena), world.get::<&Advanced>(arena))
        else {
            return Ok(self);
        };
        self.take(&ledger.energy);
        let gained = self.gained();
        if !booked || gained <= ABSURD {
            return Ok(self);
        }
        let (body, speed) = fastest(&dofs, &advanced);
        // Where nothing was in play, what overlaps may still be pushed apart.
        if self.rest && speed * dt <= reach(&dofs) {
            return Ok(self);
        }
        Err(impinge_bodies::ContactError::Absurd { body: names[body].clone(), speed, gained }.into())
    }
}

/// The body that moves fastest at the end of a step, and its speed (m/s).
fn fastest(dofs: &Dofs, advanced: &Advanced) -> (usize, f64) {
    let mut momentum = vec![(DVec3::zero(), 0.0); dofs.bodies.len()];
    for (n, &b) in dofs.nodes.body.iter().enumerate() {
        let (sum, mass) = &mut momentum[b as usize];
        *sum += advanced.node_v[n] * dofs.nodes.mass[n];
        *mass += dofs.nodes.mass[n];
    }
    let speed = |b: usize| match momentum[b] {
        (sum, mass) if mass > 0.0 => (sum / mass).mag(),
        _ => advanced.velocity[b].mag(),
    };
    let all = (0..dofs.bodies.len()).map(|b| (b, speed(b)));
    all.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
}

/// How far what moves is from the origin and reaches about itself (m).
fn reach(dofs: &Dofs) -> f64 {
    let bodies = &dofs.bodies;
    let rigid = (0..bodies.len()).filter(|&b| bodies.kind[b] == BodyKind::Rigid).map(|b| {
        let i = &bodies.inertia[b].cols;
        bodies.pose[b].position.mag() + ((i[0].x + i[1].y + i[2].z) / bodies.mass[b]).sqrt()
    });
    dofs.nodes.x.iter().map(|x| x.mag()).chain(rigid).fold(0.0, f64::max)
}

impl Simulation {
    /// The books begin where there are none.
    pub(crate) fn begin_books(&mut self) {
        if self.energy_books.is_none() {
            self.energy_books = Some(EnergyBooks::new(self, 1.0));
        }
    }

    /// What the run has of energy, was given and gained; `None` before the first step.
    #[must_use]
    pub fn energy_books(&self) -> Option<&EnergyBooks> {
        self.energy_books.as_ref()
    }

    /// A response of this world does not integrate what its contacts store, so that nobody knows what came from there.
    #[must_use]
    pub fn unbooked(&self) -> bool {
        self.acting.iter().any(|a| !a.response.books_energy())
    }

    /// Contacts may begin with an energy that is in no book.
    pub(crate) fn books_anew(&mut self) {
        self.energy_books = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that starts with 10 J at rest; the first step stores 2 J in contacts that were there from the start.
    fn books() -> EnergyBooks {
        EnergyBooks {
            start: 10.0,
            stored: 0.0,
            driven: 0.0,
            corrected: 0.0,
            most: 0.0,
            most_kinetic: 0.0,
            swing: 0.0,
            floor: 0.5,
            still: 0.0,
            rest: false,
            first: true,
        }
    }

    fn energies(translational: f64, gravity: f64) -> EnergyTerms {
        EnergyTerms { translational, gravity, ..EnergyTerms::default() }
    }

    #[test]
    fn what_is_gained_is_what_was_not_there_stored_driven_or_corrected() {
        let mut b = books();
        b.take(&EnergyTerms { contact: 2.0, ..energies(1.0, 9.0) });
        assert_eq!((b.gained(), b.stored), (0.0, 2.0));
        // Contacts of later steps store what was there before.
        b.take(&EnergyTerms { contact: 70.0, work_driven: 3.0, work_applied: 1.0, ..energies(4.0, 12.0) });
        assert_eq!((b.gained(), b.stored, b.driven), (0.0, 2.0, 4.0));
        b.take(&EnergyTerms { work_corrections: 0.5, ..energies(4.0, 12.5) });
        assert_eq!(b.gained(), 0.0);
        // 25.5 J of 16.5: 9 from nowhere. In play are the 13 J that moved, less these 9.
        b.take(&energies(13.0, 12.5));
        assert_eq!((b.most, b.most_kinetic, b.gained()), (9.0, 13.0, 9.0 / 4.0));
        // The most counts, also where it is lost again, and work that is taken out gives nothing back.
        b.take(&EnergyTerms { work_driven: -5.0, work_applied: -5.0, ..energies(0.0, 4.0) });
        assert_eq!((b.most, b.driven, b.swing), (9.0, 4.0, 6.0));
    }

    #[test]
    fn what_is_no_number_is_the_worst_and_stays() {
        let mut b = books();
        b.take(&energies(1.0, 9.0));
        b.take(&energies(f64::NAN, 9.0));
        assert!(b.gained().is_nan());
        b.take(&energies(1e9, 9.0));
        assert!(b.most.is_nan() && b.gained().is_nan());
    }
}
