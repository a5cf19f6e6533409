//! Where bodies are and how they move, by slot, at the end of a trial step.

use crate::components::Dofs;
use impinge_contact::{BodyKind, Prediction};
use impinge_geometry::{DVec3, Pose};
use impinge_integrators::drift;

/// Velocities of the centres (m/s) and spins (rad/s) by slot, world axes.
#[derive(Clone, Debug, Default)]
pub(super) struct Twists {
    pub velocity: Vec<DVec3>,
    pub spin: Vec<DVec3>,
}

/// ω of a body with this angular momentum at this pose.
pub(super) fn spin_of(dofs: &Dofs, b: usize, pose: &Pose, momentum: DVec3) -> DVec3 {
    let r = pose.matrix();
    r * (dofs.bodies.inverse_inertia[b] * (r.transposed() * momentum))
}

/// Where bodies end that keep the velocities they have: nearer to a resting end than the prediction, which has fallen.
pub(super) fn coasting(dofs: &Dofs, prediction: &Prediction, dt: f64, out: &mut Vec<Pose>) {
    let b = &dofs.bodies;
    out.clear();
    out.extend((0..b.len()).map(|i| match b.kind[i] {
        BodyKind::Rigid => drift(&b.pose[i], b.velocity[i], b.angular_momentum[i], &b.inverse_inertia[i], dt),
        _ => prediction.pose[i],
    }));
}
