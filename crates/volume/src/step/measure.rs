//! Intersection volumes and their gradients, of bodies as they are when the step begins.
//!
//! Not at the predicted end: Algorithm 1 of seed 002 takes the rows of (16) at q₀, the stabilisation leaves every resting contact with
//! some volume there, and the gradient's wrenches are exactly opposite about the points where impulses are applied: no angular
//! momentum leaks.

use super::gauge::{At, Gauge, ImageError};
use super::tables::{MeasuredPair, Measurement, Overlaps};
use impinge_bodies::{ContactError, Dofs, Names, Shapes};
use impinge_contact::{Pairs, SurfaceMap};

/// Measures every pair; kept from step to step for its memory alone.
pub struct OverlapGauge {
    gauge: Gauge,
    compare: bool,
    certified: bool,
}

impl OverlapGauge {
    /// Measures like this for `volume-penalty`: each cell by itself, with the paper's walls. Names for errors.
    pub fn new(measure: Measurement, names: Names) -> Self {
        Self::with(Gauge::new(measure, names), measure)
    }

    /// The same for `volume`: the walls that are asked for, and cells joined where those are carried. [`crate::Stabiliser`] measures so too.
    pub fn of_constraints(measure: Measurement, names: Names) -> Self {
        Self::with(Gauge::of_constraints(measure, names), measure)
    }

    fn with(gauge: Gauge, measure: Measurement) -> Self {
        Self { gauge, compare: measure.pixel.is_some(), certified: measure.error.is_some() }
    }

    /// Writes the overlaps of `pairs` with bodies where they are in `dofs`; how many cells have volume.
    ///
    /// # Errors
    /// [`ContactError::Refused`] for a surface without an inside, and for positions that are not finite.
    pub fn measure(
        &mut self,
        map: &SurfaceMap,
        shapes: &Shapes,
        dofs: &Dofs,
        pairs: &Pairs,
        overlaps: &mut Overlaps,
    ) -> Result<usize, ContactError> {
        let at = At { map, shapes, poses: &dofs.bodies.pose, nodes: &dofs.nodes.x };
        let mut used = 0;
        let (mut cells, mut error) = (0, ImageError::default());
        for i in 0..pairs.len() {
            if overlaps.pairs.len() == used {
                overlaps.pairs.push(MeasuredPair::default());
            }
            let out = &mut overlaps.pairs[used];
            let compare = self.compare.then_some(&mut error);
            if self.gauge.measure(&at, [pairs.a[i], pairs.b[i]], out, compare)? {
                out.law = pairs.law[i];
                cells += out.cells().count();
                used += 1;
            }
        }
        overlaps.pairs.truncate(used);
        overlaps.image_error = self.compare.then_some(error.found);
        overlaps.image_bound = self.certified.then_some(error.bound);
        overlaps.uncertified = error.uncertified;
        Ok(cells)
    }
}
