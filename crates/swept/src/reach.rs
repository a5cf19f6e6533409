//! How far from each body's surface its contacts under `qp` begin: what it keeps from others, and from itself.
//!
//! By body, so that a thick one widens its own search and that of its partners, and not what a fine cloth lists of itself.

use super::tables::Margin;
use impinge_bodies::Laws;

/// Distances of a step, by slot; what is there does not depend on earlier steps.
#[derive(Default)]
pub struct Reach {
    of: Vec<Margin>,
    others: Vec<f64>,
}

impl Reach {
    /// Of so many bodies, where surfaces that state none have `radius` (m).
    pub fn set(&mut self, laws: &Laws, bodies: usize, radius: f64) -> &[Margin] {
        let thickness = &laws.thickness;
        thickness.most_of_each(bodies, radius, &mut self.others);
        self.of.clear();
        let own = |b: u32| thickness.between_or(b, b, radius);
        self.of.extend((0..).zip(&self.others).map(|(b, &others)| Margin { others, own: own(b) }));
        &self.of
    }
}

/// The farthest that anything keeps from anything (m): a length of the scene that ways are measured by.
#[must_use]
pub fn widest(reach: &[Margin]) -> f64 {
    reach.iter().fold(0.0, |m, r| r.others.max(r.own).max(m))
}
