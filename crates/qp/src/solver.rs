//! One door to all methods, with the scratch they keep from step to step.

use crate::islands::{Archipelago, Island, Part, add_report, in_whole};
use crate::newton::Newton;
use crate::problem::{Method, Problem, QpError, Report, Settings, Status};
use crate::{dual, paper};
use impinge_contact::par;
use impinge_geometry::{DVec3, is_finite};
use impinge_solvers::pattern::NONE;
use std::sync::{Mutex, PoisonError};

/// Solves QPs; keep it from step to step, and the symbolic part of a sparse factor stays where all is one island. An island that comes again
/// as it was solved last, from its own answer, keeps that answer; [`Solver::forget`] and dropping it change no more than rounding.
#[derive(Debug, Default)]
pub struct Solver {
    newton: Newton,
    islands: Archipelago,
    answers: Vec<Answer>,
    answered: Answered,
    /// Scratch of islands.
    idle: Mutex<Vec<Desk>>,
    start: (Vec<DVec3>, Vec<f64>),
}

/// What the solution of one island after the other needs.
#[derive(Debug, Default)]
struct Desk {
    newton: Newton,
}

/// Of one island.
#[derive(Debug, Default)]
struct Answer {
    dv: Vec<DVec3>,
    mu: Vec<f64>,
    report: Option<Result<Report, QpError>>,
    /// What it answers, and how well where that is solved.
    part: Part,
    kept: Option<Report>,
}

/// Islands of the call before. Of the rows that a pass of detection adds or corrects most islands have none, and the same problem from its own
/// answer has that answer.
#[derive(Debug, Default)]
struct Answered {
    answers: Vec<Answer>,
    settings: Settings,
    /// Place among them of the island whose smallest block this is.
    of_block: Vec<u32>,
}

impl Answered {
    fn forget(&mut self) {
        self.of_block.clear();
    }

    /// The report of `part` from the start `x`, `m`, where all of that is what was answered, number for number.
    fn report(
        &self,
        settings: &Settings,
        (island, part): (&Island<'_>, &Part),
        (x, m): (&[DVec3], &[f64]),
    ) -> Option<Report> {
        let place = *self.of_block.get(*island.blocks.first()? as usize)?;
        let old = self.answers.get(place as usize)?;
        let report = old.kept.as_ref()?;
        let fine = !report.rough || settings.enough >= self.settings.enough;
        let settings_fit = fine && Settings { enough: settings.enough, ..self.settings } == *settings;
        let same = settings_fit && old.dv == x && old.mu == m && old.part == *part;
        same.then(|| report.clone())
    }

    /// Takes the answers of a call, and gives the memory of those before.
    fn take(&mut self, answers: &mut Vec<Answer>, (all, count, blocks): (&Archipelago, usize, usize)) {
        std::mem::swap(&mut self.answers, answers);
        self.of_block.clear();
        self.of_block.resize(blocks, NONE);
        for i in 0..count {
            if let Some(&first) = all.island(i).blocks.first() {
                self.of_block[first as usize] = i as u32;
            }
        }
    }
}

impl Solver {
    /// Nothing kept yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all but the memory: what is solved next has the bits of a new solver.
    pub fn forget(&mut self) {
        self.newton.forget();
        self.answered.forget();
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
        let Self { islands: all, answers, answered, .. } = self;
        let (idle, before) = (&self.idle, &*answered);
        let warm = mu.len() == p.rows.len();
        // Blocks that no row reaches are one island more; where nothing drives them they stay, and need no solution.
        let driven = all.island(islands).blocks.iter().any(|&i| p.b[i as usize] != DVec3::zero());
        let count = islands + usize::from(driven);
        let solve = |desk: &mut Desk, island: &Island<'_>, answer: &mut Answer| {
            let Answer { dv: x, mu: m, part, kept, .. } = answer;
            *kept = None;
            part.take(p, all, island)?;
            x.clear();
            x.extend(island.blocks.iter().map(|&i| dv[i as usize]));
            m.clear();
            if warm {
                m.extend(island.rows.iter().map(|&i| mu[i as usize]));
            }
            if let Some(report) = before.report(settings, (island, part), (x, m)) {
                *kept = Some(report.clone());
                return Ok(report);
            }
            let sub = part.problem()?;
            let report = desk.newton.solve(&sub, settings, x, m);
            // Nothing but memory is kept: of one island it fits none of the others.
            desk.newton.forget();
            let report = report.map_err(|e| in_whole(e, island, &sub.layout, &p.layout))?;
            if report.status == Some(Status::Solved) {
                // Kept, it takes nothing.
                let Report { status, active, kkt, rough, .. } = report;
                *kept = Some(Report { status, active, kkt, rough, ..Report::default() });
            }
            Ok(report)
        };
        if answers.len() < count {
            answers.resize_with(count, Answer::default);
        }
        par::fill(&mut answers[..count], 1, |i, answer| {
            let lent = || idle.lock().unwrap_or_else(PoisonError::into_inner);
            let waiting = lent().pop();
            let mut desk = waiting.unwrap_or_default();
            answer.report = Some(solve(&mut desk, &all.island(i), answer));
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
        answered.settings = *settings;
        answered.take(answers, (all, count, p.b.len()));
        Ok(report)
    }
}
