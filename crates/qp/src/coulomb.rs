//! Coulomb's law head on, for few contacts: where rounds of discs go in circles.
//!
//! A disc is as large as the normal force of the round before. Where contacts are redundant (a box on four corners and the edges between)
//! normal forces are not unique, wander from round to round, and take the discs along. The same law as one set of equations has no such
//! rounds: with the motion eliminated it is `u = W μ + (c − J K⁻¹ b)`, W = J K⁻¹ Jᵀ, and a cone for each contact: the problem that
//! [`impinge_solvers::mlcp`] solves, redundant rows included.

use crate::problem::{Problem, QpError};
use crate::reduced::Dense;
use crate::rows::RowKind;
use impinge_geometry::DVec3;
use impinge_solvers::mlcp::{Cone, ContactProblem, semismooth_newton};

/// Contacts, with friction or without, up to which it is tried: its systems are dense, of three unknowns each.
pub(crate) const MOST: usize = 32;
/// Newton steps at most: what is not solved costs all of them.
const STEPS: u32 = 15;

/// What came out.
pub(crate) struct Answer {
    pub dv: Vec<DVec3>,
    pub mu: Vec<f64>,
    /// Linear systems solved.
    pub systems: u32,
    /// To the tolerance of that solver.
    pub converged: bool,
}

/// Whether the rows are few enough and none is an equality.
pub(crate) fn suits(p: &Problem<'_>) -> bool {
    let contacts = p.rows.len() - 2 * p.rows.friction().len();
    contacts <= MOST && !p.rows.kinds().contains(&RowKind::Fixed)
}

/// From the multipliers `warm`; `None` where the problem cannot be put that way. How good the
/// answer is has to be measured.
pub(crate) fn solve(
    dense: &mut Dense,
    p: &Problem<'_>,
    warm: &[f64],
    tolerance: f64,
) -> Result<Option<Answer>, QpError> {
    let n = p.rows.len();
    // Three rows for each contact: the inequality, and its tangents where it has friction.
    let mut triples: Vec<[Option<usize>; 3]> = Vec::new();
    let mut cones = Vec::new();
    let mut of_row = vec![usize::MAX; n];
    for (i, kind) in p.rows.kinds().iter().enumerate().filter(|k| *k.1 != RowKind::Tangent) {
        debug_assert!(*kind != RowKind::Fixed);
        of_row[i] = triples.len();
        triples.push([Some(i), None, None]);
        cones.push(Cone::Frictionless);
    }
    for f in p.rows.friction().iter().filter(|f| f.mu > 0.0) {
        let k = of_row[f.normal as usize];
        triples[k] = [f.normal, f.tangent[0], f.tangent[1]].map(|r| Some(r as usize));
        cones[k] = Cone::Round { mu: f.mu };
    }
    for i in 0..n {
        dense.whitened(p, i);
    }
    let free_motion = dense.motion(p.b);
    let bounds = p.rows.bounds();
    let free = triples.iter().map(|t| t.map(|r| r.map_or(0.0, |i| bounds[i] - p.rows.dot(i, &free_motion))));
    let made = ContactProblem::new(free.collect(), cones, |i| {
        let mut block = |j: usize| {
            std::array::from_fn(|e| match (triples[i][e / 3], triples[j][e % 3]) {
                (Some(a), Some(b)) => dense.gram(a, b),
                _ => 0.0,
            })
        };
        (0..triples.len()).map(|j| (j as u32, block(j))).collect()
    });
    // A friction coefficient beyond what it takes, or numbers that overflowed.
    let Ok(contacts) = made else { return Ok(None) };
    let mut r: Vec<[f64; 3]> = triples
        .iter()
        .map(|t| t.map(|row| row.map_or(0.0, |i| warm.get(i).copied().unwrap_or(0.0))))
        .collect();
    let settings = impinge_solvers::Settings { tolerance, max_iterations: STEPS };
    let outcome = semismooth_newton(&contacts, &mut r, &settings);
    let mut mu = vec![0.0; n];
    for (t, r) in triples.iter().zip(&r) {
        t.iter().zip(r).filter_map(|(row, r)| row.map(|i| (i, *r))).for_each(|(i, r)| mu[i] = r);
    }
    let mut load = vec![DVec3::zero(); p.b.len()];
    p.rows.apply_transposed(&mu, &mut load);
    load.iter_mut().zip(p.b).for_each(|(l, b)| *l = *b - *l);
    let converged = outcome.residual <= tolerance;
    Ok(Some(Answer { dv: dense.motion(&load), mu, systems: outcome.iterations, converged }))
}
