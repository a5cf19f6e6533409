//! Vertices that are deep inside another body when the run begins.
//!
//! A contact opens where features cross, and what is inside from the start crosses nothing on its way further in: the body would fall through
//! without a force and without a word. So its vertices begin as open contacts with the nearest face that they may be pushed to, which
//! is where the discrete force sees them ([`impinge_penalty::detect_facing`]); from there on they are followed as any. Edges that cross with no vertex inside
//! have no such place, and stay out.

use super::super::facing::opposes;
use super::Matter;
use super::start::opened;
use crate::components::Dofs;
use crate::shapes::Shape;
use crate::swept::List;
use impinge_broadphase::Aabb;
use impinge_contact::{Pairs, Sides};
use impinge_cpf::{TrackedRow, vertex_face_key};
use impinge_geometry::{DVec3, Pose, triangle_area_vector, try_normalized};
use impinge_penalty::{Facing, detect_facing};
use impinge_query::MeshIndex;

/// Adds a contact for each vertex of a listed pair that is inside the other body and has none with it in `rows` (ascending by key); `x` are the surface
/// vertices (m).
pub(super) fn inside_at_start(
    pairs: &Pairs,
    matter: &Matter<'_>,
    dofs: &Dofs,
    x: &[DVec3],
    rows: &mut Vec<TrackedRow>,
) {
    // In order, as keys name the vertex first and faces are numbered body by body.
    let on_surface: Vec<(u32, u32)> =
        rows.iter().map(|r| (r.stencil[0], matter.map.body_of(r.stencil[3]))).collect();
    for pair in 0..pairs.len() {
        let (a, b, sides) = (pairs.a[pair], pairs.b[pair], pairs.sides[pair]);
        for (body, target, left_out) in [(a, b, Sides::Second), (b, a, Sides::First)] {
            if a != b && sides != left_out {
                let mut within = vertices_within(matter, body, target, x);
                within.retain(|&v| on_surface.binary_search(&(v, target)).is_err());
                one_side(matter, &within, target, dofs, x, rows);
            }
        }
    }
}

/// Vertices of the surface of `body` in the box around `target`; none unless both have a surface and the latter an inside.
fn vertices_within(matter: &Matter<'_>, body: u32, target: u32, x: &[DVec3]) -> Vec<u32> {
    let shape = |b: u32| &matter.shapes.0[b as usize];
    let Some((_, topology)) = shape(body).surface().filter(|_| shape(target).is_solid()) else {
        return Vec::new();
    };
    let around = Aabb::from_points(&x[matter.map.range(target as usize)]);
    let first = matter.map.first(body as usize);
    (matter.map.range(body as usize))
        .map(|v| v as u32)
        .filter(|&v| around.contains(x[v as usize]) && !topology.vertex_faces(v - first).is_empty())
        .collect()
}

fn one_side(
    matter: &Matter<'_>,
    vertices: &[u32],
    target: u32,
    dofs: &Dofs,
    x: &[DVec3],
    rows: &mut Vec<TrackedRow>,
) {
    let b = target as usize;
    let fitted;
    let (index, pose) = match &matter.shapes.0[b] {
        _ if vertices.is_empty() => return,
        Shape::Mesh(m) => (&m.index, dofs.bodies.pose[b]),
        Shape::Soft(s) => {
            let mut at = x[matter.map.range(b)].iter();
            let Some(mesh) = &s.mesh else { return };
            let Ok(mesh) = mesh.mapped(|p| at.next().copied().unwrap_or(p)) else { return };
            fitted = MeshIndex::new(&mesh);
            (&fitted, Pose::identity())
        }
        Shape::Plane { .. } | Shape::Points { .. } => return,
    };
    let may_push = |i: usize, n: DVec3| opposes(matter.shapes, matter.map, |v| x[v as usize], vertices[i], n);
    let reach = |i: usize| matter.shapes.vertex_area(matter.map, vertices[i]).sqrt();
    let mut hits = vec![None; vertices.len()];
    let facing = Facing { opposes: may_push, reach };
    detect_facing(|i| x[vertices[i] as usize], &facing, index, &pose, &mut hits);
    // Faces are numbered body by body, as vertices are.
    let first = matter.map.first(b);
    let first_face = matter.faces.corners.partition_point(|c| c[0] < first);
    for (i, hit) in hits.iter().enumerate() {
        let Some(hit) = hit else { continue };
        let face = first_face + hit.triangle as usize;
        let Some(corners) = matter.faces.corners.get(face) else { continue };
        let stencil = [vertices[i], corners[0], corners[1], corners[2]];
        let [p, q, r, s] = stencil.map(|v| x[v as usize]);
        let Some(n) = try_normalized(triangle_area_vector([q, r, s])) else { continue };
        let height = n.dot(p - q);
        let key = vertex_face_key(stencil[0], face as u32);
        if height < 0.0 && may_push(i, n) {
            let weight = [1.0, -hit.weights[0], -hit.weights[1], -hit.weights[2]];
            let stiffness = matter.stiffness(List::Solid, stencil, key).unwrap_or_default();
            rows.push(TrackedRow { height, ..opened(key, stencil, 1, weight, stiffness) });
        }
    }
}
