//! Preconditioned conjugate gradients for a symmetric positive definite operator, in f64.
//!
//! Takes an [`Operator`], a [`Preconditioner`], a [`Filter`] and a starting guess; leaves the solution in `x`. Hestenes and
//! Stiefel 1952 with the projection of Baraff and Witkin 1998. The residual it stops by is the recursive one, in the
//! Euclidean norm; the one it reports is measured anew at the end.

use crate::filter::Filter;
use crate::matrix::ApplyWorkspace;
use crate::operator::Operator;
use crate::outcome::{Outcome, Reason, Settings};
use crate::precondition::Preconditioner;
use crate::vector::{add_scaled, dot, norm, reset, scale_and_add};
use impinge_geometry::{DVec3, halt};

/// Scratch of the solvers; keep it between solves and nothing is allocated.
#[derive(Clone, Debug, Default)]
pub struct CgWorkspace {
    pub(crate) r: Vec<DVec3>,
    pub(crate) z: Vec<DVec3>,
    pub(crate) p: Vec<DVec3>,
    pub(crate) q: Vec<DVec3>,
    pub(crate) start: Vec<DVec3>,
    pub(crate) apply: ApplyWorkspace,
}

impl CgWorkspace {
    /// `b − A x` on the free components as the last solve measured it at its end; of a solve that converged by [`crate::Ssor::solve`] this
    /// belongs to the `x` it left.
    #[must_use]
    pub fn residual(&self) -> &[DVec3] {
        &self.r
    }
}

/// `r = P (b − A x)` and the norm a residual is compared with: ‖P b‖, or ‖r‖ where that is zero.
/// `None` when something is not finite.
pub(crate) fn first_residual<A: Operator + ?Sized>(
    a: &A,
    filter: &Filter,
    b: &[DVec3],
    x: &[DVec3],
    r: &mut Vec<DVec3>,
    apply: &mut ApplyWorkspace,
) -> Option<(f64, f64)> {
    let n = a.nodes();
    assert!(b.len() == n && x.len() == n, "vectors of {} and {} blocks for {n} rows", b.len(), x.len());
    reset(r, n);
    r.copy_from_slice(b);
    filter.project(r);
    let nb = norm(r);
    // Starting from nothing is common, and a product is as dear as half an iteration.
    if x.iter().all(|v| v.x == 0.0 && v.y == 0.0 && v.z == 0.0) {
        return nb.is_finite().then_some((nb, nb));
    }
    a.apply(x, r, apply);
    for (r, b) in r.iter_mut().zip(b) {
        *r = *b - *r;
    }
    filter.project(r);
    let nr = norm(r);
    (nb.is_finite() && nr.is_finite()).then_some((nr, if nb > 0.0 { nb } else { nr }))
}

/// Solves `P A P dx = P (b − A x)` and adds dx to `x`, until ‖b − A x‖ ≤ tolerance ‖b‖ on the free components.
///
/// Constrained components of `x` are prescribed values and stay as they are. On failure `x` is the last good state
/// (see [`Outcome`]).
///
/// # Panics
/// When `b` or `x` has another length than the operator.
pub fn pcg<A: Operator + ?Sized, M: Preconditioner + ?Sized>(
    a: &A,
    m: &mut M,
    filter: &Filter,
    b: &[DVec3],
    x: &mut [DVec3],
    settings: &Settings,
    ws: &mut CgWorkspace,
) -> Outcome {
    let CgWorkspace { r, z, p, q, start, apply } = ws;
    let Some((r0, reference)) = first_residual(a, filter, b, x, r, apply) else {
        return Outcome::new(0, f64::NAN, Reason::NonFinite);
    };
    let target = settings.tolerance * reference;
    if r0 <= target {
        return Outcome::new(0, if reference > 0.0 { r0 / reference } else { 0.0 }, Reason::Converged);
    }
    let n = x.len();
    reset(start, n);
    start.copy_from_slice(x);
    reset(z, n);
    reset(p, n);
    reset(q, n);
    let mut rz = 0.0;
    let mut iterations = 0;
    let mut best = r0;
    let mut since_best = 0u32;
    // Without a curvature to divide by, the first direction is the preconditioned residual itself.
    let mut beta = 0.0;
    let reason = loop {
        m.apply(r, z);
        filter.project(z);
        let next = dot(r, z);
        if iterations > 0 {
            // Polak and Ribière's form forgives a preconditioner that is only nearly the same from call to call;
            // r_new · z − r_old · z = −alpha q · z.
            beta = if m.varies() { -beta * dot(q, z) / rz } else { next / rz };
        }
        rz = next;
        if !rz.is_finite() {
            break Reason::NonFinite;
        }
        if rz <= 0.0 {
            break Reason::Indefinite;
        }
        scale_and_add(p, beta, z);
        a.apply(p, q, apply);
        filter.project(q);
        iterations += 1;
        let pq = dot(p, q);
        if !pq.is_finite() {
            break Reason::NonFinite;
        }
        if pq <= 0.0 {
            break Reason::Indefinite;
        }
        let alpha = rz / pq;
        beta = alpha;
        add_scaled(x, alpha, p);
        add_scaled(r, -alpha, q);
        let nr = norm(r);
        if nr <= target {
            break Reason::Converged;
        }
        if !nr.is_finite() {
            break Reason::NonFinite;
        }
        if nr < 0.999 * best {
            best = nr;
            since_best = 0;
        } else {
            since_best += 1;
        }
        // Conjugate gradients may rise for long, but n steps without a new low is rounding.
        if since_best as usize > 3 * n + 100 {
            break Reason::Stagnated;
        }
        if iterations >= settings.max_iterations || halt::asked() {
            break Reason::MaxIterations;
        }
    };
    finish(a, filter, b, x, (r0, reference, settings.tolerance), (iterations, reason), (r, start), apply)
}

/// Measures the residual of what is left in `x`; a result that is worse than the start, or not finite, is undone.
pub(crate) fn finish<A: Operator + ?Sized>(
    a: &A,
    filter: &Filter,
    b: &[DVec3],
    x: &mut [DVec3],
    (r0, reference, tolerance): (f64, f64, f64),
    (iterations, reason): (u32, Reason),
    (r, start): (&mut Vec<DVec3>, &[DVec3]),
    apply: &mut ApplyWorkspace,
) -> Outcome {
    let measured = first_residual(a, filter, b, x, r, apply).map(|m| m.0);
    match measured {
        Some(nr) if nr <= r0 => {
            // The recursion can promise more than rounding keeps. A factor of ten is let pass, and the number said.
            let reason = match reason {
                Reason::Converged if nr > 10.0 * tolerance * reference => Reason::Stagnated,
                other => other,
            };
            Outcome::new(iterations, nr / reference, reason)
        }
        _ => {
            x.copy_from_slice(start);
            let reason = match (reason, measured) {
                (Reason::Converged | Reason::MaxIterations, None) => Reason::NonFinite,
                (Reason::Converged, Some(_)) => Reason::Stagnated,
                (other, _) => other,
            };
            Outcome::new(iterations, r0 / reference, reason)
        }
    }
}
