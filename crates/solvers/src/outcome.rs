//! What an iterative solver is asked for, and what it says afterwards.

use std::fmt;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Largest allowed ‖b − A x‖ / ‖b‖, Euclidean norm of the free components. Where `b` is zero (only prescribed
    /// values drive the system) the residual of the starting `x` stands in for `b`.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 2000 }
    }
}

/// Why a solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Reason {
    /// The residual is small enough.
    Converged,
    /// The allowed iterations are used up, or what is computed is to be given up ([`impinge_geometry::halt`]).
    MaxIterations,
    /// A direction with pᵀAp ≤ 0 turned up: the operator is not positive definite on the free components (or the
    /// preconditioner is not).
    Indefinite,
    /// A number stopped being finite: in the input, the operator, or on the way.
    NonFinite,
    /// The residual no longer falls: rounding, or a singular system whose right-hand side does not belong to it.
    Stagnated,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::MaxIterations => "iterations used up",
            Self::Indefinite => "operator not positive definite",
            Self::NonFinite => "number not finite",
            Self::Stagnated => "residual no longer falls",
        })
    }
}

/// The end of a solve. `x` then holds the last good state: what `residual` was measured on, never worse than the
/// starting guess and always finite if that was.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outcome {
    /// Iterations spent: products with the operator.
    pub iterations: u32,
    /// ‖b − A x‖ / ‖b‖ of the `x` left behind; NaN when the input was not finite.
    pub residual: f64,
    /// `reason == Reason::Converged`.
    pub converged: bool,
    /// Why it stopped.
    pub reason: Reason,
}

impl Outcome {
    pub(crate) fn new(iterations: u32, residual: f64, reason: Reason) -> Self {
        Self { iterations, residual, converged: reason == Reason::Converged, reason }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} after {} iterations, residual {:.2e}", self.reason, self.iterations, self.residual)
    }
}

/// Why a matrix was refused as preconditioner or for factorisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatrixError {
    /// A diagonal block is not positive definite.
    NotPositive {
        /// Its block row.
        node: usize,
    },
    /// A value is NaN or infinite.
    NotFinite {
        /// Its block row.
        node: usize,
    },
    /// The number of blocks does not fit the pattern.
    WrongLength(crate::WrongLength),
    /// The factorisation met a pivot it cannot use.
    Breakdown {
        /// Scalar column.
        column: usize,
    },
    /// A dense matrix has no inverse.
    Singular {
        /// Column without a pivot.
        column: usize,
    },
    /// The library ran out of memory or of index range.
    TooLarge,
}

impl MatrixError {
    /// The same of a part of a matrix whose first row is `row` of the whole. The column of a coarse level stays its own.
    #[must_use]
    pub fn from_row(self, row: usize) -> Self {
        match self {
            Self::NotPositive { node } => Self::NotPositive { node: node + row },
            Self::NotFinite { node } => Self::NotFinite { node: node + row },
            Self::Breakdown { .. } | Self::Singular { .. } | Self::WrongLength(_) | Self::TooLarge => self,
        }
    }
}

impl From<crate::WrongLength> for MatrixError {
    fn from(e: crate::WrongLength) -> Self {
        Self::WrongLength(e)
    }
}

impl fmt::Display for MatrixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPositive { node } => write!(
                f,
                "the diagonal block of node {node} is not positive definite; give the node mass, fix it, or project \
                 its stiffness to SPD"
            ),
            Self::NotFinite { node } => {
                write!(f, "a block of row {node} is not finite; stop at the state that made it")
            }
            Self::WrongLength(e) => e.fmt(f),
            Self::Breakdown { column } => write!(
                f,
                "no usable pivot in column {column}; the matrix is singular or not positive definite: fix rigid \
                 motions, add mass, or ask for LDLT"
            ),
            Self::Singular { column } => {
                write!(
                    f,
                    "column {column} of the matrix has no pivot: it is singular, or numbers overflowed in it"
                )
            }
            Self::TooLarge => f.write_str("the factor does not fit; use conjugate gradients"),
        }
    }
}

impl std::error::Error for MatrixError {}
