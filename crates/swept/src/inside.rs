//! Vertices that are deep inside another body when the run begins.
//!
//! A contact opens where features cross, and what is inside from the start crosses nothing on its way further in: the body would fall through
//! without a force and without a word. So its vertices begin as open contacts with a face that they may be pushed to
//! ([`Standing::ways_out`]), or, of a solid that passes through an open surface, to its front ([`Standing::ways_to_front`]); from there on they are followed as any. Edges that cross with no vertex inside have no such place, and stay out.

use super::matter::Matter;
use super::tables::List;
use crate::tracked::TrackedRow;
use impinge_bodies::{Dofs, Standing, WayOut};
use impinge_contact::{Pairs, Sides, vertex_face_key};
use impinge_geometry::DVec3;

/// Adds a contact for each vertex, of a surface or of none, that is inside the other body of a listed pair. `wanted` chooses the pairs (slots, lower
/// first). A vertex that has a contact with that body in `rows` (ascending by key) gets no other. `x` are the surface vertices (m).
pub fn inside_at_start(
    pairs: &Pairs,
    wanted: impl Fn(u32, u32) -> bool,
    matter: &Matter<'_>,
    dofs: &Dofs,
    x: &[DVec3],
    rows: &mut Vec<TrackedRow>,
) {
    // In order, as keys name the vertex first and faces are numbered body by body.
    let on_surface: Vec<(u32, u32)> =
        rows.iter().map(|r| (r.stencil[0], matter.map.body_of(r.stencil[3]))).collect();
    let standing = Standing::new(matter.map, matter.shapes, x, &dofs.bodies.pose);
    let surface = |b: u32| matter.shapes.0[b as usize].surface().is_some();
    for pair in 0..pairs.len() {
        let (a, b, sides) = (pairs.a[pair], pairs.b[pair], pairs.sides[pair]);
        if a == b || !wanted(a, b) {
            continue;
        }
        for (body, target, left_out) in [(a, b, Sides::Second), (b, a, Sides::First)] {
            if sides == left_out || !surface(target) {
                continue;
            }
            let elsewhere = |v: u32| on_surface.binary_search(&(v, target)).is_err();
            let ways: Vec<(u32, WayOut)> = if matter.shapes.0[target as usize].is_solid() {
                let mut vertices = standing.vertices_in(body, standing.around(target));
                vertices.retain(|&v| elsewhere(v));
                let ways = standing.ways_out(&vertices, target);
                vertices.into_iter().zip(ways).filter_map(|(v, way)| Some((v, way?))).collect()
            } else {
                let mut ways = standing.ways_to_front(body, target);
                ways.retain(|&(v, _)| elsewhere(v));
                ways
            };
            // Faces are numbered body by body, as vertices are.
            let first = matter.map.first(target as usize);
            let first_face = matter.faces.corners.partition_point(|c| c[0] < first) as u32;
            for (vertex, way) in ways {
                let face = first_face + way.face;
                let Some(&[a, b, c]) = matter.faces.corners.get(face as usize) else { continue };
                let (key, stencil) = (vertex_face_key(vertex, face), [vertex, a, b, c]);
                let [wa, wb, wc] = way.weights;
                let stiffness = matter.stiffness(List::Solid, stencil, key).unwrap_or_default();
                let row = TrackedRow::opened(key, stencil, 1, [1.0, -wa, -wb, -wc], stiffness);
                rows.push(TrackedRow { height: way.height, ..row });
            }
        }
    }
}
