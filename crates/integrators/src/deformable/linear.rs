//! Which solver the operator gets, and why; and the solve itself.
//!
//! Small systems are factored (Cholesky, dense). Others go to conjugate gradients with symmetric over-relaxation, and
//! where that gives up, to the same with a coarse level of rigid motions, which stiff and long bodies want.

use impinge_geometry::DVec3;
use impinge_solvers::{
    BlockPattern, CgWorkspace, Choice, DenseCholesky, Filter, MatrixError, Method, Outcome, Problem,
    Settings, Ssor, System, TwoLevel, pcg,
};

/// The solver of one system, chosen by its size and by how it went.
#[derive(Clone, Debug, Default)]
pub(super) struct LinearSolver {
    method: Option<Method>,
    dense: DenseCholesky,
    ssor: Ssor,
    two_level: TwoLevel,
    two_level_ready: bool,
    flat: Vec<f64>,
    cg: CgWorkspace,
    /// Rows the symbolic parts were made for.
    rows: usize,
}

impl LinearSolver {
    /// What is used for a system of this size, and why.
    pub fn choose(pattern: &BlockPattern) -> Choice {
        let mut choice = Choice::automatic(&Problem::dynamic(3 * pattern.nodes()));
        if choice.method == Method::Ssor {
            choice.reason +=
                "; a coarse level of rigid motions is added in a solve where it does not converge";
        }
        choice
    }

    /// Takes new values.
    pub fn update(&mut self, system: &System<'_>, filter: &Filter) -> Result<(), MatrixError> {
        let matrix = system.matrix();
        let pattern = matrix.pattern();
        if self.rows != pattern.nodes() {
            self.rows = pattern.nodes();
            self.method = Some(Self::choose(pattern).method);
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
        if self.method == Some(Method::Dense) {
            // The factor as preconditioner: one iteration, and the residual is measured like any other.
            let mut m = Factored { factor: &self.dense, flat: &mut self.flat };
            return Ok(pcg(system, &mut m, filter, b, x, settings, &mut self.cg));
        }
        let outcome = self.ssor.solve(system, filter, b, x, settings, &mut self.cg);
        if outcome.converged || matches!(outcome.reason, impinge_solvers::Reason::NonFinite) {
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
