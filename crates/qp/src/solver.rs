//! One door to all methods, with the scratch they keep from step to step.

use crate::newton::Newton;
use crate::problem::{Method, Problem, QpError, Report, Settings, Status};
use crate::{dual, paper};
use impinge_geometry::{DVec3, is_finite};

/// Solves QPs; keep it from step to step, and the symbolic part of a sparse factor stays. Dropping it changes nothing.
#[derive(Debug, Default)]
pub struct Solver {
    newton: Newton,
}

impl Solver {
    /// Nothing kept yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves one problem. `mu` takes one multiplier per row: μ ≥ 0, `KΔv − b + Jᵀμ = 0`; the paper's λ is −μ (erratum Q1).
    /// Equalities and tangents have either sign, and the friction impulse of a contact is `−Σ μ_t t`.
    ///
    /// If `mu` comes with as many entries as rows it says which rows are likely active ([`crate::Rows::carry`]). When the
    /// rows are infeasible `dv` and `mu` stay as they came: the last feasible state, if that is what they were. So they do where
    /// numbers overflow on the way, which ends as [`Status::Unfinished`].
    ///
    /// # Errors
    /// [`QpError`]: a K that is not positive definite (with the place), numbers that are not finite, lengths.
    pub fn solve(
        &mut self,
        p: &Problem<'_>,
        settings: &Settings,
        dv: &mut [DVec3],
        mu: &mut Vec<f64>,
    ) -> Result<Report, QpError> {
        if dv.len() != p.b.len() {
            return Err(QpError::Length { k: p.b.len(), b: dv.len(), layout: p.layout.blocks() });
        }
        if !(settings.tolerance > 0.0 && settings.velocity_tolerance >= 0.0) {
            return Err(QpError::Setting("the tolerances must be positive"));
        }
        let start = (dv.to_vec(), mu.clone());
        let mut report = match settings.method {
            Method::PrimalDual => {
                let report = self.newton.solve(p, settings, dv, mu)?;
                self.name_the_conflict(p, settings, report)?
            }
            Method::Dual => dual::solve(p, settings, dv, mu)?,
            Method::PaperComposite | Method::PaperSchur => paper::solve(p, settings, dv, mu)?,
        };
        // Numbers near the end of their range overflow on the way, and no residual finds that out for certain.
        if !(dv.iter().all(|&v| is_finite(v)) && mu.iter().all(|m| m.is_finite())) {
            dv.copy_from_slice(&start.0);
            *mu = start.1;
            report.status = Some(Status::Unfinished);
        }
        Ok(report)
    }

    /// The rows of a proof by runaway multipliers may be more than necessary; on small systems the dual method finds a set
    /// none of which can be left out.
    fn name_the_conflict(
        &self,
        p: &Problem<'_>,
        s: &Settings,
        mut report: Report,
    ) -> Result<Report, QpError> {
        if report.conflict.len() > 2 && 3 * p.b.len() <= dual::UNKNOWNS && p.rows.friction().is_empty() {
            let (mut dv, mut mu) = (vec![DVec3::zero(); p.b.len()], Vec::new());
            let exact = dual::solve(p, &Settings { method: Method::Dual, ..*s }, &mut dv, &mut mu)?;
            if !exact.conflict.is_empty() && exact.conflict.len() <= report.conflict.len() {
                report.conflict = exact.conflict;
            }
        }
        Ok(report)
    }
}
