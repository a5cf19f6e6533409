//! An interior-point method: the direct method for many contacts along chains of bodies.
//!
//! Forces and velocities walk inside their cones while r · v, the power that should vanish, falls (Mehrotra 1992, with
//! Nesterov and Todd's scaling of the round cone). Each iteration solves (W + Θ) dr = b, Θ a positive definite block for each contact:
//! rows that repeat do no harm, and within the envelope of W a factorisation costs a tower what five products with W do, heaps of
//! soft toys six to fifteen. The number of iterations hardly grows with the number of contacts, where sweeps and gradients carry news
//! from body to body only. De Saxcé's term follows from iteration to iteration. Of a warm start it makes no use; it never ends worse
//! than that.

use super::envelope::{Envelope, order};
use super::scaled::Pair;
use super::{ContactProblem, accelerated, guarded};
use crate::{Outcome, Reason, Settings};
use impinge_geometry::halt;

/// Iterations in which neither the residual nor the power reaches a new low, after which rounding has the word.
const PATIENCE: u32 = 10;
/// The least share of the present power an iteration aims at.
const LEAST: f64 = 1e-6;

/// Solves from the warm start `r`. `settings.tolerance` bounds [`ContactProblem::residual`], an iteration is a linear system;
/// where rounding ends them early, gradients go on with the iterations that are left.
///
/// # Panics
/// When `r` has not one entry for each contact.
pub fn interior_point(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    guarded(problem, r, settings, |r| {
        let outcome = solve(problem, r, settings);
        if outcome.reason != Reason::Stagnated {
            return outcome;
        }
        let left = Settings { max_iterations: settings.max_iterations - outcome.iterations, ..*settings };
        let more = accelerated(problem, r, &left);
        Outcome { iterations: outcome.iterations + more.iterations, ..more }
    })
}

/// Products with W that a factorisation within the envelope costs.
pub(super) fn products(problem: &ContactProblem) -> f64 {
    let places = Places::new(problem, &pairs(problem, &vec![[0.0; 3]; problem.len()]));
    let blocks: usize = (0..problem.len()).map(|i| problem.blocks(i).count()).sum();
    Envelope::work(&places.first) / (9 * blocks).max(1) as f64
}

fn pairs(problem: &ContactProblem, r: &[[f64; 3]]) -> Vec<Pair> {
    let speed = problem.reference();
    (0..problem.len()).map(|i| Pair::new(problem.cone(i), problem.scale(i), speed, r[i])).collect()
}

/// Where the unknowns of each contact stand in the linear system.
struct Places {
    /// The first unknown of each contact, and how many it has.
    at: Vec<usize>,
    unknowns: Vec<usize>,
    /// The first column of each row.
    first: Vec<usize>,
}

impl Places {
    fn new(problem: &ContactProblem, pairs: &[Pair]) -> Self {
        let unknowns: Vec<usize> = pairs.iter().map(Pair::unknowns).collect();
        let (mut at, mut next) = (vec![0; problem.len()], 0);
        for i in order(problem) {
            at[i] = next;
            next += unknowns[i];
        }
        let mut first = vec![0; next];
        for i in 0..problem.len() {
            let least = problem.blocks(i).map(|b| at[b.0]).min().unwrap_or(at[i]);
            first[at[i]..at[i] + unknowns[i]].fill(least);
        }
        Self { at, unknowns, first }
    }
}

fn solve(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    let n = problem.len();
    let mut best = problem.residual(r);
    if !best.is_finite() {
        return Outcome::new(0, best, Reason::NonFinite);
    }
    if best <= settings.tolerance {
        return Outcome::new(0, best, Reason::Converged);
    }
    let mut pairs = pairs(problem, r);
    let places = Places::new(problem, &pairs);
    let at = &places.at;
    let mut answer = vec![0.0; places.first.len()];
    let mut envelope = Envelope::new(&places.first);
    let count = pairs.iter().map(Pair::products).sum::<usize>().max(1) as f64;
    let mut forces: Vec<[f64; 3]> = pairs.iter().map(Pair::force).collect();
    let mut pushed = vec![[0.0; 3]; n];
    let (mut least, mut waited) = (f64::INFINITY, 0);
    for k in 0..settings.max_iterations {
        for (i, u) in pushed.iter_mut().enumerate() {
            *u = problem.velocity(i, &forces);
        }
        let residual = problem.residual_at(&forces, |i| pushed[i]);
        let gap = pairs.iter().map(|p| p.gap(0.0)).sum::<f64>() / count;
        waited = if residual < best || gap < 0.9 * least { 0 } else { waited + 1 };
        least = least.min(gap);
        if residual < best {
            best = residual;
            r.copy_from_slice(&forces);
            if best <= settings.tolerance {
                return Outcome::new(k, best, Reason::Converged);
            }
        }
        if waited > PATIENCE || !residual.is_finite() || !(gap > 0.0) || halt::asked() {
            return Outcome::new(k, best, Reason::Stagnated);
        }
        envelope.clear();
        for (i, pair) in pairs.iter_mut().enumerate() {
            add(problem, &places, &mut envelope, i);
            let own = pair.stiffness();
            for a in 0..pair.unknowns() {
                (0..=a).for_each(|b| envelope.add(at[i] + a, at[i] + b, own[3 * a + b]));
            }
            pushed[i][0] += pair.shift();
        }
        envelope.factor();
        let mut part = 0.0;
        for correct in [false, true] {
            // How far the plain direction gets says how much to aim for with the corrected one.
            let aim = if correct {
                let reached = pairs.iter().map(|p| p.gap(part)).sum::<f64>() / count;
                gap * (reached / gap).clamp(0.0, 1.0).powi(3).max(LEAST)
            } else {
                0.0
            };
            for (i, pair) in pairs.iter_mut().enumerate() {
                let (q, v) = (pair.aim(aim, correct), pair.velocity());
                for a in 0..pair.unknowns() {
                    answer[at[i] + a] = q[a] + v[a] - pushed[i][a];
                }
            }
            envelope.solve(&mut answer);
            for (i, pair) in pairs.iter_mut().enumerate() {
                let of = &answer[at[i]..at[i] + pair.unknowns()];
                pair.turn([0, 1, 2].map(|a| of.get(a).copied().unwrap_or(0.0)));
            }
            part = pairs.iter().map(Pair::reach).fold(1.0, f64::min);
        }
        for (pair, f) in pairs.iter_mut().zip(&mut forces) {
            pair.go(part);
            *f = pair.force();
        }
    }
    let residual = problem.residual(&forces);
    if residual < best {
        best = residual;
        r.copy_from_slice(&forces);
    }
    let reason = if best <= settings.tolerance { Reason::Converged } else { Reason::MaxIterations };
    Outcome::new(settings.max_iterations, best, reason)
}

/// Adds the rows of a contact: blocks of contacts that stand before it, and the lower half of its own.
fn add(problem: &ContactProblem, places: &Places, envelope: &mut Envelope, i: usize) {
    let row = places.at[i];
    for (j, b) in problem.blocks(i).filter(|b| places.at[b.0] <= row) {
        for a in 0..places.unknowns[i] {
            let counted = if i == j { a + 1 } else { places.unknowns[j] };
            (0..counted).for_each(|c| envelope.add(row + a, places.at[j] + c, b[3 * a + c]));
        }
    }
}
