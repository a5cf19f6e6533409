//! The linearised step: one solve of `A w = c`, seed 001 (1) and seed 002 (1)–(3).

use super::super::operator::{ElasticError, ElasticOperator, matrix};
use super::super::system::ElasticSystem;
use super::{ElasticReport, ElasticSettings, norm, reset, translate};
use impinge_elasticity::Projection;
use impinge_geometry::DVec3;
use impinge_solvers::{Reason, Settings, System};
use std::borrow::Cow;

impl ElasticOperator {
    pub(super) fn linearised(
        &mut self,
        system: &ElasticSystem,
        settings: &ElasticSettings,
    ) -> Result<ElasticReport, ElasticError> {
        let mut s = std::mem::take(&mut self.step);
        let tau = s.tau;
        let x0 = std::mem::take(&mut s.x0);
        // D is asked for by nothing but A here: where it is a multiple of K it is added up with it, and not laid down, which is a third of the bytes.
        if system.proportional {
            self.damping.clear();
        }
        self.assemble_stiffness(system, &x0, Projection::Spd, !system.proportional);
        let assembled = self.assemble(system, tau);
        self.forces(system, &x0, &mut s.force);
        reset(&mut s.rhs, system.layout.blocks());
        for i in 0..s.rhs.len() {
            s.rhs[i] = self.mass_times(system, i, s.aim[i]) + s.force[i] * tau;
        }
        for (t, tie) in system.ties.iter().enumerate() {
            let spanned = x0[tie.node as usize] - self.ties[t].point;
            let grip = self.ties[t].velocity * (tau * tau * tie.stiffness + tau * tie.damping);
            self.add_tie_force(system, t, grip - spanned * (tau * tie.stiffness), &mut s.rhs);
        }
        s.x0 = x0;
        self.step = s;
        assembled?;
        self.solve_linearised(system, settings, true)
    }

    /// Solves `A w = c + load` from the `w` at hand; not `fresh` where this step has been solved before, with another load.
    pub(super) fn solve_linearised(
        &mut self,
        system: &ElasticSystem,
        settings: &ElasticSettings,
        fresh: bool,
    ) -> Result<ElasticReport, ElasticError> {
        let mut s = std::mem::take(&mut self.step);
        let blocks = system.layout.blocks();
        // For the change of velocity: its right-hand side is what forces there are, so that the tolerance is about them and
        // not about the momentum of a body that flies along.
        reset(&mut s.product, blocks);
        std::mem::swap(&mut s.g, &mut s.solved);
        reset(&mut s.g, blocks);
        reset(&mut s.delta, blocks);
        reset(&mut s.trial, blocks);
        // The base: velocity at the start, pinned nodes as prescribed.
        for i in 0..blocks {
            let pinned = system.filter.projector(i).is_some();
            s.trial[i] = if pinned { s.w[i] } else { s.u0[i] };
            s.delta[i] = s.w[i] - s.trial[i];
        }
        if fresh {
            reset(&mut s.base, blocks);
            matrix(system, &self.values).apply(&s.trial, &mut s.base, &mut self.apply);
        }
        for i in 0..blocks {
            s.g[i] = s.rhs[i] + s.load[i] - s.base[i];
        }
        if !fresh {
            start_along(system, &s.g, &s.solved, &mut s.delta);
        }
        s.force.clear();
        s.force.extend_from_slice(&s.rhs);
        let floor = 1e-13 * norm(system, &mut s.force);
        let size = {
            s.force.copy_from_slice(&s.g);
            norm(system, &mut s.force)
        };
        let mut outcome = None;
        let mut failed = None;
        if size > floor {
            let a = System::new(matrix(system, &self.values));
            let wanted = Settings { tolerance: settings.tolerance, max_iterations: settings.max_iterations };
            let mut solve = |x: &mut [DVec3]| self.linear.solve(&a, &system.filter, &s.x0, &s.g, x, &wanted);
            // Rounding of a guess far off (free fall, where contact holds it) is all that is left where forces nearly cancel:
            // from the answer it is gone.
            let once = solve(&mut s.delta);
            let again = matches!(&once, Ok(o) if o.reason == Reason::Stagnated && o.residual * size > floor);
            match if again { solve(&mut s.delta) } else { once } {
                Ok(o) if o.converged || o.residual * size <= floor => outcome = Some(o),
                Ok(outcome) => failed = Some(ElasticError::Linear { outcome }),
                Err(e) => failed = Some(e.into()),
            }
        } else {
            s.delta.fill(DVec3::zero());
        }
        if failed.is_none() {
            // What is left over, as a translation of each body nothing holds.
            let left = match (self.linear.left(), outcome.is_some()) {
                (Some(left), true) => left,
                _ => {
                    matrix(system, &self.values).apply(&s.delta, &mut s.product, &mut self.apply);
                    for i in 0..blocks {
                        s.product[i] = s.g[i] - s.product[i];
                    }
                    Cow::Borrowed(&s.product[..])
                }
            };
            translate(system, &left, s.tau, &mut s.delta);
            for i in 0..blocks {
                s.w[i] = s.trial[i] + s.delta[i];
            }
        }
        self.step = s;
        match failed {
            Some(e) => Err(e),
            None => Ok(ElasticReport {
                newton: 1,
                linear: outcome.map_or(0, |o| o.iterations),
                residual: outcome.map_or(0.0, |o| o.residual),
            }),
        }
    }
}

/// Where the solve with a load starts. `delta` is the answer A⁻¹ `solved` to the forces without it; c times that leaves `g − c solved`, and c
/// is chosen for each body so that this is smallest. What rests is predicted to fall and held where it was: c is near zero there, and
/// from the prediction itself (c = 1) a cloth with bodies at rest on it began at a hundred times ‖g‖.
fn start_along(system: &ElasticSystem, g: &[DVec3], solved: &[DVec3], delta: &mut [DVec3]) {
    for b in 0..system.bodies() {
        let (mut along, mut size) = (0.0, 0.0);
        for i in system.range(b).filter(|i| system.filter.projector(*i).is_none()) {
            along += g[i].dot(solved[i]);
            size += solved[i].mag_sq();
        }
        let c = along / size;
        if c.is_finite() {
            delta[system.range(b)].iter_mut().for_each(|d| *d *= c);
        }
    }
}
