//! What a solve asks of its rows before and after: scales, friction within its cones, and proof that nothing satisfies them.

use super::{GROWTH, Iterate, Newton};
use crate::dual;
use crate::problem::{Method, Problem, Report, Settings, Status, mul};
use crate::rows::RowKind;
use impinge_geometry::DVec3;
use impinge_solvers::Operator;

impl Newton {
    /// Does λ − μ̄ prove that no Δv of up to a thousand times the present size satisfies the rows? Fills in the rows of the proof. The Δv
    /// of a narrow wedge may be longer, or not reached by far: [`settle`] decides.
    pub(super) fn certificate(
        &self,
        p: &Problem<'_>,
        inverse: &[[f64; 9]],
        scale: &[f64],
        rows: &mut Vec<u32>,
    ) -> bool {
        let phi = &self.phi;
        let mut y: Vec<f64> = phi.lambda.iter().zip(&phi.centre).map(|(l, c)| l - c).collect();
        for (y, kind) in y.iter_mut().zip(p.rows.kinds()) {
            match kind {
                RowKind::Fixed => {}
                RowKind::Tangent => *y = 0.0,
                _ => *y = y.max(0.0),
            }
        }
        let mut jy = vec![DVec3::zero(); p.b.len()];
        p.rows.apply_transposed(&y, &mut jy);
        // In the metric of D: |Jᵀy| bounds yᵀJΔv by |Jᵀy|·|Δv|.
        let norm = jy.iter().zip(inverse).map(|(v, d)| mul(d, *v).dot(*v)).sum::<f64>().max(0.0).sqrt();
        let mut diagonal = vec![[0.0; 9]; p.b.len()];
        p.k.add_diagonal(&mut diagonal);
        let size = self.x.iter().zip(&diagonal).map(|(v, d)| mul(d, *v).dot(*v)).sum::<f64>().max(0.0).sqrt();
        let cy: f64 = p.rows.bounds().iter().zip(&y).map(|(c, y)| c * y).sum();
        let terms: f64 = p.rows.bounds().iter().zip(&y).map(|(c, y)| (c * y).abs()).sum();
        if !(-cy > 1e-8 * terms && -cy > 1e3 * norm * size) {
            return false;
        }
        let share = |i: usize| y[i].abs() * scale[i].sqrt();
        let most = (0..y.len()).fold(0.0, |m, i| f64::max(m, share(i)));
        rows.clear();
        rows.extend((0..y.len()).filter(|&i| share(i) > 1e-6 * most).map(|i| i as u32));
        true
    }
}

/// What becomes of a certificate.
pub(super) enum Ruling {
    /// Nothing satisfies the rows.
    Stands,
    /// Something does, and this is it: Δv, μ are filled in.
    Solved(Report),
    /// Something does, or it cannot be told; with an answer that misses the tolerance, where there is one.
    Falls(Option<Iterate>),
    /// To be asked again after another round.
    Adjourned,
}

/// Decides on a certificate that names `conflict`. The dual method tells for certain where its size suits, and finds a conflict
/// none of whose rows can be left out. Elsewhere the penalty is raised to its end first: Δv goes as far towards the rows as it
/// ever does.
pub(super) fn settle(
    p: &Problem<'_>,
    s: &Settings,
    growth: f64,
    conflict: &mut Vec<u32>,
    (dv, mu): (&mut [DVec3], &mut Vec<f64>),
) -> Ruling {
    if 3 * p.b.len() > dual::UNKNOWNS {
        return if growth >= GROWTH { Ruling::Stands } else { Ruling::Adjourned };
    }
    let (mut x, mut m) = (vec![DVec3::zero(); p.b.len()], Vec::new());
    let settings = Settings { method: Method::Dual, max_iterations: 0, ..*s };
    let Ok(exact) = dual::without_friction(p, &settings, &mut x, &mut m) else { return Ruling::Falls(None) };
    let rubs = !p.rows.friction().is_empty();
    match exact.status {
        Some(Status::Infeasible) => {
            if !rubs
                && conflict.len() > 2
                && !exact.conflict.is_empty()
                && exact.conflict.len() <= conflict.len()
            {
                *conflict = exact.conflict;
            }
            Ruling::Stands
        }
        Some(Status::Solved) if !rubs => {
            dv.copy_from_slice(&x);
            *mu = m;
            Ruling::Solved(exact)
        }
        Some(Status::Unfinished) if !rubs => {
            Ruling::Falls(Some((exact.kkt.worst_beyond(s.velocity_tolerance), x, m, exact.kkt)))
        }
        _ => Ruling::Falls(None),
    }
}

/// Shortens friction to what its normal row allows; whether there was more.
pub(super) fn into_cones(p: &Problem<'_>, lambda: &mut [f64]) -> bool {
    let mut cut = false;
    for f in p.rows.friction() {
        let most = f.mu * lambda[f.normal as usize].max(0.0);
        let [a, b] = f.tangent.map(|t| t as usize);
        let size = (lambda[a] * lambda[a] + lambda[b] * lambda[b]).sqrt();
        if size > most {
            let keep = most / size;
            (lambda[a], lambda[b]) = (lambda[a] * keep, lambda[b] * keep);
            cut = true;
        }
    }
    cut
}

/// A row without gradient that is violated whatever moves.
pub(crate) fn empty_conflict(p: &Problem<'_>, scale: &[f64], s: &Settings) -> Option<u32> {
    let most = p.rows.bounds().iter().fold(0.0, |m, c| f64::max(m, c.abs()));
    let allowed = s.velocity_tolerance.max(1e-12 * most);
    let bad = |i: &usize| {
        let c = p.rows.bounds()[*i];
        let allowed = allowed.max(p.rows.rounding()[*i]);
        scale[*i] <= 0.0
            && match p.rows.kinds()[*i] {
                RowKind::Fixed => c.abs() > allowed,
                RowKind::Tangent => false,
                _ => c < -allowed,
            }
    };
    (0..p.rows.len()).find(bad).map(|i| i as u32)
}
