//! How near two features are where the step ends, as a half space: weights of the nearest points, normal, signed gap.
//!
//! The distance of two features is convex in their relative position, so the tangent at the end never asks for more than the
//! features do: a vertex that slides over a seam of a floor is not caught by the triangle behind it. (The tangent at the start,
//! seed 001 §4.2 as written, is.)

use super::neighbours::Neighbours;
use impinge_bodies::{CONE_SLACK, Shape};
use impinge_geometry::{
    DVec3, TriangleFeature, closest_between_segments, closest_on_segment, closest_on_triangle,
    triangle_area_vector, try_normalized,
};
use impinge_swept::{Faces, List, inward, leaves};

/// Two features near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    /// Signed weights of the four vertices.
    pub weight: [f64; 4],
    /// Unit, to the free side of the first.
    pub normal: DVec3,
}

/// What is beside the features of a pair.
#[derive(Clone, Copy)]
pub(crate) struct Beside<'a> {
    pub faces: &'a Faces,
    pub neighbours: &'a Neighbours,
    /// Both are of one sheet or cable, which meets itself from either side, closed or not.
    pub thin: bool,
    /// Vertices when the step began (m): what was not past each other then meets on its way.
    pub before: &'a [DVec3],
}

impl Beside<'_> {
    /// `n`, to the free side of the first edge, leaves both bodies; see [`leaves`].
    pub fn leaves(
        &self,
        x: &impl Fn(u32) -> DVec3,
        features: (u32, u32),
        [i, j, k, l]: [u32; 4],
        n: DVec3,
        slack: f64,
    ) -> bool {
        let leaves = |edge, ends, out| leaves(self.faces, x, edge, ends, out, slack);
        self.thin || leaves(features.0, [i, j], -n) && leaves(features.1, [k, l], n)
    }

    /// Both edges are of solids.
    pub fn are_solid(&self, (first, second): (u32, u32)) -> bool {
        let solid =
            |e: u32| self.faces.edge_faces.get(e as usize).is_some_and(|f| f.iter().all(|f| *f != u32::MAX));
        solid(first) && solid(second)
    }

    /// As [`stands_on`].
    pub fn stands_on(&self, normal: DVec3, vertex: u32, x: &impl Fn(u32) -> DVec3, slack: f64) -> bool {
        self.thin || stands_on(normal, vertex, self.neighbours, x, slack)
    }
}

/// Part of an edge at its ends that belongs to the vertices there; of a triangle, at its sides.
pub(crate) const ENDS: f64 = 1e-9;
/// Sine of the angle by which a face may rise along the way out and still not be nearer.
pub(crate) const RISE: f64 = 1e-9;

/// Part of the distance that surfaces keep by which something may rise over all of its length and is level. (Boxes of one size that leaned by 1e-9 to
/// 1e-6 had some corners and edges and not others, whichever the angle was rounded to; each answer found more, and tilted them the more.)
const LEVEL: f64 = 1e-3;

/// Square of the sine up to which what is so long (m, squared) is level where surfaces keep `within` (m); of what is short, no more than a hair.
fn level_squared(size_squared: f64, within: f64) -> f64 {
    (RISE * RISE).max((LEVEL * LEVEL * within * within / size_squared).min(HAIR * HAIR))
}

/// Part of the distance that surfaces keep, and of the shorter edge, by which two edges may be past each other and still are a contact: the far edges
/// of two plates are farther apart.
const INSIDE: f64 = 0.5;
const HAIR: f64 = 0.01;

/// How far edges of two solids may be past each other and still be a contact, where surfaces keep `thickness` (m).
#[must_use]
pub fn holds_crossed(first: &Shape, second: &Shape, thickness: f64) -> f64 {
    let shortest = |shape: &Shape| {
        let Some((mesh, topology)) = shape.surface() else { return f64::INFINITY };
        let length =
            |[i, j]: &[u32; 2]| (mesh.positions()[*j as usize] - mesh.positions()[*i as usize]).mag();
        topology.edges().iter().map(length).fold(f64::INFINITY, f64::min)
    };
    (INSIDE * thickness).min(HAIR * shortest(first).min(shortest(second)))
}

/// Features nearer than this part of their coordinates touch: the direction between their nearest points is rounding.
const TOUCHING: f64 = 1e-12;

