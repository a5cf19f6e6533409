//! Actuators: forces and torques on axes of a rigid body, constant or by feedback.

use crate::{Axis, StateHash};
use impinge_geometry::{DVec3, LARGEST, Pose};

/// A force along, or a torque about, one axis of the world on a rigid body:
///
/// ```text
/// f = clamp(force + stiffness · (position − x) + damping · (velocity − v), −limit, limit)
/// ```
/// x is how far the body has moved along the axis, or turned about it, since it got the actuator (m, rad); v is its velocity (m/s, rad/s). A force acts at
/// the centre of mass. f is found where a step begins and is the same over the step (under the midpoint rule x is that of half a step ahead), so gains
/// are limited: `stiffness · dt² + 2 damping · dt` stays below 4 masses of what they move.
///
/// ```
/// use impinge_contact::{Actuator, Axis};
/// // A finger that closes with 8 N, and slower than freely.
/// let finger = Actuator::force(Axis::Y, 8.0).damping(50.0);
/// // A slide that goes to 0.1 m with at most 20 N.
/// let slide = Actuator::servo(Axis::Z, 4e3, 120.0).target(0.1).limit(20.0);
/// assert_eq!(slide.force_at(0.0, 0.0), 20.0);
/// assert_eq!(finger.force_at(0.0, 0.1), 3.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Actuator {
    /// The axis.
    pub axis: Axis,
    /// Force (N), or torque (N·m), beside that of the gains.
    pub force: f64,
    /// Gain of the position (N/m, N·m/rad), ≥ 0.
    pub stiffness: f64,
    /// Gain of the velocity (N·s/m, N·m·s/rad), ≥ 0.
    pub damping: f64,
    /// Position asked for (m, rad).
    pub position: f64,
    /// Velocity asked for (m/s, rad/s).
    pub velocity: f64,
    /// Largest force (N) or torque (N·m), > 0; infinite where there is none.
    pub limit: f64,
}

impl Actuator {
    /// A constant force (N) or torque (N·m).
    #[must_use]
    pub fn force(axis: Axis, force: f64) -> Self {
        let (stiffness, damping, position, velocity) = (0.0, 0.0, 0.0, 0.0);
        Self { axis, force, stiffness, damping, position, velocity, limit: f64::INFINITY }
    }

    /// Gains of position (N/m, N·m/rad) and velocity (N·s/m, N·m·s/rad) that hold the body where it is, until they get a target.
    #[must_use]
    pub fn servo(axis: Axis, stiffness: f64, damping: f64) -> Self {
        Self { stiffness, damping, ..Self::force(axis, 0.0) }
    }

    /// With this gain of the velocity.
    #[must_use]
    pub fn damping(self, damping: f64) -> Self {
        Self { damping, ..self }
    }

    /// With this position as target (m, rad).
    #[must_use]
    pub fn target(self, position: f64) -> Self {
        Self { position, ..self }
    }

    /// With this velocity as target (m/s, rad/s).
    #[must_use]
    pub fn speed(self, velocity: f64) -> Self {
        Self { velocity, ..self }
    }

    /// With a largest force (N) or torque (N·m).
    #[must_use]
    pub fn limit(self, limit: f64) -> Self {
        Self { limit, ..self }
    }

    /// Its force at a position and a velocity.
    #[must_use]
    pub fn force_at(&self, x: f64, v: f64) -> f64 {
        let free = self.force + self.stiffness * (self.position - x) + self.damping * (self.velocity - v);
        free.clamp(-self.limit, self.limit)
    }

    /// Refuses numbers that are none.
    ///
    /// # Errors
    /// The reason.
    pub fn check(&self) -> Result<(), String> {
        if ![self.force, self.position, self.velocity].iter().all(|x| x.abs() <= LARGEST) {
            return Err("its force and its targets must be finite numbers of at most 1e60".to_string());
        }
        if !([self.stiffness, self.damping].iter().all(|x| (0.0..=LARGEST).contains(x))) {
            return Err(
                "its stiffness and its damping must be zero or positive numbers of at most 1e60".to_string()
            );
        }
        if self.limit.is_nan() || self.limit <= 0.0 {
            return Err("its limit must be a positive force; take it out for none".to_string());
        }
        Ok(())
    }

    /// The longest stable step (s) with what it moves: a mass (kg), or an inertia about its axis (kg m²). Infinite without gains.
    #[must_use]
    pub fn longest_step(&self, inertia: f64) -> f64 {
        let (k, c) = (self.stiffness, self.damping);
        if k == 0.0 && c == 0.0 {
            return f64::INFINITY;
        }
        // The root of k h² + 2 c h = 4 m, without cancellation.
        4.0 * inertia / (c + (c * c + 4.0 * k * inertia).sqrt())
    }
}

/// An actuator of a world, and where it counts from.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Actuated {
    /// Slot of the body.
    pub body: u32,
    /// What acts.
    pub actuator: Actuator,
    /// Of a translation the place on the axis that counts as 0 (m), of a rotation the angle turned so far (rad).
    pub mark: f64,
}

impl Actuated {
    /// Of a body that is here.
    #[must_use]
    pub fn new(body: u32, actuator: Actuator, pose: &Pose) -> Self {
        let along = actuator.axis.direction().dot(pose.position);
        Self { body, actuator, mark: if actuator.axis.turns() { 0.0 } else { along } }
    }

    /// How far the body has moved, or turned (m, rad), when it is here.
    #[must_use]
    pub fn position(&self, pose: &Pose) -> f64 {
        let axis = self.actuator.axis;
        if axis.turns() { self.mark } else { axis.direction().dot(pose.position) - self.mark }
    }

    /// Its body has turned by a rotation vector (rad).
    pub fn turn(&mut self, by: DVec3) {
        if self.actuator.axis.turns() {
            self.mark += by.dot(self.actuator.axis.direction());
        }
    }

    /// What orders them.
    #[must_use]
    pub fn key(&self) -> (u32, Axis) {
        (self.body, self.actuator.axis)
    }

    /// Adds every bit.
    pub fn hash_into(&self, h: &mut StateHash) {
        let a = &self.actuator;
        h.word(u64::from(self.body) << 8 | a.axis as u64);
        let numbers = [a.force, a.stiffness, a.damping, a.position, a.velocity, a.limit, self.mark];
        numbers.iter().for_each(|x| h.number(*x));
    }
}
