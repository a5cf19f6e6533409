//! Actuators and forces.

use crate::document::Place;
use impinge_contact::Actuator;
use impinge_geometry::DVec3;

/// An actuator on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActuatorSpec {
    /// Index into [`crate::SceneSpec::bodies`].
    pub body: usize,
    /// What acts.
    pub actuator: Actuator,
    pub(crate) place: Place,
}

/// A constant force on a body for a part of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceSpec {
    /// Index into [`crate::SceneSpec::bodies`].
    pub body: usize,
    /// N.
    pub force: DVec3,
    /// N·m.
    pub torque: DVec3,
    /// When it begins (s).
    pub start: f64,
    /// When it ends (s); `None` with the run.
    pub end: Option<f64>,
}
