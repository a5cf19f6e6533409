//! A trial of the implicit step: its residual, what its tangent is made of, and what rounding alone leaves of the one.

use super::acting::{Gathered, Setting};
use super::inverse_blocks::{Blocks, sixfold};
use super::stiffness::Stiffness;
use super::unknowns::Turn;
use impinge_bodies::{ContactError, Elastic, Operator};
use impinge_contact::{Prediction, Surface};
use impinge_geometry::{DMat3, DVec3, inverse};

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
    /// What rounding of the coordinates is likely to leave of it where contacts act (kg m/s): a spring answers to the last bit of a place.
    pub noise: f64,
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
        let (mut given, mut noise) = (0.0, 0.0);
        for a in &self.found.mesh {
            // On either body; roundings of contacts have nothing to do with each other, so squares add up.
            noise += 2.0 * self.found.rounding(a, dt).powi(2);
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
            noise += p.rounding().powi(2);
        }
        self.noise = noise.sqrt();
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

    /// Nothing but rounding is left, as far as contacts tell.
    #[must_use]
    pub fn is_rounding(&self) -> bool {
        self.size[0] <= self.noise
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
        for a in &self.found.mesh {
            let contact = self.found.stiff(s, &self.surface, a);
            stiff += contact.as_flattened().iter().map(size).sum::<f64>();
        }
        stiff += self.found.planes.iter().map(|c| size(&c.stiff)).sum::<f64>();
        ROUNDINGS * f64::EPSILON * stiff * x / FLOOR
    }

    /// How the impulses change with the motion.
    pub fn stiffen(&self, s: &Setting<'_>, out: &mut Stiffness) {
        out.build(s, &self.found, &self.surface, &self.turns);
    }

    /// Inverse diagonal blocks: of three rows for nodes, of six for rigid bodies.
    pub fn precondition(
        &self,
        s: &Setting<'_>,
        stiffness: &Stiffness,
        (operator, elastic): (&Operator, &Elastic),
        out: &mut Blocks,
    ) {
        let u = s.unknowns;
        let Blocks { three, six, diagonal, mixed } = out;
        diagonal.clone_from(&self.slopes);
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
        mixed.clear();
        mixed.resize(u.len(), [DMat3::new(none, none, none); 2]);
        stiffness.add_diagonal(&self.turns, s.dt, diagonal, mixed);
        let one = DMat3::identity();
        three.clear();
        three.extend(diagonal.iter().map(|d| inverse(d).unwrap_or(one)));
        six.clear();
        six.extend(u.rigid().map(|(at, _)| (at, sixfold(&diagonal[at], &mixed[at], &diagonal[at + 1]))));
    }
}
