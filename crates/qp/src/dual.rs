//! Goldfarb and Idnani's dual active set (Mathematical Programming 27, 1983), dense.
//!
//! Starts from the free minimum with no active row and takes in one violated row at a time; before a row comes in whole,
//! rows whose multiplier would turn negative leave. Works in `y = Lᵀx` with K = L Lᵀ, where rows are `wᵢ = L⁻¹Jᵢᵀ` and
//! Q R = W_A of the active ones is kept by modified Gram–Schmidt, twice.
//!
//! **It ends**: every row taken in whole raises the dual objective, between two of them at most |A| leave, and so no active
//! set comes back. **Dependent rows never meet**: a row with nothing outside the span of the active ones (rank decided
//! at 10⁻⁹ of its length) replaces one of them, or, when none can leave, is a combination of them with the wrong sign, and
//! those are rows that contradict each other: r gives the proof.

use crate::kkt::Kkt;
use crate::problem::{Problem, QpError, Regularisation, Report, Settings, Status};
use crate::reduced::Dense;
use crate::reduced::LANES;
use crate::reduced::{flat, unflat};
use crate::rows::RowKind;
use impinge_geometry::{DVec3, halt};
use impinge_solvers::dense::dot;

/// Most unknowns.
pub(crate) const UNKNOWNS: usize = 600;
/// Part of a row outside the span of the active ones below which it depends on them.
const RANK: f64 = 1e-9;
/// Rounding of a row's own terms, with room for sums of a few hundred.
const ROUNDING: f64 = 1e-14;

struct Active {
    row: usize,
    /// −1 for an equality held from below.
    sign: f64,
    mu: f64,
    equality: bool,
}

/// Q (columns) and R (columns, upper) of the active rows.
#[derive(Default)]
struct Basis {
    q: Vec<Vec<f64>>,
    r: Vec<Vec<f64>>,
}

impl Basis {
    /// `w = Q s + z`: (s, z), orthogonalised twice.
    fn split(&self, w: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut z = w.to_vec();
        let mut s = vec![0.0; self.q.len()];
        for _ in 0..2 {
            for (q, s) in self.q.iter().zip(&mut s) {
                let c = dot::<LANES>(q, &z);
                *s += c;
                z.iter_mut().zip(q).for_each(|(z, q)| *z -= c * q);
            }
        }
        (s, z)
    }

    fn push(&mut self, s: Vec<f64>, mut z: Vec<f64>, size: f64) {
        z.iter_mut().for_each(|v| *v /= size);
        let mut r = s;
        r.push(size);
        self.q.push(z);
        self.r.push(r);
    }

    /// R⁻¹ s.
    fn back(&self, s: &[f64]) -> Vec<f64> {
        let mut x = s.to_vec();
        for j in (0..x.len()).rev() {
            x[j] /= self.r[j][j];
            for i in 0..j {
                x[i] -= self.r[j][i] * x[j];
            }
        }
        x
    }
}

/// Solves by the dual method; see the head of the file.
pub(crate) fn solve(
    p: &Problem<'_>,
    s: &Settings,
    dv: &mut [DVec3],
    mu_out: &mut Vec<f64>,
) -> Result<Report, QpError> {
    p.check()?;
    if !p.rows.friction().is_empty() {
        return Err(QpError::Friction { method: "dual" });
    }
    without_friction(p, s, dv, mu_out)
}

