//! Accelerated projected gradients (Nesterov 1983; for contact: Mazhar et al. 2015): the method for many contacts.
//!
//! With De Saxcé's term s = μσ held, the law is the optimum of ½ rᵀWr + (u_free + s n)ᵀr over the cones; s follows from time to
//! time. Each contact is scaled by its own compliance, which leaves its cone as it is. Steps are found by backtracking,
//! momentum restarts where it points uphill (O'Donoghue and Candès 2015).

use super::{ContactProblem, guarded};
use crate::{Outcome, Reason, Settings};

/// Iterations between two values of De Saxcé's term and two looks at the residual.
const LOOK: u32 = 10;

/// Solves from the warm start `r`. `settings.tolerance` bounds [`ContactProblem::residual`], an iteration is a gradient (and
/// now and then one more product with W, to shorten the step).
///
/// # Panics
/// When `r` has not one entry for each contact.
pub fn accelerated(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    guarded(problem, r, |r| solve(problem, r, settings))
}

fn solve(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    let n = problem.len();
    let weight: Vec<f64> = (0..n)
        .map(|i| {
            let w = problem.scale(i);
            if w > 0.0 { 1.0 / w } else { 0.0 }
        })
        .collect();
    let velocities = |r: &[[f64; 3]]| -> Vec<[f64; 3]> { (0..n).map(|i| problem.velocity(i, r)).collect() };
    let mut best = (problem.residual(r), r.to_vec());
    let (mut x, mut y) = (r.to_vec(), r.to_vec());
    let mut shift = vec![0.0; n];
    // Of the scaled W; grows by backtracking, shrinks a little so that one bad moment does not last.
    let mut lipschitz = 1.0;
    let mut theta = 1.0f64;
    for k in 0..settings.max_iterations {
        if k % LOOK == 0 {
            let residual = problem.residual(&x);
            if !residual.is_finite() {
                r.copy_from_slice(&best.1);
                return Outcome::new(k, best.0, Reason::NonFinite);
            }
            if residual < best.0 || k == 0 {
                best = (residual, x.clone());
            }
            if best.0 <= settings.tolerance {
                r.copy_from_slice(&best.1);
                return Outcome::new(k, best.0, Reason::Converged);
            }
            for (i, u) in velocities(&x).into_iter().enumerate() {
                let cone = problem.cone(i);
                shift[i] = cone.mu() * cone.slip(u);
            }
            lipschitz *= 0.9;
        }
        let mut g = velocities(&y);
        g.iter_mut().zip(&shift).for_each(|(g, s)| g[0] += s);
        let mut next = Vec::with_capacity(n);
        for _ in 0..60 {
            next.clear();
            next.extend((0..n).map(|i| {
                let t = weight[i] / lipschitz;
                problem.cone(i).project([0, 1, 2].map(|c| y[i][c] - t * g[i][c]))
            }));
            // The quadratic must not exceed its bound: dᵀWd ≤ L Σ w d².
            let d: Vec<[f64; 3]> =
                next.iter().zip(&y).map(|(a, b)| [a[0] - b[0], a[1] - b[1], a[2] - b[2]]).collect();
            let (mut curvature, mut bound) = (0.0, 0.0);
            for i in 0..n {
                let (u, f) = (problem.velocity(i, &d), problem.free(i));
                for c in 0..3 {
                    curvature += d[i][c] * (u[c] - f[c]);
                    bound += if weight[i] > 0.0 { d[i][c] * d[i][c] / weight[i] } else { 0.0 };
                }
            }
            if curvature <= lipschitz * bound * (1.0 + 1e-12) || bound == 0.0 {
                break;
            }
            lipschitz *= 2.0;
        }
        let uphill: f64 = (0..n)
            .flat_map(|i| (0..3).map(move |c| (i, c)))
            .map(|(i, c)| g[i][c] * (next[i][c] - x[i][c]))
            .sum();
        let following = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
        let momentum = if uphill > 0.0 { 0.0 } else { (theta - 1.0) / following };
        theta = if uphill > 0.0 { 1.0 } else { following };
        for i in 0..n {
            for c in 0..3 {
                y[i][c] = next[i][c] + momentum * (next[i][c] - x[i][c]);
            }
        }
        std::mem::swap(&mut x, &mut next);
    }
    let residual = problem.residual(&x);
    if residual < best.0 {
        best = (residual, x);
    }
    r.copy_from_slice(&best.1);
    let reason = if best.0 <= settings.tolerance { Reason::Converged } else { Reason::MaxIterations };
    Outcome::new(settings.max_iterations, best.0, reason)
}
