//! The elastic energy of a state between steps, and how stiff a node is: for inspection and for building scenes.

use super::operator::ElasticOperator;
use super::system::{ElasticSystem, Grip};
use impinge_elasticity::Projection;
use impinge_geometry::{DVec3, Pose};

/// Elastic energy (J), ties included, with nodes at `x` (m) and bodies at these poses.
///
/// # Panics
/// When `x` is shorter than the nodes, or a grip names a body without a pose.
#[must_use]
pub fn elastic_energy(system: &ElasticSystem, x: &[DVec3], poses: &[Pose]) -> f64 {
    let mut op = ElasticOperator::default();
    let mut energy = 0.0;
    for part in &system.parts {
        energy += part.energy(x, &mut op.scratch);
    }
    for t in &system.ties {
        let grip = match t.to {
            Grip::World(p) => p,
            Grip::Prescribed { body, arm } | Grip::Rigid { body, arm } => {
                poses[body as usize].point_to_world(arm)
            }
        };
        energy += 0.5 * t.stiffness * (x[t.node as usize] - grip).mag_sq();
    }
    energy
}

/// The mean of the three diagonal entries of each node's stiffness block (N/m) with nodes at `x`, without ties: what a
/// tie must be stiff against.
///
/// # Panics
/// When `x` is shorter than the nodes.
#[must_use]
pub fn node_stiffness(system: &ElasticSystem, x: &[DVec3]) -> Vec<f64> {
    let mut op = ElasticOperator::default();
    let mut values = vec![[0.0; 9]; system.pattern.blocks()];
    for part in &system.parts {
        part.add_stiffness(x, Projection::Spd, &mut values, &mut op.scratch);
    }
    values[..system.nodes()].iter().map(|b| (b[0] + b[4] + b[8]) / 3.0).collect()
}
