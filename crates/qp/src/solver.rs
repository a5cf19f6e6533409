//! One door to all methods, with the scratch they keep from step to step.

use crate::islands::{Archipelago, Island, Part, add_report, in_whole, islands};
use crate::newton::Newton;
use crate::problem::{Method, Problem, QpError, Report, Settings, Status};
use crate::{dual, paper};
use impinge_contact::par;
use impinge_geometry::{DVec3, is_finite};
use std::sync::{Mutex, PoisonError};

/// Solves QPs; keep it from step to step, and the symbolic part of a sparse factor stays where all is one island. Dropping it changes nothing.
#[derive(Debug, Default)]
pub struct Solver {
    newton: Newton,
    /// Scratch of islands.
    idle: Mutex<Vec<Newton>>,
}

impl Solver {
    /// Nothing kept yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all but the memory: what is solved next has the bits of a new solver.
    pub fn forget(&mut self) {
        self.newton.forget();
    }

    /// Solves one problem. `mu` takes one multiplier per row: μ ≥ 0, `KΔv − b + Jᵀμ = 0`; the paper's λ is −μ (erratum Q1).
    /// Equalities and tangents have either sign, and the friction impulse of a contact is `−Σ μ_t t`.
    ///
    /// If `mu` comes with as many entries as rows it says which rows are likely active ([`crate::Rows::carry`]). When the
    /// rows are infeasible `dv` and `mu` stay as they came: the last feasible state, if that is what they were. So they do where
    /// numbers overflow on the way, which ends as [`Status::Unfinished`].
    ///
    /// # Errors
    /// [`QpError`]: a K that is not positive definite (with the place), numbers that are not finite, lengths
    /// (with the vector).
    pub fn solve(
        &mut self,
        p: &Problem<'_>,
        settings: &Settings,
        dv: &mut [DVec3],
        mu: &mut Vec<f64>,
    ) -> Result<Report, QpError> {
        p.check_lengths("dv", dv)?;
        if !(settings.tolerance > 0.0 && settings.velocity_tolerance >= 0.0) {
            return Err(QpError::Setting("the tolerances must be positive"));
        }
        let start = (dv.to_vec(), mu.clone());
        let mut report = match settings.method {
            Method::PrimalDual => match islands(p) {
                None => self.newton.solve(p, settings, dv, mu)?,
                Some(all) => self.one_by_one(p, settings, &all, dv, mu)?,
            },
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

    /// Solves what has nothing to do with each other apart. Where one island is infeasible, `dv` and `mu` of all stay as they came.
    fn one_by_one(
        &self,
        p: &Problem<'_>,
        settings: &Settings,
        all: &Archipelago,
        dv: &mut [DVec3],
        mu: &mut Vec<f64>,
    ) -> Result<Report, QpError> {
        // What nothing drives is not looked at again.
        p.check()?;
        let warm = mu.len() == p.rows.len();
        // Blocks that no row reaches are one island more; where nothing drives them they stay, and need no solution.
        let driven = all.rest.blocks.iter().any(|&i| p.b[i as usize] != DVec3::zero());
        let islands: Vec<&Island> = all.islands.iter().chain(driven.then_some(&all.rest)).collect();
        type Answer = (Vec<DVec3>, Vec<f64>, Report);
        let solve = |island: &Island| -> Result<Answer, QpError> {
            let part = Part::new(p, all, island)?;
            let sub = part.problem()?;
            let mut x: Vec<DVec3> = island.blocks.iter().map(|&i| dv[i as usize]).collect();
            let mut m: Vec<f64> = Vec::new();
            if warm {
                m.extend(island.rows.iter().map(|&i| mu[i as usize]));
            }
            // Nothing but memory is kept: of one island it fits none of the others.
            let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let waiting = idle().pop();
            let mut newton = waiting.unwrap_or_default();
            let report = newton.solve(&sub, settings, &mut x, &mut m);
            newton.forget();
            idle().push(newton);
            let report = report.map_err(|e| in_whole(e, island, &sub.layout, &p.layout))?;
            Ok((x, m, report))
        };
        let mut answers: Vec<Option<Result<Answer, QpError>>> = islands.iter().map(|_| None).collect();
        par::fill(&mut answers, 1, |i, slot| *slot = Some(solve(islands[i])));
        let mut report = Report::default();
        let (mut velocity, mut multiplier) = (vec![DVec3::zero(); p.b.len()], vec![0.0; p.rows.len()]);
        for (island, answer) in islands.iter().zip(answers) {
            let (x, m, one) = answer.unwrap_or(Err(QpError::Setting("an island was not solved")))?;
            add_report(&mut report, one, island);
            island.blocks.iter().zip(&x).for_each(|(&i, x)| velocity[i as usize] = *x);
            island.rows.iter().zip(&m).for_each(|(&i, m)| multiplier[i as usize] = *m);
        }
        if report.status != Some(Status::Infeasible) {
            dv.copy_from_slice(&velocity);
            *mu = multiplier;
        }
        Ok(report)
    }
}
