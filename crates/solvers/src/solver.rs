//! One front for all methods: give it values each step, then solve as often as wanted.
//!
//! It keeps what a method needs (splitting, coarse level, factor, scratch), so a steady step allocates nothing. Where a
//! method cannot go on, the next sturdier one is tried from the state reached, and [`Solver::fallback`] says so: f32 sweeps
//! that stall are followed by f64 conjugate gradients, a matrix that turns out indefinite is left to the caller.

use crate::choice::{Choice, Method, Problem};
use crate::dense::DenseCholesky;
use crate::matrix::{Block, mul};
use crate::minres::{MinresWorkspace, minres};
use crate::operator::Operator;
use crate::outcome::{MatrixError, Outcome, Reason, Settings};
use crate::pattern::BlockPattern;
use crate::pcg::{CgWorkspace, pcg};
use crate::precondition::{BlockJacobi, Preconditioner, cholesky_inverse, gram};
use crate::{Filter, Ssor, System, TwoLevel};
use impinge_geometry::DVec3;

/// A method with its data.
#[derive(Debug)]
pub struct Solver {
    choice: Choice,
    data: Data,
    ws: CgWorkspace,
    fallback: Option<&'static str>,
}

#[derive(Debug)]
enum Data {
    Dense(DenseCholesky),
    #[cfg(feature = "factor")]
    Factor(Box<crate::Factor>),
    Ssor(Box<Ssor>),
    TwoLevel(Box<TwoLevel>),
    BlockJacobi(BlockJacobi),
    Minres(DefiniteDiagonal, Box<MinresWorkspace>),
}

impl Solver {
    /// Prepares the chosen method for a pattern. `positions` (m) of the first rows serve the two-level method; give what
    /// there is.
    ///
    /// # Errors
    /// [`MatrixError::TooLarge`] when a sparse factor does not fit.
    pub fn new(pattern: &BlockPattern, positions: &[DVec3], choice: Choice) -> Result<Self, MatrixError> {
        let data = match choice.method {
            Method::Dense => Data::Dense(DenseCholesky::new()),
            #[cfg(feature = "factor")]
            Method::Factor => Data::Factor(Box::new(crate::Factor::new(pattern, crate::FactorKind::Llt)?)),
            // `Choice` never gives it without the feature, but its fields are public.
            #[cfg(not(feature = "factor"))]
            Method::Factor => Data::TwoLevel(Box::new(TwoLevel::new(pattern, positions))),
            Method::Ssor => Data::Ssor(Box::new(Ssor::new(pattern, 1))),
            Method::TwoLevel => Data::TwoLevel(Box::new(TwoLevel::new(pattern, positions))),
            Method::BlockJacobi => Data::BlockJacobi(BlockJacobi::new()),
            Method::Minres => Data::Minres(DefiniteDiagonal::default(), Box::default()),
        };
        Ok(Self { choice, data, ws: CgWorkspace::default(), fallback: None })
    }

    /// As [`Solver::new`], choosing by itself.
    ///
    /// # Errors
    /// As [`Solver::new`].
    pub fn automatic(
        pattern: &BlockPattern,
        positions: &[DVec3],
        problem: &Problem,
    ) -> Result<Self, MatrixError> {
        Self::new(pattern, positions, Choice::automatic(problem))
    }

    /// The method and why.
    #[must_use]
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// What had to be done after the chosen method gave up in the last solve.
    #[must_use]
    pub fn fallback(&self) -> Option<&'static str> {
        self.fallback
    }

    /// Takes the values of a step.
    ///
    /// # Errors
    /// [`MatrixError`] with the place; the solver has then no values and must be updated again before a solve.
    pub fn update(&mut self, system: &System<'_>, filter: &Filter) -> Result<(), MatrixError> {
        match &mut self.data {
            Data::Dense(d) => d.factor_system(system, filter),
            #[cfg(feature = "factor")]
            Data::Factor(f) => f.refactor(&system.matrix(), filter),
            Data::Ssor(s) => s.update(system, filter),
            Data::TwoLevel(t) => t.update(system, filter),
            Data::BlockJacobi(j) => j.update(system, filter),
            Data::Minres(m, _) => m.update(system, filter),
        }
    }

    /// Solves `A x = b` from the `x` given, on the free components; see [`Outcome`] for what is left on failure.
    ///
    /// # Panics
    /// When a length differs from the system's, or [`Solver::update`] has not succeeded.
    pub fn solve(
        &mut self,
        system: &System<'_>,
        filter: &Filter,
        b: &[DVec3],
        x: &mut [DVec3],
        settings: &Settings,
    ) -> Outcome {
        self.fallback = None;
        let ws = &mut self.ws;
        match &mut self.data {
            // Refined like a sparse factor: one iteration as a rule.
            Data::Dense(d) => pcg(system, &mut Dense(d), filter, b, x, settings, ws),
            #[cfg(feature = "factor")]
            Data::Factor(f) => f.solve(system, filter, b, x, settings, ws),
            Data::Ssor(s) => {
                let first = s.solve(system, filter, b, x, settings, ws);
                let stuck = matches!(first.reason, Reason::Stagnated | Reason::Indefinite);
                if !stuck || first.iterations >= settings.max_iterations {
                    return first;
                }
                self.fallback = Some("f32 sweeps stalled; continued in f64");
                let left =
                    Settings { max_iterations: settings.max_iterations - first.iterations, ..*settings };
                let mut second = pcg(system, &mut **s, filter, b, x, &left, ws);
                second.iterations += first.iterations;
                second
            }
            Data::TwoLevel(t) => {
                let outcome = pcg(system, &mut **t, filter, b, x, settings, ws);
                t.note(&outcome);
                outcome
            }
            Data::BlockJacobi(j) => pcg(system, j, filter, b, x, settings, ws),
            Data::Minres(m, ws) => minres(system, m, filter, b, x, settings, ws),
        }
    }
}

struct Dense<'a>(&'a mut DenseCholesky);

impl Preconditioner for Dense<'_> {
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        self.0.solve_blocks(r, z);
    }
}

/// Inverse diagonal blocks where they are positive definite; elsewhere the identity over the block's size.
#[derive(Clone, Debug, Default)]
struct DefiniteDiagonal {
    inverse: Vec<Block>,
}

impl DefiniteDiagonal {
    fn update(&mut self, system: &System<'_>, filter: &Filter) -> Result<(), MatrixError> {
        self.inverse.clear();
        self.inverse.resize(system.nodes(), [0.0; 9]);
        system.add_diagonal(&mut self.inverse);
        for (node, d) in self.inverse.iter_mut().enumerate() {
            let a = filter.diagonal(node, d);
            *d = match cholesky_inverse(&a, node) {
                Ok(c) => gram(&c),
                Err(e @ MatrixError::NotFinite { .. }) => return Err(e),
                Err(_) => {
                    let size = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                    let s = if size > f64::MIN_POSITIVE { 1.0 / size } else { 1.0 };
                    [s, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, s]
                }
            };
        }
        Ok(())
    }
}

impl Preconditioner for DefiniteDiagonal {
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        assert_eq!(r.len(), self.inverse.len(), "update the solver first");
        for ((z, r), d) in z.iter_mut().zip(r).zip(&self.inverse) {
            *z = mul(d, *r);
        }
    }
}
