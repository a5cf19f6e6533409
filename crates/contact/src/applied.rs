//! What the program that runs a world does to its bodies: pushes during a step, changes between two steps.

use crate::{ActuatorWork, Wrench};
use impinge_geometry::DVec3;

/// A push that waits for the next step, and acts evenly over it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Push {
    /// Slot of the body.
    pub body: u32,
    /// A node, counted from the first of its body. `None`: a rigid body at its centre of mass, all nodes of another by their masses.
    pub node: Option<u32>,
    /// Force and torque (N, N·m), world axes.
    pub wrench: Wrench,
    /// They are given for the whole step: N·s and N·m·s.
    pub whole: bool,
}

impl Push {
    /// Of a step of this length (s), as force and torque.
    #[must_use]
    pub fn over(self, dt: f64) -> Self {
        let Wrench { impulse, moment } = self.wrench;
        let share = if self.whole { 1.0 / dt } else { 1.0 };
        Self { wrench: Wrench { impulse: impulse * share, moment: moment * share }, whole: false, ..self }
    }
}

/// A row of the ledger: what one body got from the program, not from what the world holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Applied {
    /// Slot of the body.
    pub body: u32,
    /// Linear impulse (N·s).
    pub impulse: DVec3,
    /// Angular impulse about the origin of the world (N·m·s).
    pub moment: DVec3,
    /// Work (J). Of a change between steps it is the growth of the energy, potentials included.
    pub work: f64,
}

impl Applied {
    /// Whether it gave anything.
    #[must_use]
    pub fn is_some(&self) -> bool {
        self.work != 0.0 || self.impulse != DVec3::zero() || self.moment != DVec3::zero()
    }

    /// Both together, of one body.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            body: self.body,
            impulse: self.impulse + other.impulse,
            moment: self.moment + other.moment,
            work: self.work + other.work,
        }
    }
}

/// Adds a row to those of other bodies; one body has one row.
pub fn add_applied(rows: &mut Vec<Applied>, row: Applied) {
    match rows.binary_search_by_key(&row.body, |r| r.body) {
        Ok(i) => rows[i] = rows[i].and(row),
        Err(i) => rows.insert(i, row),
    }
}

/// Adds what an actuator did to the rows of the others; each has one row.
pub fn add_actuator(rows: &mut Vec<ActuatorWork>, row: ActuatorWork) {
    match rows.binary_search_by_key(&(row.body, row.axis), |r| (r.body, r.axis)) {
        Ok(i) => {
            rows[i].impulse += row.impulse;
            rows[i].work += row.work;
        }
        Err(i) => rows.insert(i, row),
    }
}
