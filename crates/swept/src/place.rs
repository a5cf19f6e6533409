//! Boxes of bodies around their way.

use impinge_bodies::{Shape, Shapes};
use impinge_broadphase::Aabb;
use impinge_contact::{Surface, SurfaceMap};

/// The box of each body around both ends of its way; empty for planes and bodies without vertices.
pub fn bounds_of(map: &SurfaceMap, shapes: &Shapes, surface: &Surface, out: &mut Vec<Aabb>) {
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