/// As [`solve`], with friction left out: a force that rubs forbids no motion, so the rows contradict each other with it where they do
/// without.
pub(crate) fn without_friction(
    p: &Problem<'_>,
    s: &Settings,
    dv: &mut [DVec3],
    mu_out: &mut Vec<f64>,
) -> Result<Report, QpError> {
    if s.regularisation != Regularisation::Removed {
        return Err(QpError::Setting("the dual method needs no regularisation; use Regularisation::Removed"));
    }
    let n = 3 * p.b.len();
    if n > UNKNOWNS {
        return Err(QpError::TooLarge { unknowns: n, most: UNKNOWNS });
    }
    let m = p.rows.len();
    let mut dense = Dense::default();
    dense.prepare(p)?;
    let white: Vec<Vec<f64>> = (0..m).map(|i| dense.whitened(p, i).to_vec()).collect();
    let length: Vec<f64> = white.iter().map(|w| dot::<LANES>(w, w).sqrt()).collect();
    let mut y = flat(p.b);
    dense.k.forward(&mut y);
    let mut report = Report { factorisations: 1, ..Report::default() };
    let mut active: Vec<Active> = Vec::new();
    let mut basis = Basis::default();
    let mut redundant = vec![false; m];
    let bounds = p.rows.bounds();
    let budget = if s.max_iterations == 0 { 20 * (n + m) as u32 + 200 } else { s.max_iterations };
    let status = 'outer: loop {
        // The most violated row, equalities first; ties to the lowest index.
        let y_size = dot::<LANES>(&y, &y).sqrt();
        let mut worst: Option<(bool, f64, usize, f64)> = None;
        for i in 0..m {
            if redundant[i] || p.rows.kinds()[i] == RowKind::Tangent || active.iter().any(|a| a.row == i) {
                continue;
            }
            let equality = p.rows.kinds()[i].is_equality();
            let v = dot::<LANES>(&white[i], &y) - bounds[i];
            let (v, sign) = if equality && v < 0.0 { (-v, -1.0) } else { (v, 1.0) };
            let rounding = 1e-13 * (length[i] * y_size + bounds[i].abs());
            let rounding = rounding.max(p.rows.rounding()[i]);
            let allowed = if length[i] > 0.0 { rounding } else { rounding.max(s.velocity_tolerance) };
            // Equalities come in whether violated or not, so that they cannot be left later.
            if !equality && v <= allowed {
                continue;
            }
            let score = if length[i] > 0.0 { v / length[i] } else { f64::INFINITY };
            if length[i] <= 0.0 && v <= allowed {
                continue;
            }
            if worst.is_none_or(|w| (equality, score) > (w.0, w.1)) {
                worst = Some((equality, score, i, sign));
            }
        }
        let Some((equality, _, row, sign)) = worst else { break Status::Solved };
        let w: Vec<f64> = white[row].iter().map(|v| sign * v).collect();
        let mut mu = 0.0;
        loop {
            report.iterations += 1;
            if report.iterations > budget || halt::asked() {
                break 'outer Status::Unfinished;
            }
            let violation = dot::<LANES>(&w, &y) - sign * bounds[row];
            let (coefficients, z) = basis.split(&w);
            let r = basis.back(&coefficients);
            let size = dot::<LANES>(&z, &z).sqrt();
            let independent = size > RANK * length[row];
            // The first active row whose multiplier would pass zero.
            let mut leave: Option<(f64, usize)> = None;
            // What each active row has of the combination, whatever its units: r alone is small for a long one.
            let share = |(a, r): (&Active, &f64)| length[a.row] * r.abs();
            let largest = active.iter().zip(&r).map(share).fold(0.0, f64::max);
            for (k, a) in active.iter().enumerate() {
                if !a.equality && r[k] > 0.0 && share((a, &r[k])) > 1e-12 * largest {
                    let t = a.mu / r[k];
                    if leave.is_none_or(|l| t < l.0) {
                        leave = Some((t, k));
                    }
                }
            }
            let whole = if independent { violation / (size * size) } else { f64::INFINITY };
            if !independent
                && equality
                && violation.abs() <= 1e-10 * (length[row] * y_size + bounds[row].abs())
            {
                // Held already by the others.
                redundant[row] = true;
                break;
            }
            let t = leave.map_or(whole, |l| l.0.min(whole)).max(0.0);
            if t == f64::INFINITY {
                let terms = |i: usize| length[i] * y_size + bounds[i].abs();
                // A combination of active rows, off by their rounding: that of each as often as the combination takes it, which is far more than
                // the row's own where the active ones are nearly dependent.
                let of_active: f64 = active.iter().zip(&r).map(|(a, r)| r.abs() * terms(a.row)).sum();
                if violation <= f64::max(1e-11 * terms(row), ROUNDING * of_active) {
                    redundant[row] = true;
                    break;
                }
                report.conflict = active
                    .iter()
                    .zip(&r)
                    .filter(|&part| share(part) > 1e-9 * largest)
                    .map(|(a, _)| a.row as u32)
                    .chain([row as u32])
                    .collect();
                report.conflict.sort_unstable();
                break 'outer Status::Infeasible;
            }
            for (a, r) in active.iter_mut().zip(&r) {
                a.mu -= t * r;
            }
            mu += t;
            if independent {
                y.iter_mut().zip(&z).for_each(|(y, z)| *y -= t * z);
            }
            if whole <= leave.map_or(f64::INFINITY, |l| l.0) {
                basis.push(coefficients, z, size);
                active.push(Active { row, sign, mu, equality });
                report.toggles += 1;
                break;
            }
            if let Some((_, k)) = leave {
                active.remove(k);
                report.toggles += 1;
                // From column k on the basis is made anew.
                basis.q.truncate(k);
                basis.r.truncate(k);
                for a in &active[k..] {
                    let w: Vec<f64> = white[a.row].iter().map(|v| a.sign * v).collect();
                    let (c, z) = basis.split(&w);
                    let size = dot::<LANES>(&z, &z).sqrt();
                    basis.push(c, z, size);
                }
                // What was redundant beside the row that left may not be now.
                redundant.fill(false);
            }
        }
    };
    report.status = Some(status);
    if status == Status::Infeasible {
        return Ok(report);
    }
    let mut mu = vec![0.0; m];
    polish(&basis, &mut active, &white, bounds, &mut y, p, &dense);
    for a in &active {
        mu[a.row] = if a.equality { a.sign * a.mu } else { a.mu.max(0.0) };
    }
    dense.k.backward(&mut y);
    unflat(&y, dv);
    report.active = active.len() as u32;
    report.kkt = Kkt::measure(p, dv, &mu, 0.0);
    // A K near singular leaves more in the balance of forces than the tolerance, whatever the rows say.
    if report.kkt.left_beyond(s.velocity_tolerance) > s.tolerance {
        report.status = Some(Status::Unfinished);
    }
    *mu_out = mu;
    Ok(report)
}

