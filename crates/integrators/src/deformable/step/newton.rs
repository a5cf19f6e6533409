//! Newton's method on the incremental potential, with a backtracking line search. Its directions come from a semidefinite second derivative;
//! where that is slow near the solution, from the exact one as long as that gains, the solver converges with it and the direction goes down.

use super::super::operator::{ElasticError, ElasticOperator, TieState, matrix};
use super::super::system::{ElasticSystem, Tie};
use super::{ElasticReport, ElasticSettings, StepState, norm, reset, translate};
use impinge_contact::sums::ordered_sum;
use impinge_elasticity::Projection;
use impinge_geometry::{DMat3, DVec3};
use impinge_solvers::{Outcome, Settings, System, symmetric_sweeps};

/// Iterations without much gain after which the second derivative is taken as it is. What is left out of the semidefinite one, the bending
/// of creases above all, makes the method converge by 3 to 4 % an iteration in a cloth that drapes (with it alone `cloth-qp` under `cpf-implicit` was at
/// 1.4e-7 after 50 iterations and at 7.4e-10 after 200).
const SLOW: u32 = 3;

/// Residual from which on it is: farther off a step of the exact one gains less.
const NEAR: f64 = 1e-3;

impl ElasticOperator {
    /// Newton's method from the `w` at hand; `fresh` measures scales and damping anew.
    pub(super) fn newton(
        &mut self,
        system: &ElasticSystem,
        settings: &ElasticSettings,
        fresh: bool,
    ) -> Result<ElasticReport, ElasticError> {
        let mut s = std::mem::take(&mut self.step);
        let result = self.newton_on(system, settings, fresh, &mut s);
        self.step = s;
        result
    }

    fn newton_on(
        &mut self,
        system: &ElasticSystem,
        settings: &ElasticSettings,
        fresh: bool,
        s: &mut StepState,
    ) -> Result<ElasticReport, ElasticError> {
        let blocks = system.layout.blocks();
        let tau = s.tau;
        let mut report = ElasticReport::default();
        if fresh {
            let x0 = std::mem::take(&mut s.x0);
            self.assemble_stiffness(system, &x0, Projection::Spd, true);
            self.forces(system, &x0, &mut s.force);
            s.x0 = x0;
            reset(&mut s.g, blocks);
            for i in 0..blocks {
                s.g[i] = self.mass_times(system, i, s.aim[i]);
            }
            s.scale = norm(system, &mut s.g) + tau * norm(system, &mut s.force);
        }
        let mut potential = self.residual(system, s);
        let mut gradient = std::mem::take(&mut s.g);
        let mut size = norm(system, &mut gradient);
        let first = size;
        // Elastic forces are differences of large numbers: below this they are rounding.
        let floor = |op: &Self, s: &StepState| {
            let largest = |v: &[DVec3]| v.iter().map(|v| v.mag_sq()).fold(0.0, f64::max).sqrt();
            let reach = largest(&s.x0[..]) + tau * largest(&s.w);
            let stiff =
                ordered_sum(system.nodes(), |i| op.stiffness[i].iter().map(|v| v * v).sum::<f64>()).sqrt();
            4.0 * f64::EPSILON * tau * stiff * reach
        };
        // The second derivative that the operator has been assembled with.
        let mut assembled = None;
        // Iterations in a row without much gain, and whether there were too many.
        let (mut slow, mut exact) = (0, false);
        loop {
            let target = settings.newton_tolerance * s.scale.max(1e-3 * size) + floor(self, s);
            report.residual = if s.scale > 0.0 { size / s.scale } else { 0.0 };
            if !size.is_finite() {
                s.g = gradient;
                return Err(newton_error(&report, settings));
            }
            if size <= target {
                break;
            }
            if report.newton >= settings.newton_max {
                s.g = gradient;
                return Err(newton_error(&report, settings));
            }
            // No more digits than this iteration can use.
            let tolerance = (0.1 * target / size).max(1e-10).max((size / first).powi(2) * 1e-3).min(1e-3);
            let wanted = Settings { tolerance, max_iterations: settings.max_iterations };
            gradient.iter_mut().for_each(|g| *g = -*g);
            report.newton += 1;
            exact |= slow >= SLOW && report.residual <= NEAR;
            let found =
                if exact { self.exact_direction(system, s, &gradient, &wanted, &mut report) } else { None };
            let slope = if let Some(slope) = found {
                assembled = Some(Projection::Exact);
                slope
            } else {
                if exact {
                    (exact, slow) = (false, 0);
                }
                let (outcome, slope) = self.direction(system, s, Projection::Spd, &gradient, &wanted)?;
                assembled = Some(Projection::Spd);
                report.linear += outcome.iterations;
                // A direction that goes down will do, converged or not.
                if slope.is_nan() || slope >= 0.0 {
                    if slope == 0.0 || !outcome.residual.is_finite() {
                        s.g = gradient;
                        return Err(ElasticError::Linear { outcome });
                    }
                    for (d, g) in s.delta.iter_mut().zip(&gradient) {
                        *d = *g;
                    }
                }
                slope
            };
            let before = size;
            s.trial.clear();
            s.trial.extend_from_slice(&s.w);
            let mut step = 1.0;
            loop {
                for i in 0..blocks {
                    s.w[i] = s.trial[i] + s.delta[i] * step;
                }
                let now = self.residual(system, s);
                let mut g = std::mem::take(&mut s.g);
                let fresh_size = norm(system, &mut g);
                let (value, magnitude) = now;
                let enough = value <= potential.0 + 1e-4 * step * slope + 1e-13 * magnitude.max(potential.1);
                if enough && fresh_size.is_finite() || fresh_size < 0.5 * size {
                    potential = now;
                    size = fresh_size;
                    gradient = g;
                    break;
                }
                step *= 0.5;
                s.g = g;
                if step < 1e-8 {
                    s.w.copy_from_slice(&s.trial);
                    if !exact {
                        return Err(newton_error(&report, settings));
                    }
                    // Nearly singular: from here with the other one.
                    gradient.iter_mut().for_each(|g| *g = -*g);
                    break;
                }
            }
            let gained = size <= 0.5 * before;
            slow = if gained || exact { 0 } else { slow + 1 };
            // Far off, or where it buckles, the exact one is no better.
            exact &= gained;
        }
        gradient.iter_mut().for_each(|g| *g = -*g);
        translate(system, &gradient, tau, &mut s.w);
        s.g = gradient;
        match assembled {
            // Contact wants a definite operator.
            Some(Projection::Exact) => self.tangent(system, s, Projection::Spd)?,
            // Nothing to solve, but contact will ask for the operator.
            None if fresh => self.assemble(system, tau)?,
            _ => {}
        }
        Ok(report)
    }

