//! Intersection volumes and their gradients, of bodies as they are when the step begins.
//!
//! Not at the predicted end: Algorithm 1 of seed 002 takes the rows of (16) at q₀, the stabilisation leaves every resting contact with
//! some volume there, and the gradient's wrenches are exactly opposite about the points where impulses are applied: no angular
//! momentum leaks.

use super::gauge::{Gauge, ImageError};
use super::placed::At;
use super::tables::{Measurement, Overlaps};
use impinge_bodies::{ContactError, Dofs, Names, Shapes};
use impinge_contact::{Pairs, SurfaceMap};
use std::sync::{Arc, Mutex, PoisonError};

/// Measures every pair; kept from step to step for its memory alone.
pub struct OverlapGauge {
    pub(super) gauge: SharedGauge,
    compare: Option<u32>,
}

/// A gauge that a [`crate::Stabiliser`] may have in common: what it measured last, the next step begins with.
pub(super) type SharedGauge = Arc<Mutex<Gauge>>;

impl OverlapGauge {
    /// Measures like this for `volume-penalty`: each cell by itself, with the paper's walls. Names for errors.
    #[must_use]
    pub fn new(measure: Measurement, names: Names) -> Self {
        Self::with(Gauge::new(measure, names), measure)
    }

    /// The same for `volume`: the walls that are asked for, and cells joined where those are carried. [`crate::Stabiliser`] measures so too.
    #[must_use]
    pub fn of_constraints(measure: Measurement, names: Names) -> Self {
        Self::with(Gauge::of_constraints(measure, names), measure)
    }

    fn with(gauge: Gauge, measure: Measurement) -> Self {
        let gauge = Arc::new(Mutex::new(gauge));
        Self { gauge, compare: measure.compare }
    }

    /// Writes the overlaps of `pairs` (ascending) with bodies where they are in `dofs` at the start of step number `step`; how many cells have volume.
    ///
    /// # Errors
    /// [`ContactError::Refused`] for a surface without an inside, and for positions that are not finite.
    pub fn measure(
        &mut self,
        map: &SurfaceMap,
        shapes: &Shapes,
        dofs: &Dofs,
        pairs: &Pairs,
        step: u64,
        overlaps: &mut Overlaps,
    ) -> Result<usize, ContactError> {
        let at = At { map, shapes, poses: &dofs.bodies.pose, nodes: &dofs.nodes.x };
        let mut gauge = self.gauge.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = (0..pairs.len()).map(|i| ([pairs.a[i], pairs.b[i]], pairs.law[i]));
        let compare = self.compare.is_some_and(|every| step.is_multiple_of(u64::from(every)));
        gauge.begin();
        let looked = gauge.look(&at, asked, (compare, false))?;
        let (mut cells, mut error) = (0, ImageError::default());
        looked.iter().for_each(|l| error.add(&l.error));
        let found = looked.iter().filter(|l| l.overlaps).map(|l| &l.pair);
        overlaps.pairs.truncate(found.clone().count());
        for (i, pair) in found.enumerate() {
            cells += pair.cells().count();
            match overlaps.pairs.get_mut(i) {
                Some(out) => out.copy(pair),
                None => overlaps.pairs.push(pair.clone()),
            }
        }
        overlaps.image_error = compare.then_some(error.found);
        overlaps.image_bound = error.bound;
        overlaps.uncertified = error.uncertified;
        Ok(cells)
    }
}
