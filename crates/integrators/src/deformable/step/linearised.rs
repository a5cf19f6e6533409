//! The linearised step: one solve of `A w = c`, seed 001 (1) and seed 002 (1)–(3).

use super::super::operator::{ElasticError, ElasticOperator, matrix};
use super::super::system::ElasticSystem;
use super::{ElasticReport, ElasticSettings, norm, reset, translate};
use impinge_geometry::DVec3;
use impinge_solvers::{Reason, Settings, System};

impl ElasticOperator {
    pub(super) fn linearised(
        &mut self,
        system: &ElasticSystem,
        settings: &ElasticSettings,
    ) -> Result<ElasticReport, ElasticError> {
        let mut s = std::mem::take(&mut self.step);
        let tau = s.tau;
        let x0 = std::mem::take(&mut s.x0);
        self.assemble_stiffness(system, &x0, true);
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
        self.solve_linearised(system, settings)
    }

    /// Solves `A w = c + load` from the `w` at hand.
    pub(super) fn solve_linearised(
        &mut self,
        system: &ElasticSystem,
        settings: &ElasticSettings,
    ) -> Result<ElasticReport, ElasticError> {
        let mut s = std::mem::take(&mut self.step);
        let blocks = system.layout.blocks();
        // For the change of velocity: its right-hand side is what forces there are, so that the tolerance is about them and
        // not about the momentum of a body that flies along.
        reset(&mut s.product, blocks);
        reset(&mut s.g, blocks);
        reset(&mut s.delta, blocks);
        reset(&mut s.trial, blocks);
        // The base: velocity at the start, pinned nodes as prescribed.
        for i in 0..blocks {
            let pinned = system.filter.projector(i).is_some();
            s.trial[i] = if pinned { s.w[i] } else { s.u0[i] };
            s.delta[i] = s.w[i] - s.trial[i];
        }
        matrix(system, &self.values).apply(&s.trial, &mut s.product, &mut self.apply);
        for i in 0..blocks {
            s.g[i] = s.rhs[i] + s.load[i] - s.product[i];
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
            matrix(system, &self.values).apply(&s.delta, &mut s.product, &mut self.apply);
            for i in 0..blocks {
                s.product[i] = s.g[i] - s.product[i];
            }
            translate(system, &s.product, s.tau, &mut s.delta);
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
