//! Family `mlcp_stabilization`: the position problem (seed 002 (18), (19); erratum V1), by every solver.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::mlcp_dense::{METHODS, factored, settings};
use super::validate::whole;
use impinge_solvers::mlcp::{Cone, ContactProblem, ContactRows};
use serde::Deserialize;

/// The family.
pub struct Stabilisation;

/// `input` of a case.
#[derive(Deserialize)]
#[allow(non_snake_case)]
pub struct Input {
    n: f64,
    A: Vec<Vec<f64>>,
    V: Vec<f64>,
    V_bar: Vec<f64>,
    J: Vec<Vec<f64>>,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    dq: Vec<f64>,
    xi: Vec<f64>,
    tol: f64,
}

impl Family for Stabilisation {
    const NAME: &'static str = "mlcp_stabilization";
    const KEYS: &'static str = "input{n A V V_bar J} expected{dq xi residual~ tol}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let (n, m) = (whole(input.n)?, input.V.len());
        let factor = factored(n, &input.A)?;
        let fits = [input.V_bar.len(), input.J.len(), expected.xi.len()] == [m; 3] && expected.dq.len() == n;
        if !fits || input.J.iter().any(|row| row.len() != n) {
            return Err(Malformed("the lengths of V, V_bar, J, dq or xi do not fit".into()));
        }
        let mut rows = ContactRows::new();
        for j in &input.J {
            rows.push(j.iter().enumerate().map(|(t, &v)| (t as u32, v)));
            rows.push([]);
            rows.push([]);
        }
        let room: Vec<f64> = input.V_bar.iter().zip(&input.V).map(|(bar, v)| bar - v).collect();
        let cones = vec![Cone::Frictionless; m];
        let problem = ContactProblem::assemble(&rows, &vec![0.0; n], Some(&room), cones, |x| factor.solve(x))
            .map_err(|e| Malformed(e.to_string()))?;
        for (name, method) in METHODS {
            let mut r = vec![[0.0; 3]; m];
            let outcome = method(&problem, &mut r, &settings());
            out.holds(outcome.converged, || format!("{name}: {outcome}"));
            let mut dq = vec![0.0; n];
            rows.add_transposed(&r, &mut dq);
            factor.solve(&mut dq);
            for (k, (&got, &want)) in dq.iter().zip(&expected.dq).enumerate() {
                out.number(|| format!("dq[{k}] by {name}"), got, want, expected.tol);
            }
            // Dependent rows share what they carry as they like; a row that is not pushed says so either way.
            let dependent = (0..m).any(|i| (0..i).any(|j| parallel(&input.J[i], &input.J[j])));
            for (i, (r, &xi)) in r.iter().zip(&expected.xi).enumerate() {
                out.holds(r[0] >= 0.0, || format!("xi[{i}] by {name} is {:e}", r[0]));
                if !dependent {
                    out.number(|| format!("xi[{i}] by {name}"), r[0], xi, expected.tol * 10.0);
                }
            }
        }
        Ok(())
    }
}

/// Whether two rows differ by a factor only.
fn parallel(a: &[f64], b: &[f64]) -> bool {
    let dot = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
    let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
    aa * bb - ab * ab <= 1e-12 * aa * bb
}
