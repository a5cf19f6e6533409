//! K of seed 001 (1) for the whole world: nodes, then (linear, angular) of each rigid body.
//!
//! Deformables bring their operator A = M − hB − h²K with the bodies tied to them; what is free brings its mass. Pinned nodes
//! keep their diagonal block and nothing else: no row names them, so they stay.
//!
//! The unknown of a turn is the spin times a length of the body, so that every unknown is a velocity and every load a momentum: norms over both kinds of
//! blocks do not depend on how long a metre is. The length is a power of two, which changes no digit.

use crate::Dof;
use impinge_bodies::{ContactError, Dofs, Elastic, Operator, displaced};
use impinge_contact::{BodyKind, Mobility, NONE, Prediction, SurfaceMap};
use impinge_geometry::{DMat3, DVec3, Pose, bent, power_of_two};
use impinge_integrators::drift;
use impinge_solvers::{Block, BlockMatrix, BlockPattern, Layout, System};

/// The unknowns of the world and K over them.
#[derive(Debug, Default)]
pub(crate) struct Dynamics {
    pub layout: Layout,
    /// Slot of each rigid body.
    slots: Vec<u32>,
    /// Rigid body of each slot, [`NONE`] where there is none.
    row: Vec<u32>,
    pinned: Vec<bool>,
    /// Mass by axis (kg) and inertia in world axes (kg m²) of each rigid body.
    masses: Vec<(DVec3, DMat3)>,
    inverse: Vec<DMat3>,
    mobility: Vec<Mobility>,
    /// One over the length of each rigid body by which its spin is multiplied (1/m).
    per_length: Vec<f64>,
    /// What the pattern was made for.
    of: (BlockPattern, Vec<u32>, Vec<u32>),
    pattern: BlockPattern,
    /// Place in `pattern` of each slot of the elastic pattern.
    place: Vec<u32>,
    /// It joins a pinned node.
    held: Vec<bool>,
    values: Vec<Block>,
}

impl Dynamics {
    /// K of this step.
    pub fn assemble(
        &mut self,
        dofs: &Dofs,
        elastic: &Elastic,
        operator: &Operator,
    ) -> Result<(), ContactError> {
        let system = &elastic.system;
        let kind = &dofs.bodies.kind;
        self.slots.clear();
        self.slots.extend((0..kind.len() as u32).filter(|&b| kind[b as usize] == BodyKind::Rigid));
        self.layout = Layout { nodes: dofs.nodes.len(), bodies: self.slots.len() };
        self.row.clear();
        self.row.resize(kind.len(), NONE);
        self.masses.clear();
        self.inverse.clear();
        self.mobility.clear();
        self.per_length.clear();
        for (r, &b) in self.slots.iter().enumerate() {
            let b = b as usize;
            self.row[b] = r as u32;
            let (mobility, pose) = (&dofs.bodies.mobility[b], &dofs.bodies.pose[b]);
            self.masses.push(mobility.mass_matrix(dofs.bodies.mass[b], pose));
            self.inverse.push(mobility.inverse_at(pose));
            self.mobility.push(*mobility);
            self.per_length.push(1.0 / gyration(dofs.bodies.mass[b], mobility.inertia()));
        }
        self.pinned.clear();
        self.pinned.resize(dofs.nodes.len(), false);
        for p in system.pins() {
            self.pinned[elastic.nodes[p.node as usize] as usize] = true;
        }
        let known = self.of.0 == *system.pattern() && self.of.1 == elastic.nodes && self.of.2 == self.slots;
        if !known || self.pattern.nodes() != self.layout.blocks() {
            self.lay_out(elastic)?;
        }
        self.values.clear();
        self.values.resize(self.pattern.blocks(), [0.0; 9]);
        let values = operator.operator.values();
        for ((v, &slot), held) in values.iter().zip(&self.place).zip(&self.held) {
            if !held {
                self.values[slot as usize] = *v;
            }
        }
        for (n, &b) in dofs.nodes.body.iter().enumerate() {
            if kind[b as usize] == BodyKind::Particles {
                let m = dofs.nodes.mass[n];
                self.values[n] = [m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m];
            }
        }
        for (r, &b) in self.slots.iter().enumerate() {
            if system.rigid().binary_search(&b).is_err() {
                let (mass, inertia) = &self.masses[r];
                self.layout.add_rigid_mass(r, *mass, inertia, &mut self.values);
            }
        }
        self.scale_turns();
        Ok(())
    }

