//! Proximity: which features of two surfaces are nearer to each other than a distance, without an inside.
//!
//! What simulation frameworks detect where they do not follow features through time, and what the discrete force of seed 000 was computed
//! with there ("changing the collision detection routine from 'NewProximityIntersection' to 'ContinuousIntersection'", §5): a pair at a distance d below
//! the reach h is pushed apart along the line between its closest points by `F = k (h − d)`. The line has no side: a vertex that has come
//! through a face is pushed on, and one that is deeper than h is not seen. That is the point of having it here: it is what the other
//! forces are better than.
//!
//! A pair counts where its closest points are a local minimum of the distance: of a vertex to the faces around the closest point, of two
//! edges inside both. The framework takes all pairs, also those of a vertex with every face near the closest one, whose pushes mostly cancel.

use impinge_geometry::{
    DVec3, Topology, TriangleFeature, closest_between_segments, closest_on_triangle, triangle_normal,
    try_normalized,
};

/// A part of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Part {
    /// Strictly inside a face.
    Face(u32),
    /// Inside an edge of the topology.
    Edge(u32),
    /// A vertex.
    Vertex(u32),
}

/// A vertex near a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearSurface {
    /// What it is nearest to around there.
    pub part: Part,
    /// A face with that part.
    pub face: u32,
    /// Barycentric weights of the closest point on the face.
    pub weights: [f64; 3],
    /// Unit vector from the surface to the vertex.
    pub normal: DVec3,
    /// Distance (m).
    pub distance: f64,
}

/// Two edges near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearEdges {
    /// Where on each, as a part of the way from its first end to its second.
    pub parameters: [f64; 2],
    /// Unit vector from the second to the first.
    pub normal: DVec3,
    /// Distance (m).
    pub distance: f64,
}

/// Gaps below this part of the largest coordinate are rounding, and so is the way they point.
const ROUNDING: f64 = 1e-12;

fn extent<'a>(places: impl Iterator<Item = &'a DVec3>) -> f64 {
    places.fold(0.0, |m: f64, p| m.max(p.x.abs()).max(p.y.abs()).max(p.z.abs()))
}

/// Appends where a vertex at `x` (m) is nearer than `reach` (m) to the surface, each local minimum of the distance once, ascending by part. `faces` are
/// those that may be that near, every one that is among them; `vertices` are the surface's places (m), `topology` and
/// `triangles` belong together. `scratch` is overwritten.
///
/// A vertex on the surface, to rounding, is pushed along the mean normal of the faces around; where they have none it is not seen. What is not
/// finite is near to nothing.
///
/// # Panics
/// Where a face or a vertex is named that is not there.
#[doc(alias("proximity", "margin"))]
pub fn near_surface(
    x: DVec3,
    faces: impl IntoIterator<Item = u32>,
    (triangles, topology): (&[[u32; 3]], &Topology),
    vertices: &[DVec3],
    reach: f64,
    scratch: &mut Vec<NearSurface>,
    out: &mut Vec<NearSurface>,
) {
    scratch.clear();
    let first = out.len();
    for face in faces {
        let corners = triangles[face as usize];
        let places = corners.map(|v| vertices[v as usize]);
        let p = closest_on_triangle(x, places);
        let distance = p.distance_squared.sqrt();
        let near = distance < reach;
        if !near {
            continue;
        }
        let part = match p.feature {
            TriangleFeature::Face => Part::Face(face),
            TriangleFeature::Vertex(i) => Part::Vertex(corners[i as usize]),
            TriangleFeature::Edge(i) => match topology.face_edges()[face as usize][i as usize] {
                Topology::NONE => Part::Face(face),
                edge => Part::Edge(edge),
            },
        };
        let gap = x - p.point;
        let touching = gap.mag() <= ROUNDING * extent([x].iter().chain(&places));
        // Where the gap points nowhere the face's normal: the mean of a run follows.
        let Some(normal) = (if touching { triangle_normal(places) } else { try_normalized(gap) }) else {
            continue;
        };
        let distance = if touching { 0.0 } else { distance };
        scratch.push(NearSurface { part, face, weights: p.weights, normal, distance });
    }
    // By part, then by face: one run for each part.
    scratch.sort_unstable_by_key(|n| (n.part, n.face));
    let nearest = (scratch.iter().map(|n| n.distance).enumerate())
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(i, _)| scratch[i].part);
    for run in scratch.chunk_by(|a, b| a.part == b.part) {
        let around = match run[0].part {
            Part::Face(_) => 1,
            Part::Edge(e) => topology.faces_of_edge(e).len(),
            Part::Vertex(v) => topology.vertex_faces(v).len(),
        };
        // The nearest of all is a local minimum whatever rounding says of its neighbours.
        if run.len() < around && Some(run[0].part) != nearest {
            continue;
        }
        let mut found = run[0];
        if found.distance == 0.0 {
            let mean = run.iter().fold(DVec3::zero(), |s, n| s + n.normal);
            found.normal = try_normalized(mean).unwrap_or(found.normal);
        }
        // Above the side between two faces in one plane rounding may find it on both: the same point.
        let rounding = ROUNDING * (extent([x].iter()) + reach);
        let again = |o: &NearSurface| {
            let apart = o.normal * o.distance - found.normal * found.distance;
            apart.mag() <= rounding && o.normal.dot(found.normal) > 0.0
        };
        if !out[first..].iter().any(again) {
            out.push(found);
        }
    }
}

/// Where two edges (m) are nearer than `reach` (m) to each other with the closest points inside both; ends are [`near_surface`]'s. Edges that
/// cross, to rounding, are pushed along the normal to both, on the side of `free()`: a vector from the second to where the first should be, such as the normals
/// of the second's faces less those of the first's. Parallel ones that touch are not seen. What is not finite is near to nothing.
#[must_use]
pub fn near_edges(
    a: [DVec3; 2],
    b: [DVec3; 2],
    reach: f64,
    free: impl FnOnce() -> DVec3,
) -> Option<NearEdges> {
    let p = closest_between_segments(a, b);
    let distance = p.distance_squared.sqrt();
    let near = distance < reach && p.parameters.iter().all(|t| *t > 0.0 && *t < 1.0);
    if !near {
        return None;
    }
    let gap = p.points[0] - p.points[1];
    let parameters = p.parameters;
    if gap.mag() > ROUNDING * extent(a.iter().chain(&b)) {
        return Some(NearEdges { parameters, normal: try_normalized(gap)?, distance });
    }
    let normal = try_normalized((a[1] - a[0]).cross(b[1] - b[0]))?;
    let normal = if normal.dot(free()) < 0.0 { -normal } else { normal };
    Some(NearEdges { parameters, normal, distance: 0.0 })
}
