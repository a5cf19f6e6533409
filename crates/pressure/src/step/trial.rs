//! Where bodies are and how they move, by slot, at the end of a trial step.

use super::tables::Bristles;
use impinge_bodies::Dofs;
use impinge_contact::{BodyKind, Prediction};
use impinge_geometry::{DVec3, Pose};
use impinge_integrators::drift;

/// Velocities of the centres (m/s) and spins (rad/s) by slot, world axes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Twists {
    pub velocity: Vec<DVec3>,
    pub spin: Vec<DVec3>,
    /// Time (s) over which they are the mean, negative where it ends now; 0 along a path, where they are of the moment.
    pub mean_over: f64,
}

/// ω of a body with this angular momentum at this pose.
pub(crate) fn spin_of(dofs: &Dofs, b: usize, pose: &Pose, momentum: DVec3) -> DVec3 {
    dofs.bodies.mobility[b].spin(&pose.matrix(), momentum)
}

/// Velocity and angular momentum from which a body's solve starts: those it has, which are nearer to a resting end than the prediction,
/// that has fallen; changed as in the last step where that went smoothly.
///
/// Ten balls that settle start at 3e-7 of their impulses instead of 3e-5, and their first Newton step ends below the tolerance.
pub(crate) fn guess(dofs: &Dofs, before: &Bristles, slot: usize) -> [DVec3; 2] {
    let [v, l] = before.change(slot);
    [dofs.bodies.velocity[slot] + v, dofs.bodies.angular_momentum[slot] + l]
}

/// Where bodies end with the velocities of [`guess`].
pub(crate) fn coasting(
    dofs: &Dofs,
    prediction: &Prediction,
    before: &Bristles,
    dt: f64,
    out: &mut Vec<Pose>,
) {
    let b = &dofs.bodies;
    out.clear();
    out.extend((0..b.len()).map(|i| match b.kind[i] {
        BodyKind::Rigid => {
            let [v, l] = guess(dofs, before, i);
            drift(&b.pose[i], v, l, &b.mobility[i], dt)
        }
        _ => prediction.pose[i],
    }));
}
