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

/// Unit vector along a gap (m) of features with coordinates up to `size` (m). Of one that is rounding, the features' own `normal` on the
/// side of the gap.
fn direction(gap: DVec3, size: f64, normal: impl FnOnce() -> Option<DVec3>) -> Option<DVec3> {
    if gap.mag() > ROUNDING * size {
        return try_normalized(gap);
    }
    normal().map(|n| if n.dot(gap) < 0.0 { -n } else { n })
}

/// Appends where a vertex at `x` (m) is nearer than `reach` (m) to the surface, each local minimum of the distance once, ascending by part. `faces` are
/// those that may be that near, every one that is among them; `vertices` are the surface's places (m), `topology` and
/// `triangles` belong together. `scratch` is overwritten.
///
/// A vertex on the surface, to rounding, is pushed along the face's normal; on a face without area it is not seen. What is not finite is near to nothing.
///
/// # Panics
/// Where a face or a vertex is named that is not there.
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
        let Some(normal) =
            direction(x - p.point, extent([x].iter().chain(&places)), || triangle_normal(places))
        else {
            continue;
        };
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
        if run.len() >= around || Some(run[0].part) == nearest {
            out.push(run[0]);
        }
    }
}

/// Where two edges (m) are nearer than `reach` (m) to each other with the closest points inside both; ends are [`near_surface`]'s. Edges that
/// cross are pushed along the normal to both, and parallel ones that touch are not seen. What is not finite is near to nothing.
pub fn near_edges(a: [DVec3; 2], b: [DVec3; 2], reach: f64) -> Option<NearEdges> {
    let p = closest_between_segments(a, b);
    let distance = p.distance_squared.sqrt();
    let near = distance < reach && p.parameters.iter().all(|t| *t > 0.0 && *t < 1.0);
    if !near {
        return None;
    }
    let across = || try_normalized((a[1] - a[0]).cross(b[1] - b[0]));
    let normal = direction(p.points[0] - p.points[1], extent(a.iter().chain(&b)), across)?;
    Some(NearEdges { parameters: p.parameters, normal, distance })
}
