//! Block projected Gauss–Seidel: contact after contact, each in its turn brought onto its law.
//!
//! Converges linearly, from any start; a sweep costs one product with W. A contact's normal is settled first, then its tangent
//! with the bound μ r_n (the way of Jean 1999), each with its own compliance as step.

use super::law::Cone;
use super::{ContactProblem, guarded};
use crate::{Outcome, Reason, Settings};
use impinge_geometry::halt;

/// Sweeps between two looks at the residual.
const LOOK: u32 = 8;

/// Solves from the warm start `r`. `settings.tolerance` bounds [`ContactProblem::residual`], an iteration is a sweep.
///
/// # Panics
/// When `r` has not one entry for each contact.
#[doc(alias("warm start", "PGS", "projected Gauss-Seidel"))]
pub fn gauss_seidel(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    guarded(problem, r, settings, |r| solve(problem, r, settings))
}

fn solve(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    let mut sweeps = 0;
    loop {
        let residual = problem.residual(r);
        if residual <= settings.tolerance {
            return Outcome::new(sweeps, residual, Reason::Converged);
        }
        if !residual.is_finite() {
            return Outcome::new(sweeps, residual, Reason::NonFinite);
        }
        if sweeps >= settings.max_iterations || halt::asked() {
            return Outcome::new(sweeps, residual, Reason::MaxIterations);
        }
        for _ in 0..LOOK.min(settings.max_iterations - sweeps) {
            sweep(problem, r);
            sweeps += 1;
        }
    }
}

/// One sweep over all contacts, in order.
pub(super) fn sweep(problem: &ContactProblem, r: &mut [[f64; 3]]) {
    for i in 0..problem.len() {
        let b = problem.own(i);
        let mut u = problem.velocity(i, r);
        let old = r[i];
        let mut f = old;
        if b[0] > 0.0 {
            f[0] = (old[0] - u[0] / b[0]).max(0.0);
        }
        let d = f[0] - old[0];
        u[1] += b[3] * d;
        u[2] += b[6] * d;
        let cone = problem.cone(i);
        if cone == Cone::Frictionless {
            r[i] = [f[0], 0.0, 0.0];
            continue;
        }
        // Largest eigenvalue of the tangential block: the longest step that cannot overshoot.
        let (mean, half) = (0.5 * (b[4] + b[8]), 0.5 * (b[4] - b[8]));
        let w = mean + (half * half + b[5] * b[7]).max(0.0).sqrt();
        if w > 0.0 {
            let t = cone.project_tangent([old[1] - u[1] / w, old[2] - u[2] / w], cone.mu() * f[0]);
            (f[1], f[2]) = (t[0], t[1]);
        } else {
            // Nothing moves sideways: what the start brought is kept within the new bound.
            let t = cone.project_tangent([old[1], old[2]], cone.mu() * f[0]);
            (f[1], f[2]) = (t[0], t[1]);
        }
        r[i] = f;
    }
}
