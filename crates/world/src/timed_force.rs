//! Forces that act on a body for a part of the run, as a scene says.

use crate::body::{BodyDesc, Motion};
use impinge_contact::{Push, Wrench};
use impinge_geometry::{DVec3, LARGEST, is_bounded};

/// A constant force and torque (world axes) on a body, from one time to another.
///
/// A rigid body is pushed at its centre of mass; of a deformable and of particles all nodes get one acceleration. A step that the time begins or ends
/// in gets the share of it, so the impulse is force times time. It is in [`impinge_contact::Ledger::applied`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimedForce {
    /// Slot of the body.
    pub body: u32,
    /// N.
    pub force: DVec3,
    /// N·m; zero for bodies made of nodes.
    pub torque: DVec3,
    /// s.
    pub from: f64,
    /// s; infinite for the rest of the run.
    pub until: f64,
}

impl TimedForce {
    /// What it does in a step; nothing outside its time.
    pub(crate) fn in_step(&self, time: f64, dt: f64) -> Option<Push> {
        let share = ((self.until.min(time + dt) - self.from.max(time)) / dt).clamp(0.0, 1.0);
        // A step that begins where the time ends, but for rounding, has none of it.
        (share > 1e-9).then(|| {
            let share = if share > 1.0 - 1e-9 { 1.0 } else { share };
            let wrench = Wrench { impulse: self.force * share, moment: self.torque * share };
            Push { body: self.body, node: None, wrench, whole: false }
        })
    }

    /// Refuses what no body takes.
    pub(crate) fn check(&self, bodies: &[BodyDesc]) -> Result<(), String> {
        let Some(body) = bodies.get(self.body as usize) else {
            return Err(format!("a force names slot {}, but there are {} bodies", self.body, bodies.len()));
        };
        let refuse = |reason: &str| Err(format!("a force on body '{}': {reason}", body.name));
        if !(is_bounded(self.force) && is_bounded(self.torque)) {
            return refuse("force and torque must be finite numbers of at most 1e60");
        }
        if self.from.abs() > LARGEST || self.from.is_nan() || self.until.is_nan() || self.until <= self.from {
            return refuse("it must begin at a time of at most 1e60 s and end after that");
        }
        match &body.motion {
            Motion::Fixed => refuse("it is fixed; give it a mass"),
            Motion::Kinematic(_) => refuse("its driver moves it; give it a mass, or another driver"),
            Motion::Particles { .. } | Motion::Deformable(_) if self.torque != DVec3::zero() => {
                refuse("it is made of nodes and takes no torque; leave that out")
            }
            _ => Ok(()),
        }
    }
}
