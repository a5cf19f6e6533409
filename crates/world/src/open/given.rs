//! From one step to the next: pushes become forces, changes between steps become rows of the ledger.

use crate::components::{Forces, Laws, Twist};
use crate::simulation::Simulation;
use impinge_bodies::Decisions;
use impinge_contact::{Applied, BodyKind, Evaluated, Ledger, Push, add_applied};
use impinge_geometry::{DVec3, Pose};
use impinge_integrators::world_inertia;

/// Linear momentum, angular momentum about the origin, and an energy.
pub(crate) type Held = (DVec3, DVec3, f64);

impl Simulation {
    /// What a body holds now, with an energy of the world or its own.
    pub(crate) fn held(&self, slot: u32, energy: f64) -> Held {
        let (dofs, state) = (self.column::<crate::Dofs>(), self.column::<crate::NodeState>());
        let b = slot as usize;
        let (mut linear, mut angular) = (DVec3::zero(), DVec3::zero());
        if dofs.bodies.kind[b] == BodyKind::Rigid {
            let (pose, twist): (Pose, Twist) = (self.pose(slot), self.twist(slot));
            linear = twist.velocity * dofs.bodies.mass[b];
            angular = world_inertia(&pose, &dofs.bodies.inertia[b]) * twist.angular_velocity
                + pose.position.cross(linear);
        }
        for n in self.nodes_of(slot) {
            let p = state.v[n] * dofs.nodes.mass[n];
            linear += p;
            angular += state.x[n].cross(p);
        }
        (linear, angular, energy)
    }

    /// Books what changed a body between two steps.
    pub(crate) fn book_change(&mut self, body: u32, before: Held, after: Held) {
        let (impulse, moment) = (after.0 - before.0, after.1 - before.1);
        let row = Applied { body, impulse, moment, work: after.2 - before.2 };
        if let Some(books) = &mut self.energy_books {
            // The ledger has it when the step has ended.
            books.give(row.work);
        }
        if row.is_some() {
            add_applied(&mut self.given.changes, row);
        }
    }

    /// The contacts of a pair of bodies, lower slot first, store by another law from the next step on. What they had stored is booked; what they hold
    /// as that step begins is, when it has ended.
    pub(crate) fn relay(&mut self, pair: (u32, u32)) {
        let (stored, still) = (self.contact_energy(|a, b| (a, b) == pair), DVec3::zero());
        self.book_change(pair.0, (still, still, stored), (still, still, 0.0));
        self.energy_booked(|a, b| (a, b) == pair);
        if let Err(at) = self.given.relaid.binary_search(&pair) {
            self.given.relaid.insert(at, pair);
        }
    }

    /// Books what the contacts of pairs that store by another law held when the step began.
    fn book_relaid(&mut self) {
        let pairs = std::mem::take(&mut self.given.relaid);
        let still = DVec3::zero();
        for (a, b) in pairs {
            let row = {
                let ledger = self.column::<Ledger>();
                let pairs = ledger.pairs.view();
                (0..pairs.len()).map(|i| pairs.row(i)).find(|p| (p.a, p.b) == (a, b))
            };
            let Some(row) = row else { continue };
            // Energies of the end of the step: what the contacts held before they also did work with. What holds nothing only took.
            let late = if self.stores_at_start((a, b)) || row.energy <= 0.0 { 0.0 } else { row.work_normal };
            self.book_change(a, (still, still, 0.0), (still, still, (row.energy + late).max(0.0)));
        }
    }

    /// Whether the energy that contacts of a pair have in the ledger is that of the start of the step.
    fn stores_at_start(&self, pair: (u32, u32)) -> bool {
        let number = self.column::<Laws>().response_of(pair.0, pair.1);
        let part = &self.acting[number as usize];
        let decisions = self.world.get::<&Decisions>(part.tables);
        !part.response.is_implicit() && decisions.is_ok_and(|d| d.evaluated == Evaluated::Start)
    }

    /// The pushes become forces of the step.
    pub(crate) fn push_step(&mut self, dt: f64) {
        self.pose_step(dt);
        let time = self.time();
        let timed = self.members.from.timed.iter().filter_map(|f| f.in_step(time, dt));
        let timed: Vec<Push> = timed.collect();
        if self.given.pushes.is_empty() && timed.is_empty() {
            return;
        }
        // A change of topology may have taken the node.
        let there = |p: &&Push| p.node.is_none_or(|n| (n as usize) < self.nodes_of(p.body).len());
        let pushes = self.given.pushes.iter().filter(there).map(|p| p.over(dt)).chain(timed).collect();
        if let Ok(forces) = self.world.query_one_mut::<&mut Forces>(self.arena) {
            forces.0.pushes = pushes;
        }
    }

    /// The step has ended: what was given to it is in its books. One that failed leaves it waiting.
    pub(crate) fn pushed(&mut self, made: bool) {
        if let Ok(forces) = self.world.query_one_mut::<&mut Forces>(self.arena) {
            forces.0.pushes.clear();
        }
        if !made {
            return;
        }
        self.book_relaid();
        if let Ok(ledger) = self.world.query_one_mut::<&mut Ledger>(self.arena) {
            for row in self.given.changes.drain(..) {
                ledger.energy.work_applied += row.work;
                add_applied(&mut ledger.applied, row);
            }
            self.followed.follow(ledger.pairs.view());
            let pairs = ledger.pairs.a.iter().copied().zip(ledger.pairs.b.iter().copied());
            self.stored.clear();
            self.stored.extend(
                pairs.zip(ledger.pairs.energy.iter().copied()).filter(|p| p.1 != 0.0 && p.1.is_finite()),
            );
        }
        self.given.pushes.clear();
    }

    /// Gravity as it is to be.
    pub(crate) fn put_gravity(&mut self) {
        let gravity = self.given.gravity.unwrap_or(self.origin.from.forces.gravity);
        if let Ok(forces) = self.world.query_one_mut::<&mut Forces>(self.arena) {
            forces.0.gravity = gravity;
        }
    }
}