    /// From spins to the unknowns. Bodies come after all nodes, so that no row of a node knows a turn.
    fn scale_turns(&mut self) {
        let nodes = self.layout.nodes;
        let per = |block: usize| match block.checked_sub(nodes) {
            Some(k) if k % 2 == 1 => self.per_length[k / 2],
            _ => 1.0,
        };
        for i in nodes..self.layout.blocks() {
            let own = per(i);
            self.values[i].iter_mut().for_each(|v| *v *= own * own);
            for (slot, &j) in self.pattern.row_slots(i).zip(self.pattern.row(i)) {
                let both = own * per(j as usize);
                self.values[slot].iter_mut().for_each(|v| *v *= both);
            }
        }
    }

    /// The block of each block of the elastic system.
    fn block(&self, elastic: &Elastic, i: usize) -> u32 {
        let nodes = elastic.system.nodes();
        if i < nodes {
            return elastic.nodes[i];
        }
        let slot = elastic.system.rigid()[(i - nodes) / 2];
        self.layout.linear(self.row[slot as usize] as usize) + ((i - nodes) % 2) as u32
    }

    fn lay_out(&mut self, elastic: &Elastic) -> Result<(), ContactError> {
        let of = elastic.system.pattern();
        let pairs: Vec<[u32; 2]> = (0..of.nodes())
            .flat_map(|i| of.row(i).iter().map(move |&j| (i, j as usize)))
            .map(|(i, j)| [self.block(elastic, i), self.block(elastic, j)])
            .collect();
        self.pattern = BlockPattern::new(self.layout.blocks(), pairs.iter().map(|p| &p[..]))
            .map_err(|e| ContactError::refused("constraints", e.to_string()))?;
        // Both orders are the same, so a block below the diagonal stays below it.
        self.place = (0..of.nodes()).map(|i| self.block(elastic, i)).collect();
        self.place.extend(pairs.iter().map(|&[i, j]| self.pattern.slot(i, j)));
        let pinned = |b: u32| self.pinned.get(b as usize).copied().unwrap_or(false);
        self.held = vec![false; of.nodes()];
        self.held.extend(pairs.iter().map(|&[i, j]| pinned(i) || pinned(j)));
        self.of = (of.clone(), elastic.nodes.clone(), self.slots.clone());
        Ok(())
    }

