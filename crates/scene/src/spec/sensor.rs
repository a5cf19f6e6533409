//! Sensors.

use crate::document::Place;
use crate::mesh::MeshSpec;
use impinge_geometry::Pose;
use impinge_world::Groups;

/// A closed surface that sees which bodies are in it, and pushes none.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorSpec {
    /// Unique among the sensors.
    pub name: String,
    /// Its surface, in its own frame.
    pub mesh: MeshSpec,
    /// Index into [`crate::SceneSpec::bodies`] of the body that it rides on and does not see.
    pub on: Option<usize>,
    /// Its frame in the world, or in the body frame of what it rides on.
    pub pose: Pose,
    /// Which bodies it sees: those that it would meet.
    pub groups: Groups,
    pub(crate) place: Place,
}
