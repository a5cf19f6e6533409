//! Family `qp`: quadratic programs with known optimum (seed 001 (3), (4); errata Q1, Q5, Q7).
//!
//! Every case is solved by the default method and by the dual one. What the schema leaves open is decided here: residuals are
//! those of `Kkt`, allowed 1e-9; the objective is allowed 1e-8 of its size or, where it nearly cancels, of its terms; a unique μ
//! is compared with 1e-6 of its largest entry plus what the tolerance of Δv means for it, and one of several is held to be one. Slacks are
//! allowed what the tolerance of Δv means for them; rows without room are the active ones. An infeasible case must be said
//! to be infeasible, with rows that contradict each other. A regularised answer, where given, is compared with its tolerances,
//! but never more strictly than rounding of a thousand units in the last place.

use super::compare::{Comparison, Malformed};
use super::dense_program::{Dense, Program};
use super::family::Family;
use super::validate::symmetric;
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
    status: Answer,
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
    active: Option<Vec<usize>>,
    #[serde(default)]
    slack: Option<Vec<f64>>,
    #[serde(default)]
    regularised: Option<Regularised>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Solved,
    Infeasible,
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
        symmetric("K", self.n, &d.k)?;
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
            if r.l <= 0.0 {
                return Err(Malformed(format!("`regularised.l` is {}; it is positive", r.l)));
            }
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

/// What a solved case needs.
struct Optimum<'a> {
    dv: &'a [f64],
    tol_dv: f64,
    objective: f64,
    /// Given and of the right length.
    mu: Option<&'a [f64]>,
    mu_unique: bool,
    active: &'a [usize],
    slack: &'a [f64],
}

impl Expected {
    fn optimum(&self, n: usize, m: usize) -> Result<Optimum<'_>, Malformed> {
        let (Some(dv), Some(tol_dv), Some(objective), Some(mu_unique), Some(active)) =
            (&self.dv, self.tol_dv, self.objective, self.mu_unique, &self.active)
        else {
            return Err(Malformed(
                "a solved case needs `dv`, `tol_dv`, `objective`, `mu_unique`, `active`".into(),
            ));
        };
        if self.mu.is_none() && mu_unique && m > 0 {
            return Err(Malformed("`mu_unique` is true and there is no `mu`".into()));
        }
        if self.regularised.is_none() && m > 0 {
            return Err(Malformed("a case with rows needs `regularised`".into()));
        }
        let slack = self.slack.as_deref().unwrap_or_default();
        let fits = dv.len() == n && slack.len() == m && self.mu.as_ref().is_none_or(|mu| mu.len() == m);
        if !fits || active.iter().any(|&i| i >= m) || active.windows(2).any(|w| w[0] >= w[1]) {
            return Err(Malformed(format!(
                "`dv`, `mu`, `slack` do not fit n = {n}, m = {m}, or `active` is no ascending list of rows"
            )));
        }
        let mu = self.mu.as_deref();
        Ok(Optimum { dv, tol_dv, objective, mu, mu_unique, active, slack })
    }
}

/// Σ |aᵢ xᵢ|: what rounding of a·x is measured by.
fn terms(a: &[f64], x: &[f64]) -> f64 {
    a.iter().zip(x).map(|(a, x)| (a * x).abs()).sum()
}

fn dot(a: &[f64], x: &[f64]) -> f64 {
    a.iter().zip(x).map(|(a, x)| a * x).sum()
}

