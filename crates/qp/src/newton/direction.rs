//! Newton's direction for friction with the normal force of now (`coupled.rs`): by elimination in blocks, else by GMRES with the factor at hand.

use super::Newton;
use super::coupled::Coupled;
use crate::kkt::MaxAbs;
use crate::problem::{Problem, QpError, Report};
use impinge_geometry::DVec3;
use impinge_solvers::{Operator, gmres};

/// Vectors of a linear system before it begins anew, and its iterations.
const VECTORS: usize = 60;
const ITERATIONS: u32 = 180;

/// What a direction may leave over of the load at most, what refinement stops at whatever is asked for, and how often it is done.
const ENOUGH: f64 = 1e-6;
const REFINED_TO: f64 = 1e-12;
const REFINED: u32 = 2;

impl Newton {
    /// Newton's direction at the state of the last [`Newton::at`]: d, with Kd and Jd, refined until this part of F is left over.
    pub(super) fn direction(
        &mut self,
        p: &Problem<'_>,
        left: f64,
        report: &mut Report,
    ) -> Result<(), QpError> {
        let Self { phi, g, scratch, .. } = self;
        let Coupled { slips, z, jm, .. } = scratch;
        phi.slips(p.rows, &self.r, slips);
        z.clear();
        z.resize(p.rows.len(), 0.0);
        jm.clear();
        jm.extend(g.iter().map(|g| -*g));
        let found = self.directly(p, left.clamp(REFINED_TO, ENOUGH));
        report.factorisations += std::mem::take(&mut self.scratch.direct.made);
        if found {
            report.iterations += 1;
            return Ok(());
        }
        self.phi.terms(p.rows, &self.r, &mut self.terms);
        self.direction_of_terms(p, report)
    }

    /// The same of sides, slips, terms and load as they stand, by the factor at hand.
    pub(super) fn direction_of_terms(&mut self, p: &Problem<'_>, report: &mut Report) -> Result<(), QpError> {
        if !self.prepared {
            self.backend.prepare(p)?;
            self.prepared = true;
        }
        let Self { phi, backend, terms, d, kd, a, ws, scratch, .. } = self;
        let Coupled { slips, z, jm, ws: space, .. } = scratch;
        if slips.is_empty() {
            // Nothing is one-sided: the system is that of discs.
            let (made, inner) = backend.solve(p, terms, jm, d, 1e-9)?;
            report.iterations += 1;
            report.factorisations += made;
            report.inner += inner;
            p.k.apply(d, kd, ws);
            p.rows.apply(d, a);
            return Ok(());
        }
        let (mut made, mut failed) = (0, None);
        let mut apply = |v: &[DVec3], out: &mut [DVec3]| {
            p.k.apply(v, out, ws);
            p.rows.apply(v, a);
            phi.answer(slips, a, z);
            p.rows.apply_transposed(z, out);
        };
        let mut precondition = |v: &[DVec3], out: &mut [DVec3]| match backend.solve(p, terms, v, out, 1e-9) {
            Ok((factors, _)) => made += factors,
            Err(e) => failed = Some(e),
        };
        d.fill(DVec3::zero());
        let settings = impinge_solvers::Settings { tolerance: 1e-6, max_iterations: ITERATIONS };
        let outcome = gmres(&mut apply, &mut precondition, jm, d, VECTORS, &settings, space);
        if let Some(e) = failed {
            return Err(e);
        }
        report.iterations += 1;
        report.factorisations += made;
        report.inner += outcome.iterations;
        p.k.apply(d, kd, ws);
        p.rows.apply(d, a);
        Ok(())
    }

    /// Newton's direction by elimination, refined; `false` where what is left over is too much.
    fn directly(&mut self, p: &Problem<'_>, refined: f64) -> bool {
        let Self { phi, d, kd, a, ws, scratch, .. } = self;
        let Coupled { slips, z, jm, rest, direct, .. } = scratch;
        if !direct.factor(p, phi, slips) {
            return false;
        }
        let largest = |v: &[DVec3]| v.iter().fold(0.0, |m: f64, v| m.max(v.component_max_abs()));
        let whole = largest(jm);
        d.fill(DVec3::zero());
        rest.clone_from(jm);
        for pass in 0..=REFINED {
            direct.add_solution(rest, d);
            p.k.apply(d, kd, ws);
            p.rows.apply(d, a);
            phi.answer(slips, a, z);
            rest.copy_from_slice(kd);
            p.rows.apply_transposed(z, rest);
            rest.iter_mut().zip(jm.iter()).for_each(|(r, b)| *r = *b - *r);
            let left = largest(rest);
            if left <= refined * whole || pass == REFINED {
                return left <= ENOUGH * whole;
            }
        }
        false
    }
}
