//! What touches when the run begins.
//!
//! A contact opens where a vertex crosses a face from outside or an edge an edge, and what rests on something is meant to start on its
//! surface. Whether the rounded numbers are a hair above it or a hair below is chance, and many scenes are set down with a little overlap; below it, the
//! features would never cross and would fall through. So what starts inside by little, for the body it is of, counts as a contact that is open. (Two equal boxes, one set down a little
//! askew on the other, touch at two vertices and where two pairs of edges cross: without the edges they tip over that diagonal.)

use super::edges::{crossing, weights};
use super::matter::Matter;
use super::tables::{Faces, List, SweptCandidates};
use crate::tracked::TrackedRow;
use impinge_bodies::{Shape, TOUCHING, coplanar};
use impinge_ccd::{Kind, contact_normal, side_of};
use impinge_geometry::{DVec3, TriangleFeature, closest_on_triangle, triangle_area_vector, try_normalized};

/// Cosine of the angle up to which two faces are the two sides of a wall.
const FACING: f64 = 0.5;

/// Cosine of the angle between faces that count as one plane.
const IN_PLANE: f64 = 0.98;

/// Of the size of a face: what is beside it by less is on its rim.
const ON_RIM: f64 = 1e-12;

/// Part of the narrower solid's shortest side up to which features past each other are a contact of the faces they came through. Farther in it
/// may be another face that is the way out ([`crate::inside_at_start`]).
const SHALLOW: f64 = 0.01;

/// How far features of two solids may be past each other when the run begins and still be a contact (m); infinite where neither has an inside.
#[must_use]
pub fn shallow(first: &Shape, second: &Shape) -> f64 {
    SHALLOW * first.narrowest().min(second.narrowest())
}

/// The shortest side of each solid (m), by slot.
struct Widths(Vec<f64>);

impl Widths {
    fn of(matter: &Matter<'_>, features: &[(u32, u32)]) -> Self {
        let asked = if features.is_empty() { &[][..] } else { &matter.shapes.0[..] };
        Self(asked.iter().map(Shape::narrowest).collect())
    }

    /// As [`shallow`], of the bodies of these vertices; at least `touching` (m).
    fn shallow(&self, matter: &Matter<'_>, stencil: [u32; 4], touching: f64) -> f64 {
        let [a, b] = [stencil[0], stencil[3]].map(|v| self.0[matter.map.body_of(v) as usize]);
        let shallow = SHALLOW * a.min(b);
        if shallow.is_finite() { shallow.max(touching) } else { touching }
    }
}

