//! A trial of the implicit step: its residual, its tangent, and what rounding alone leaves of the one.

use super::acting::{Gathered, Setting};
use super::inverse_blocks::{Blocks, sixfold};
use super::unknowns::{Reach, Turn};
use impinge_bodies::{ContactError, Elastic, Operator};
use impinge_contact::{Prediction, Surface};
use impinge_geometry::{DMat3, DVec3, add, inverse, scale};

/// Residual at which iterations that no longer gain end the solve.
pub(crate) const FLOOR: f64 = 1e-9;

/// Roundings that a residual may be of, in the sum over what adds up to it.
const ROUNDINGS: f64 = 8.0;

/// A trial: where the step would end, what acts on the way, and what is left over.
#[derive(Default)]
pub(crate) struct Trial {
    pub w: Vec<DVec3>,
    pub end: Prediction,
    pub surface: Surface,
    pub turns: Vec<Turn>,
    pub found: Gathered,
    pub residual: Vec<DVec3>,
    pub slopes: Vec<DMat3>,
    pub elastic: Vec<DVec3>,
    /// Residual, and what it is read against (kg m/s).
    pub size: [f64; 2],
}

impl Trial {
    /// Places everything for `self.w`, finds the contacts and the residual.
    pub fn look(
        &mut self,
        s: &Setting<'_>,
        elastic: &Elastic,
        operator: &mut Operator,
        weights: &[f64],
    ) -> Result<(), ContactError> {
        let (u, dt) = (s.unknowns, s.dt);
        u.place(s.dofs, s.prediction, dt, &self.w, &mut self.end, &mut self.turns);
        let (bodies, nodes) = (s.dofs.bodies.view(), s.dofs.nodes.view());
        s.matter.map.place_all(bodies, nodes, &self.end, &mut self.surface);
        self.found.find(s, &self.surface, &self.turns)?;
        let none = DVec3::zero();
        self.residual.clear();
        self.residual.resize(u.len(), none);
        self.slopes.clear();
        self.slopes.resize(u.len(), DMat3::new(none, none, none));
        let blocks = u.elastic();
        if blocks > 0 {
            operator.operator.momentum_left(&elastic.system, &self.w[..blocks], &mut self.elastic);
            self.residual[..blocks].copy_from_slice(&self.elastic);
        }
        u.momentum(s.dofs, s.prediction, dt, &self.w, &mut self.residual, &mut self.slopes);
        let mut given = 0.0;
        for a in &self.found.mesh {
            for i in 0..4 {
                a.reach[i].push(-a.impulse[i], &mut self.residual);
            }
            for at in a.spins().into_iter().flatten() {
                self.residual[at] -= a.couple;
            }
            given += a.force.mag() * dt;
        }
        for p in &self.found.planes {
            p.reach.push(-p.impulse, &mut self.residual);
            given += p.impulse.mag();
        }
        elastic.system.hold(&mut self.residual[..blocks]);
        let square: f64 = self.residual.iter().zip(weights).map(|(r, w)| (*r * *w).mag_sq()).sum();
        self.size = [square.sqrt(), u.scale(s.dofs, s.prediction, weights) + given];
        Ok(())
    }

    /// The residual over its scale, or over `least` (kg m/s) where that is more.
    #[must_use]
    pub fn relative(&self, least: f64) -> f64 {
        let scale = self.size[1].max(least);
        if scale > 0.0 { self.size[0] / scale } else { self.size[0] }
    }

