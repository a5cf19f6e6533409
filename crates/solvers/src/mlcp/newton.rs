//! Semismooth Newton on the law as equations (Alart and Curnier 1991): the direct method for few contacts.
//!
//! r_n = max(0, r_n − u_n/w), r_t = projection of r_t − u_t/w to the disc or diamond of radius μ max(0, r_n − u_n/w). One linear
//! system of 3·contacts unknowns for each iteration; it knows at once which contacts stick, slide and part. Dependent rows (many
//! cells under one rigid body) leave it singular but solvable: what has no pivot stays as it is. Coulomb's law is not the
//! optimum of anything, so a step need not be downhill; then sweeps of Gauss–Seidel and accelerated gradients lead on.

use super::gauss_seidel::sweep;
use super::law::Cone;
use super::{ContactProblem, accelerated, guarded};
use crate::{Outcome, Reason, Settings};
use impinge_geometry::halt;

/// Sweeps after a step that led nowhere.
const SWEEPS: usize = 4;
/// Gradients after them, at most.
const GRADIENTS: u32 = 200;
/// Halvings of a step.
const HALVINGS: u32 = 8;

/// Solves from the warm start `r`. `settings.tolerance` bounds [`ContactProblem::residual`], an iteration is a linear system.
///
/// # Panics
/// When `r` has not one entry for each contact.
pub fn semismooth_newton(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    guarded(problem, r, settings, |r| solve(problem, r, settings))
}

fn solve(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    let m = 3 * problem.len();
    let (mut matrix, mut step) = (vec![0.0; m * m], vec![0.0; m]);
    let mut residual = problem.residual(r);
    let mut trial = r.to_vec();
    for iteration in 0..settings.max_iterations {
        if residual <= settings.tolerance {
            return Outcome::new(iteration, residual, Reason::Converged);
        }
        if !residual.is_finite() {
            return Outcome::new(iteration, residual, Reason::NonFinite);
        }
        if halt::asked() {
            return Outcome::new(iteration, residual, Reason::MaxIterations);
        }
        linearise(problem, r, &mut matrix, &mut step);
        eliminate(&mut matrix, &mut step);
        let mut length = 1.0;
        let mut best = residual;
        for _ in 0..HALVINGS {
            for (i, t) in trial.iter_mut().enumerate() {
                *t = problem.cone(i).project([0, 1, 2].map(|k| r[i][k] - length * step[3 * i + k]));
            }
            let got = problem.residual(&trial);
            if got < 0.9 * residual {
                r.copy_from_slice(&trial);
                best = got;
                break;
            }
            length *= 0.5;
        }
        if best == residual {
            // Sweeps first: where accelerated gradients find nothing better they hand back what they were given.
            (0..SWEEPS).for_each(|_| sweep(problem, r));
            let lead = Settings { tolerance: 0.1 * residual, max_iterations: GRADIENTS };
            best = accelerated(problem, r, &lead).residual;
        }
        residual = best;
    }
    let reason = if residual <= settings.tolerance { Reason::Converged } else { Reason::MaxIterations };
    Outcome::new(settings.max_iterations, residual, reason)
}

