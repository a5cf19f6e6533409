//! One round: φ minimised from where the last one ended.

use super::{Newton, spent};
use crate::kkt::MaxAbs;
use crate::problem::{Problem, QpError, Report};
use crate::term::indefinite;
use impinge_geometry::DVec3;
use impinge_solvers::Operator;

/// Changes of sides above which a direction may be rough.
const MANY: u32 = 2;
/// Steps within one piece that do not help, after which no other will.
const STILL: u32 = 64;
/// Directions smaller than this are no motion: their products underflow.
const VANISHED: f64 = 1e-100;

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    impinge_contact::sums::ordered_sum(a.len(), |i| a[i].dot(b[i]))
}

fn largest(v: &[DVec3]) -> f64 {
    v.iter().fold(0.0, |m, v| f64::max(m, v.component_max_abs()))
}

impl Newton {
    /// Begins a round where its minimum is if no row changes sides against the round before. (What the sides are at x says less: a row's λ is
    /// about to move by as much again as in the last round, and half of those that end near 0 look inactive.)
    fn same_sides(&mut self, p: &Problem<'_>, report: &mut Report) -> Result<(), QpError> {
        let before = self.phi.wrong_sides(p.rows, &self.r);
        if before == 0 {
            return Ok(());
        }
        self.phi.terms(p.rows, &self.r, &mut self.terms);
        self.g.fill(DVec3::zero());
        for t in &self.terms {
            let i = t.row as usize;
            p.rows.add(i, -(self.phi.centre[i] + self.phi.weight[i] * self.r[i]), &mut self.g);
        }
        self.g.iter_mut().zip(&self.g0).for_each(|(g, k)| *g -= *k);
        let (made, inner) = self.backend.solve(p, &self.terms, &self.g, &mut self.d, 1e-7)?;
        report.iterations += 1;
        report.factorisations += made;
        report.inner += inner;
        p.rows.apply(&self.d, &mut self.a);
        self.a.iter_mut().zip(&self.r).for_each(|(a, r)| *a += *r);
        let after = self.phi.wrong_sides(p.rows, &self.a);
        p.k.apply(&self.d, &mut self.kd, &mut self.ws);
        // Sides of what is no number say nothing.
        if after < before && dot(&self.d, &self.kd).is_finite() {
            self.x.iter_mut().zip(&self.d).for_each(|(x, d)| *x += *d);
            self.g0.iter_mut().zip(&self.kd).for_each(|(g, k)| *g += *k);
            self.r.copy_from_slice(&self.a);
        }
        Ok(())
    }

    /// Minimises φ from x, until this part of what is summed in its slope is left over.
    pub(super) fn minimise(
        &mut self,
        p: &Problem<'_>,
        enough: f64,
        report: &mut Report,
        budget: u32,
    ) -> Result<(), QpError> {
        p.rows.apply(&self.x, &mut self.r);
        self.r.iter_mut().zip(p.rows.bounds()).for_each(|(r, c)| *r -= c);
        p.k.apply(&self.x, &mut self.g0, &mut self.ws);
        self.g0.iter_mut().zip(p.b).for_each(|(g, b)| *g -= *b);
        // With friction the discs move between rounds, and the sides with them.
        if report.rounds > 1 && self.backend.keeps_columns() && p.rows.friction().is_empty() {
            self.same_sides(p, report)?;
        }
        let b_size = largest(p.b);
        let mut last = f64::INFINITY;
        let mut calm = false;
        let mut still = 0;
        loop {
            let toggles = self.phi.update(p.rows, &self.r);
            report.toggles += toggles;
            self.g.fill(DVec3::zero());
            p.rows.apply_transposed(&self.phi.lambda, &mut self.g);
            let size = b_size.max(largest(&self.g)).max(largest(&self.g0));
            self.g.iter_mut().zip(&self.g0).for_each(|(g, k)| *g += *k);
            let residual = largest(&self.g);
            // Rounding is reached when an uncut step within one piece no longer helps, or (large systems) several cut by a hair do not: of a
            // quadratic function one exact step is the last.
            let no_help = toggles == 0 && residual > 0.25 * last;
            still = if no_help { still + 1 } else { 0 };
            let stuck = calm && no_help || still >= STILL && !self.backend.is_dense();
            if residual <= enough * size || residual == 0.0 || stuck || spent(report, budget) {
                return Ok(());
            }
            last = residual;
            self.phi.terms(p.rows, &self.r, &mut self.terms);
            self.g.iter_mut().for_each(|g| *g = -*g);
            // While many rows change sides an error of a twentieth of the load does no harm: what γ holds comes on top of
            // the load and must fall with it.
            let rough = (0.05 * b_size / residual).clamp(2e-6, 0.05);
            let accuracy = if toggles > MANY { rough } else { 1e-7 };
            let (made, inner) = self.backend.solve(p, &self.terms, &self.g, &mut self.d, accuracy)?;
            report.iterations += 1;
            report.factorisations += made;
            report.inner += inner;
            p.k.apply(&self.d, &mut self.kd, &mut self.ws);
            p.rows.apply(&self.d, &mut self.a);
            let curvature = dot(&self.d, &self.kd);
            if curvature <= 0.0 {
                // A direction that is all rounding says nothing about K, nor does a product that underflows: where no force
                // acts, Δv of a warm start shrinks towards 0 without end.
                let vanishes = largest(&self.d) < VANISHED;
                let underflows = vanishes && largest(&self.d) * largest(&self.kd) < f64::MIN_POSITIVE;
                if underflows || largest(&self.d) <= 1e-13 * largest(&self.x) {
                    return Ok(());
                }
                return Err(indefinite(p));
            }
            let linear = dot(&self.g0, &self.d);
            let Some(t) = self.phi.line_search(p.rows, &self.r, &self.a, linear, curvature) else {
                return Ok(());
            };
            calm = t == 1.0;
            for i in 0..self.x.len() {
                self.x[i] += self.d[i] * t;
                self.g0[i] += self.kd[i] * t;
            }
            // In increments: fresh residuals would carry rounding of the size of x, times γ.
            self.r.iter_mut().zip(&self.a).for_each(|(r, a)| *r += a * t);
        }
    }
}
