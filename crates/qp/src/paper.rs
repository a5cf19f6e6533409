//! Algorithm 1 of seed 001, corrected (errata Q1, Q6, Q7), in both of its forms.
//!
//! ```text
//! Δv⁰ = K⁻¹b; 𝒜 = rows violated by Δv⁰ and equalities
//! loop: (Δv, μ) of the equality problem on 𝒜;  drop rows with μ < 0, take in violated ones;  until nothing changes
//! ```
//! *Composite* (8), (18), (19): `[K Jᵀ; J 0]` is symmetric and indefinite for every m > 0, so conjugate gradients, which the
//! paper uses, may divide by a curvature of zero (Q6). MINRES needs symmetry only: its residual falls steadily whatever the
//! signs, and dependent rows, as long as they agree, are a singular system it still solves. Preconditioned by the
//! diagonal blocks of K and by `Jᵢ D⁻¹ Jᵢᵀ`. *Schur* (20), (21): K factored, conjugate gradients on `J K⁻¹ Jᵀ`, definite if the
//! active rows are independent.
//!
//! The loop goes back to line 12 (to step 2, as printed, 𝒜 is forgotten every time). It need not end: rows can toggle,
//! which is what the watch list of §7.2 is for, and that leaves rows violated. Both are here to reproduce the paper and to
//! compare with; use [`crate::Method::PrimalDual`].

use crate::kkt::{Kkt, row_scales};
use crate::newton::empty_conflict;
use crate::problem::{Method, Problem, QpError, Regularisation, Report, Settings, Status, mul};
use crate::reduced::Dense;
use crate::reduced::LANES;
use crate::reduced::{flat, unflat};
use impinge_geometry::DVec3;
use impinge_solvers::dense::dot;
use impinge_solvers::{ApplyWorkspace, Filter, MinresWorkspace, Operator, Preconditioner, minres};

/// Most unknowns of the Schur form, whose K is dense.
const UNKNOWNS: usize = 600;

/// What of a row's bound or multiplier counts as rounding.
const ROUNDING: f64 = 1e-11;

pub(crate) fn solve(
    p: &Problem<'_>,
    s: &Settings,
    dv: &mut [DVec3],
    mu_out: &mut Vec<f64>,
) -> Result<Report, QpError> {
    let inverse = p.check()?;
    if !p.rows.friction().is_empty() {
        return Err(QpError::Friction { method: "paper's" });
    }
    let l = match s.regularisation {
        Regularisation::Removed => 0.0,
        Regularisation::Kept(l) if l > 0.0 && l.is_finite() => l,
        Regularisation::Kept(_) => {
            return Err(QpError::Setting("a regularisation that is kept must be a finite number above 0"));
        }
    };
    let (n, m) = (p.b.len(), p.rows.len());
    let scale = row_scales(p, &inverse);
    let mut report = Report::default();
    if l == 0.0
        && let Some(i) = empty_conflict(p, &scale, s)
    {
        report.status = Some(Status::Infeasible);
        report.conflict.push(i);
        return Ok(report);
    }
    let mut form = match s.method {
        Method::PaperSchur => {
            if 3 * n > UNKNOWNS {
                return Err(QpError::TooLarge { unknowns: 3 * n, most: UNKNOWNS });
            }
            let mut dense: Box<Dense> = Box::default();
            dense.prepare(p)?;
            report.factorisations = 1;
            Form::Schur(dense)
        }
        _ => Form::Composite(Box::default()),
    };
    let (mut x, mut mu) = (vec![DVec3::zero(); n], vec![0.0; m]);
    form.solve(p, &[], &inverse, &scale, l, &mut x, &mut mu, &mut report)?;
    let violated = |x: &[DVec3], mu: &[f64], i: usize| {
        let r = p.rows.dot(i, x) - p.rows.bounds()[i] - l * mu[i];
        let row = p.rows.row(i);
        let size: f64 =
            row.blocks.iter().zip(row.gradients).map(|(&b, g)| g.mag() * x[b as usize].mag()).sum();
        r > ROUNDING * (size + row.bound.abs()) + s.velocity_tolerance.max(p.rows.rounding()[i])
    };
    let usable: Vec<bool> = scale.iter().map(|&s| s > 0.0 || l > 0.0).collect();
    let mut on: Vec<bool> =
        (0..m).map(|i| usable[i] && (p.rows.kinds()[i].is_equality() || violated(&x, &mu, i))).collect();
    let mut toggled = vec![0u32; m];
    let mut dropped = vec![false; m];
    let budget = if s.max_iterations == 0 { (3 * n + m) as u32 } else { s.max_iterations };
    let mut rows = Vec::new();
    let mut finished = false;
    for _ in 0..=budget {
        rows.clear();
        rows.extend((0..m).filter(|&i| on[i]));
        mu.fill(0.0);
        form.solve(p, &rows, &inverse, &scale, l, &mut x, &mut mu, &mut report)?;
        let most = mu.iter().zip(&scale).fold(0.0, |a, (m, s)| f64::max(a, m.abs() * s.sqrt()));
        let mut changed = false;
        for i in 0..m {
            let equality = p.rows.kinds()[i].is_equality();
            let change = if equality || !usable[i] || dropped[i] {
                false
            } else if on[i] {
                mu[i] * scale[i].sqrt() < -ROUNDING * most
            } else {
                violated(&x, &mu, i)
            };
            if change {
                on[i] = !on[i];
                toggled[i] += 1;
                report.toggles += 1;
                changed = true;
                if s.watch_list.is_some_and(|w| toggled[i] > w) {
                    dropped[i] = true;
                    on[i] = false;
                }
            }
        }
        if !changed {
            finished = true;
            break;
        }
    }
    report.rounds = 1;
    for (i, mu) in mu.iter_mut().enumerate() {
        if !p.rows.kinds()[i].is_equality() {
            *mu = mu.max(0.0);
        }
    }
    report.dropped = (0..m).filter(|&i| dropped[i]).map(|i| i as u32).collect();
    report.kkt = Kkt::measure(p, &x, &mu, l);
    // It never looks at the rows in 𝒜 (Q7): only the residuals say whether the end is the optimum.
    let good = finished && (report.kkt.worst() <= s.tolerance.max(1e-9) || report.kkt.worst() <= s.tolerance);
    report.status = Some(if good { Status::Solved } else { Status::Unfinished });
    report.active = mu.iter().filter(|m| **m != 0.0).count() as u32;
    dv.copy_from_slice(&x);
    *mu_out = mu;
    Ok(report)
}

