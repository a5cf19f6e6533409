//! surface: places every vertex at both ends of the step, and the box of each body around both.

use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Bounds, Dofs, Shapes};
use impinge_contact::{Prediction, Surface, SurfaceMap};
use impinge_swept::bounds_of;

/// Fills `surface` whole; the box of a body holds its vertices all the way.
#[derive(Debug, Default)]
pub struct PlaceSwept;

impl Stage for PlaceSwept {
    type Io = (
        &'static SurfaceMap,
        &'static Shapes,
        &'static Dofs,
        &'static Prediction,
        &'static mut Surface,
        &'static mut Bounds,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "surface: swept"
    }

    fn run(
        &mut self,
        (map, shapes, dofs, prediction, surface, bounds): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        map.place_all(dofs.bodies.view(), dofs.nodes.view(), prediction, surface);
        bounds_of(map, shapes, surface, &mut bounds.0);
        Ok(Outcome::items(map.vertices()))
    }
}
