//! Which way a vertex may be pushed: against its own surface, not along it.
//!
//! Two solids that touch at a vertex of one and a face of the other touch where every edge of the vertex leads to the outer side of
//! the face: the face's normal n, turned around, is in the vertex' normal cone. Where bodies already overlap a little that is lost, and two things go wrong without it. The vertex of a flat floor that comes
//! under the rim of a box is nearer to the box's side than to its bottom; and on its way it really does cross the side from outside.
//! Either way it would be pushed along the floor it is part of: a box without friction lost 0.25 to 0.8 of its speed in 0.3 s.

use crate::shapes::Shapes;
use impinge_contact::SurfaceMap;
use impinge_geometry::{DVec3, triangle_area_vector};

/// Sine of the angle by which the normal of two features may miss the cone of the normals of the faces around them.
pub const CONE_SLACK: f64 = 0.2;

/// Beyond the cone a push n may lean from the surface: some face around the vertex has a normal g with g · n below this, as near to along the
/// face as the normals of edges may come to theirs. A first contact of bodies that do not overlap needs no slack; those that do have
/// turned, or been bent, by something.
const OPPOSED: f64 = -CONE_SLACK;

/// Sine of the angle by which an edge at the vertex may lead against a push from within its cone.
const RISE: f64 = 1e-9;

/// Whether the surface around vertex `v` looks against `push` (unit), with surface vertices at `at` (m): a face there does, or all of the
/// surface leads away from it and no face looks along it, as with the sides of a needle at its tip. Anything
/// may push the vertices of sheets, cables and points, which have no inside, and those around which no face has an area.
#[must_use]
pub fn opposes(shapes: &Shapes, map: &SurfaceMap, at: impl Fn(u32) -> DVec3, v: u32, push: DVec3) -> bool {
    let b = map.body_of(v) as usize;
    let shape = &shapes.0[b];
    let Some((mesh, topology)) = shape.surface().filter(|_| shape.has_front()) else { return true };
    let first = map.first(b);
    let tip = at(v);
    let (mut flat, mut pointed) = (true, true);
    for &f in topology.vertex_faces(v - first) {
        let corners = mesh.triangles()[f as usize].map(|k| at(first + k));
        let g = triangle_area_vector(corners);
        pointed &= corners.iter().all(|c| push.dot(*c - tip) >= -RISE * (*c - tip).mag());
        let size = g.mag();
        // A face without area says nothing, and neither does one whose numbers have overflowed.
        if size > 0.0 && size.is_finite() {
            if g.dot(push) < OPPOSED * size {
                return true;
            }
            // In the middle of a flat side every edge leads along it.
            pointed &= g.dot(push) <= -OPPOSED * size;
            flat = false;
        }
    }
    flat || pointed
}