    /// The second derivative at the `w` at hand.
    fn stiffness_here(&mut self, system: &ElasticSystem, s: &StepState, projection: Projection) {
        self.set_positions(system, s);
        let x = std::mem::take(&mut self.x);
        self.assemble_stiffness(system, &x, projection, false);
        self.x = x;
    }

    /// The operator at the `w` at hand, and the solver made ready for it.
    fn tangent(
        &mut self,
        system: &ElasticSystem,
        s: &StepState,
        projection: Projection,
    ) -> Result<(), ElasticError> {
        self.stiffness_here(system, s, projection);
        self.assemble(system, s.tau)
    }

    /// Solves for the direction `s.delta`; `down` is the negative gradient. Gives the slope along it as well.
    fn direction(
        &mut self,
        system: &ElasticSystem,
        s: &mut StepState,
        projection: Projection,
        down: &[DVec3],
        wanted: &Settings,
    ) -> Result<(Outcome, f64), ElasticError> {
        self.tangent(system, s, projection)?;
        reset(&mut s.delta, down.len());
        let a = System::new(matrix(system, &self.values));
        let outcome = self.linear.solve(&a, &system.filter, &s.x0, down, &mut s.delta, wanted)?;
        let slope = -ordered_sum(down.len(), |i| down[i].dot(s.delta[i]));
        Ok((outcome, slope))
    }

    /// The same with the second derivative as it is: the slope where the solver converges, and the direction goes down.
    fn exact_direction(
        &mut self,
        system: &ElasticSystem,
        s: &mut StepState,
        down: &[DVec3],
        wanted: &Settings,
        report: &mut ElasticReport,
    ) -> Option<f64> {
        let (outcome, slope) = self.direction(system, s, Projection::Exact, down, wanted).ok()?;
        report.linear += outcome.iterations;
        (outcome.converged && slope < 0.0).then_some(slope)
    }

    /// x₀ + τ w of the nodes.
    fn set_positions(&mut self, system: &ElasticSystem, s: &StepState) {
        self.x.clear();
        self.x.extend((0..system.nodes()).map(|i| s.x0[i] + s.w[i] * s.tau));
    }

