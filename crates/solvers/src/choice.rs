//! Which method for which system, and why; automatic, or as told.
//!
//! Numbers behind it (one thread, 32 k unknowns, elasticity at Δt = 1/60, 10⁻⁸): Eisenstat's SSOR takes about a quarter of the
//! time of block-Jacobi conjugate gradients (41 ms on an idle machine where a sparse factor took 503 ms and 24 ms for each
//! solve). So one solve at Δt = 1/60 never pays for a factor; many right-hand sides on one frozen matrix do where each would
//! take longer than the factor's two triangular solves.

use std::fmt;

/// Unknowns up to which a dense factor is taken: n³/3 flops, 0.1 ms at 96.
pub const DENSE_UNKNOWNS: usize = 96;
/// Right-hand sides on one matrix from which a factor pays in quasi-static steps (measured break-even about 4).
pub const STATIC_COLUMNS: usize = 4;
/// The same for dynamic steps, where a solve is cheap (measured break-even about 28 for block Jacobi; SSOR is four times
/// faster, and below it a solve with the factor costs as much as one by SSOR).
pub const DYNAMIC_COLUMNS: usize = 100;
/// Above this the factor of a solid outgrows memory and cache; conjugate gradients whatever the columns.
pub const FACTOR_UNKNOWNS: usize = 150_000;

/// A method of solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Method {
    /// Dense Cholesky of our own.
    Dense,
    /// Sparse LLᵀ of faer (feature `factor`), refined.
    Factor,
    /// Conjugate gradients with SSOR in Eisenstat's form.
    Ssor,
    /// Conjugate gradients with SSOR and a coarse level of rigid motions.
    TwoLevel,
    /// Conjugate gradients with block Jacobi: no set-up, any parallelism.
    BlockJacobi,
    /// MINRES with the positive definite part of the diagonal.
    Minres,
}

impl Method {
    /// The word used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense Cholesky",
            Self::Factor => "sparse Cholesky",
            Self::Ssor => "SSOR conjugate gradients",
            Self::TwoLevel => "two-level conjugate gradients",
            Self::BlockJacobi => "block-Jacobi conjugate gradients",
            Self::Minres => "MINRES",
        }
    }
}

/// What is to be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Problem {
    /// Unknowns, 3 per block row.
    pub unknowns: usize,
    /// Right-hand sides expected per matrix.
    pub columns: usize,
    /// Stiffness rules over mass: Δt is long against the time a wave takes through the body, or there is no mass.
    pub quasi_static: bool,
    /// The operator is positive definite on its free components.
    pub definite: bool,
}

impl Problem {
    /// One right-hand side per matrix, definite, dynamic.
    #[must_use]
    pub fn dynamic(unknowns: usize) -> Self {
        Self { unknowns, columns: 1, quasi_static: false, definite: true }
    }
}

/// A method and the reason for it, for the report.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Choice {
    /// What is used.
    pub method: Method,
    /// Why, in words.
    pub reason: String,
}

impl Choice {
    /// Chooses by size and use.
    #[must_use]
    pub fn automatic(p: &Problem) -> Self {
        let n = p.unknowns;
        let (method, reason) = if !p.definite {
            (Method::Minres, "the operator need not be positive definite".to_string())
        } else if n <= DENSE_UNKNOWNS {
            (Method::Dense, format!("{n} unknowns are at most {DENSE_UNKNOWNS}"))
        } else {
            let columns = if p.quasi_static { STATIC_COLUMNS } else { DYNAMIC_COLUMNS };
            let kind = if p.quasi_static { "quasi-static" } else { "dynamic" };
            let many = p.columns >= columns && n <= FACTOR_UNKNOWNS;
            if many && cfg!(feature = "factor") {
                let c = p.columns;
                (Method::Factor, format!("{c} right-hand sides per matrix are at least {columns} ({kind})"))
            } else {
                let why = if many { "; a factor would pay, but feature `factor` is off" } else { "" };
                let method = if p.quasi_static { Method::TwoLevel } else { Method::Ssor };
                (method, format!("{n} unknowns, {} right-hand sides per matrix, {kind}{why}", p.columns))
            }
        };
        Self { method, reason }
    }

    /// Takes what is asked for; [`Method::Factor`] without its feature becomes [`Method::TwoLevel`], and the reason says so.
    #[must_use]
    pub fn forced(method: Method) -> Self {
        if method == Method::Factor && !cfg!(feature = "factor") {
            let reason = "sparse Cholesky was asked for, but feature `factor` is off".to_string();
            return Self { method: Method::TwoLevel, reason };
        }
        Self { method, reason: "as asked for".to_string() }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.method.name(), self.reason)
    }
}