enum Form {
    Composite(Box<MinresWorkspace>),
    Schur(Box<Dense>),
}

impl Form {
    /// Δv and μ of the equality problem on `rows`.
    fn solve(
        &mut self,
        p: &Problem<'_>,
        rows: &[usize],
        inverse: &[[f64; 9]],
        scale: &[f64],
        l: f64,
        x: &mut [DVec3],
        mu: &mut [f64],
        report: &mut Report,
    ) -> Result<(), QpError> {
        report.iterations += 1;
        match self {
            Self::Composite(ws) => {
                let composite = Composite { p, rows, scale, l };
                let blocks = composite.nodes();
                let n = p.b.len();
                let mut b = vec![DVec3::zero(); blocks];
                b[..n].copy_from_slice(p.b);
                for (k, &i) in rows.iter().enumerate() {
                    set(&mut b[n + k / 3], k % 3, p.rows.bounds()[i] * composite.unit(i));
                }
                let mut v = vec![DVec3::zero(); blocks];
                let mut diagonal = Diagonal(inverse);
                let settings =
                    impinge_solvers::Settings { tolerance: 1e-14, max_iterations: 40 * blocks as u32 + 200 };
                // MINRES in rounds on what is left: each gains the digits that rounding cost the last.
                let mut rest = b.clone();
                let mut ax = vec![DVec3::zero(); blocks];
                for _ in 0..3 {
                    let mut dx = vec![DVec3::zero(); blocks];
                    let outcome =
                        minres(&composite, &mut diagonal, &Filter::none(), &rest, &mut dx, &settings, ws);
                    report.inner += outcome.iterations;
                    v.iter_mut().zip(&dx).for_each(|(v, d)| *v += *d);
                    composite.apply(&v, &mut ax, &mut ApplyWorkspace::default());
                    rest.iter_mut().zip(&b).zip(&ax).for_each(|((r, b), a)| *r = *b - *a);
                }
                x.copy_from_slice(&v[..n]);
                for (k, &i) in rows.iter().enumerate() {
                    mu[i] = get(&v[n + k / 3], k % 3) * composite.unit(i);
                }
                Ok(())
            }
            Self::Schur(dense) => {
                let mut y = flat(p.b);
                dense.k.forward(&mut y);
                let white: Vec<Vec<f64>> = rows.iter().map(|&i| dense.whitened(p, i).to_vec()).collect();
                let unit: Vec<f64> = white.iter().map(|w| 1.0 / (dot::<LANES>(w, w) + l).sqrt()).collect();
                // (20) with μ = −λ: (S + l) μ = J K⁻¹ b − c, to a unit diagonal.
                let right: Vec<f64> = rows
                    .iter()
                    .enumerate()
                    .map(|(k, &i)| unit[k] * (dot::<LANES>(&white[k], &y) - p.rows.bounds()[i]))
                    .collect();
                let q = conjugate_gradients(&white, &unit, l, &right, &mut report.inner);
                for (k, &i) in rows.iter().enumerate() {
                    mu[i] = q[k] * unit[k];
                    y.iter_mut().zip(&white[k]).for_each(|(y, w)| *y -= mu[i] * w);
                }
                dense.k.backward(&mut y);
                unflat(&y, x);
                Ok(())
            }
        }
    }
}