/// The vertices that are inside a solid by little, one contact for each plane they stand on.
pub fn touching_at_start(candidates: &SweptCandidates, matter: &Matter<'_>, x: &[DVec3]) -> Vec<TrackedRow> {
    let features = &candidates.lists[List::Solid as usize].features;
    let list = List::Solid.candidates(features, matter.faces);
    let widths = Widths::of(matter, features);
    // With whether it is deeper than rounding.
    let mut rows: Vec<(TrackedRow, bool)> = Vec::new();
    // Vertices that stand before a face: what is behind another one, on the far side of it, is not in that wall.
    let mut before: Vec<Before> = Vec::new();
    for i in 0..features.len() {
        let Some(stencil) = list.stencil(i) else { continue };
        let [p, a, b, c] = stencil.map(|v| x[v as usize]);
        let area = triangle_area_vector([a, b, c]);
        let Some(n) = try_normalized(area) else { continue };
        let height = n.dot(p - a);
        // Decided as when it crosses, or who is inside by less than this height is rounded never opens.
        let inside = || side_of(Kind::VertexFace, &stencil.map(|v| x[v as usize])) == Ok(-1);
        let touching = TOUCHING * (2.0 * area.mag()).sqrt();
        if height.abs() > widths.shallow(matter, stencil, touching) {
            continue;
        }
        if !inside() {
            let of = (stencil[0], matter.map.body_of(stencil[3]));
            let over = || {
                closest_on_triangle(p, [a, b, c]).distance_squared <= height * height + touching * touching
            };
            if height > 0.0 && over() {
                before.push(Before { of, height, normal: n });
            }
            continue;
        }
        let hit = closest_on_triangle(p, [a, b, c]);
        // Beside the triangle, by more than what is rounded.
        let rounded = ON_RIM * (2.0 * area.mag()).sqrt();
        let deep = height.abs() > touching;
        let twice = (2.0 * height.abs()).max(rounded);
        let over = if deep { height * height + touching * touching } else { twice * twice };
        if hit.feature != TriangleFeature::Face && hit.distance_squared > over {
            continue;
        }
        let (key, stiffness) = matter.named(List::Solid, features[i], &list, i);
        if matter.map.body_of(stencil[0]) == matter.map.body_of(stencil[3])
            || !matter.meets_outside(List::Solid, x, key, stencil, n)
        {
            continue;
        }
        let [wa, wb, wc] = hit.weights;
        let weight = [1.0, -wa, -wb, -wc];
        rows.push((TrackedRow { height, ..TrackedRow::opened(key, stencil, 1, weight, stiffness) }, deep));
    }
    rows.sort_by_key(|r| r.0.key);
    before.sort_by_key(|b| b.of);
    let mut out: Vec<TrackedRow> = Vec::new();
    for of_vertex in rows.chunk_by(|a, b| a.0.stencil[0] == b.0.stencil[0]) {
        let from = out.len();
        for (row, deep) in of_vertex {
            let plane = Plane::of(row, x);
            // Over the side of two faces that lie in a plane a vertex stands on the first of them; in a corner it stands on all.
            let same = |r: &TrackedRow| Plane::of(r, x).normal.dot(plane.normal) > IN_PLANE;
            // From within an edge it leaves by the nearer of its faces.
            let nearer = |(r, _): &(TrackedRow, bool)| {
                let less = (-r.height, r.key) < (-row.height, row.key);
                let of = |r: &TrackedRow| matter.map.body_of(r.stencil[3]);
                less && of(r) == of(row) && *deep && Plane::of(r, x).makes_an_edge_with(&plane)
            };
            let of = (row.stencil[0], matter.map.body_of(row.stencil[3]));
            let first = before.partition_point(|b| b.of < of);
            let mut faced = before[first..].iter().take_while(|b| b.of == of);
            let beyond =
                *deep && faced.any(|b| b.height < -row.height && b.normal.dot(plane.normal) < -FACING);
            if !beyond && !out[from..].iter().any(same) && !of_vertex.iter().any(nearer) {
                out.push(*row);
            }
        }
    }
    out
}

/// A vertex over the outer side of a face of a body: it is outside of the wall that this face and one behind it make.
struct Before {
    /// Vertex and body.
    of: (u32, u32),
    height: f64,
    normal: DVec3,
}

/// Of the face of a contact.
struct Plane {
    normal: DVec3,
    middle: DVec3,
}

impl Plane {
    fn of(row: &TrackedRow, x: &[DVec3]) -> Self {
        let [_, a, b, c] = row.stencil.map(|v| x[v as usize]);
        let normal = try_normalized(triangle_area_vector([a, b, c])).unwrap_or_default();
        Self { normal, middle: (a + b + c) / 3.0 }
    }

    /// Each is behind the other, as at an edge of a box; in the corner of a room each is before the other.
    fn makes_an_edge_with(&self, other: &Self) -> bool {
        let way = other.middle - self.middle;
        self.normal.dot(way) < 0.0 && other.normal.dot(way) > 0.0
    }
}

/// Sine of the angle up to which two faces at an edge are one plane: well above the rounding of meshes of single precision, well below the
/// angles of round ones (1000 facets around: 6e-3), whose edges must not sink in.
const FLAT: f64 = 1e-3;

