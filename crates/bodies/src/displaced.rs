//! Position corrections: places that a stage after `advance` moves, with no velocity and no momentum, and the energy that this puts in
//! or takes out.

use crate::elastic::Elastic;
use crate::tables::{Dofs, Forces};
use impinge_contact::{Advanced, Ledger};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_integrators::elastic_energy;

/// A pose moved by `by` (m) and turned about its own place by a rotation vector (rad).
#[must_use]
pub fn displaced(pose: &Pose, by: DVec3, turn: DVec3) -> Pose {
    let rotation = (rotor_from_rotation_vector(turn) * pose.rotation).normalized();
    Pose { position: pose.position + by, rotation }
}

/// Moves rigid body `b` by `by` (m) and turns it about its centre of mass by a rotation vector (rad). It keeps its momenta.
pub fn displace(dofs: &Dofs, b: usize, by: DVec3, turn: DVec3, advanced: &mut Advanced) {
    let mobility = &dofs.bodies.mobility[b];
    let pose = displaced(&advanced.pose[b], mobility.linear(by), mobility.angular(turn));
    put(dofs, b, pose, advanced);
}

/// Puts a rigid body where a correction has it: with the momenta it has, and the spin that goes with them there.
pub fn put(dofs: &Dofs, b: usize, pose: Pose, advanced: &mut Advanced) {
    let (r, mobility) = (pose.matrix(), &dofs.bodies.mobility[b]);
    let spin = mobility.spin(&r, advanced.angular_momentum[b]);
    advanced.pose[b] = pose;
    advanced.angular_velocity[b] = spin;
    advanced.angular_momentum[b] = mobility.momentum(&r, spin, advanced.angular_momentum[b]);
}

/// Where everything was before a stage corrected it.
#[derive(Clone, Debug, Default)]
pub struct Before {
    pose: Vec<Pose>,
    node_x: Vec<DVec3>,
}

impl Before {
    /// Remembers the places; before anything is moved.
    pub fn remember(&mut self, advanced: &Advanced) {
        self.pose.clone_from(&advanced.pose);
        self.node_x.clone_from(&advanced.node_x);
    }

    /// Books the potential energy that has come with the places since, and writes what deformables store at the new ones. Nothing where
    /// nothing was moved.
    pub fn book(
        &self,
        (forces, dofs, elastic): (&Forces, &Dofs, &Elastic),
        advanced: &mut Advanced,
        ledger: &mut Ledger,
    ) {
        let nodes_moved = self.node_x != advanced.node_x;
        if !nodes_moved && self.pose == advanced.pose {
            return;
        }
        let (bodies, nodes) = (dofs.bodies.view(), dofs.nodes.view());
        let outer = |pose: &[Pose], node_x: &[DVec3]| {
            let (gravity, anchors) = forces.0.potential(bodies, nodes, pose, node_x);
            gravity + anchors
        };
        let (was, is) = (outer(&self.pose, &self.node_x), outer(&advanced.pose, &advanced.node_x));
        let mut work = is - was;
        let system = &elastic.system;
        let tied = |b: &u32| self.pose[*b as usize] != advanced.pose[*b as usize];
        if !system.is_empty() && (nodes_moved || system.rigid().iter().any(tied)) {
            let stored = |pose: &[Pose], node_x: &[DVec3]| {
                let x: Vec<DVec3> = elastic.nodes.iter().map(|&n| node_x[n as usize]).collect();
                elastic_energy(system, &x, pose)
            };
            let before = stored(&self.pose, &self.node_x);
            advanced.elastic.energy = stored(&advanced.pose, &advanced.node_x);
            work += advanced.elastic.energy - before;
        }
        ledger.energy.work_corrections += work;
    }
}
