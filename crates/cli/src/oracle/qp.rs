//! Family `qp`: quadratic programs with known optimum (seed 001 (3), (4); errata Q1, Q5, Q7).
//!
//! Every case is solved by the default method and by the dual one. What the schema leaves open is decided here: residuals are
//! those of `Kkt`, allowed 1e-9; the objective is allowed 1e-8 of its size or, where it nearly cancels, of its terms; a unique μ
//! is compared with 1e-6 of its largest entry plus what the tolerance of Δv means for it. An infeasible case must be said
//! to be infeasible, with rows that contradict each other. A regularised answer, where given, is compared with its tolerances,
//! but never more strictly than rounding of a thousand units in the last place.

use super::compare::{Comparison, Malformed};
use super::dense_program::{Dense, Program};
use super::family::Family;
use impinge_qp::{Method, Regularisation, Report, Settings, Solver, Status};
use serde::Deserialize;

/// The family.
pub struct Qp;

/// `input` of a case.
#[derive(Deserialize)]
pub struct Input {
    n: usize,
    m: usize,
    #[serde(flatten)]
    dense: Dense,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    status: String,
    #[serde(default)]
    dv: Option<Vec<f64>>,
    #[serde(default)]
    tol_dv: Option<f64>,
    #[serde(default)]
    objective: Option<f64>,
    #[serde(default)]
    mu: Option<Vec<f64>>,
    #[serde(default)]
    mu_unique: Option<bool>,
    #[serde(default)]
    regularised: Option<Regularised>,
}

#[derive(Deserialize)]
struct Regularised {
    l: f64,
    dv: Vec<f64>,
    mu: Vec<f64>,
    tol_dv: f64,
    tol_mu: f64,
}

impl Input {
    fn program(&self) -> Result<Program, Malformed> {
        let d = &self.dense;
        if d.b.len() != self.n || d.c.len() != self.m {
            return Err(Malformed(format!("b, c do not fit n = {}, m = {}", self.n, self.m)));
        }
        Program::new(d).map_err(Malformed)
    }
}

/// The report, Δv, μ and the objective.
fn solve(program: &Program, settings: &Settings) -> Result<(Report, Vec<f64>, Vec<f64>, f64), String> {
    let (p, mut dv, mut mu) = (program.problem(), program.start(), Vec::new());
    let report = Solver::new().solve(&p, settings, &mut dv, &mut mu).map_err(|e| e.to_string())?;
    let objective = p.objective(&dv);
    Ok((report, dv.iter().flat_map(|v| [v.x, v.y, v.z]).collect(), mu, objective))
}

impl Family for Qp {
    const NAME: &'static str = "qp";
    const KEYS: &'static str = "input{n m K b J c eq context~} expected{status dv? tol_dv? objective? mu? mu_unique? active? slack? \
        regularised?{l dv mu tol_dv tol_mu} kkt_residual~ clarabel_diff~}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let case = input.program()?;
        for (name, method) in [("primal-dual", Method::PrimalDual), ("dual", Method::Dual)] {
            match solve(&case, &Settings { method, ..Settings::default() }) {
                Err(e) => out.holds(false, || format!("{name}: {e}")),
                Ok(answer) => compare(name, input, expected, &answer, out)?,
            }
        }
        if let Some(r) = &expected.regularised {
            let settings = Settings { regularisation: Regularisation::Kept(r.l), ..Settings::default() };
            match solve(&case, &settings) {
                Err(e) => out.holds(false, || format!("regularised: {e}")),
                Ok((_, dv, mu, _)) => regularised(input, r, &dv, &mu, out)?,
            }
        }
        Ok(())
    }
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, v| f64::max(m, v.abs()))
}

fn compare(
    name: &str,
    input: &Input,
    expected: &Expected,
    (report, dv, mu, objective): &(Report, Vec<f64>, Vec<f64>, f64),
    out: &mut Comparison,
) -> Result<(), Malformed> {
    if expected.status == "infeasible" {
        out.holds(report.status == Some(Status::Infeasible), || {
            format!("{name}: {report}, expected infeasible")
        });
        out.holds(!report.conflict.is_empty(), || format!("{name}: no row of the contradiction is named"));
        return Ok(());
    }
    let (Some(want), Some(tol), Some(best)) = (&expected.dv, expected.tol_dv, expected.objective) else {
        return Err(Malformed("a solved case needs `dv`, `tol_dv`, `objective`".into()));
    };
    if want.len() != input.n || expected.mu.as_ref().is_some_and(|m| m.len() != input.m) {
        return Err(Malformed("`dv` or `mu` has another length than the input".into()));
    }
    out.holds(report.solved(), || format!("{name}: {report}"));
    let k = &report.kkt;
    for (what, value) in [
        ("stationarity", k.stationarity),
        ("primal residual", k.primal),
        ("dual residual", k.dual),
        ("complementarity", k.complementarity),
    ] {
        out.number(|| format!("{name}: {what}"), value, 0.0, 1e-9);
    }
    for (i, &w) in want.iter().enumerate() {
        out.number(|| format!("{name}: dv[{i}]"), dv[i], w, tol);
    }
    let terms: f64 = input.dense.b.iter().zip(want).map(|(b, x)| (b * x).abs()).sum();
    out.number(|| format!("{name}: objective"), *objective, best, 1e-8 * best.abs().max(0.1 * terms));
    if let (Some(true), Some(w)) = (expected.mu_unique, &expected.mu) {
        // Jᵀδμ = Kδv: a multiplier moves with Δv by the size of K over the size of its row.
        let size = input.dense.k.iter().map(|r| largest(r)).fold(0.0, f64::max);
        for i in 0..w.len() {
            let row = largest(&input.dense.j[i]);
            let moved = if row > 0.0 { tol * size * input.n as f64 / row } else { 0.0 };
            out.number(|| format!("{name}: mu[{i}]"), mu[i], w[i], 1e-6 * largest(w) + moved + 1e-12);
        }
    }
    Ok(())
}

fn regularised(
    input: &Input,
    r: &Regularised,
    dv: &[f64],
    mu: &[f64],
    out: &mut Comparison,
) -> Result<(), Malformed> {
    if r.dv.len() != input.n || r.mu.len() != input.m {
        return Err(Malformed("the regularised answer has another length than the input".into()));
    }
    let rounding = 1000.0 * f64::EPSILON;
    for (i, &w) in r.dv.iter().enumerate() {
        out.number(|| format!("regularised dv[{i}]"), dv[i], w, r.tol_dv.max(rounding * largest(&r.dv)));
    }
    // A row gives way by lμ: rounding of its residual is rounding of μ over l.
    let residual = (0..input.m).map(|i| {
        let terms: f64 = input.dense.j[i].iter().zip(&r.dv).map(|(j, x)| (j * x).abs()).sum();
        terms.max(input.dense.c[i].abs())
    });
    let floor = rounding * largest(&r.mu).max(residual.fold(0.0, f64::max) / r.l);
    for (i, &w) in r.mu.iter().enumerate() {
        out.number(|| format!("regularised mu[{i}]"), mu[i], w, r.tol_mu.max(floor));
    }
    Ok(())
}