/// The answer of the final active set from the start, without the rounding of the way there:
/// `y = y₀ − W μ` with `Wᵀy = c`.
fn polish(
    basis: &Basis,
    active: &mut [Active],
    white: &[Vec<f64>],
    bounds: &[f64],
    y: &mut [f64],
    p: &Problem<'_>,
    dense: &Dense,
) {
    let mut free = flat(p.b);
    dense.k.forward(&mut free);
    y.copy_from_slice(&free);
    for a in active.iter_mut() {
        a.mu = 0.0;
    }
    for _ in 0..2 {
        // Rᵀ s = Wᵀy − c, R μ = s.
        let k = active.len();
        let mut s = vec![0.0; k];
        for i in 0..k {
            let a = &active[i];
            let residual = a.sign * (dot::<LANES>(&white[a.row], y) - bounds[a.row]);
            let known: f64 = (0..i).map(|j| basis.r[i][j] * s[j]).sum();
            s[i] = (residual - known) / basis.r[i][i];
        }
        let mu = basis.back(&s);
        for (a, m) in active.iter_mut().zip(&mu) {
            a.mu += m;
        }
        y.copy_from_slice(&free);
        for a in active.iter() {
            y.iter_mut().zip(&white[a.row]).for_each(|(y, w)| *y -= a.sign * a.mu * w);
        }
    }
}