    /// K.
    #[must_use]
    pub fn system(&self) -> System<'_> {
        System::new(BlockMatrix::new(&self.pattern, &self.values).expect("assembled for this pattern"))
    }

    /// Slot of the body whose motion a block is.
    #[must_use]
    pub fn slot_of(&self, dof: Dof, dofs: &Dofs) -> u32 {
        match dof {
            Dof::Node(n) => dofs.nodes.body[n],
            Dof::Linear(r) | Dof::Angular(r) => self.slots[r],
        }
    }

    /// Number of a slot among the rigid bodies; [`NONE`] of others.
    #[inline]
    pub fn row_of(&self, slot: usize) -> u32 {
        self.row[slot]
    }

    /// Nothing of a rigid body is locked, or there is none of this number.
    #[inline]
    pub fn is_free(&self, row: u32) -> bool {
        self.mobility.get(row as usize).is_none_or(|m| m.locked().is_empty())
    }

    /// Predicted angular velocity (rad/s) of a rigid body.
    #[inline]
    pub fn spin(&self, row: usize, slot: usize, prediction: &Prediction) -> DVec3 {
        self.inverse[row] * prediction.angular_momentum[slot]
    }

    /// The gradient by the unknown of a turn of what has `about` by the spin (m).
    #[inline]
    pub fn by_turn(&self, row: usize, about: DVec3) -> DVec3 {
        about * self.per_length[row]
    }

    /// Adds the gradient of `g · velocity` of a surface vertex; it acts at `at` (m) of bodies that move as a whole, which
    /// are at `poses` then.
    pub fn gradient(
        &self,
        map: &SurfaceMap,
        poses: &[Pose],
        vertex: u32,
        at: DVec3,
        g: DVec3,
        out: &mut Vec<(u32, DVec3)>,
    ) {
        if let Some((nodes, weights)) = map.nodes_of(vertex) {
            for (&n, w) in nodes.iter().zip(weights) {
                if w != 0.0 && !self.pinned[n as usize] {
                    out.push((n, g * w));
                }
            }
            return;
        }
        let slot = map.body_of(vertex) as usize;
        if self.row[slot] != NONE {
            let arm = at - poses[slot].position;
            let row = self.row[slot] as usize;
            let [(linear, along), (angular, about)] = self.layout.body_gradient(row, arm, g);
            let about = self.by_turn(row, about);
            let mobility = &self.mobility[row];
            if mobility.locked().is_empty() {
                out.extend([(linear, along), (angular, about)]);
                return;
            }
            // What is locked answers no row: one that asks for it alone contradicts itself, as between driven bodies.
            let free = [(linear, mobility.linear(along)), (angular, mobility.angular(about))];
            out.extend(free.into_iter().filter(|(_, g)| *g != DVec3::zero()));
        }
    }

    /// Predicted mean velocity (m/s) over the step of `dt` (s) at `at` of a body that forces move, with `shared` of its spin; `None` for others.
    #[must_use]
    pub fn velocity(
        &self,
        map: &SurfaceMap,
        (dofs, prediction): (&Dofs, &Prediction),
        vertex: u32,
        at: DVec3,
        (shared, dt): (DVec3, f64),
    ) -> Option<DVec3> {
        map.at_nodes(vertex, &prediction.node_v).or_else(|| {
            let slot = map.body_of(vertex) as usize;
            let row = self.row[slot];
            (row != NONE).then(|| {
                let spin = self.spin(row as usize, slot, prediction);
                let (arm, turns) = (at - dofs.bodies.pose[slot].position, dofs.bodies.angular_velocity[slot]);
                prediction.velocity[slot] + spin.cross(arm) + bent(shared, turns.cross(arm), dt)
            })
        })
    }

    /// Velocity (m/s) and spin (rad/s) of a rigid body in a vector of unknowns.
    #[inline]
    pub fn motion(&self, r: usize, unknown: &[DVec3]) -> [DVec3; 2] {
        let [way, turn] = [self.layout.linear(r), self.layout.angular(r)].map(|i| unknown[i as usize]);
        [way, turn * self.per_length[r]]
    }

    /// Where the step ends when the predicted velocities change by `dv`. Bodies that do not change stay as predicted, to
    /// the bit.
    pub fn end(&self, dv: &[DVec3], h: f64, dofs: &Dofs, prediction: &Prediction, out: &mut Prediction) {
        out.node_x.clear();
        out.node_x.extend(prediction.node_x.iter().zip(dv).map(|(x, d)| *x + *d * h));
        out.pose.clone_from(&prediction.pose);
        for (r, &b) in self.slots.iter().enumerate() {
            let b = b as usize;
            let [linear, angular] = self.motion(r, dv);
            if linear != DVec3::zero() || angular != DVec3::zero() {
                let momentum = prediction.angular_momentum[b] + self.masses[r].1 * angular;
                let (pose, velocity) = (&dofs.bodies.pose[b], prediction.velocity[b] + linear);
                out.pose[b] = drift(pose, velocity, momentum, &dofs.bodies.mobility[b], h);
            }
        }
    }

    /// Places `h · u` away from those of `from`.
    pub fn shifted(&self, u: &[DVec3], h: f64, from: &Prediction, out: &mut Prediction) {
        out.node_x.clear();
        out.node_x.extend(from.node_x.iter().zip(u).map(|(x, u)| *x + *u * h));
        out.pose.clone_from(&from.pose);
        for (slot, by, turn) in self.ways(u, h) {
            out.pose[slot] = displaced(&from.pose[slot], by, turn);
        }
    }

    /// Slot, way (m) and rotation vector (rad) of each rigid body that `h · u` moves.
    pub fn ways(&self, u: &[DVec3], h: f64) -> impl Iterator<Item = (usize, DVec3, DVec3)> {
        self.slots.iter().enumerate().filter_map(move |(r, &b)| {
            let way = self.motion(r, u).map(|v| v * h);
            (way != [DVec3::zero(); 2]).then_some((b as usize, way[0], way[1]))
        })
    }
}

/// A power of two near the radius of gyration (m) of a body with this mass (kg) and inertia (kg m²).
fn gyration(mass: f64, inertia: &DMat3) -> f64 {
    let [x, y, z] = inertia.cols;
    power_of_two(((x.x + y.y + z.z) / (3.0 * mass)).sqrt())
}
