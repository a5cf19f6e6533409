//! surface: places free vertices and the world boxes of all bodies. Rigid vertices wait for a contact.

use super::evaluate::poses;
use crate::components::{Bounds, Dofs, Laws};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Shape, Shapes};
use impinge_broadphase::Aabb;
use impinge_contact::{Evaluate, Prediction, Surface, SurfaceMap};

/// Fills `surface` for nodes and `bounds` for every body that has a box.
#[derive(Debug)]
pub struct PlaceSurface {
    /// The time the boxes are for.
    pub at: Evaluate,
    /// They are grown by this (m).
    pub reach: f64,
}

impl Stage for PlaceSurface {
    type Io = (
        &'static SurfaceMap,
        &'static Shapes,
        &'static Laws,
        &'static Dofs,
        &'static Prediction,
        &'static mut Surface,
        &'static mut Bounds,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "surface"
    }

    fn run(
        &mut self,
        (map, shapes, laws, dofs, prediction, surface, bounds): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        let at = laws.evaluated(self.at);
        let poses = poses(at, dofs, prediction);
        bounds.0.clear();
        for (b, shape) in shapes.0.iter().enumerate() {
            let around = match (shape, map.attachment(b)) {
                (Shape::Plane { .. }, _) => Aabb::empty(),
                (_, a) if a.has_nodes() => {
                    map.place_body(b, dofs.bodies.view(), dofs.nodes.view(), prediction, surface);
                    let x = if at == Evaluate::Start { &surface.x0 } else { &surface.x1 };
                    Aabb::from_points(&x[map.range(b)])
                }
                (Shape::Mesh(m), _) => m.bounds.transformed(&poses[b]),
                (Shape::Points { .. } | Shape::Soft(_), _) => Aabb::empty(),
            };
            let grown = self.reach > 0.0 && !around.is_empty();
            bounds.0.push(if grown { around.inflated(self.reach) } else { around });
        }
        Ok(Outcome::items(shapes.0.len()))
    }
}
