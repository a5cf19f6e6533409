//! What a program gave a world beside its bodies, and what waits for the next step. It is state: in snapshots, in the hash, in replays.

use crate::{Actuated, Applied, Axes, BodyChanges, Push, StateHash};
use impinge_geometry::{DVec3, Pose, is_finite};

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
    /// What was changed of single bodies.
    pub bodies: BodyChanges,
    /// Locked axes by slot, of the bodies that have some.
    #[cfg_attr(feature = "serde", serde(default))]
    pub locked: Vec<(u32, Axes)>,
    /// Actuators, by body and axis.
    #[cfg_attr(feature = "serde", serde(default))]
    pub actuators: Vec<Actuated>,
    /// Kinematic bodies that are put from pose to pose: where each is to be when the next step ends.
    #[cfg_attr(feature = "serde", serde(default))]
    pub posed: Vec<(u32, Pose)>,
    /// Pairs of bodies, lower slot first and in order, whose contacts store by another law from the next step on: what they then hold, the change
    /// put in.
    #[cfg_attr(feature = "serde", serde(default))]
    pub relaid: Vec<(u32, u32)>,
}

impl Given {
    /// Refuses what came from elsewhere and is about another world, or no number. `step`: how many steps were made.
    ///
    /// # Errors
    /// The reason.
    pub fn check(&self, bodies: usize, step: u64) -> Result<(), String> {
        let known = |slot: u32| (slot as usize) < bodies;
        let push = |p: &Push| known(p.body) && is_finite(p.wrench.impulse) && is_finite(p.wrench.moment);
        let row =
            |a: &Applied| known(a.body) && is_finite(a.impulse) && is_finite(a.moment) && a.work.is_finite();
        let sorted = self.changes.windows(2).all(|w| w[0].body < w[1].body);
        let clock =
            self.clock.is_none_or(|c| c.dt.is_finite() && c.dt > 0.0 && c.time.is_finite() && c.step <= step);
        let locked = self.locked.iter().all(|(s, axes)| known(*s) && axes.is_valid())
            && self.locked.windows(2).all(|w| w[0].0 < w[1].0);
        let acts = |a: &Actuated| known(a.body) && a.mark.is_finite() && a.actuator.check().is_ok();
        let acting = self.actuators.windows(2).all(|w| w[0].key() < w[1].key());
        let posed = self.posed.iter().all(|(s, pose)| known(*s) && pose.is_finite())
            && self.posed.windows(2).all(|w| w[0].0 < w[1].0);
        let relaid = self.relaid.iter().all(|(a, b)| a <= b && known(*b))
            && self.relaid.windows(2).all(|w| w[0] < w[1]);
        if self.pushes.iter().all(push)
            && locked
            && acting
            && posed
            && relaid
            && self.actuators.iter().all(acts)
            && self.changes.iter().all(row)
            && sorted
            && clock
            && self.bodies.is_sound(bodies)
            && self.gravity.is_none_or(is_finite)
        {
            return Ok(());
        }
        Err("the snapshot's pushes, changes, gravity, clock, locks, actuators, next poses, changed pairs, surface velocities or groups are not those of a world with its bodies"
            .to_string())
    }

    /// Adds every bit, and nothing where nothing was given.
    pub fn hash_into(&self, h: &mut StateHash) {
        // The same numbers in another list are another state.
        let lengths = [
            self.pushes.len(),
            self.changes.len(),
            self.locked.len(),
            self.actuators.len(),
            self.posed.len(),
        ];
        if lengths.iter().any(|n| *n > 0) {
            lengths.iter().for_each(|n| h.word(*n as u64));
        }
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
        self.bodies.hash_into(h);
        for (slot, axes) in &self.locked {
            h.word(u64::from(*slot) << 8 | u64::from(axes.bits()));
        }
        self.actuators.iter().for_each(|a| a.hash_into(h));
        for (slot, pose) in &self.posed {
            h.word(u64::from(*slot));
            h.pose(pose);
        }
        if !self.relaid.is_empty() {
            h.word(self.relaid.len() as u64);
        }
        self.relaid.iter().for_each(|(a, b)| h.word(u64::from(*a) << 32 | u64::from(*b)));
    }
}