fn compare(
    name: &str,
    input: &Input,
    expected: &Expected,
    (report, dv, mu, objective): &(Report, Vec<f64>, Vec<f64>, f64),
    out: &mut Comparison,
) -> Result<(), Malformed> {
    if expected.status == Answer::Infeasible {
        out.holds(report.status == Some(Status::Infeasible), || {
            format!("{name}: {report}, expected infeasible")
        });
        out.holds(!report.conflict.is_empty(), || format!("{name}: no row of the contradiction is named"));
        return Ok(());
    }
    let want = expected.optimum(input.n, input.m)?;
    out.holds(report.solved(), || format!("{name}: {report}"));
    if !report.solved() || mu.len() != input.m {
        // There may be no answer to compare.
        out.holds(!report.solved(), || format!("{name}: {} multipliers for {} rows", mu.len(), input.m));
        return Ok(());
    }
    let k = &report.kkt;
    for (what, value) in [
        ("stationarity", k.stationarity),
        ("primal residual", k.primal),
        ("dual residual", k.dual),
        ("complementarity", k.complementarity),
    ] {
        out.number(|| format!("{name}: {what}"), value, 0.0, 1e-9);
    }
    let d = &input.dense;
    // A Δv that is held to 0 against pushes is 0 to their rounding, whatever the file asks.
    let free = (0..input.n).map(|i| d.b[i].abs() / d.k[i][i]).fold(0.0, f64::max);
    let tol = want.tol_dv.max(1000.0 * f64::EPSILON * free);
    let want = Optimum { tol_dv: tol, ..want };
    for (i, &w) in want.dv.iter().enumerate() {
        out.number(|| format!("{name}: dv[{i}]"), dv[i], w, tol);
    }
    let size = 1e-8 * want.objective.abs().max(0.1 * terms(&d.b, want.dv));
    // What a Δv that is off by its tolerance makes of it: all there is where Δv is 0.
    let slope: f64 = (0..input.n).map(|i| d.b[i].abs() + terms(&d.k[i], want.dv)).sum();
    let bend: f64 = d.k.iter().flatten().map(|k| k.abs()).sum();
    let moved = want.tol_dv * (slope + 0.5 * want.tol_dv * bend);
    // But no more than what counts where nothing holds Δv back, or an ill-conditioned K would allow anything.
    let natural = (0..input.n).map(|i| d.b[i] * d.b[i] / d.k[i][i]).sum::<f64>();
    let moved = moved.min(1e-8 * natural);
    out.number(|| format!("{name}: objective"), *objective, want.objective, size.max(moved));
    if let (true, Some(w)) = (want.mu_unique, want.mu) {
        // Jᵀδμ = Kδv: a multiplier moves with Δv by the size of K over the size of its row.
        let size = d.k.iter().map(|r| largest(r)).fold(0.0, f64::max);
        for i in 0..w.len() {
            let row = largest(&d.j[i]);
            let moved = if row > 0.0 { want.tol_dv * size * input.n as f64 / row } else { 0.0 };
            out.number(|| format!("{name}: mu[{i}]"), mu[i], w[i], 1e-6 * largest(w) + moved + 1e-12);
        }
    }
    rows(name, input, &want, dv, out);
    Ok(())
}

/// Slacks c − JΔv, which rows are active, and where several μ are possible that the one given is one of them.
fn rows(name: &str, input: &Input, want: &Optimum<'_>, dv: &[f64], out: &mut Comparison) {
    let d = &input.dense;
    let rounding = 1000.0 * f64::EPSILON;
    for i in 0..input.m {
        let scale = rounding * (d.c[i].abs() + terms(&d.j[i], want.dv));
        let allowed = want.tol_dv * d.j[i].iter().map(|j| j.abs()).sum::<f64>() + scale;
        let slack = d.c[i] - dot(&d.j[i], dv);
        out.number(|| format!("{name}: slack[{i}]"), slack, want.slack[i], allowed);
        // Active is what has no room. Whether a little room is none is decided by the file's own, which it knows best.
        let decided = if d.equalities.contains(&i) || want.slack[i].abs() <= scale {
            Some(true)
        } else if slack > 10.0 * allowed {
            Some(false)
        } else {
            None
        };
        let listed = want.active.contains(&i);
        out.holds(decided.is_none_or(|active| active == listed), || {
            format!("{name}: row {i} has room for {slack:e}; `active` says {listed}")
        });
    }
    let Some(mu) = want.mu.filter(|_| !want.mu_unique) else { return };
    for (i, &w) in mu.iter().enumerate() {
        let free = d.equalities.contains(&i);
        out.holds(free || w >= -1e-9 * largest(mu), || format!("mu[{i}] is {w:e} in the file; it pushes"));
    }
    for k in 0..input.n {
        let column: Vec<f64> = d.j.iter().map(|row| row[k]).collect();
        let rest = dot(&d.k[k], want.dv) - d.b[k] + dot(&column, mu);
        let size = terms(&d.k[k], want.dv) + d.b[k].abs() + terms(&column, mu);
        let moved = want.tol_dv * d.k[k].iter().map(|k| k.abs()).sum::<f64>();
        out.number(|| format!("KΔv − b + Jᵀμ of the file, entry {k}"), rest, 0.0, 1e-9 * size + moved);
    }
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