    /// g(w) into `s.g`; gives the incremental potential and the size of its terms.
    pub(super) fn residual(&mut self, system: &ElasticSystem, s: &mut StepState) -> (f64, f64) {
        let tau = s.tau;
        let blocks = system.layout.blocks();
        self.set_positions(system, s);
        let x = std::mem::take(&mut self.x);
        self.forces(system, &x, &mut s.force);
        let spanned = |tie: &Tie, state: &TieState, rate: DVec3, x0: &[DVec3]| {
            x0[tie.node as usize] - state.point + rate * tau
        };
        let rates: Vec<DVec3> = (0..system.ties.len()).map(|t| self.tie_rate(system, t, &s.w)).collect();
        let elastic = self.energy(system, &x, |t, state| spanned(&system.ties[t], state, rates[t], &s.x0));
        self.x = x;
        reset(&mut s.g, blocks);
        reset(&mut s.product, blocks);
        debug_assert!(!system.proportional || !self.damping.is_empty(), "D was not laid down");
        if !self.damping.is_empty() {
            matrix(system, &self.damping).apply(&s.w, &mut s.product, &mut self.apply);
        }
        let (mut inertial, mut dissipated, mut given) = (0.0, 0.0, 0.0);
        for i in 0..blocks {
            let d = s.w[i] - s.aim[i];
            let momentum = self.mass_times(system, i, d);
            let drag = s.product[i] + s.w[i] * system.mass_damping.get(i).copied().unwrap_or(0.0);
            s.g[i] = momentum + (drag - s.force[i]) * tau - s.load[i];
            inertial += 0.5 * momentum.dot(d);
            dissipated += 0.5 * tau * drag.dot(s.w[i]);
            given += s.load[i].dot(s.w[i]);
        }
        for (t, tie) in system.ties.iter().enumerate() {
            let state = self.ties[t];
            let span = spanned(tie, &state, rates[t], &s.x0);
            // The damping matrix has the grip at rest.
            let f = (span * tie.stiffness - state.velocity * tie.damping) * tau;
            dissipated -= tau * tie.damping * state.velocity.dot(s.w[tie.node as usize]);
            let mut g = std::mem::take(&mut s.g);
            self.add_tie_force(system, t, f, &mut g);
            s.g = g;
        }
        let value = inertial + elastic + dissipated - given;
        (value, inertial.abs() + elastic.abs() + dissipated.abs() + given.abs())
    }
}

fn newton_error(report: &ElasticReport, settings: &ElasticSettings) -> ElasticError {
    ElasticError::Newton {
        iterations: report.newton,
        residual: report.residual,
        tolerance: settings.newton_tolerance,
    }
}

/// The step's equations for a solver that puts something beside them: an implicit contact force, say.
impl ElasticOperator {
    /// What the equations of the midpoint rule leave over at block velocities `w` (m/s, rad/s) without contact:
    /// `(h/τ) g(w)` (N·s, N·m·s), zero on constrained components. The operator goes on from this `w`.
    ///
    /// # Panics
    /// When `w` is not as long as the system has blocks, or before [`ElasticOperator::predict`].
    pub fn momentum_left(&mut self, system: &ElasticSystem, w: &[DVec3], out: &mut Vec<DVec3>) {
        let mut s = std::mem::take(&mut self.step);
        s.w.copy_from_slice(w);
        reset(&mut s.load, system.layout.blocks());
        self.residual(system, &mut s);
        system.filter.project(&mut s.g);
        let share = s.h / s.tau;
        out.clear();
        out.extend(s.g.iter().map(|g| *g * share));
        self.step = s;
    }

    /// Assembles the operator at the velocities last given to [`ElasticOperator::momentum_left`], with the second derivative as it is: it need
    /// not be definite, and the solver of [`ElasticOperator::solve`] is not made ready for it.
    pub fn assemble_here(&mut self, system: &ElasticSystem) {
        let s = std::mem::take(&mut self.step);
        self.stiffness_here(system, &s, Projection::Exact);
        self.add_up(system, s.tau);
        self.step = s;
    }

    /// `y = (h/τ) A x`, the derivative of [`ElasticOperator::momentum_left`] by `w`; constrained components of both are zero.
    ///
    /// # Panics
    /// As [`ElasticOperator::apply`].
    pub fn apply_left(&mut self, system: &ElasticSystem, x: &[DVec3], y: &mut [DVec3]) {
        self.apply(system, x, y);
        let share = self.step.h / self.step.tau;
        y.iter_mut().for_each(|y| *y *= share);
        system.filter.project(y);
    }

    /// Diagonal blocks of the same (row by row).
    #[must_use]
    pub fn diagonal_left(&self, system: &ElasticSystem) -> Vec<[f64; 9]> {
        let share = self.step.h / self.step.tau;
        matrix(system, &self.values).diagonal().iter().map(|b| b.map(|v| v * share)).collect()
    }

    /// `z ≈ A'⁻¹ r` by a sweep forward and one back ([`symmetric_sweeps`]); A' is the matrix of [`ElasticOperator::apply_left`] with diagonal
    /// blocks of the caller's, whose inverses are given. Constrained components of `r` and `z` are zero.
    ///
    /// # Panics
    /// As [`ElasticOperator::apply`].
    pub fn sweep_left(&mut self, system: &ElasticSystem, inverse: &[DMat3], r: &[DVec3], z: &mut [DVec3]) {
        let share = self.step.h / self.step.tau;
        symmetric_sweeps(&matrix(system, &self.values), share, inverse, r, z, &mut self.later);
        system.filter.project(z);
    }

    /// The block velocities the step stands at (m/s, rad/s).
    #[must_use]
    pub fn velocities(&self) -> &[DVec3] {
        &self.step.w
    }
}