/// The equations at `r` into `f`, their derivative into `matrix`.
fn linearise(problem: &ContactProblem, r: &[[f64; 3]], matrix: &mut [f64], f: &mut [f64]) {
    let m = f.len();
    matrix.fill(0.0);
    for i in 0..problem.len() {
        let u = problem.velocity(i, r);
        let b = problem.own(i);
        let cone = problem.cone(i);
        let wn = b[0];
        let wt = b[4].max(b[8]);
        // d(r − u/w) = dr − W dr/w, times what the projection lets through.
        let pressed = if wn > 0.0 { r[i][0] - u[0] / wn } else { r[i][0] };
        let (through_n, n) = if pressed > 0.0 && wn > 0.0 { (1.0, pressed) } else { (0.0, 0.0) };
        f[3 * i] = r[i][0] - n;
        let (mut through, mut from_radius, mut t) = ([0.0; 4], [0.0; 2], [0.0; 2]);
        if wt > 0.0 && cone != Cone::Frictionless {
            let s = [r[i][1] - u[1] / wt, r[i][2] - u[2] / wt];
            t = cone.project_tangent(s, cone.mu() * n);
            (through, from_radius) = derivative(cone, s, cone.mu() * n);
        }
        f[3 * i + 1] = r[i][1] - t[0];
        f[3 * i + 2] = r[i][2] - t[1];
        for (j, w) in problem.blocks(i) {
            for c in 0..3 {
                let delta = |k: usize| if i == j && k == c { 1.0 } else { 0.0 };
                let dn = if wn > 0.0 { through_n * (delta(0) - w[c] / wn) } else { 0.0 };
                let ds = [1, 2].map(|k| if wt > 0.0 { delta(k) - w[3 * k + c] / wt } else { 0.0 });
                let at = |k: usize| (3 * i + k) * m + 3 * j + c;
                matrix[at(0)] = delta(0) - dn;
                for k in 0..2 {
                    let dt =
                        through[2 * k] * ds[0] + through[2 * k + 1] * ds[1] + from_radius[k] * cone.mu() * dn;
                    matrix[at(k + 1)] = delta(k + 1) - dt;
                }
            }
        }
    }
}

/// Derivative of the projection to a disc or diamond by the point (row-major) and by the radius.
fn derivative(cone: Cone, s: [f64; 2], radius: f64) -> ([f64; 4], [f64; 2]) {
    const INSIDE: ([f64; 4], [f64; 2]) = ([1.0, 0.0, 0.0, 1.0], [0.0; 2]);
    match cone {
        Cone::Frictionless => ([0.0; 4], [0.0; 2]),
        Cone::Round { .. } => {
            let l = (s[0] * s[0] + s[1] * s[1]).sqrt();
            if l <= radius {
                return INSIDE;
            }
            let (x, y, k) = (s[0] / l, s[1] / l, radius / l);
            ([k * (1.0 - x * x), -k * x * y, -k * x * y, k * (1.0 - y * y)], [x, y])
        }
        Cone::Pyramid { .. } => {
            let (a, b) = (s[0].abs(), s[1].abs());
            if a + b <= radius {
                return INSIDE;
            }
            let (x, y) = (s[0].signum(), s[1].signum());
            let over = 0.5 * (a + b - radius);
            if over > b {
                ([0.0; 4], [x, 0.0])
            } else if over > a {
                ([0.0; 4], [0.0, y])
            } else {
                ([0.5, -0.5 * x * y, -0.5 * x * y, 0.5], [0.5 * x, 0.5 * y])
            }
        }
    }
}

/// Gauss elimination with full pivoting; unknowns without a pivot are set to zero.
fn eliminate(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    let mut order: Vec<usize> = (0..n).collect();
    let largest = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let mut rank = n;
    for k in 0..n {
        let (mut pivot, mut at) = (0.0, (k, k));
        for i in k..n {
            for j in k..n {
                if a[i * n + j].abs() > pivot {
                    (pivot, at) = (a[i * n + j].abs(), (i, j));
                }
            }
        }
        if !(pivot > 1e-12 * largest) {
            rank = k;
            break;
        }
        if at.0 != k {
            (0..n).for_each(|j| a.swap(at.0 * n + j, k * n + j));
            b.swap(at.0, k);
        }
        if at.1 != k {
            (0..n).for_each(|i| a.swap(i * n + at.1, i * n + k));
            order.swap(at.1, k);
        }
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let row = &upper[k * n..];
        for (i, other) in lower.chunks_exact_mut(n).enumerate() {
            let factor = other[k] / row[k];
            if factor != 0.0 {
                for j in k..n {
                    other[j] -= factor * row[j];
                }
                b[k + 1 + i] -= factor * b[k];
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..rank).rev() {
        let s: f64 = (k + 1..rank).map(|j| a[k * n + j] * x[order[j]]).sum();
        x[order[k]] = (b[k] - s) / a[k * n + k];
    }
    b.copy_from_slice(&x);
}
