//! narrow: intersection volumes and their gradients, of bodies as they are when the step begins.
//!
//! Not at the predicted end: Algorithm 1 of seed 002 takes the rows of (16) at q₀, the stabilisation leaves every resting contact with
//! some volume there, and the gradient's wrenches are exactly opposite about the points where impulses are applied: no angular
//! momentum leaks.

use super::bodies::{At, Gauge, ImageError};
use super::settings::{MeasuredPair, Measurement, Overlaps};
use crate::adapters::names::Names;
use crate::components::Dofs;
use crate::shapes::Shapes;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::{Contacts, Pairs, PlaneContacts, SurfaceMap};

/// Measures every pair.
pub struct MeasureOverlaps {
    gauge: Gauge,
    compare: bool,
    certified: bool,
}

impl MeasureOverlaps {
    /// A stage that measures like this for `volume-penalty`: each cell by itself, with the paper's walls. Names for errors.
    pub fn new(measure: Measurement, names: Names) -> Self {
        Self::with(Gauge::new(measure, names), measure)
    }

    /// The same for `volume`: the walls that are asked for, and cells joined where those are carried. [`super::stabilise::StabiliseVolume`] measures so too.
    pub fn of_constraints(measure: Measurement, names: Names) -> Self {
        Self::with(Gauge::of_constraints(measure, names), measure)
    }

    fn with(gauge: Gauge, measure: Measurement) -> Self {
        Self { gauge, compare: measure.pixel.is_some(), certified: measure.error.is_some() }
    }
}

impl Stage for MeasureOverlaps {
    type Io = (
        &'static SurfaceMap,
        &'static Shapes,
        &'static Dofs,
        &'static Pairs,
        &'static mut Overlaps,
        &'static mut Contacts,
        &'static mut PlaneContacts,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "narrow: volumes"
    }

    fn run(
        &mut self,
        (map, shapes, dofs, pairs, overlaps, contacts, planes): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        // No feature meets another here; the tables of those that do are for the books.
        contacts.clear();
        planes.clear();
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
        Ok(Outcome::items(cells))
    }
}