    /// What the residual is at least to be read against (kg m/s): as much of it as rounding of the coordinates leaves counts as [`FLOOR`].
    /// Where nothing moves and nothing pushes, momenta and impulses are themselves rounding, and say nothing.
    #[must_use]
    pub fn least_scale(
        &self,
        s: &Setting<'_>,
        operator: &Operator,
        elastic: &Elastic,
        weights: &[f64],
    ) -> f64 {
        let x = [&self.surface.x0, &self.surface.x1];
        let x = x.into_iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs().component_max()));
        let size = |m: &DMat3| m.cols.iter().map(|c| c.mag_sq()).sum::<f64>().sqrt();
        let mut stiff = 0.0;
        if s.unknowns.elastic() > 0 {
            for b in operator.operator.diagonal_left(&elastic.system) {
                stiff += b.iter().map(|v| v * v).sum::<f64>().sqrt() / s.dt;
            }
        }
        stiff += self.slopes.iter().zip(weights).map(|(m, w)| size(m) * w * w).sum::<f64>() / s.dt;
        stiff += self.found.mesh.iter().flat_map(|a| a.stiff.iter().flatten()).map(size).sum::<f64>();
        stiff += self.found.planes.iter().map(|c| size(&c.stiff)).sum::<f64>();
        ROUNDINGS * f64::EPSILON * stiff * x / FLOOR
    }

    /// −∂(impulses)/∂w applied to `p`, added to `y`.
    pub fn stiffen(&self, p: &[DVec3], dt: f64, y: &mut [DVec3]) {
        for a in &self.found.mesh {
            let moved = [0, 1, 2, 3].map(|j: usize| a.reach[j].moved(p, dt));
            for i in 0..4 {
                let q = (0..4).fold(DVec3::zero(), |q, j| q + a.stiff[i][j] * moved[j]);
                a.reach[i].push(q, y);
                a.reach[i].turned(-a.impulse[i], p, dt, y);
            }
        }
        for c in &self.found.planes {
            c.reach.push(c.stiff * c.reach.moved(p, dt), y);
            c.reach.turned(-c.impulse, p, dt, y);
        }
    }

    /// Inverse diagonal blocks: of three rows for nodes, of six for rigid bodies.
    #[must_use]
    pub fn precondition(&self, s: &Setting<'_>, operator: &Operator, elastic: &Elastic) -> Blocks {
        let (u, dt) = (s.unknowns, s.dt);
        let mut diagonal = self.slopes.clone();
        let blocks = u.elastic();
        if blocks > 0 {
            for (d, b) in diagonal.iter_mut().zip(operator.operator.diagonal_left(&elastic.system)) {
                *d = DMat3::new(
                    DVec3::new(b[0], b[3], b[6]),
                    DVec3::new(b[1], b[4], b[7]),
                    DVec3::new(b[2], b[5], b[8]),
                );
            }
        }
        let none = DVec3::zero();
        let zero = DMat3::new(none, none, none);
        // Linear–angular and angular–linear blocks, by linear block.
        let mut mixed = vec![[zero; 2]; u.len()];
        let mut enter = |from: &Reach, to: &Reach, stiff: &DMat3| match (from, to) {
            (Reach::Nodes(i, wi), Reach::Nodes(j, wj)) => {
                for a in 0..4 {
                    for b in (0..4).filter(|&b| j[b] == i[a]) {
                        let d = &mut diagonal[i[a] as usize];
                        *d = add(d, &scale(stiff, wi[a] * wj[b] * dt));
                    }
                }
            }
            (Reach::Rigid(i, _, mean, _), Reach::Rigid(j, arm, _, tangent)) if i == j => {
                let at = *i as usize;
                let back = impinge_geometry::skew(*mean);
                let turn = scale(&(impinge_geometry::skew(*arm) * *tangent), -1.0);
                diagonal[at] = add(&diagonal[at], &scale(stiff, dt));
                mixed[at][0] = add(&mixed[at][0], &scale(&(*stiff * turn), dt));
                mixed[at][1] = add(&mixed[at][1], &scale(&(back * *stiff), dt));
                diagonal[at + 1] = add(&diagonal[at + 1], &scale(&(back * *stiff * turn), dt));
            }
            _ => {}
        };
        for a in &self.found.mesh {
            for i in 0..4 {
                for j in 0..4 {
                    enter(&a.reach[i], &a.reach[j], &a.stiff[i][j]);
                }
            }
        }
        for c in &self.found.planes {
            enter(&c.reach, &c.reach, &c.stiff);
        }
        let mut out = Blocks { three: Vec::new(), six: Vec::new() };
        let one = DMat3::identity();
        out.three.extend(diagonal.iter().map(|d| inverse(d).unwrap_or(one)));
        for (at, _) in u.rigid() {
            out.six.push((at, sixfold(&diagonal[at], &mixed[at], &diagonal[at + 1])));
        }
        out
    }
}