pub(crate) fn touching(distance_squared: f64, x: &[DVec3; 4]) -> bool {
    let size = x.iter().fold(0.0f64, |s, p| s.max(p.mag_sq()));
    distance_squared <= TOUCHING * TOUCHING * size
}

/// A pair of features, if they are nearer than `within` (m) with vertices at `x`, and the square of their distance (m²), on which nothing else depends;
/// what is level where surfaces keep `level` (m) is so.
pub(crate) fn near(
    list: List,
    features: (u32, u32),
    stencil: [u32; 4],
    beside: Beside<'_>,
    x: &[DVec3],
    (level, within): (f64, f64),
) -> Option<(Near, f64)> {
    match list {
        List::Edges if beside.faces.is_segment(features.0) && stencil[0] == stencil[1] => {
            node_segment(features.1, stencil, beside.faces, x, within)
        }
        List::Edges => edge_edge(features, stencil, beside, x, (level, within)),
        List::Solid | List::Sheet => {
            vertex_face(list == List::Solid, features.1, stencil, beside, x, (level, within))
        }
    }
}

/// A node of a cable and one of its segments. At an end of the segment it is the contact of the segment that begins there, unless that one
/// ends at the node itself, and nothing where the segment before is nearer.
fn node_segment(
    segment: u32,
    stencil: [u32; 4],
    faces: &Faces,
    x: &[DVec3],
    within: f64,
) -> Option<(Near, f64)> {
    let [node, _, from, to] = stencil;
    let [p, a, b] = [node, from, to].map(|v| x[v as usize]);
    let hit = closest_on_segment(p, [a, b]);
    if hit.distance_squared >= within * within || touching(hit.distance_squared, &[p, p, a, b]) {
        return None;
    }
    let t = hit.parameter;
    let out = p - hit.point;
    // Segments of a cable follow each other; the nodes of a line are numbered through, so no other edge goes on where one ends.
    let edge = |i: Option<u32>| i.and_then(|i| faces.edges.get(i as usize)).filter(|e| e[0] != e[1]);
    if t <= ENDS
        && let Some([before, _]) = edge(segment.checked_sub(1)).filter(|e| e[1] == from && e[0] != node)
    {
        // By the parameter of the nearest point on that segment, so that where one of the two gives up the other does not.
        let along = x[*before as usize] - a;
        if along.dot(out) > ENDS * along.mag_sq() {
            return None;
        }
    }
    if t >= 1.0 - ENDS && edge(segment.checked_add(1)).is_some_and(|e| e[0] == to && e[1] != node) {
        return None;
    }
    Some((Near { weight: [1.0, 0.0, t - 1.0, -t], normal: try_normalized(out)? }, hit.distance_squared))
}

