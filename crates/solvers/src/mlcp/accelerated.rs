//! Accelerated projected gradients (Nesterov 1983; for contact: Mazhar et al. 2015): the method for many contacts.
//!
//! With De Saxcé's term s = μσ held, the law is the optimum of ½ rᵀWr + (u_free + s n)ᵀr over the cones; s follows from time to
//! time. Each contact is scaled by its own compliance, which leaves its cone as it is. Steps are found by backtracking,
//! momentum restarts where it points uphill (O'Donoghue and Candès 2015).

use super::{ContactProblem, guarded};
use crate::{Outcome, Reason, Settings};
use impinge_geometry::halt;

/// Contacts from which the velocities at the extrapolated forces are combined from those at the last two, afresh at every look, instead
/// of multiplied: a product with W is all an iteration costs then. Fewer contacts are cheap, and take no rounding for it.
const COMBINED: usize = 97;
/// Iterations between two values of De Saxcé's term and two looks at the residual.
const LOOK: u32 = 10;

/// Solves from the warm start `r`. `settings.tolerance` bounds [`ContactProblem::residual`], an iteration is a gradient (and
/// now and then one more product with W, to shorten the step).
///
/// # Panics
/// When `r` has not one entry for each contact.
pub fn accelerated(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    guarded(problem, r, settings, |r| solve(problem, r, settings))
}

fn solve(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    let n = problem.len();
    let scale: Vec<f64> = (0..n).map(|i| problem.scale(i)).collect();
    let weight: Vec<f64> = scale.iter().map(|&w| if w > 0.0 { 1.0 / w } else { 0.0 }).collect();
    let velocities = |r: &[[f64; 3]], u: &mut Vec<[f64; 3]>| {
        u.clear();
        u.extend((0..n).map(|i| problem.velocity(i, r)));
    };
    let mut best = (problem.residual(r), r.to_vec());
    let (mut x, mut y, mut next) = (r.to_vec(), r.to_vec(), Vec::with_capacity(n));
    // Velocities at x, y and next; W times the way from y to next.
    let (mut at_x, mut at_y, mut at_next) = (Vec::new(), Vec::new(), Vec::new());
    velocities(&x, &mut at_x);
    at_y.clone_from(&at_x);
    let (mut way, mut moved) = (Vec::new(), Vec::new());
    let mut shift = vec![0.0; n];
    // Of the scaled W; grows by backtracking, shrinks a little so that one bad moment does not last.
    let mut lipschitz = 1.0;
    let mut theta = 1.0f64;
    for k in 0..settings.max_iterations {
        if halt::asked() {
            break;
        }
        if k % LOOK == 0 {
            let residual = problem.residual_at(&x, |i| at_x[i]);
            if !residual.is_finite() {
                r.copy_from_slice(&best.1);
                return Outcome::new(k, best.0, Reason::NonFinite);
            }
            if residual < best.0 || k == 0 {
                best.0 = residual;
                best.1.clone_from(&x);
            }
            if best.0 <= settings.tolerance {
                r.copy_from_slice(&best.1);
                return Outcome::new(k, best.0, Reason::Converged);
            }
            for (i, &u) in at_x.iter().enumerate() {
                let cone = problem.cone(i);
                shift[i] = cone.mu() * cone.slip(u);
            }
            lipschitz *= 0.9;
        }
        for _ in 0..60 {
            next.clear();
            next.extend((0..n).map(|i| {
                let (t, g) = (weight[i] / lipschitz, [at_y[i][0] + shift[i], at_y[i][1], at_y[i][2]]);
                problem.cone(i).project([0, 1, 2].map(|c| y[i][c] - t * g[c]))
            }));
            // The quadratic must not exceed its bound: dᵀWd ≤ L Σ w d².
            way.clear();
            way.extend(
                next.iter().zip(&y).map(|(a, b): (&[f64; 3], _)| [a[0] - b[0], a[1] - b[1], a[2] - b[2]]),
            );
            moved.clear();
            moved.extend((0..n).map(|i| problem.product(i, &way)));
            let (mut curvature, mut bound) = (0.0, 0.0);
            for (i, (d, u)) in way.iter().zip(&moved).enumerate() {
                for c in 0..3 {
                    curvature += d[c] * u[c];
                    bound += if scale[i] > 0.0 { d[c] * d[c] * scale[i] } else { 0.0 };
                }
            }
            if curvature <= lipschitz * bound * (1.0 + 1e-12) || bound == 0.0 {
                break;
            }
            lipschitz *= 2.0;
        }
        let uphill: f64 = (0..n)
            .flat_map(|i| (0..3).map(move |c| (i, c)))
            .map(|(i, c)| {
                let g = if c == 0 { at_y[i][0] + shift[i] } else { at_y[i][c] };
                g * (next[i][c] - x[i][c])
            })
            .sum();
        let following = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
        let momentum = if uphill > 0.0 { 0.0 } else { (theta - 1.0) / following };
        theta = if uphill > 0.0 { 1.0 } else { following };
        let look = (k + 1) % LOOK == 0;
        if look {
            velocities(&next, &mut at_next);
        } else if n >= COMBINED {
            at_next.clear();
            at_next.extend(
                at_y.iter().zip(&moved).map(|(u, w): (&[f64; 3], _)| [u[0] + w[0], u[1] + w[1], u[2] + w[2]]),
            );
        }
        for i in 0..n {
            for c in 0..3 {
                y[i][c] = next[i][c] + momentum * (next[i][c] - x[i][c]);
            }
        }
        // Both afresh: combining from one that is and one that is not would make the rounding of the other ten times as large.
        if look || n < COMBINED {
            velocities(&y, &mut at_y);
        } else {
            for i in 0..n {
                for c in 0..3 {
                    at_y[i][c] = at_next[i][c] + momentum * (at_next[i][c] - at_x[i][c]);
                }
            }
        }
        std::mem::swap(&mut x, &mut next);
        std::mem::swap(&mut at_x, &mut at_next);
    }
    let residual = problem.residual(&x);
    if residual < best.0 {
        best = (residual, x);
    }
    r.copy_from_slice(&best.1);
    let reason = if best.0 <= settings.tolerance { Reason::Converged } else { Reason::MaxIterations };
    Outcome::new(settings.max_iterations, best.0, reason)
}
