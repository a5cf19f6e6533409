//! How near two features are where the step ends, as a half space: weights of the nearest points, normal, signed gap.
//!
//! The distance of two features is convex in their relative position, so the tangent at the end never asks for more than the
//! features do: a vertex that slides over a seam of a floor is not caught by the triangle behind it. (The tangent at the start,
//! seed 001 §4.2 as written, is.)

use super::super::edges::{inward, leaves};
use crate::swept::{Faces, List};
use impinge_geometry::{
    DVec3, TriangleFeature, closest_between_segments, closest_on_triangle, triangle_area_vector,
    try_normalized,
};

/// Two features near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Near {
    /// Signed weights of the four vertices.
    pub weight: [f64; 4],
    /// Unit, to the free side of the first.
    pub normal: DVec3,
}

/// Part of an edge at its ends that belongs to the vertices there.
const ENDS: f64 = 1e-9;
/// Sine of the angle by which a face may rise along the way out and still not be nearer.
const RISE: f64 = 1e-9;

/// A pair of features, if they are nearer than `within` (m) with vertices at `x`.
pub(super) fn near(
    list: List,
    features: (u32, u32),
    stencil: [u32; 4],
    faces: &Faces,
    x: &[DVec3],
    within: f64,
) -> Option<Near> {
    match list {
        List::Edges => edge_edge(features, stencil, faces, x, within),
        List::Solid | List::Sheet => vertex_face(list == List::Solid, features.1, stencil, faces, x, within),
    }
}

/// Nothing where a neighbour of the face is nearer: that one is the contact.
fn vertex_face(
    solid: bool,
    face: u32,
    stencil: [u32; 4],
    faces: &Faces,
    x: &[DVec3],
    within: f64,
) -> Option<Near> {
    let [p, a, b, c] = stencil.map(|v| x[v as usize]);
    let hit = closest_on_triangle(p, [a, b, c]);
    if hit.distance_squared >= within * within {
        return None;
    }
    let out = p - hit.point;
    let area = triangle_area_vector([a, b, c]);
    let mut outer = area;
    let sides = match hit.feature {
        TriangleFeature::Face => [None, None],
        TriangleFeature::Edge(i) => [Some(i as usize), None],
        TriangleFeature::Vertex(i) => [Some(i as usize), Some((i as usize + 2) % 3)],
    };
    for side in sides.into_iter().flatten() {
        let across = faces.across.get(face as usize).map_or(u32::MAX, |f| f[side]);
        let Some(other) = faces.corners.get(across as usize) else { continue };
        let edge = [stencil[1 + side], stencil[1 + (side + 1) % 3]];
        if rises(edge, *other, x, out) {
            return None;
        }
        outer += triangle_area_vector(other.map(|v| x[v as usize]));
    }
    // Whoever is inside a solid leaves through the face, not away from it.
    let inside = solid && out.dot(outer) < 0.0;
    let normal = match hit.feature {
        TriangleFeature::Face if solid => try_normalized(area),
        _ if inside => try_normalized(-out),
        _ => try_normalized(out).or_else(|| try_normalized(area)),
    }?;
    let [wa, wb, wc] = hit.weights;
    Some(Near { weight: [1.0, -wa, -wb, -wc], normal })
}

/// The face rises from the edge along `out`: a point on it is nearer to where `out` leads.
fn rises(edge: [u32; 2], face: [u32; 3], x: &[DVec3], out: DVec3) -> bool {
    inward(edge, face, x).is_some_and(|u| u.dot(out) > RISE * out.mag())
}

/// Edges that are nearest at an end are a vertex and a face; parallel ones have their ends.
fn edge_edge(
    features: (u32, u32),
    stencil: [u32; 4],
    faces: &Faces,
    x: &[DVec3],
    within: f64,
) -> Option<Near> {
    let [a, b, c, d] = stencil.map(|v| x[v as usize]);
    let hit = closest_between_segments([a, b], [c, d]);
    let inner = |s: f64| s > ENDS && s < 1.0 - ENDS;
    let [s, t] = hit.parameters;
    if hit.distance_squared >= within * within || !(inner(s) && inner(t)) {
        return None;
    }
    let normal = try_normalized(hit.points[0] - hit.points[1])?;
    let [i, j, k, l] = stencil;
    let outside =
        leaves(faces, x, features.0, [i, j], -normal) && leaves(faces, x, features.1, [k, l], normal);
    outside.then_some(Near { weight: [1.0 - s, s, t - 1.0, -t], normal })
}