/// Nothing where a neighbour of the face is nearer: that one is the contact.
fn vertex_face(
    solid: bool,
    face: u32,
    stencil: [u32; 4],
    beside: Beside<'_>,
    x: &[DVec3],
    (keeps, within): (f64, f64),
) -> Option<(Near, f64)> {
    let faces = beside.faces;
    let [p, a, b, c] = stencil.map(|v| x[v as usize]);
    let hit = closest_on_triangle(p, [a, b, c]);
    if hit.distance_squared >= within * within {
        return None;
    }
    let touches = touching(hit.distance_squared, &[p, a, b, c]);
    if solid {
        if touches {
            let normal = try_normalized(triangle_area_vector([a, b, c]))?;
            let [wa, wb, wc] = hit.weights;
            // On the rim, rounding calls it what it likes. (Boxes stacked in line had rows across both of their sides, one way and the other.)
            let inside = hit.weights.iter().all(|w| *w > ENDS);
            let slack = level_squared(size_squared([a, b, c]), keeps).sqrt();
            let stands = inside || beside.stands_on(normal, stencil[0], &|v| x[v as usize], slack);
            return stands.then_some((Near { weight: [1.0, -wa, -wb, -wc], normal }, hit.distance_squared));
        }
        if leaves_elsewhere(face, stencil, beside, x) {
            return None;
        }
    }
    let out = p - hit.point;
    let area = triangle_area_vector([a, b, c]);
    // Behind the face on which its solid stands, it leaves by no other, however near: not by the side that is flush with its own.
    let stays = |n: DVec3| solid && !beside.stands_on(n, stencil[0], &|v| x[v as usize], RISE);
    let was_behind = || {
        let [p, a, b, c] = stencil.map(|v| beside.before[v as usize]);
        (p - a).dot(triangle_area_vector([a, b, c])) < 0.0
    };
    // Past the rim it is beside the solid and not in it, and the face that rises there is nearer. (Pushed out along the line to the rim, corners of boxes
    // in line went up and in as well.)
    let over = || over(hit.distance_squared, out, area, [a, b, c], keeps);
    let behind = solid && out.dot(area) < 0.0 && over() && was_behind();
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
        let theirs = triangle_area_vector(other.map(|v| x[v as usize]));
        if rises(edge, *other, x, out) && !(behind && try_normalized(theirs).is_some_and(stays)) {
            return None;
        }
        outer += theirs;
    }
    // Whoever is inside a solid leaves through the face, not away from it.
    let inside = solid && out.dot(outer) < 0.0;
    let normal = match hit.feature {
        TriangleFeature::Face if solid => try_normalized(area),
        // Over the rim by rounding alone: the direction across it is rounding.
        _ if behind => try_normalized(area),
        _ if inside => try_normalized(-out),
        _ => try_normalized(out).or_else(|| try_normalized(area)),
    }?;
    // A vertex within a flat floor that the rim of a box comes by sideways is not what the box meets. (Seams caught what slid over them,
    // the more so while it stood nearer than the thickness.) Under a face, which is much the same way all along, the vertex may lean.
    let slack = if hit.feature == TriangleFeature::Face { CONE_SLACK } else { RISE };
    let stands = |normal: DVec3, slack: f64| beside.stands_on(normal, stencil[0], &|v| x[v as usize], slack);
    let normal = if stands(normal, slack) {
        normal
    } else {
        // Over the rim by rounding alone, as above. (A box as wide as the one below it stood a part in 10¹³ of its width beside, the nearer the steeper,
        // and its corners, whose edges run level, did not stand on what they saw.)
        let face = try_normalized(area).filter(|_| is_along(out, area) && over())?;
        let face = if solid || out.dot(area) > 0.0 { face } else { -face };
        let level = level_squared(size_squared([a, b, c]), keeps).sqrt();
        Some(face).filter(|n| stands(*n, slack.max(level)))?
    };
    let [wa, wb, wc] = hit.weights;
    Some((Near { weight: [1.0, -wa, -wb, -wc], normal }, hit.distance_squared))
}

/// Less than 45° lie between a way and the normal of a face, to either side of it.
fn is_along(out: DVec3, area: DVec3) -> bool {
    out.dot(area).powi(2) > 0.5 * out.mag_sq() * area.mag_sq()
}

/// A point so far (m², and as it is) from a triangle is over or under it, to a part of the triangle's size or in a direction that is level.
fn over(distance_squared: f64, out: DVec3, area: DVec3, corners: [DVec3; 3], within: f64) -> bool {
    let Some(n) = try_normalized(area) else { return false };
    let beside = distance_squared - out.dot(n).powi(2);
    let size = size_squared(corners);
    beside <= (ENDS * ENDS * size).max(level_squared(size, within) * distance_squared)
}

/// Of the longest side of a triangle (m²).
fn size_squared([a, b, c]: [DVec3; 3]) -> f64 {
    (b - a).mag_sq().max((c - b).mag_sq()).max((a - c).mag_sq())
}

/// The solid of a vertex lies on the outer side of a face whose rim the vertex touches, as far as its edges there tell (`slack`: the sine by
/// which they may not). Where a corner stands
/// on the rim of a box the top is such a face and the side is not; where it hangs beside the rim it is the other way round. A vertex of a
/// sheet or cable has no solid to say so, and stands on either.
pub(crate) fn stands_on(
    normal: DVec3,
    vertex: u32,
    neighbours: &Neighbours,
    x: &impl Fn(u32) -> DVec3,
    slack: f64,
) -> bool {
    let at = x(vertex);
    let around = neighbours.of(vertex).iter();
    let above = |to: DVec3| {
        let rise = normal.dot(to);
        rise >= 0.0 || rise >= -slack * to.mag()
    };
    around.map(|&q| x(q) - at).all(above)
}

