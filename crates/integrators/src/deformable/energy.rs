//! The elastic energy of a state between steps, and how stiff a node is: for inspection and for building scenes.

use super::operator::ElasticOperator;
use super::part::Part;
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
    of_nodes(system, |part, values| part.add_stiffness(x, Projection::Spd, values, &mut op.scratch))
}

/// What an impulse on each node alone moves in an implicit step whose forces are those after `h` (s), at most (kg): the mean of the three diagonal entries
/// of its block of M + h D + h² K, with nodes at `x`, without ties. Infinite where a pin holds the node.
///
/// # Panics
/// When `x` is shorter than the nodes.
#[must_use]
pub fn node_inertia(system: &ElasticSystem, x: &[DVec3], h: f64) -> Vec<f64> {
    let stiffness = node_stiffness(system, x);
    let dashpots = of_nodes(system, |part, values| part.add_dashpots(x, values));
    let mut out: Vec<f64> = (0..system.nodes())
        .map(|n| {
            let damping = system.mass_damping[n] + system.stiffness_damping[n] * stiffness[n] + dashpots[n];
            system.mass[n] + h * damping + h * h * stiffness[n]
        })
        .collect();
    system.pins.iter().for_each(|p| out[p.node as usize] = f64::INFINITY);
    out
}

/// The mean of the three diagonal entries of each node's block.
fn of_nodes(system: &ElasticSystem, mut add: impl FnMut(&Part, &mut [[f64; 9]])) -> Vec<f64> {
    let mut values = vec![[0.0; 9]; system.pattern.blocks()];
    system.parts.iter().for_each(|part| add(part, &mut values));
    values[..system.nodes()].iter().map(|b| (b[0] + b[4] + b[8]) / 3.0).collect()
}
