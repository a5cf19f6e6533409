//! What a program gave a world beside its bodies, and what waits for the next step. It is state: in snapshots, in the hash, in replays.

use crate::{Applied, BodyChanges, Push, StateHash};
use impinge_geometry::{DVec3, is_finite};

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
        if self.pushes.iter().all(push)
            && self.changes.iter().all(row)
            && sorted
            && clock
            && self.bodies.is_sound(bodies)
            && self.gravity.is_none_or(is_finite)
        {
            return Ok(());
        }
        Err("the snapshot's pushes, changes, gravity, clock, surface velocities or groups are not those of a world with its bodies"
            .to_string())
    }

    /// Adds every bit, and nothing where nothing was given.
    pub fn hash_into(&self, h: &mut StateHash) {
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
    }
}
