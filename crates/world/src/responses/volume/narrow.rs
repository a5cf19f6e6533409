//! narrow: intersection volumes and their gradients, of bodies as they are when the step begins.

use super::settings::{Measurement, Overlaps};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Dofs, Names, Shapes};
use impinge_contact::{Contacts, Pairs, PlaneContacts, SurfaceMap};
use impinge_volume::OverlapGauge;

/// Calls [`OverlapGauge::measure`].
pub struct MeasureOverlaps {
    pub(super) gauge: OverlapGauge,
}

impl MeasureOverlaps {
    /// See [`OverlapGauge::new`]; names for errors.
    #[must_use]
    pub fn new(measure: Measurement, names: Names) -> Self {
        Self { gauge: OverlapGauge::new(measure, names) }
    }

    /// See [`OverlapGauge::of_constraints`].
    #[must_use]
    pub fn of_constraints(measure: Measurement, names: Names) -> Self {
        Self { gauge: OverlapGauge::of_constraints(measure, names) }
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
        step: &Step,
    ) -> Result<Outcome, StageError> {
        // No feature meets another here; the tables of those that do are for the books.
        contacts.clear();
        planes.clear();
        Ok(Outcome::items(self.gauge.measure(map, shapes, dofs, pairs, step.index, overlaps)?))
    }
}
