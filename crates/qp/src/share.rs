//! Which of many equal splits: rigid bodies on more rows than their resultant has numbers get the forces that stiff equal springs have.
//!
//! Rows that push the same rigid bodies and touch share their resultant by least norm. Δv stays what it was, but discs of friction follow the
//! normal forces: where contacts slip they take turns with the split (`newton/evened.rs`). A pair's resultant is kept; how much of it each of several
//! pairs bears is left as the rounds found it. What does not move forms one pair with a body, however many bodies it is made of. Nodes have forces of
//! their own, and rows on them are left alone.

use crate::problem::Problem;
use crate::rows::RowKind;
use impinge_geometry::DVec3;
use impinge_solvers::LeastNorm;
use std::collections::BTreeMap;

/// Part of the largest force up to which splits are the same: what rests keeps its forces to the bit.
const SAME: f64 = 1e-6;
/// Part of the bound of friction from which on a contact slips.
const SLIPS: f64 = 1.0 - 1e-9;

/// Rows that push the same rigid bodies.
#[derive(Debug, Default)]
pub(crate) struct Share {
    kernel: LeastNorm,
    sets: Vec<Set>,
}

#[derive(Debug)]
struct Set {
    rows: Vec<usize>,
    gradients: Vec<[f64; 3]>,
}

impl Share {
    /// Finds the rows; whether there are any.
    pub(crate) fn find(&mut self, p: &Problem<'_>) -> bool {
        let mut sets: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (i, (kind, (blocks, _))) in p.rows.kinds().iter().zip(p.rows.entries()).enumerate() {
            let rigid = !blocks.is_empty() && blocks.iter().all(|&b| b as usize >= p.layout.nodes);
            if *kind == RowKind::Contact && rigid {
                let mut key = blocks.to_vec();
                key.sort_unstable();
                sets.entry(key).or_default().push(i);
            }
        }
        let set = |(blocks, rows): (Vec<u32>, Vec<usize>)| {
            let mut gradients = Vec::with_capacity(rows.len() * blocks.len());
            for &i in &rows {
                let row = p.rows.row(i);
                let of = |b: &u32| {
                    row.blocks.iter().position(|x| x == b).map(|k| <[f64; 3]>::from(row.gradients[k]))
                };
                gradients.extend(blocks.iter().filter_map(of));
            }
            Set { rows, gradients }
        };
        self.sets = sets.into_iter().filter(|s| s.1.len() > 1).map(set).collect();
        !self.sets.is_empty()
    }

    /// Splits the λ of rows that lack less than `touch` (m/s) of their bound at Δv; the largest change over the largest of them, 0 where nothing
    /// is worth a change. Friction of what slips goes with its normal force.
    pub(crate) fn split(&mut self, p: &Problem<'_>, x: &[DVec3], touch: f64, lambda: &mut [f64]) -> f64 {
        let Self { kernel, sets } = self;
        let (bounds, mut changed) = (p.rows.bounds(), 0.0f64);
        let before = lambda.to_vec();
        for set in sets {
            // Less and less of what parts, beyond rounding: a split must not jump.
            let weight = |&i: &usize| match lambda[i] > 0.0 {
                true => 1.0,
                false => (2.0 - 2.0 * (p.rows.dot(i, x) - bounds[i]).abs() / touch).clamp(0.0, 1.0),
            };
            let weights: Vec<f64> = set.rows.iter().map(weight).collect();
            let mut forces: Vec<f64> = set.rows.iter().map(|&i| lambda[i]).collect();
            let by = kernel.split(&set.gradients, &weights, &mut forces);
            if by > SAME {
                changed = changed.max(by);
                set.rows.iter().zip(forces).for_each(|(&i, f)| lambda[i] = f);
            }
        }
        for f in p.rows.friction().iter().filter(|_| changed > 0.0) {
            let n = f.normal as usize;
            if lambda[n] == before[n] {
                continue;
            }
            let [a, b] = f.tangent.map(|t| t as usize);
            let size = (lambda[a] * lambda[a] + lambda[b] * lambda[b]).sqrt();
            let (was, most) = (f.mu * before[n], f.mu * lambda[n]);
            if size > most || size > SLIPS * was {
                let keep = if size > 0.0 { most / size } else { 0.0 };
                (lambda[a], lambda[b]) = (lambda[a] * keep, lambda[b] * keep);
            }
        }
        changed
    }
}
