//! What the families `mlcp` and `mlcp_stabilization` share: a dense operator, and the solvers.

use super::compare::Malformed;
use super::validate::symmetric;
use impinge_solvers::mlcp::{ContactProblem, accelerated, gauss_seidel, interior_point, semismooth_newton};
use impinge_solvers::{DenseCholesky, Outcome, Settings};

type Method = fn(&ContactProblem, &mut [[f64; 3]], &Settings) -> Outcome;

/// Every solver by name.
pub const METHODS: [(&str, Method); 4] = [
    ("newton", semismooth_newton),
    ("gauss_seidel", gauss_seidel),
    ("accelerated", accelerated),
    ("interior_point", interior_point),
];

/// As tight as doubles allow: the first-order methods take their time, the problems are small.
pub fn settings() -> Settings {
    Settings { tolerance: 1e-13, max_iterations: 200_000 }
}

/// The Cholesky factor of a full matrix.
///
/// # Errors
/// It is not square, symmetric, positive definite.
pub fn factored(n: usize, a: &[Vec<f64>]) -> Result<DenseCholesky, Malformed> {
    symmetric("A", n, a)?;
    let mut factor = DenseCholesky::new();
    let m = factor.matrix_mut(n);
    a.iter().flatten().zip(m).for_each(|(a, m)| *m = *a);
    factor.factor().map_err(|e| Malformed(e.to_string()))?;
    Ok(factor)
}
