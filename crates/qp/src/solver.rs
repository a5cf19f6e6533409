//! One door to all methods, with the scratch they keep from step to step.

use crate::islands::{Archipelago, Island, Part, add_report, in_whole};
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
    islands: Archipelago,
    answers: Vec<Answer>,
    /// Scratch of islands.
    idle: Mutex<Vec<Desk>>,
    start: (Vec<DVec3>, Vec<f64>),
}

/// What the solution of one island after the other needs.
#[derive(Debug, Default)]
struct Desk {
    newton: Newton,
    part: Part,
}

/// Of one island.
#[derive(Debug, Default)]
struct Answer {
    dv: Vec<DVec3>,
    mu: Vec<f64>,
    report: Option<Result<Report, QpError>>,
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
        self.start.0.clear();
        self.start.0.extend_from_slice(dv);
        self.start.1.clone_from(mu);
        let mut report = match settings.method {
            Method::PrimalDual => match self.islands.find(p) {
                None => self.newton.solve(p, settings, dv, mu)?,
                Some(islands) => self.one_by_one(p, settings, islands, dv, mu)?,
            },
            Method::Dual => dual::solve(p, settings, dv, mu)?,
            Method::PaperComposite | Method::PaperSchur => paper::solve(p, settings, dv, mu)?,
        };
        // Numbers near the end of their range overflow on the way, and no residual finds that out for certain.
        if !(dv.iter().all(|&v| is_finite(v)) && mu.iter().all(|m| m.is_finite())) {
            dv.copy_from_slice(&self.start.0);
            mu.clone_from(&self.start.1);
            report.status = Some(Status::Unfinished);
        }
        Ok(report)
    }

    /// Solves what has nothing to do with each other apart. Where one island is infeasible, `dv` and `mu` of all stay as they came.
    fn one_by_one(
        &mut self,
        p: &Problem<'_>,
        settings: &Settings,
        islands: usize,
        dv: &mut [DVec3],
        mu: &mut Vec<f64>,
    ) -> Result<Report, QpError> {
        // What nothing drives is not looked at again.
        p.check()?;
        let Self { islands: all, answers, .. } = self;
        let idle = &self.idle;
        let warm = mu.len() == p.rows.len();
        // Blocks that no row reaches are one island more; where nothing drives them they stay, and need no solution.
        let driven = all.island(islands).blocks.iter().any(|&i| p.b[i as usize] != DVec3::zero());
        let count = islands + usize::from(driven);
        let solve = |desk: &mut Desk, island: &Island<'_>, x: &mut Vec<DVec3>, m: &mut Vec<f64>| {
            desk.part.take(p, all, island)?;
            let sub = desk.part.problem()?;
            x.clear();
            x.extend(island.blocks.iter().map(|&i| dv[i as usize]));
            m.clear();
            if warm {
                m.extend(island.rows.iter().map(|&i| mu[i as usize]));
            }
            let report = desk.newton.solve(&sub, settings, x, m);
            // Nothing but memory is kept: of one island it fits none of the others.
            desk.newton.forget();
            report.map_err(|e| in_whole(e, island, &sub.layout, &p.layout))
        };
        if answers.len() < count {
            answers.resize_with(count, Answer::default);
        }
        par::fill(&mut answers[..count], 1, |i, answer| {
            let lent = || idle.lock().unwrap_or_else(PoisonError::into_inner);
            let waiting = lent().pop();
            let mut desk = waiting.unwrap_or_default();
            answer.report = Some(solve(&mut desk, &all.island(i), &mut answer.dv, &mut answer.mu));
            lent().push(desk);
        });
        let mut report = Report::default();
        for (i, answer) in answers[..count].iter_mut().enumerate() {
            let one = answer.report.take().unwrap_or(Err(QpError::Setting("an island was not solved")))?;
            add_report(&mut report, one, &all.island(i));
        }
        if report.status != Some(Status::Infeasible) {
            dv.fill(DVec3::zero());
            mu.clear();
            mu.resize(p.rows.len(), 0.0);
            for (i, answer) in answers[..count].iter().enumerate() {
                let island = all.island(i);
                island.blocks.iter().zip(&answer.dv).for_each(|(&i, x)| dv[i as usize] = *x);
                island.rows.iter().zip(&answer.mu).for_each(|(&i, m)| mu[i as usize] = *m);
            }
        }
        Ok(report)
    }
}