/// Conjugate gradients on `U (W Wᵀ + l) U`, restarted twice on the true residual.
fn conjugate_gradients(white: &[Vec<f64>], unit: &[f64], l: f64, b: &[f64], count: &mut u32) -> Vec<f64> {
    let m = b.len();
    let n = white.first().map_or(0, Vec::len);
    let apply = |q: &[f64]| -> Vec<f64> {
        let mut y = vec![0.0; n];
        for k in 0..m {
            y.iter_mut().zip(&white[k]).for_each(|(y, w)| *y += q[k] * unit[k] * w);
        }
        (0..m).map(|k| unit[k] * (dot::<LANES>(&white[k], &y) + l * unit[k] * q[k])).collect()
    };
    let mut x = vec![0.0; m];
    let target = 1e-15 * dot::<LANES>(b, b).sqrt();
    for _ in 0..3 {
        let ax = apply(&x);
        let mut r: Vec<f64> = b.iter().zip(&ax).map(|(b, a)| b - a).collect();
        let mut d = r.clone();
        let mut rr = dot::<LANES>(&r, &r);
        for _ in 0..2 * m + 10 {
            if rr.sqrt() <= target {
                break;
            }
            let q = apply(&d);
            *count += 1;
            let curvature = dot::<LANES>(&d, &q);
            // Zero along dependent rows: what is left there cannot be reached, and must not be divided by.
            if curvature <= 1e-15 * dot::<LANES>(&d, &d) {
                break;
            }
            let alpha = rr / curvature;
            for k in 0..m {
                x[k] += alpha * d[k];
                r[k] -= alpha * q[k];
            }
            let next = dot::<LANES>(&r, &r);
            for k in 0..m {
                d[k] = r[k] + next / rr * d[k];
            }
            rr = next;
        }
    }
    x
}

/// `[K Jᵀ; J −l]` over blocks; three rows share a block, spare places are the identity. Rows are scaled to a unit
/// `J D⁻¹ Jᵀ`.
struct Composite<'a> {
    p: &'a Problem<'a>,
    rows: &'a [usize],
    scale: &'a [f64],
    l: f64,
}

impl Composite<'_> {
    fn unit(&self, row: usize) -> f64 {
        let s = self.scale[row] + self.l;
        if s > 0.0 { 1.0 / s.sqrt() } else { 0.0 }
    }
}

impl Operator for Composite<'_> {
    fn nodes(&self) -> usize {
        self.p.b.len() + self.rows.len().div_ceil(3)
    }

    fn apply(&self, x: &[DVec3], y: &mut [DVec3], ws: &mut ApplyWorkspace) {
        let n = self.p.b.len();
        y[n..].copy_from_slice(&x[n..]);
        self.p.k.apply(&x[..n], &mut y[..n], ws);
        for (k, &i) in self.rows.iter().enumerate() {
            let unit = self.unit(i);
            let m = get(&x[n + k / 3], k % 3);
            self.p.rows.add(i, m * unit, &mut y[..n]);
            let v = unit * self.p.rows.dot(i, &x[..n]) - self.l * unit * unit * m;
            set(&mut y[n + k / 3], k % 3, v);
        }
    }

    fn add_diagonal(&self, out: &mut [[f64; 9]]) {
        self.p.k.add_diagonal(&mut out[..self.p.b.len()]);
    }
}

/// The diagonal blocks of K inverted; rows have unit scale.
struct Diagonal<'a>(&'a [[f64; 9]]);

impl Preconditioner for Diagonal<'_> {
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        z.copy_from_slice(r);
        for ((z, r), d) in z.iter_mut().zip(r).zip(self.0) {
            *z = mul(d, *r);
        }
    }
}

fn get(v: &DVec3, k: usize) -> f64 {
    [v.x, v.y, v.z][k]
}

fn set(v: &mut DVec3, k: usize, value: f64) {
    match k {
        0 => v.x = value,
        1 => v.y = value,
        _ => v.z = value,
    }
}
