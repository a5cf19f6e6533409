//! Family `particle1d_spectral`: the largest eigenvalue of one step of a particle in contact, against
//! `s = Δt² k/m` (seed 000, supplement C; erratum C9).
//!
//! In contact the step is a linear map of (x, v) when there is no gravity. Its matrix is read off the pipeline
//! itself: one step from (−1, 0) is minus the first column, one step from (−1, −1) less that is minus the second.
//! With Δt = 1, m = 1 and k = s the entries are small numbers and lose nothing to rounding that matters: where
//! both eigenvalues meet (s = 4) an error ε in the matrix is √ε in the radius.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::particle1d::{Continuous, Particle, Spring, Start};
use serde::Deserialize;

/// The family.
pub struct Spectral;

/// `input` of a case.
#[derive(Deserialize)]
pub struct Input {
    s: Vec<f64>,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    se: Vec<f64>,
    cpf: Vec<f64>,
    tol: f64,
}

impl Family for Spectral {
    const NAME: &'static str = "particle1d_spectral";
    const KEYS: &'static str = "input{s} expected{se cpf tol}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        if [expected.se.len(), expected.cpf.len()] != [input.s.len(); 2] {
            return Err(Malformed("`s`, `se` and `cpf` differ in length".into()));
        }
        for (i, (&s, &se)) in input.s.iter().zip(&expected.se).enumerate() {
            match step_matrix(s) {
                Ok(m) => out.number(|| format!("se[{i}] (s = {s})"), radius(m), se, expected.tol),
                Err(reason) => out.holds(false, || format!("se[{i}] (s = {s}): the step failed: {reason}")),
            }
        }
        for (i, (&s, &cpf)) in input.s.iter().zip(&expected.cpf).enumerate() {
            let step = |v: f64| {
                let start = Start { m: 1.0, g: 0.0, dt: 1.0, x: -1.0, v };
                let mut particle = Continuous::new(&start, Spring::Unilateral)?;
                particle.step(s);
                Ok::<_, Malformed>(particle.state())
            };
            // The path must stay below 0, or the step is not the linear map: −1 → −1 and −1 → −2 do.
            let m = matrix(step(0.0)?, step(-1.0)?);
            out.number(|| format!("cpf[{i}] (s = {s})"), radius(m), cpf, expected.tol);
        }
        Ok(())
    }
}

/// Rows of the matrix that takes (x, v) to the next (x, v), or why a step failed.
fn step_matrix(s: f64) -> Result<[[f64; 2]; 2], String> {
    let step = |v: f64| {
        let start = Start { m: 1.0, g: 0.0, dt: 1.0, x: -1.0, v };
        let mut particle = Particle::new(&start, Spring::Unilateral).map_err(|e| e.0)?;
        particle.step(s)?;
        Ok::<_, String>(particle.state())
    };
    Ok(matrix(step(0.0)?, step(-1.0)?))
}

/// Rows of the matrix from one step from (−1, 0) and one from (−1, −1).
fn matrix((x0, v0): (f64, f64), (x1, v1): (f64, f64)) -> [[f64; 2]; 2] {
    [[-x0, x0 - x1], [-v0, v0 - v1]]
}

/// Largest |λ| of a 2 × 2 matrix.
fn radius([[a, b], [c, d]]: [[f64; 2]; 2]) -> f64 {
    let (half_trace, half_gap) = (0.5 * (a + d), 0.5 * (a - d));
    let discriminant = half_gap * half_gap + b * c;
    if discriminant < 0.0 { (a * d - b * c).sqrt() } else { half_trace.abs() + discriminant.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radius_of_known_matrices() {
        assert_eq!(radius([[2.0, 0.0], [0.0, -3.0]]), 3.0);
        assert_eq!(radius([[0.0, -1.0], [1.0, 0.0]]), 1.0); // a quarter turn
        assert_eq!(radius([[1.0, 1.0], [0.0, 1.0]]), 1.0); // a double root
    }

    #[test]
    fn the_matrix_is_that_of_symplectic_euler() {
        let s = 0.75;
        assert_eq!(step_matrix(s).unwrap(), [[1.0 - s, 1.0], [-s, 1.0]]);
    }
}
