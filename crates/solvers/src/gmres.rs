//! GMRES: systems that are not symmetric, as tangents of friction and of discrete gradients are.
//!
//! Saad and Schultz, GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems, SIAM J. Sci. Stat.
//! Comput. 7, 1986; preconditioned from the right, so that the residual it watches is the true one, with modified Gram–Schmidt. In exact
//! arithmetic it ends after as many iterations as there are unknowns; a space that has grown to `restart` vectors is begun anew.

use crate::outcome::{Outcome, Reason, Settings};
use crate::vector::{add_scaled, dot, norm, reset};
use impinge_geometry::{DVec3, halt};

/// Scratch of [`gmres`]. Dropping it changes nothing.
#[derive(Clone, Debug, Default)]
pub struct GmresWorkspace {
    basis: Vec<Vec<DVec3>>,
    /// Columns of the Hessenberg matrix, rotated to triangular form.
    columns: Vec<Vec<f64>>,
    rotations: Vec<(f64, f64)>,
    /// The rotated right-hand side.
    rest: Vec<f64>,
    r: Vec<DVec3>,
    z: Vec<DVec3>,
}

/// Solves `A x = b` from the `x` at hand: `apply` gives `y = A x`, `precondition` `z = M⁻¹ r`; both must be linear, `r` and `x` of
/// constrained components zero. At most `restart` vectors (≥ 1) are kept. On failure `x` is the best state found.
///
/// # Panics
/// When `b` and `x` differ in length.
pub fn gmres(
    apply: &mut dyn FnMut(&[DVec3], &mut [DVec3]),
    precondition: &mut dyn FnMut(&[DVec3], &mut [DVec3]),
    b: &[DVec3],
    x: &mut [DVec3],
    restart: usize,
    settings: &Settings,
    ws: &mut GmresWorkspace,
) -> Outcome {
    let n = b.len();
    assert_eq!(n, x.len(), "one unknown for each entry of b");
    let size = norm(b);
    let (mut iterations, mut reference) = (0, size);
    let mut last = f64::INFINITY;
    loop {
        residual(apply, b, x, &mut ws.r);
        let now = norm(&ws.r);
        if !now.is_finite() {
            return Outcome::new(iterations, f64::NAN, Reason::NonFinite);
        }
        if reference == 0.0 {
            reference = now;
        }
        let relative = if reference > 0.0 { now / reference } else { 0.0 };
        if relative <= settings.tolerance {
            return Outcome::new(iterations, relative, Reason::Converged);
        }
        if iterations >= settings.max_iterations || halt::asked() {
            return Outcome::new(iterations, relative, Reason::MaxIterations);
        }
        // A whole round that gained next to nothing: rounding, or a singular system.
        if now > 0.999 * last {
            return Outcome::new(iterations, relative, Reason::Stagnated);
        }
        last = now;
        let left = (settings.max_iterations - iterations) as usize;
        let target = settings.tolerance * reference;
        match round(apply, precondition, x, now, target, restart.max(1).min(left), ws) {
            Some(done) => iterations += done,
            None => return Outcome::new(iterations, relative, Reason::NonFinite),
        }
    }
}

fn residual(apply: &mut dyn FnMut(&[DVec3], &mut [DVec3]), b: &[DVec3], x: &[DVec3], r: &mut Vec<DVec3>) {
    reset(r, b.len());
    apply(x, r);
    for (r, b) in r.iter_mut().zip(b) {
        *r = *b - *r;
    }
}

/// One space of at most `room` vectors from the residual in `ws.r` of size `now`; adds the correction to `x`. `None` when a number
/// stopped being finite; `x` is then as it was.
fn round(
    apply: &mut dyn FnMut(&[DVec3], &mut [DVec3]),
    precondition: &mut dyn FnMut(&[DVec3], &mut [DVec3]),
    x: &mut [DVec3],
    now: f64,
    target: f64,
    room: usize,
    ws: &mut GmresWorkspace,
) -> Option<u32> {
    let n = x.len();
    if ws.basis.is_empty() {
        ws.basis.push(Vec::new());
    }
    ws.basis[0].clear();
    ws.basis[0].extend(ws.r.iter().map(|r| *r / now));
    ws.rest.clear();
    ws.rest.push(now);
    ws.rotations.clear();
    let mut used = 0;
    while used < room {
        reset(&mut ws.z, n);
        precondition(&ws.basis[used], &mut ws.z);
        if ws.basis.len() == used + 1 {
            ws.basis.push(Vec::new());
            ws.columns.push(Vec::new());
        }
        let (known, next) = ws.basis.split_at_mut(used + 1);
        let v = &mut next[0];
        reset(v, n);
        apply(&ws.z, v);
        let before = norm(v);
        let h = &mut ws.columns[used];
        h.clear();
        for q in known.iter() {
            let along = dot(q, v);
            add_scaled(v, -along, q);
            h.push(along);
        }
        let left = norm(v);
        if !left.is_finite() {
            return None;
        }
        for (i, (c, s)) in ws.rotations.iter().enumerate() {
            let (a, b) = (h[i], h[i + 1..].first().copied().unwrap_or(0.0));
            h[i] = c * a + s * b;
            if i + 1 < h.len() {
                h[i + 1] = c * b - s * a;
            }
        }
        let diagonal = h[used];
        let root = (diagonal * diagonal + left * left).sqrt();
        if root <= f64::EPSILON * before {
            // Nothing new: the space is complete.
            break;
        }
        let (c, s) = (diagonal / root, left / root);
        h[used] = root;
        ws.rotations.push((c, s));
        let g = ws.rest[used];
        ws.rest[used] = c * g;
        ws.rest.push(-s * g);
        used += 1;
        if (s * g).abs() <= target || left <= 1e-14 * before {
            break;
        }
        for v in v.iter_mut() {
            *v /= left;
        }
    }
    // Back substitution, then x += M⁻¹ V y.
    let mut y = vec![0.0; used];
    for i in (0..used).rev() {
        let sum: f64 = (i + 1..used).map(|j| ws.columns[j][i] * y[j]).sum();
        y[i] = (ws.rest[i] - sum) / ws.columns[i][i];
    }
    reset(&mut ws.r, n);
    for (q, y) in ws.basis.iter().zip(&y) {
        add_scaled(&mut ws.r, *y, q);
    }
    reset(&mut ws.z, n);
    precondition(&ws.r, &mut ws.z);
    add_scaled(x, 1.0, &ws.z);
    Some(used.max(1) as u32)
}
