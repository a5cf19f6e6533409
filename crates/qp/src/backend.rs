//! Newton systems of the active set: `(K + Σ w g gᵀ) d = rhs`, with g rows of J (or sums of two) and w > 0.
//!
//! The same d as from the quasi-definite system `[K Jᵀ; J −1/w]` of (24), reduced two ways:
//!
//! * small systems to the rows (20), (21): K = L Lᵀ once, then `(1/w + S) q = J K⁻¹ rhs` with S = J K⁻¹ Jᵀ of the active rows; where
//!   more rows are active than there are unknowns (a heap of rigid bodies), to the velocities, `I + L⁻¹ Jᵀ w J L⁻ᵀ`;
//! * large ones to the velocities: `K + Σ w g gᵀ`, which a contact fills in only among the blocks it names, by a
//!   sparse factor (feature `factor`, `sparse.rs`). While few rows differ from those in the factor it serves on, corrected by the
//!   columns of those rows (`correction.rs`), as the preconditioner of conjugate gradients, which then take one or two
//!   iterations. Without the feature: conjugate gradients with SSOR and smaller weights.

use crate::problem::{Problem, QpError};
use crate::reduced::Dense;
use crate::term::Term;
#[cfg(not(feature = "factor"))]
use crate::term::{indefinite, low_rank};
use impinge_geometry::DVec3;
#[cfg(not(feature = "factor"))]
use impinge_solvers::{LowRank, System};

/// Unknowns up to which everything is dense.
pub(crate) const DENSE_UNKNOWNS: usize = 240;

/// What solves Newton systems.
#[derive(Debug, Default)]
pub(crate) enum Backend {
    #[default]
    None,
    Dense(Box<Dense>),
    #[cfg(feature = "factor")]
    Sparse(Box<crate::sparse::Sparse>),
    #[cfg(not(feature = "factor"))]
    Iterative(Box<Iterative>),
}

impl Backend {
    /// Keeps nothing but memory: of the dense one all is made anew, of others the order of elimination would stay.
    pub(crate) fn forget(&mut self) {
        if !self.is_dense() {
            *self = Self::None;
        }
    }

    /// Takes the problem of a step; keeps what it can of the last one.
    pub(crate) fn prepare(&mut self, p: &Problem<'_>) -> Result<(), QpError> {
        if 3 * p.b.len() <= DENSE_UNKNOWNS {
            if !matches!(self, Self::Dense(_)) {
                *self = Self::Dense(Box::default());
            }
        } else {
            #[cfg(feature = "factor")]
            if !matches!(self, Self::Sparse(_)) {
                *self = Self::Sparse(Box::default());
            }
            #[cfg(not(feature = "factor"))]
            if !matches!(self, Self::Iterative(_)) {
                *self = Self::Iterative(Box::default());
            }
        }
        match self {
            Self::None => Ok(()),
            Self::Dense(d) => d.prepare(p),
            #[cfg(feature = "factor")]
            Self::Sparse(s) => s.prepare(p),
            #[cfg(not(feature = "factor"))]
            Self::Iterative(_) => Ok(()),
        }
    }

    /// l over Jᵢ D⁻¹ Jᵢᵀ: what the reduction bears.
    pub(crate) fn epsilon(&self) -> f64 {
        match self {
            Self::None | Self::Dense(_) => 1e-5,
            #[cfg(feature = "factor")]
            Self::Sparse(_) => 1e-5,
            #[cfg(not(feature = "factor"))]
            Self::Iterative(_) => 1e-3,
        }
    }

    /// Rows 10⁹ times as hard as their own compliance leave a direction its digits: it is eliminated, not iterated on.
    pub(crate) fn bears_hard_rows(&self) -> bool {
        self.is_dense() || self.keeps_columns()
    }

    /// Another round costs next to nothing.
    pub(crate) fn is_dense(&self) -> bool {
        matches!(self, Self::Dense(_))
    }

    /// A solution for the rows of the last one, or nearly, costs far less than the last one did.
    pub(crate) fn keeps_columns(&self) -> bool {
        #[cfg(feature = "factor")]
        return matches!(self, Self::Sparse(_));
        #[cfg(not(feature = "factor"))]
        false
    }

    /// `d` of `(K + Σ terms) d = rhs`, to about `tolerance` where it is iterated. (factorisations, inner iterations).
    pub(crate) fn solve(
        &mut self,
        p: &Problem<'_>,
        terms: &[Term],
        rhs: &[DVec3],
        d: &mut [DVec3],
        tolerance: f64,
    ) -> Result<(u32, u32), QpError> {
        match self {
            Self::None => Err(QpError::Setting("the solver was not prepared")),
            Self::Dense(x) => {
                x.solve(p, terms, rhs, d)?;
                Ok((0, 0))
            }
            #[cfg(feature = "factor")]
            Self::Sparse(s) => s.solve(p, terms, rhs, d, tolerance),
            #[cfg(not(feature = "factor"))]
            Self::Iterative(s) => s.solve(p, terms, rhs, d, tolerance),
        }
    }
}

/// Conjugate gradients with SSOR.
#[cfg(not(feature = "factor"))]
#[derive(Debug, Default)]
pub(crate) struct Iterative {
    solver: Option<(impinge_solvers::BlockPattern, impinge_solvers::Solver)>,
    low: LowRank,
}

#[cfg(not(feature = "factor"))]
impl Iterative {
    fn solve(
        &mut self,
        p: &Problem<'_>,
        terms: &[Term],
        rhs: &[DVec3],
        d: &mut [DVec3],
        tolerance: f64,
    ) -> Result<(u32, u32), QpError> {
        use impinge_solvers::{Choice, Filter, Method, Settings, Solver};
        low_rank(p, terms, &mut self.low)?;
        let system = System::with_contacts(p.k.matrix(), &self.low).map_err(|e| QpError::Matrix(e.into()))?;
        let pattern = p.k.matrix().pattern();
        if self.solver.as_ref().is_none_or(|s| s.0 != *pattern) {
            let solver = Solver::new(pattern, &[], Choice::forced(Method::Ssor)).map_err(QpError::Matrix)?;
            self.solver = Some((pattern.clone(), solver));
        }
        let Some((_, solver)) = &mut self.solver else { return Err(QpError::Setting("no solver")) };
        solver.update(&system, &Filter::none()).map_err(QpError::Matrix)?;
        d.fill(DVec3::zero());
        let settings = Settings { tolerance: tolerance.min(1e-6), max_iterations: 20_000 };
        let outcome = solver.solve(&system, &Filter::none(), rhs, d, &settings);
        if outcome.reason == impinge_solvers::Reason::Indefinite {
            return Err(indefinite(p));
        }
        Ok((0, outcome.iterations))
    }
}
