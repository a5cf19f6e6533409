//! Steps: their length and order.

use super::settings::{RadauError, RadauOrder, RadauReport, RadauSettings, RadauStep};
use super::stages::{Factors, Goal, Newton, most_iterations, norm};
use super::tableau::Tableau;

/// f(t, y) into the last argument.
type Rate<'a> = dyn FnMut(f64, &[f64], &mut [f64]) + 'a;

/// A right-hand side, with or without its Jacobian.
pub struct RadauProblem<'a> {
    pub(super) rate: &'a mut Rate<'a>,
    pub(super) jacobian: Option<&'a mut Rate<'a>>,
}

impl std::fmt::Debug for RadauProblem<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RadauProblem").field("jacobian", &self.jacobian.is_some()).finish_non_exhaustive()
    }
}

impl<'a> RadauProblem<'a> {
    /// `rate(t, y, dy)`; its Jacobian by differences, n calls each.
    #[must_use]
    pub fn new(rate: &'a mut Rate<'a>) -> Self {
        Self { rate, jacobian: None }
    }

    /// With `jacobian(t, y, out)`: ∂fᵢ/∂yⱼ at `out[i * n + j]`.
    #[must_use]
    pub fn with_jacobian(rate: &'a mut Rate<'a>, jacobian: &'a mut Rate<'a>) -> Self {
        Self { rate, jacobian: Some(jacobian) }
    }
}

/// Contraction below which the Jacobian is kept, below which the order goes up, and above which it goes down.
const KEEP: f64 = 0.001;
const UP: f64 = 0.002;
const DOWN: f64 = 0.8;
/// Steps of one order before it goes up.
const PATIENCE: usize = 10;

/// The last step, to look into and to go on from.
#[derive(Clone, Debug)]
pub(super) struct Last {
    pub(super) from: f64,
    pub(super) h: f64,
    pub(super) order: RadauOrder,
    /// Ways of the stages, from y at the start.
    pub(super) ways: Vec<f64>,
    pub(super) y: Vec<f64>,
}

/// An integration under way.
#[derive(Clone, Debug)]
pub struct Radau {
    pub(super) settings: RadauSettings,
    pub(super) tableaus: Vec<Tableau>,
    pub(super) t: f64,
    pub(super) y: Vec<f64>,
    /// Length of the next step; 0 before the first.
    h: f64,
    pub(super) order: RadauOrder,
    /// Steps since the order changed.
    since: usize,
    pub(super) jacobian: Option<Vec<f64>>,
    pub(super) factors: Option<(f64, RadauOrder, Factors)>,
    slowness: f64,
    pub(super) last: Option<Last>,
    /// Length and error of the last step, for the prediction of the next.
    accepted: Option<(f64, f64)>,
    pub(super) report: RadauReport,
}

impl Radau {
    /// From `y` at `t`.
    ///
    /// # Errors
    /// [`RadauError::Parameter`].
    pub fn new(settings: RadauSettings, t: f64, y: &[f64]) -> Result<Self, RadauError> {
        settings.check()?;
        if !(t.is_finite() && y.iter().all(|v| v.is_finite()) && !y.is_empty()) {
            return Err(RadauError::Parameter("the start is empty or not finite".into()));
        }
        let tableaus = RadauOrder::ALL.iter().map(|o| Tableau::new(o.stages())).collect::<Option<_>>();
        let Some(tableaus) = tableaus else {
            return Err(RadauError::Parameter("no coefficients".into()));
        };
        Ok(Self {
            tableaus,
            t,
            y: y.to_vec(),
            h: 0.0,
            order: settings.orders[0],
            settings,
            since: 0,
            jacobian: None,
            factors: None,
            slowness: 1.0,
            last: None,
            accepted: None,
            report: RadauReport::default(),
        })
    }

