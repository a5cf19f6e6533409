//! What a program gave a world beside its bodies, and what waits for the next step. It is state: in snapshots, in the hash, in replays.

use crate::components::{Forces, Twist};
use crate::simulation::Simulation;
use impinge_contact::{Applied, BodyKind, Ledger, Push, StateHash, add_applied};
use impinge_geometry::{DVec3, Pose, is_finite};
use impinge_integrators::world_inertia;

/// The length of a step since a change of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clock {
    /// s.
    pub dt: f64,
    /// The first step of this length.
    pub step: u64,
    /// Its start (s).
    pub time: f64,
}

/// What a program gave a world. Empty where it only steps.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Given {
    /// Pushes of the next step.
    pub pushes: Vec<Push>,
    /// Changes since the last step, as the next ledger has them.
    pub changes: Vec<Applied>,
    /// Gravity (m/s²), where it was changed.
    pub gravity: Option<DVec3>,
    /// Where the length of a step was changed.
    pub clock: Option<Clock>,
}

impl Given {
    /// Nothing that came from elsewhere may be about another world, or no number.
    pub(crate) fn check(&self, bodies: usize, step: u64) -> Result<(), String> {
        let known = |slot: u32| (slot as usize) < bodies;
        let push = |p: &Push| known(p.body) && is_finite(p.wrench.impulse) && is_finite(p.wrench.moment);
        let row =
            |a: &Applied| known(a.body) && is_finite(a.impulse) && is_finite(a.moment) && a.work.is_finite();
        let sorted = self.changes.windows(2).all(|w| w[0].body < w[1].body);
        let clock =
            self.clock.is_none_or(|c| c.dt.is_finite() && c.dt > 0.0 && c.time.is_finite() && c.step <= step);
        if self.pushes.iter().all(push)
            && self.changes.iter().all(row)
            && sorted
            && clock
            && self.gravity.is_none_or(is_finite)
        {
            return Ok(());
        }
        Err("the snapshot's pushes, changes, gravity or clock are not those of a world with its bodies"
            .to_string())
    }

    /// Adds every bit, and nothing where nothing was given.
    pub(crate) fn hash(&self, h: &mut StateHash) {
        for p in &self.pushes {
            h.word(u64::from(p.body) << 32 | u64::from(p.node.unwrap_or(u32::MAX)));
            h.word(u64::from(p.whole));
            h.vector(p.wrench.impulse);
            h.vector(p.wrench.moment);
        }
        for row in &self.changes {
            h.word(u64::from(row.body));
            h.vector(row.impulse);
            h.vector(row.moment);
            h.number(row.work);
        }
        if let Some(g) = self.gravity {
            h.vector(g);
        }
        if let Some(c) = self.clock {
            h.number(c.dt);
            h.word(c.step);
            h.number(c.time);
        }
    }
}

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
        if row.is_some() {
            add_applied(&mut self.given.changes, row);
        }
    }

    /// The pushes become forces of the step.
    pub(crate) fn push_step(&mut self, dt: f64) {
        if self.given.pushes.is_empty() {
            return;
        }
        let pushes = self.given.pushes.iter().map(|p| p.over(dt)).collect();
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
        if let Ok(ledger) = self.world.query_one_mut::<&mut Ledger>(self.arena) {
            for row in self.given.changes.drain(..) {
                ledger.energy.work_applied += row.work;
                add_applied(&mut ledger.applied, row);
            }
            self.followed.follow(ledger.pairs.view());
        }
        self.given.pushes.clear();
    }

    /// Gravity as it is to be.
    pub(crate) fn put_gravity(&mut self) {
        let gravity = self.given.gravity.unwrap_or(self.built.gravity);
        if let Ok(forces) = self.world.query_one_mut::<&mut Forces>(self.arena) {
            forces.0.gravity = gravity;
        }
    }
}