/// The vertex is behind the face, and a neighbour across a convex edge on which it stands as well is a shorter way out: that one is the contact. (A
/// vertex that stood a hair below the top of a box near its rim was pushed out of the side as well.)
fn leaves_elsewhere(face: u32, stencil: [u32; 4], beside: Beside<'_>, x: &[DVec3]) -> bool {
    let faces = beside.faces;
    let [p, a, b, c] = stencil.map(|v| x[v as usize]);
    let depth = |from: DVec3, area: DVec3| try_normalized(area).map(|n| (from - p).dot(n));
    let area = triangle_area_vector([a, b, c]);
    if (a - p).dot(area) <= 0.0 {
        return false;
    }
    let Some(own) = depth(a, area).filter(|d| *d > 0.0) else { return false };
    let across = faces.across.get(face as usize).into_iter().flatten();
    across.filter_map(|&f| faces.corners.get(f as usize)).any(|other| {
        let q = other.map(|v| x[v as usize]);
        // Its corner off the edge is behind the face: the edge is convex.
        let convex = q.iter().map(|q| (*q - a).dot(area)).fold(f64::INFINITY, f64::min) < 0.0;
        let theirs = triangle_area_vector(q);
        convex
            && depth(q[0], theirs).is_some_and(|d| d < own * (1.0 - RISE))
            && try_normalized(theirs)
                .is_some_and(|n| beside.stands_on(n, stencil[0], &|v| x[v as usize], RISE))
    })
}

/// The face rises from the edge along `out`: a point on it is nearer to where `out` leads.
fn rises(edge: [u32; 2], face: [u32; 3], x: &[DVec3], out: DVec3) -> bool {
    inward(edge, face, x).is_some_and(|u| u.dot(out) > RISE * out.mag())
}

/// Two edges have no direction across both; of solids, where they are level with each other as well. What lies along each other is held by the vertices at
/// their ends, and by the edges that cross there.
pub(crate) fn parallel(u: DVec3, v: DVec3, solid: bool, within: f64) -> bool {
    let (a, b) = (u.mag_sq(), v.mag_sq());
    let sine = if solid { level_squared(a.min(b), within) } else { RISE * RISE };
    u.cross(v).mag_sq() <= sine * a * b
}

