//! What every solver does before and after its own work.

use super::ContactProblem;
use crate::{Outcome, Reason, Settings};

/// Refuses what is not finite before anything is computed, puts the forces into their cones, solves, takes from a tangential
/// force what rounding left outside of its cone, and where numbers overflow on the way gives the start back: forces that came
/// finite stay finite.
pub(super) fn guarded(
    problem: &ContactProblem,
    r: &mut [[f64; 3]],
    settings: &Settings,
    solve: impl FnOnce(&mut [[f64; 3]]) -> Outcome,
) -> Outcome {
    assert_eq!(r.len(), problem.len(), "one force for each contact");
    let finite = |r: &[[f64; 3]]| r.iter().flatten().all(|x| x.is_finite());
    if !finite(r) {
        return Outcome::new(0, f64::NAN, Reason::NonFinite);
    }
    for (i, r) in r.iter_mut().enumerate() {
        *r = problem.cone(i).project(*r);
        if !r.iter().all(|x| x.is_finite()) {
            *r = [0.0; 3];
        }
    }
    let start = r.to_vec();
    let outcome = solve(r);
    if finite(r) {
        let mut inside = true;
        for (i, r) in r.iter_mut().enumerate() {
            let held = problem.cone(i).shortened(*r);
            inside &= held == *r;
            *r = held;
        }
        if inside {
            return outcome;
        }
        let residual = problem.residual(r);
        let reason = match outcome.reason {
            Reason::Converged if !(residual <= settings.tolerance) => Reason::Stagnated,
            other => other,
        };
        return Outcome::new(outcome.iterations, residual, reason);
    }
    r.copy_from_slice(&start);
    Outcome::new(outcome.iterations, problem.residual(r), Reason::NonFinite)
}
