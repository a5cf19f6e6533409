//! Planes of bodies in the world.

use crate::tables::Dofs;
use impinge_contact::Prediction;
use impinge_geometry::{DVec3, Pose};

/// A plane of a body frame in the world.
#[must_use]
pub fn world_plane(pose: &Pose, normal: DVec3, offset: f64) -> (DVec3, f64) {
    let n = pose.vector_to_world(normal);
    (n, offset + n.dot(pose.position))
}

/// Where a vertex at `x`, `up` (m) from the plane of body `plane`, stands on it at the end of the step (m), and the velocity of the plane
/// there (m/s).
#[must_use]
pub fn foot(dofs: &Dofs, end: &Prediction, plane: usize, x: DVec3, up: DVec3) -> (DVec3, DVec3) {
    let point = x - up;
    let arm = point - end.pose[plane].position;
    (point, dofs.bodies.velocity[plane] + dofs.bodies.angular_velocity[plane].cross(arm))
}