/// Edges that are nearest at an end are a vertex and a face, or a node and a segment; parallel ones have their ends.
fn edge_edge(
    features: (u32, u32),
    stencil: [u32; 4],
    beside: Beside<'_>,
    x: &[DVec3],
    (keeps, within): (f64, f64),
) -> Option<(Near, f64)> {
    let [a, b, c, d] = stencil.map(|v| x[v as usize]);
    let hit = closest_between_segments([a, b], [c, d]);
    let inner = |s: f64| s > ENDS && s < 1.0 - ENDS;
    let [s, t] = hit.parameters;
    if hit.distance_squared >= within * within || !(inner(s) && inner(t)) {
        return None;
    }
    let (u, v) = (b - a, d - c);
    let solid = beside.are_solid(features);
    if solid && parallel(u, v, solid, keeps) {
        return None;
    }
    let slack = if solid { level_squared(u.mag_sq().max(v.mag_sq()), keeps).sqrt() } else { RISE };
    let outside = |n: &DVec3| beside.leaves(&|v| x[v as usize], features, stencil, *n, slack);
    let normal = if touching(hit.distance_squared, &[a, b, c, d]) {
        // Across both, to the side that is free of both bodies. (Boxes that stood on each other without a gap were thrown apart
        // by normals of rounding.)
        // Parallel ones lie along each other: their ends are contacts of vertices.
        let across = try_normalized(u.cross(v)).filter(|_| !parallel(u, v, solid, keeps))?;
        [across, -across].into_iter().find(outside)
    } else {
        let apart = try_normalized(hit.points[0] - hit.points[1])?;
        // Past each other by a hair, they leave the way they came: across both, as the little between them is rounded.
        let hair = (INSIDE * keeps).min(HAIR * u.mag().min(v.mag()));
        let were_past = || {
            let [a, b, c, d] = stencil.map(|v| beside.before[v as usize]);
            let [from, to] = closest_between_segments([a, b], [c, d]).points;
            (from - to).dot(apart) > 0.0
        };
        let back = || {
            if !were_past() {
                return None;
            }
            let across = try_normalized(u.cross(v)).filter(|_| hit.distance_squared < hair * hair)?;
            Some(if across.dot(apart) > 0.0 { -across } else { across }).filter(outside)
        };
        Some(apart).filter(outside).or_else(back)
    }?;
    Some((Near { weight: [1.0 - s, s, t - 1.0, -t], normal }, hit.distance_squared))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two segments that meet at a bend, and a third that goes on; then a node beside.
    fn near_bend(node: DVec3, within: f64) -> Vec<Option<Near>> {
        let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let x = [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(1.0, 2.0), node];
        let mut faces = Faces { edges: vec![[0, 1], [1, 2], [2, 3], [4, 4]], ..Faces::default() };
        let neighbours = Neighbours::default();
        let look = |faces: &Faces| {
            let beside = Beside { faces, neighbours: &neighbours, thin: true, before: &x };
            let of = |s: u32| {
                let [a, b] = faces.edges[s as usize];
                near(List::Edges, (3, s), [4, 4, a, b], beside, &x, (within, within)).map(|n| n.0)
            };
            (0..3).map(of).collect::<Vec<_>>()
        };
        let found = look(&faces);
        // What is near does not depend on which way the cable was numbered, but for the segment that has it.
        faces.edges = vec![[3, 2], [2, 1], [1, 0], [4, 4]];
        let count = |found: &[Option<Near>]| found.iter().flatten().count();
        assert_eq!(count(&look(&faces)), count(&found));
        found
    }

    #[test]
    fn a_node_at_a_bend_meets_one_segment_outside_and_both_inside() {
        let outside = near_bend(DVec3::new(1.05, -0.05, 0.02), 0.1);
        let [None, Some(n), None] = outside[..] else { panic!("{outside:?}") };
        assert_eq!(n.weight, [1.0, 0.0, -1.0, -0.0]);
        assert!(n.normal.y < 0.0 && (n.normal.mag() - 1.0).abs() < 1e-15);
        let inside = near_bend(DVec3::new(0.95, 0.05, 0.0), 0.1);
        let [Some(a), Some(b), None] = inside[..] else { panic!("{inside:?}") };
        let off = [a.normal.y - 1.0, b.normal.x + 1.0, a.weight[3] + 0.95, b.weight[3] + 0.05];
        assert!(off.iter().all(|o| o.abs() < 1e-15), "{a:?} {b:?}");
        // Beside the seam of two segments in line, and at the far end, which no segment goes on from.
        assert_eq!(near_bend(DVec3::new(1.05, 1.0, 0.0), 0.1).iter().flatten().count(), 1);
        assert_eq!(near_bend(DVec3::new(1.0, 2.05, 0.0), 0.1).iter().flatten().count(), 1);
        // As far as that, and on a segment: that has no direction.
        assert!(near_bend(DVec3::new(1.05, 1.5, 0.0), 0.05).iter().all(Option::is_none));
        assert!(near_bend(DVec3::new(1.0, 1.5, 0.0), 0.1).iter().all(Option::is_none));
    }

    /// A cable that folds flat: the far end of a segment against the segment beside its own.
    #[test]
    fn a_fold_is_held_open_by_the_node_before_it() {
        let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let x = [at(0.0, 0.03), at(1.0, 0.0), at(0.1, 0.0)];
        let faces = Faces { edges: vec![[0, 1], [1, 2], [0, 0], [1, 1], [2, 2]], ..Faces::default() };
        let neighbours = Neighbours::default();
        let beside = Beside { faces: &faces, neighbours: &neighbours, thin: true, before: &x };
        let near = |n: u32, s: u32| {
            let [a, b] = faces.edges[s as usize];
            near(List::Edges, (2 + n, s), [n, n, a, b], beside, &x, (0.2, 0.2)).map(|n| n.0)
        };
        assert_eq!(near(0, 1).map(|n| n.weight), Some([1.0, 0.0, 0.0, -1.0]));
        assert!(near(2, 0).is_some_and(|n| n.normal.y < 0.0));
    }
}