/// The edges that cross inside by little. A crossing that is at an end of an edge by no more than rounding is a vertex, which
/// [`touching_at_start`] finds where that is not a hair beside its face; where each contact has a stiffness of its own both open, as they share it
/// out. Edges of sheets have no inside.
///
/// Two plane faces meet in an area whose corners are vertices of one of them or crossings of their outlines, and its corners hold it. So an
/// edge between two faces in one plane is left out: where it crosses is where the mesh puts it. (With such edges a box flat on a soft block began
/// with 36 pairs of edges beside 13 vertices, each with the stiffness and the dampers of a whole contact; what held it against a lean jumped
/// between 1.4 N and nothing from one step to the next for as long as it was watched. Without them it settles at 0.75 N.)
pub fn crossing_at_start(candidates: &SweptCandidates, matter: &Matter<'_>, x: &[DVec3]) -> Vec<TrackedRow> {
    let features = &candidates.lists[List::Edges as usize].features;
    let list = List::Edges.candidates(features, matter.faces);
    let widths = Widths::of(matter, features);
    let mut rows: Vec<TrackedRow> = Vec::new();
    for (i, &(first, second)) in features.iter().enumerate() {
        let Some(stencil) = list.stencil(i) else { continue };
        let p = stencil.map(|v| x[v as usize]);
        let (d, e, r) = (p[1] - p[0], p[3] - p[2], p[2] - p[0]);
        let (m, lengths) = (d.cross(e), [d.mag(), e.mag()]);
        let (mm, near) = (m.mag_sq(), TOUCHING * lengths[0].min(lengths[1]));
        // Along each other they have no normal, and their vertices are on the faces beside them.
        let across = mm > (TOUCHING * lengths[0] * lengths[1]).powi(2);
        if !across || r.dot(m).abs() > widths.shallow(matter, stencil, near) * mm.sqrt() {
            continue;
        }
        let Some(at) = crossing(&p) else { continue };
        let amid = |at: f64, length: f64| at.min(1.0 - at) * length > near;
        // At an end it meets the contact of that vertex, with which it shares out one spring where springs are counted.
        let ends = |at: f64| (-ON_RIM..=1.0 + ON_RIM).contains(&at);
        let counted = matter.counts_contacts(stencil) && ends(at[0]) && ends(at[1]);
        if !(counted || amid(at[0], lengths[0]) && amid(at[1], lengths[1])) {
            continue;
        }
        if in_a_plane(matter.faces, x, first, FLAT) || in_a_plane(matter.faces, x, second, FLAT) {
            continue;
        }
        let (key, stiffness) = matter.named(List::Edges, features[i], &list, i);
        if matter.map.body_of(stencil[0]) == matter.map.body_of(stencil[3]) {
            continue;
        }
        let weight = weights(at);
        let out_of = |side: i8| {
            let n = contact_normal(Kind::EdgeEdge, &p, &p, 0.0, side, &weight);
            matter.meets_outside(List::Edges, x, key, stencil, n).then_some(())
        };
        let side = match (out_of(1), out_of(-1)) {
            (Some(_), None) => 1,
            (None, Some(_)) => -1,
            _ => continue,
        };
        // What is on it or above crosses on its way.
        if side_of(Kind::EdgeEdge, &p) == Ok(-side) {
            rows.push(TrackedRow::opened(key, stencil, side, weight, stiffness));
        }
    }
    rows
}

/// The faces on both sides of an edge go on in one plane, to an angle of this sine.
pub fn in_a_plane(faces: &Faces, x: &[DVec3], edge: u32, sine: f64) -> bool {
    let normal = |f: u32| {
        let corners = faces.corners.get(f as usize)?.map(|v| x[v as usize]);
        try_normalized(triangle_area_vector(corners))
    };
    let Some([Some(a), Some(b)]) = faces.edge_faces.get(edge as usize).map(|f| f.map(normal)) else {
        return false;
    };
    coplanar(a, b, sine)
}
