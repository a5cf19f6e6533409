//! Family `qp`: quadratic programs with known optimum (seed 001 (3), (4); errata Q1, Q5, Q7).
//!
//! Every case is solved by the default method and by the dual one. What the schema leaves open is decided here: residuals are
//! those of `Kkt`, allowed 1e-9; the objective is allowed 1e-8 of its size or, where it nearly cancels, of its terms; a unique μ
//! is compared with 1e-6 of its largest entry plus what the tolerance of Δv means for it. An infeasible case must be said
//! to be infeasible, with rows that contradict each other. A regularised answer, where given, is compared with its tolerances,
//! but never more strictly than rounding of a thousand units in the last place.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use impinge_geometry::DVec3;
use impinge_qp::{Method, Problem, Regularisation, Report, RowKind, Rows, Settings, Solver, Status};
use impinge_solvers::{BlockMatrix, BlockPattern, System};
use serde::Deserialize;

/// The family.
pub struct Qp;

/// `input` of a case.
#[derive(Deserialize)]
pub struct Input {
    n: usize,
    m: usize,
    #[serde(rename = "K")]
    k: Vec<Vec<f64>>,
    b: Vec<f64>,
    #[serde(rename = "J")]
    j: Vec<Vec<f64>>,
    c: Vec<f64>,
    eq: Vec<usize>,
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

/// A case as blocks of three, filled up with unknowns of unit mass that nothing touches.
struct Case {
    pattern: BlockPattern,
    values: Vec<[f64; 9]>,
    b: Vec<DVec3>,
    rows: Rows,
}

impl Case {
    fn new(input: &Input) -> Result<Self, Malformed> {
        let (n, m) = (input.n, input.m);
        let square = input.k.len() == n && input.k.iter().all(|r| r.len() == n);
        let fits = input.j.len() == m && input.j.iter().all(|r| r.len() == n) && input.c.len() == m;
        if !square || !fits || input.b.len() != n || input.eq.iter().any(|&i| i >= m) {
            return Err(Malformed(format!("K, b, J, c, eq do not fit n = {n}, m = {m}")));
        }
        let blocks = n.div_ceil(3);
        let all: Vec<u32> = (0..blocks as u32).collect();
        let pattern = BlockPattern::new(blocks, [&all[..]]).map_err(|e| Malformed(e.to_string()))?;
        let mut values = vec![[0.0; 9]; pattern.blocks()];
        for i in 0..3 * blocks {
            for j in 0..3 * blocks {
                let slot = pattern.slot((i / 3) as u32, (j / 3) as u32);
                if slot != u32::MAX {
                    let v = if i < n && j < n { input.k[i][j] } else { f64::from(u8::from(i == j)) };
                    values[slot as usize][3 * (i % 3) + j % 3] = v;
                }
            }
        }
        let vector = |v: &[f64]| -> Vec<DVec3> {
            let at = |i: usize| v.get(i).copied().unwrap_or(0.0);
            (0..blocks).map(|k| DVec3::new(at(3 * k), at(3 * k + 1), at(3 * k + 2))).collect()
        };
        let mut rows = Rows::new();
        for i in 0..m {
            let kind = if input.eq.contains(&i) { RowKind::Fixed } else { RowKind::Other };
            let gradient: Vec<(u32, DVec3)> = (0..).zip(vector(&input.j[i])).collect();
            rows.push(kind, i as u64, input.c[i], &gradient).map_err(|e| Malformed(e.to_string()))?;
        }
        Ok(Self { pattern, values, b: vector(&input.b), rows })
    }

    fn solve(&self, settings: &Settings) -> Result<(Report, Vec<f64>, Vec<f64>, f64), String> {
        let matrix = BlockMatrix::new(&self.pattern, &self.values).map_err(|e| e.to_string())?;
        let p = Problem::of_nodes(System::new(matrix), &self.b, &self.rows);
        let (mut dv, mut mu) = (vec![DVec3::zero(); self.b.len()], Vec::new());
        let report = Solver::new().solve(&p, settings, &mut dv, &mut mu).map_err(|e| e.to_string())?;
        let objective = p.objective(&dv);
        Ok((report, dv.iter().flat_map(|v| [v.x, v.y, v.z]).collect(), mu, objective))
    }
}

impl Family for Qp {
    const NAME: &'static str = "qp";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let case = Case::new(input)?;
        for (name, method) in [("primal-dual", Method::PrimalDual), ("dual", Method::Dual)] {
            match case.solve(&Settings { method, ..Settings::default() }) {
                Err(e) => out.holds(false, || format!("{name}: {e}")),
                Ok(answer) => compare(name, input, expected, &answer, out)?,
            }
        }
        if let Some(r) = &expected.regularised {
            let settings = Settings { regularisation: Regularisation::Kept(r.l), ..Settings::default() };
            match case.solve(&settings) {
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
    let terms: f64 = input.b.iter().zip(want).map(|(b, x)| (b * x).abs()).sum();
    out.number(|| format!("{name}: objective"), *objective, best, 1e-8 * best.abs().max(0.1 * terms));
    if let (Some(true), Some(w)) = (expected.mu_unique, &expected.mu) {
        // Jᵀδμ = Kδv: a multiplier moves with Δv by the size of K over the size of its row.
        let size = input.k.iter().map(|r| largest(r)).fold(0.0, f64::max);
        for i in 0..w.len() {
            let row = largest(&input.j[i]);
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
        let terms: f64 = input.j[i].iter().zip(&r.dv).map(|(j, x)| (j * x).abs()).sum();
        terms.max(input.c[i].abs())
    });
    let floor = rounding * largest(&r.mu).max(residual.fold(0.0, f64::max) / r.l);
    for (i, &w) in r.mu.iter().enumerate() {
        out.number(|| format!("regularised mu[{i}]"), mu[i], w, r.tol_mu.max(floor));
    }
    Ok(())
}
