//! Which solver the operator gets, and why; and the solve itself.
//!
//! As asked for ([`ElasticSettings::method`](super::ElasticSettings)), or by size: small systems are factored (Cholesky,
//! dense). Others go to conjugate gradients with symmetric over-relaxation, and
//! where that gives up, to the same with a coarse level of rigid motions, which stiff and long bodies want. Bodies that nothing joins are
//! systems of their own ([`super::islands`]).

use super::islands::{Island, solve_apart, stretches};
use impinge_contact::par;
use impinge_geometry::DVec3;
use impinge_solvers::{
    BlockPattern, CgWorkspace, Choice, DenseCholesky, Filter, MatrixError, Method, Outcome, Problem,
    Settings, Solver, Ssor, System, TwoLevel, pcg,
};
use std::borrow::Cow;

/// The solver of the operator.
#[derive(Clone, Debug, Default)]
pub(super) struct LinearSolver {
    /// The method asked for.
    pub wanted: Option<Method>,
    forced: Forced,
    whole: Single,
    /// Instead of the whole.
    islands: Vec<Island>,
    /// What the symbolic parts were made for.
    pattern: BlockPattern,
}

/// A method that was asked for, by a solver of `impinge_solvers`. A copy is made ready by its first update.
#[derive(Debug, Default)]
struct Forced(Option<Solver>);

impl Clone for Forced {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl LinearSolver {
    /// What is used for a system of this pattern, and why.
    #[must_use]
    pub fn choose(pattern: &BlockPattern, wanted: Option<Method>) -> Choice {
        if let Some(method) = wanted {
            return Choice::forced(method);
        }
        let apart = stretches(pattern);
        let largest = apart.iter().map(|r| r.len()).max().unwrap_or(0);
        let mut choice = Choice::automatic(&Problem::dynamic(3 * largest));
        if choice.method == Method::Ssor {
            choice.reason +=
                "; a coarse level of rigid motions is added in a solve where it does not converge";
        }
        if apart.len() > 1 {
            choice.reason = format!("{}; the largest of {} that nothing joins", choice.reason, apart.len());
        }
        choice
    }

    /// Takes new values; `positions` (m) of the nodes.
    pub fn update(
        &mut self,
        system: &System<'_>,
        filter: &Filter,
        positions: &[DVec3],
    ) -> Result<(), MatrixError> {
        let matrix = system.matrix();
        let pattern = matrix.pattern();
        if self.pattern != *pattern {
            *self = Self { wanted: self.wanted, pattern: pattern.clone(), ..Self::default() };
            let apart = stretches(pattern);
            if apart.len() > 1 {
                self.islands.extend(apart.into_iter().map(|rows| Island::new(pattern, rows)));
            }
        }
        if let Some(method) = self.wanted {
            // A coarse level follows the positions: made anew each step, it is no state that a snapshot would have to hold.
            let moves = matches!(method, Method::TwoLevel);
            let solver = match &mut self.forced.0 {
                Some(s) if !moves && s.choice().method == Choice::forced(method).method => s,
                slot => slot.insert(Solver::new(pattern, positions, Choice::forced(method))?),
            };
            return solver.update(system, filter);
        }
        if self.islands.is_empty() {
            return self.whole.update(system, filter);
        }
        let mut made: Vec<_> = self.islands.iter_mut().map(|i| (i, Ok(()))).collect();
        par::for_each_chunk(&mut made, 1, |_, made| {
            let (island, made) = &mut made[0];
            *made = island.update(&matrix, filter);
        });
        made.into_iter().try_for_each(|m| m.1)
    }

    /// Solves for `x`, which holds the guess and the prescribed values.
    pub fn solve(
        &mut self,
        system: &System<'_>,
        filter: &Filter,
        positions: &[DVec3],
        b: &[DVec3],
        x: &mut [DVec3],
        settings: &Settings,
    ) -> Result<Outcome, MatrixError> {
        let rows = self.pattern.nodes();
        assert!(
            b.len() == rows && x.len() == rows,
            "vectors of {} and {} blocks for {rows} rows",
            b.len(),
            x.len()
        );
        if let (Some(_), Some(solver)) = (self.wanted, &mut self.forced.0) {
            return Ok(solver.solve(system, filter, b, x, settings));
        }
        if self.islands.is_empty() {
            return self.whole.solve(system, filter, positions, b, x, settings);
        }
        solve_apart(&mut self.islands, &system.matrix(), positions, b, x, settings)
    }

