//! Where a solve begins: centre, weights and discs, and the first Δv.

use super::Newton;
use crate::problem::{Problem, QpError, Regularisation, Report, Settings, mul};
use crate::rows::RowKind;
use crate::step::Side;
use crate::term::{ROUGH, Term};
use impinge_geometry::DVec3;

/// What multipliers of the step before push by (m/s), over what the problem asks for, from which on they are no warm start.
const FORGOTTEN: f64 = 1e6;

impl Newton {
    /// λ of the multipliers at hand, and x of the loads and them, with K the blocks whose inverses these are.
    pub(super) fn free_motion(&mut self, p: &Problem<'_>, inverse: &[[f64; 9]]) {
        self.phi.lambda.clone_from(&self.phi.centre);
        self.g.fill(DVec3::zero());
        p.rows.apply_transposed(&self.phi.lambda, &mut self.g);
        for (x, (d, (b, g))) in self.x.iter_mut().zip(inverse.iter().zip(p.b.iter().zip(&self.g))) {
            *x = mul(d, *b - *g);
        }
    }

    /// Centre and weights.
    pub(super) fn start(
        &mut self,
        p: &Problem<'_>,
        s: &Settings,
        scale: &[f64],
        mu: &[f64],
    ) -> Result<(), QpError> {
        let m = p.rows.len();
        let phi = &mut self.phi;
        phi.centre.clear();
        phi.weight.clear();
        phi.side.clear();
        phi.lambda.clear();
        let eps = self.backend.epsilon();
        match s.regularisation {
            Regularisation::Kept(l) if !(l > 0.0 && l.is_finite()) => {
                return Err(QpError::Setting(
                    "a regularisation that is kept must be a finite number above 0",
                ));
            }
            Regularisation::Kept(l) => phi.weight.resize(m, 1.0 / l),
            Regularisation::Removed => {
                phi.weight.extend(scale.iter().map(|&s| if s > 0.0 { 1.0 / (eps * s) } else { 0.0 }));
            }
        }
        for f in p.rows.friction() {
            let [a, b] = f.tangent.map(|t| t as usize);
            let w = phi.weight[a].min(phi.weight[b]);
            (phi.weight[a], phi.weight[b]) = (w, w);
        }
        // Rounds take a fixed part off what is too much, and residuals shrink with it: an impact is forgotten by what nothing presses.
        let remembered = mu.iter().zip(scale).fold(0.0, |most: f64, (m, s)| most.max(m.abs() * s));
        let fits = remembered <= FORGOTTEN * self.measure.asked(p);
        let warm = mu.len() == m && s.regularisation == Regularisation::Removed && fits;
        let clean = |(i, kind): (usize, &RowKind)| {
            let v = if warm && mu[i].is_finite() { mu[i] } else { 0.0 };
            if kind.is_equality() || *kind == RowKind::Tangent { v } else { v.max(0.0) }
        };
        phi.centre.extend(p.rows.kinds().iter().enumerate().map(clean));
        self.phi.radius.clear();
        self.radii(p, 1.0);
        Ok(())
    }

    /// Discs of friction, `part` of the way to those for μ̄.
    pub(super) fn radii(&mut self, p: &Problem<'_>, part: f64) {
        let phi = &mut self.phi;
        phi.radius.resize(p.rows.friction().len(), 0.0);
        for (radius, f) in phi.radius.iter_mut().zip(p.rows.friction()) {
            *radius += part * (f.mu * phi.centre[f.normal as usize].max(0.0) - *radius);
        }
    }

    /// x for the rows that the warm start says are active (cold: the equalities only, "solve (1) for Δv").
    pub(super) fn first_guess(&mut self, p: &Problem<'_>, report: &mut Report) -> Result<(), QpError> {
        let phi = &mut self.phi;
        let side = |(kind, (&weight, &centre)): (&RowKind, (&f64, &f64))| {
            let on = weight > 0.0 && (kind.is_equality() || *kind != RowKind::Tangent && centre > 0.0);
            if on { Side::Active } else { Side::Inactive }
        };
        phi.side.clear();
        phi.side.extend(p.rows.kinds().iter().zip(phi.weight.iter().zip(&phi.centre)).map(side));
        for (f, &radius) in p.rows.friction().iter().zip(&phi.radius) {
            if radius > 0.0 {
                f.tangent.iter().for_each(|&t| phi.side[t as usize] = Side::Active);
            }
        }
        self.g.copy_from_slice(p.b);
        self.terms.clear();
        for i in 0..p.rows.len() {
            if phi.side[i] == Side::Active {
                self.terms.push(Term::of_row(i, phi.weight[i]));
                p.rows.add(i, phi.weight[i] * p.rows.bounds()[i] - phi.centre[i], &mut self.g);
            }
        }
        if self.terms.is_empty() && self.backend.is_dense() && self.g.iter().all(|g| *g == DVec3::zero()) {
            self.x.fill(DVec3::zero());
            return Ok(());
        }
        // What is left of a rough answer times γ changes sides that a warm start has right, so it is solved to the end; the factor that takes
        // is the one that the first iterations need. (A problem that was solved already took more changes of sides than from nothing.)
        let warm = self.phi.centre.iter().any(|&c| c != 0.0);
        let accuracy = if warm { ROUGH } else { 1e-5 };
        let (made, inner) = self.backend.solve(p, &self.terms, &self.g, &mut self.x, accuracy)?;
        report.iterations += 1;
        report.factorisations += made;
        report.inner += inner;
        Ok(())
    }
}
