//! surface: places every vertex at both ends of the step, and the box of each body around both.

use crate::components::{Bounds, Dofs};
use crate::shapes::{Shape, Shapes};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_broadphase::Aabb;
use impinge_contact::{Prediction, Surface, SurfaceMap};

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

/// The box of each body around both ends of its way; empty for planes and bodies without vertices.
pub(crate) fn bounds_of(map: &SurfaceMap, shapes: &Shapes, surface: &Surface, out: &mut Vec<Aabb>) {
    out.clear();
    for (b, shape) in shapes.0.iter().enumerate() {
        let range = map.range(b);
        out.push(match shape {
            Shape::Plane { .. } => Aabb::empty(),
            _ if range.is_empty() => Aabb::empty(),
            _ => {
                let (start, end) = (&surface.x0[range.clone()], &surface.x1[range]);
                Aabb::from_points(start).union(&Aabb::from_points(end))
            }
        });
    }
}