    /// `b − A x` of the last solve on the free components, where it was measured at its end.
    #[must_use]
    pub fn left(&self) -> Option<Cow<'_, [DVec3]>> {
        if self.wanted.is_some() {
            return None;
        }
        if self.islands.is_empty() {
            return self.whole.left().map(Cow::Borrowed);
        }
        let mut all = Vec::with_capacity(self.pattern.nodes());
        self.islands.iter().try_for_each(|i| i.push_left(&mut all))?;
        Some(Cow::Owned(all))
    }
}

/// The solver of one system, chosen by its size and by how it went.
#[derive(Clone, Debug, Default)]
pub(super) struct Single {
    method: Option<Method>,
    dense: DenseCholesky,
    ssor: Ssor,
    two_level: TwoLevel,
    two_level_ready: bool,
    flat: Vec<f64>,
    cg: CgWorkspace,
    /// `cg` holds what the last solve left over.
    measured: bool,
}

impl Single {
    /// Takes new values of the pattern it took first.
    pub fn update(&mut self, system: &System<'_>, filter: &Filter) -> Result<(), MatrixError> {
        let pattern = system.matrix().pattern();
        if self.method.is_none() {
            self.method = Some(Choice::automatic(&Problem::dynamic(3 * pattern.nodes())).method);
            if self.method != Some(Method::Dense) {
                self.ssor = Ssor::new(pattern, 1);
            }
        }
        self.two_level_ready = false;
        match self.method {
            Some(Method::Dense) => self.dense.factor_system(system, filter),
            _ => self.ssor.update(system, filter),
        }
    }

    /// As [`LinearSolver::solve`].
    pub fn solve(
        &mut self,
        system: &System<'_>,
        filter: &Filter,
        positions: &[DVec3],
        b: &[DVec3],
        x: &mut [DVec3],
        settings: &Settings,
    ) -> Result<Outcome, MatrixError> {
        self.measured = false;
        if self.method == Some(Method::Dense) {
            // The factor as preconditioner: one iteration, and the residual is measured like any other.
            let mut m = Factored { factor: &self.dense, flat: &mut self.flat };
            return Ok(pcg(system, &mut m, filter, b, x, settings, &mut self.cg));
        }
        let outcome = self.ssor.solve(system, filter, b, x, settings, &mut self.cg);
        if outcome.converged || matches!(outcome.reason, impinge_solvers::Reason::NonFinite) {
            self.measured = outcome.converged;
            return Ok(outcome);
        }
        if !self.two_level_ready {
            // Built anew in the step that needs it: a coarse level carried over would be state that no snapshot holds.
            self.two_level = TwoLevel::new(system.matrix().pattern(), positions);
            self.two_level.update(system, filter)?;
            self.two_level_ready = true;
        }
        let second = pcg(system, &mut self.two_level, filter, b, x, settings, &mut self.cg);
        Ok(Outcome { iterations: outcome.iterations + second.iterations, ..second })
    }

    /// `b − A x` of the last solve on the free components, where it was measured at its end.
    #[must_use]
    pub fn left(&self) -> Option<&[DVec3]> {
        self.measured.then(|| self.cg.residual())
    }
}

struct Factored<'a> {
    factor: &'a DenseCholesky,
    flat: &'a mut Vec<f64>,
}

impl impinge_solvers::Preconditioner for Factored<'_> {
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        self.flat.clear();
        self.flat.extend(r.iter().flat_map(|v| [v.x, v.y, v.z]));
        self.factor.solve(self.flat);
        for (z, f) in z.iter_mut().zip(self.flat.chunks_exact(3)) {
            *z = DVec3::new(f[0], f[1], f[2]);
        }
    }
}
