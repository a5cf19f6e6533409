//! MINRES: symmetric systems that need not be definite, as saddle points of constraints are.
//!
//! Paige and Saunders, Solution of sparse indefinite systems of linear equations, SIAM J. Numer. Anal. 12, 1975; with a
//! positive definite preconditioner as in Elman, Silvester and Wathen, Finite Elements and Fast Iterative Solvers,
//! algorithm 4.1. The residual falls steadily in the norm of M⁻¹, which is what the recursion watches; every time it says
//! "converged" the Euclidean residual is measured, and that decides.

use crate::filter::Filter;
use crate::operator::Operator;
use crate::outcome::{Outcome, Reason, Settings};
use crate::pcg::{CgWorkspace, finish, first_residual};
use crate::precondition::Preconditioner;
use crate::vector::{add_scaled, dot, reset};
use impinge_geometry::{DVec3, halt};

/// Scratch of [`minres`].
#[derive(Clone, Debug, Default)]
pub struct MinresWorkspace {
    cg: CgWorkspace,
    v: [Vec<DVec3>; 2],
    w: [Vec<DVec3>; 2],
}

/// Solves `P A P dx = P (b − A x)` for a symmetric A, definite or not; otherwise as [`crate::pcg`].
///
/// # Panics
/// When `b` or `x` has another length than the operator.
pub fn minres<A: Operator + ?Sized, M: Preconditioner + ?Sized>(
    a: &A,
    m: &mut M,
    filter: &Filter,
    b: &[DVec3],
    x: &mut [DVec3],
    settings: &Settings,
    ws: &mut MinresWorkspace,
) -> Outcome {
    let MinresWorkspace { cg, v: [v_old, v], w: [w_old, w] } = ws;
    let CgWorkspace { r, z, q, start, apply, .. } = cg;
    let Some((r0, reference)) = first_residual(a, filter, b, x, r, apply) else {
        return Outcome::new(0, f64::NAN, Reason::NonFinite);
    };
    let target = settings.tolerance * reference;
    if r0 <= target {
        return Outcome::new(0, if reference > 0.0 { r0 / reference } else { 0.0 }, Reason::Converged);
    }
    let n = x.len();
    for vector in [&mut *v_old, w_old, w, z, q, start] {
        reset(vector, n);
    }
    reset(v, n);
    start.copy_from_slice(x);
    v.copy_from_slice(r);
    m.apply(v, z);
    filter.project(z);
    let mut gamma = dot(z, v);
    if !(gamma > 0.0 && gamma.is_finite()) {
        let reason = if gamma.is_finite() { Reason::Indefinite } else { Reason::NonFinite };
        return Outcome::new(0, r0 / reference, reason);
    }
    gamma = gamma.sqrt();
    let mut eta = gamma;
    let mut wanted = gamma * target / r0;
    let (mut gamma_old, mut s_old, mut s, mut c_old, mut c) = (1.0, 0.0, 0.0, 1.0, 1.0);
    let mut iterations = 0;
    let reason = loop {
        for z in z.iter_mut() {
            *z /= gamma;
        }
        a.apply(z, q, apply);
        filter.project(q);
        iterations += 1;
        let delta = dot(q, z);
        add_scaled(q, -delta / gamma, v);
        add_scaled(q, -gamma / gamma_old, v_old);
        std::mem::swap(v_old, v);
        std::mem::swap(v, q);
        // z_j is still needed for w; the next one goes to q, whose content has moved on.
        m.apply(v, q);
        filter.project(q);
        let next_sq = dot(q, v);
        if !next_sq.is_finite() {
            break Reason::NonFinite;
        }
        if next_sq < 0.0 {
            break Reason::Indefinite;
        }
        let next = next_sq.sqrt();
        let a0 = c * delta - c_old * s * gamma;
        let a1 = (a0 * a0 + next * next).sqrt();
        let a2 = s * delta + c_old * c * gamma;
        let a3 = s_old * gamma;
        if a1 <= f64::MIN_POSITIVE {
            // Singular, and the rest of b lies in the null space.
            break Reason::Stagnated;
        }
        (c_old, c) = (c, a0 / a1);
        (s_old, s) = (s, next / a1);
        for i in 0..n {
            let new = (z[i] - w_old[i] * a3 - w[i] * a2) / a1;
            w_old[i] = w[i];
            w[i] = new;
            x[i] += new * (c * eta);
        }
        eta *= -s;
        (gamma_old, gamma) = (gamma, next);
        std::mem::swap(z, q);
        let exhausted = next <= 1e-15 * gamma_old;
        if eta.abs() <= wanted || exhausted || iterations >= settings.max_iterations || halt::asked() {
            let Some((nr, _)) = first_residual(a, filter, b, x, r, apply) else { break Reason::NonFinite };
            if nr <= target {
                break Reason::Converged;
            }
            if exhausted || eta == 0.0 {
                break Reason::Stagnated;
            }
            if iterations >= settings.max_iterations || halt::asked() {
                break Reason::MaxIterations;
            }
            let further = eta.abs() * (0.7 * target / nr).min(0.5);
            // The recursive norm has fallen far below what rounding lets the true one follow.
            if further < 1e-6 * wanted.min(eta.abs()) || wanted < 1e-18 {
                break Reason::Stagnated;
            }
            wanted = further;
        }
    };
    finish(a, filter, b, x, (r0, reference, settings.tolerance), (iterations, reason), (r, start), apply)
}
