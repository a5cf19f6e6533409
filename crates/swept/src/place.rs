//! Boxes of bodies around their way.

use impinge_bodies::{Shape, Shapes};
use impinge_broadphase::Aabb;
use impinge_contact::{Surface, SurfaceMap, par};

/// Bodies per block of a parallel loop.
const BODIES: usize = 64;

/// The box of each body around both ends of its way; empty for planes and bodies without vertices.
pub fn bounds_of(map: &SurfaceMap, shapes: &Shapes, surface: &Surface, out: &mut Vec<Aabb>) {
    out.clear();
    out.resize(shapes.0.len(), Aabb::empty());
    par::fill(out, BODIES, |b, around| {
        let range = map.range(b);
        if !range.is_empty() && !matches!(shapes.0[b], Shape::Plane { .. }) {
            let (start, end) = (&surface.x0[range.clone()], &surface.x1[range]);
            *around = Aabb::from_points(start).union(&Aabb::from_points(end));
        }
    });
}
