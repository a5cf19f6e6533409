//! A⁻¹ for rows over what moves: blocks of the elastic system (its nodes, then linear and angular part of each tied body), then
//! linear and angular part of every other rigid body.

use crate::RigidRow;
use impinge_bodies::{ContactError, Dofs, Elastic, Operator};
use impinge_contact::{BodyKind, NONE, SurfaceMap};
use impinge_geometry::{DMat3, DVec3};
use impinge_integrators::ElasticError;
use impinge_solvers::Settings;
use smallvec::SmallVec;

/// A row: gradients by block, each block once, ascending. Two rigid bodies have four.
pub(crate) type Row = SmallVec<[(u32, DVec3); 4]>;

/// A⁻¹ times a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// By elastic block; empty for a row that does not reach the elastic system.
    pub elastic: Vec<DVec3>,
    /// Blocks of free rigid bodies.
    pub rigid: Row,
}

impl Answer {
    /// Product with a row.
    #[must_use]
    pub fn dot(&self, row: &[(u32, DVec3)], elastic: usize) -> f64 {
        let of = |b: u32| match self.elastic.get(b as usize).filter(|_| (b as usize) < elastic) {
            Some(v) => *v,
            None => self.rigid.iter().find(|r| r.0 == b).map_or(DVec3::zero(), |r| r.1),
        };
        row.iter().map(|&(b, g)| of(b).dot(g)).sum()
    }
}

/// The unknowns of a step with their inverse masses.
#[derive(Debug, Default)]
pub(crate) struct Compliance {
    /// Elastic blocks.
    pub elastic: usize,
    /// Block of each node; [`NONE`] for free vertices.
    node: Vec<u32>,
    /// Linear block of each body; the angular one is next. [`NONE`] for what forces do not move as a whole.
    pub body: Vec<u32>,
    /// Of each free rigid body: slot, 1/mass by axis (1/kg), inverse inertia in world axes at the start of the step.
    free: Vec<(u32, DVec3, DMat3)>,
}

/// Relative residual of solves with the elastic operator: rows of W are as good as that.
const SOLVE: f64 = 1e-12;

impl Compliance {
    /// Numbers the unknowns.
    pub fn lay_out(&mut self, dofs: &Dofs, elastic: &Elastic) {
        let system = &elastic.system;
        self.elastic = if system.is_empty() { 0 } else { system.layout().blocks() };
        self.node.clear();
        self.node.resize(dofs.nodes.len(), NONE);
        self.body.clear();
        self.body.resize(dofs.bodies.len(), NONE);
        self.free.clear();
        if !system.is_empty() {
            for (i, &n) in elastic.nodes.iter().enumerate() {
                self.node[n as usize] = i as u32;
            }
            for (r, &b) in system.rigid().iter().enumerate() {
                self.body[b as usize] = system.layout().linear(r);
            }
        }
        for b in 0..dofs.bodies.len() {
            if dofs.bodies.kind[b] == BodyKind::Rigid && self.body[b] == NONE {
                self.body[b] = (self.elastic + 2 * self.free.len()) as u32;
                let (mobility, pose) = (&dofs.bodies.mobility[b], &dofs.bodies.pose[b]);
                let light = mobility.linear(DVec3::broadcast(1.0 / dofs.bodies.mass[b]));
                self.free.push((b as u32, light, mobility.inverse_at(pose)));
            }
        }
    }

    /// Blocks of all unknowns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elastic + 2 * self.free.len()
    }

    /// Motion of a node; nothing for free vertices.
    #[must_use]
    pub fn of_node(&self, node: usize, motion: &[DVec3]) -> DVec3 {
        match self.node[node] {
            NONE => DVec3::zero(),
            at => motion[at as usize],
        }
    }

    /// What two rows must share to be coupled: a free rigid body, or the elastic system as a whole.
    #[must_use]
    pub fn group(&self, block: u32) -> u32 {
        if (block as usize) < self.elastic { 0 } else { 1 + (block - self.elastic as u32) / 2 }
    }

    /// Adds a row over the six degrees of freedom of a body.
    pub fn add_body(&self, slot: u32, row: &RigidRow, out: &mut Row) {
        let at = self.body[slot as usize];
        if at != NONE {
            out.extend([(at, row.linear), (at + 1, row.angular)]);
        }
    }

    /// Adds a gradient on a surface vertex of a body with nodes.
    pub fn add_vertex(&self, map: &SurfaceMap, vertex: u32, g: DVec3, out: &mut Row) {
        let Some((nodes, weights)) = map.nodes_of(vertex) else { return };
        for (&n, w) in nodes.iter().zip(weights) {
            if w != 0.0 && self.node[n as usize] != NONE {
                out.push((self.node[n as usize], g * w));
            }
        }
    }

    /// A⁻¹ row; `scratch` is for the elastic right-hand side.
    pub fn answer(
        &self,
        row: &[(u32, DVec3)],
        elastic: &Elastic,
        operator: &mut Operator,
        scratch: &mut Vec<DVec3>,
    ) -> Result<Answer, ContactError> {
        let mut out = Answer::default();
        let soft = row.partition_point(|r| (r.0 as usize) < self.elastic);
        if soft > 0 {
            scratch.clear();
            scratch.resize(self.elastic, DVec3::zero());
            row[..soft].iter().for_each(|&(b, g)| scratch[b as usize] += g);
            out.elastic.resize(self.elastic, DVec3::zero());
            let settings = Settings { tolerance: SOLVE, max_iterations: elastic.settings.max_iterations };
            let system = &elastic.system;
            let outcome = operator.operator.solve(system, scratch, &mut out.elastic, &settings)?;
            // A solve that stalls at rounding is as good as it gets; one that ends above what the step itself asks is not.
            let solved = outcome.residual <= elastic.settings.tolerance;
            if !solved {
                return Err(ElasticError::Linear { outcome }.into());
            }
        }
        out.rigid = self.rigid(&row[soft..]);
        Ok(out)
    }

    /// A⁻¹ times the part of a row on free rigid bodies.
    pub fn rigid(&self, row: &[(u32, DVec3)]) -> Row {
        row.iter().map(|&(b, g)| (b, self.of_rigid(b, g))).collect()
    }

    /// A⁻¹ times what a block of a free rigid body gets.
    pub fn of_rigid(&self, block: u32, g: DVec3) -> DVec3 {
        let at = block as usize - self.elastic;
        let (_, inverse_mass, inverse_inertia) = &self.free[at / 2];
        if at.is_multiple_of(2) { g * *inverse_mass } else { *inverse_inertia * g }
    }
}

/// Sorts a row and adds up what names one block.
pub(crate) fn merge(row: &mut Row) {
    row.sort_by_key(|r| r.0);
    let mut kept = 0;
    for i in 0..row.len() {
        if kept > 0 && row[kept - 1].0 == row[i].0 {
            let g = row[i].1;
            row[kept - 1].1 += g;
        } else {
            row[kept] = row[i];
            kept += 1;
        }
    }
    row.truncate(kept);
}