    /// Time reached.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.t
    }

    /// State reached.
    #[must_use]
    pub fn state(&self) -> &[f64] {
        &self.y
    }

    /// Work so far.
    #[must_use]
    pub fn report(&self) -> &RadauReport {
        &self.report
    }

    /// The state within the last step, of the order of its stages; `false` before the first step and where `out` is not as long as the
    /// state, and `out` stays.
    pub fn state_at(&self, t: f64, out: &mut [f64]) -> bool {
        let Some(last) = self.last.as_ref().filter(|l| l.y.len() == out.len()) else { return false };
        out.copy_from_slice(&last.y);
        self.tableaus[last.order as usize].add_polynomial(&last.ways, (t - last.from) / last.h, out);
        true
    }

    /// `look(t, weight, y)` at the stages of the last step: Σ weight g(t, y) is the integral of g over the step as exactly as the step itself, and
    /// g = f gives its change. Nothing before the first step.
    pub fn stages(&self, mut look: impl FnMut(f64, f64, &[f64])) {
        let Some(last) = &self.last else { return };
        let tableau = &self.tableaus[last.order as usize];
        let mut y = last.y.clone();
        for (i, way) in last.ways.chunks_exact(y.len()).enumerate() {
            y.iter_mut().zip(last.y.iter().zip(way)).for_each(|(y, (a, z))| *y = a + z);
            look(last.from + tableau.c[i] * last.h, tableau.weights[i] * last.h, &y);
        }
    }

    /// Integrates to `end`; nothing happens where that is the time reached.
    ///
    /// # Errors
    /// [`RadauError`], also for an `end` before the time reached; the state is that of the last accepted step.
    pub fn integrate(&mut self, problem: &mut RadauProblem<'_>, end: f64) -> Result<(), RadauError> {
        if end == self.t {
            return Ok(());
        }
        self.check_end(end)?;
        let start = self.report.steps() + self.report.rejected + self.report.newton_failures;
        while self.t < end {
            self.step(problem, end)?;
            let r = &self.report;
            if self.t < end && r.steps() + r.rejected + r.newton_failures - start >= self.settings.most_steps
            {
                return Err(RadauError::TooManySteps { time: self.t });
            }
        }
        Ok(())
    }

    fn check_end(&self, end: f64) -> Result<(), RadauError> {
        if end > self.t && end.is_finite() {
            return Ok(());
        }
        Err(RadauError::Parameter(format!("an end {end} that is not after t = {}", self.t)))
    }

    /// One accepted step that does not pass `end`, after as many tries as that takes.
    ///
    /// # Errors
    /// [`RadauError`]; the state stays.
    pub fn step(&mut self, problem: &mut RadauProblem<'_>, end: f64) -> Result<RadauStep, RadauError> {
        self.check_end(end)?;
        let n = self.y.len();
        let mut f0 = vec![0.0; n];
        (problem.rate)(self.t, &self.y, &mut f0);
        self.report.rates += 1;
        if f0.iter().any(|v| !v.is_finite()) {
            return Err(RadauError::NotFinite { time: self.t });
        }
        if self.h == 0.0 {
            self.h = self.first_step(&f0, end);
        }
        let (mut rejected, mut fresh) = (false, false);
        for _ in 0..self.settings.most_steps {
            let rest = end - self.t;
            // No sliver is left before the end.
            let last = self.h * 1.01 >= rest;
            let h = if last { rest } else { self.h };
            if !(h > 8.0 * f64::EPSILON * self.t.abs() && h >= f64::MIN_POSITIVE) {
                return Err(RadauError::StepTooSmall { time: self.t, step: h });
            }
            if self.jacobian.is_none() {
                self.find_jacobian(problem, &f0)?;
                fresh = true;
            }
            let (scale, goal) = self.scale();
            let mut ways = self.guess(h);
            let newton = self.solve(problem, h, &scale, goal, &mut ways);
            let (theta, iterations) = match newton {
                Newton::Converged { theta, iterations } => (theta, iterations),
                Newton::Failed { shorter, iterations } => {
                    self.report.iterations += iterations;
                    self.report.newton_failures += 1;
                    self.slowness = 1.0;
                    self.last = None;
                    if self.settings.fixed_step.is_some() {
                        return Err(RadauError::Newton { time: self.t });
                    }
                    // An old Jacobian is the first suspect, then the length, then the order.
                    if fresh {
                        self.h = shorter * h;
                        self.lower();
                    } else {
                        self.jacobian = None;
                        self.factors = None;
                    }
                    rejected = true;
                    continue;
                }
            };
            self.report.iterations += iterations;
            let error = self.error(problem, h, &scale, &ways, &f0, rejected || self.accepted.is_none());
            let s = self.order.stages();
            let most = most_iterations(s);
            let safe = 0.9 * (1 + 2 * most) as f64 / (iterations + 2 * most) as f64;
            let power = 1.0 / (s + 1) as f64;
            let mut shrink = (libm::pow(error, power) / safe).clamp(0.125, 5.0);
            if error < 1.0 || self.settings.fixed_step.is_some() {
                if let Some((old_h, old_error)) = self.accepted {
                    // Gustafsson's prediction: an error that grows goes on growing.
                    let predicted = old_h / h * libm::pow(error * error / old_error, power) / 0.9;
                    shrink = shrink.max(predicted.clamp(0.125, 5.0));
                }
                let taken = RadauStep { from: self.t, step: h, order: self.order, error };
                self.accept(h, last.then_some(end), ways, theta, shrink, rejected, error);
                return Ok(taken);
            }
            self.report.rejected += 1;
            self.h = h / if self.accepted.is_none() { 10.0_f64.max(shrink) } else { shrink };
            if !fresh {
                self.jacobian = None;
                self.factors = None;
            }
            rejected = true;
        }
        Err(RadauError::TooManySteps { time: self.t })
    }

    fn accept(
        &mut self,
        h: f64,
        end: Option<f64>,
        ways: Vec<f64>,
        theta: Option<f64>,
        shrink: f64,
        rejected: bool,
        error: f64,
    ) {
        let n = self.y.len();
        let y = self.y.clone();
        let way = &ways[ways.len() - n..];
        self.y.iter_mut().zip(way).for_each(|(y, z)| *y += z);
        let from = self.t;
        self.t = end.unwrap_or(from + h);
        self.last = Some(Last { from, h, order: self.order, ways, y });
        self.report.accepted[self.order as usize] += 1;
        self.since += 1;
        let theta = theta.unwrap_or(0.0);
        let mut next = (h / shrink).min(self.settings.largest_step);
        if rejected {
            next = next.min(h);
        }
        let ratio = next / h;
        self.accepted = Some((h, error.max(1e-2)));
        if self.settings.fixed_step.is_some() {
            self.jacobian = None;
            self.factors = None;
            return;
        }
        let [_, highest] = self.settings.orders;
        if theta >= DOWN {
            self.lower();
        } else if theta <= UP && (0.8..1.2).contains(&ratio) && self.since >= PATIENCE && self.order < highest
        {
            self.order = RadauOrder::ALL[self.order as usize + 1];
            self.since = 0;
            self.accepted = None;
            self.slowness = 1.0;
        }
        if theta > KEEP {
            self.jacobian = None;
            self.factors = None;
        }
        // A step cut short by the end says nothing of the next; one that hardly grows is not worth new factors.
        if end.is_some() && self.h > h {
            self.h = self.h.min(next.max(self.h * ratio.min(1.0)));
        } else if !(theta <= KEEP && (1.0..=1.2).contains(&ratio)) {
            self.h = next;
        } else {
            self.h = h;
        }
    }

    fn lower(&mut self) {
        if self.order > self.settings.orders[0] {
            self.order = RadauOrder::ALL[self.order as usize - 1];
            self.accepted = None;
        }
        self.since = 0;
    }

    fn solve(
        &mut self,
        problem: &mut RadauProblem<'_>,
        h: f64,
        scale: &[f64],
        goal: Goal,
        ways: &mut [f64],
    ) -> Newton {
        let n = self.y.len();
        let tableau = &self.tableaus[self.order as usize];
        let fits = matches!(&self.factors, Some((old, order, _)) if *old == h && *order == self.order);
        if !fits {
            self.factors = self
                .jacobian
                .as_ref()
                .and_then(|j| Factors::new(tableau, h, j, n))
                .map(|f| (h, self.order, f));
            self.report.factorisations += 1;
        }
        let Some((_, _, factors)) = &self.factors else {
            return Newton::Failed { shorter: 0.5, iterations: 0 };
        };
        let (t, y) = (self.t, &self.y);
        let mut at = vec![0.0; n];
        let mut calls = 0;
        let rate = |stage: usize, way: &[f64], out: &mut [f64]| {
            at.iter_mut().zip(y.iter().zip(way)).for_each(|(a, (y, z))| *a = y + z);
            (problem.rate)(t + tableau.c[stage] * h, &at, out);
            calls += 1;
            out.iter().all(|v| v.is_finite())
        };
        let newton = factors.iterate(tableau, h, scale, goal, &mut self.slowness, ways, rate);
        self.report.rates += calls;
        newton
    }

    /// The estimated error over the tolerance; `doubtful` looks again where the filter did not damp it.
    fn error(
        &mut self,
        problem: &mut RadauProblem<'_>,
        h: f64,
        scale: &[f64],
        ways: &[f64],
        f0: &[f64],
        doubtful: bool,
    ) -> f64 {
        let tableau = &self.tableaus[self.order as usize];
        let Some((_, _, factors)) = &self.factors else { return f64::INFINITY };
        let mut e = f0.to_vec();
        factors.error(tableau, h, ways, &mut e);
        let mut size = norm(&e, scale);
        if size >= 1.0 && doubtful {
            let moved: Vec<f64> = self.y.iter().zip(&e).map(|(y, e)| y + e).collect();
            (problem.rate)(self.t, &moved, &mut e);
            self.report.rates += 1;
            factors.error(tableau, h, ways, &mut e);
            size = norm(&e, scale);
        }
        if size.is_finite() { size.max(1e-10) } else { f64::INFINITY }
    }
}
