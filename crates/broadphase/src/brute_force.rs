//! The oracles of the candidate lists: every feature box against every other, written as the definition.

use crate::aabb::Aabb;
use crate::candidates::{CrossCandidates, SelfCandidates};
use impinge_geometry::{DVec3, Pose, Topology};

/// A surface as the brute-force twins see it.
#[derive(Clone, Copy, Debug)]
pub struct MovingSurface<'a> {
    /// Vertex indices of each triangle.
    pub triangles: &'a [[u32; 3]],
    /// Of these triangles.
    pub topology: &'a Topology,
    /// Positions at the start (m).
    pub x0: &'a [DVec3],
    /// Positions at the end (m); the same slice for a surface at rest.
    pub x1: &'a [DVec3],
    /// Distance that boxes are grown by (m).
    pub inflation: f64,
}

impl MovingSurface<'_> {
    fn feature_box(&self, vertices: &[u32], relative: Option<&Pose>) -> Aabb {
        let mut all = Aabb::empty();
        for &v in vertices {
            let b = Aabb::from_points(&[self.x0[v as usize], self.x1[v as usize]]);
            all = all.union(&relative.map_or(b, |pose| b.transformed(pose)));
        }
        all.inflated(self.inflation)
    }

    /// Boxes of vertices (empty for one that no triangle names), edges and faces.
    fn boxes(&self, relative: Option<&Pose>) -> [Vec<Aabb>; 3] {
        let vertices = (0..self.x0.len() as u32).map(|v| {
            let used = self.topology.vertex_owner(v) != Topology::NONE;
            if used { self.feature_box(&[v], relative) } else { Aabb::empty() }
        });
        [
            vertices.collect(),
            self.topology.edges().iter().map(|e| self.feature_box(e, relative)).collect(),
            self.triangles.iter().map(|t| self.feature_box(t, relative)).collect(),
        ]
    }
}

/// All pairs of boxes that share a point, sorted.
fn overlapping(a: &[Aabb], b: &[Aabb], keep: impl Fn(usize, usize) -> bool) -> Vec<(u32, u32)> {
    let mut out = Vec::new();
    for i in 0..a.len() {
        for j in 0..b.len() {
            if a[i].overlaps(&b[j]) && keep(i, j) {
                out.push((i as u32, j as u32));
            }
        }
    }
    out
}

/// The same as [`FeatureTree::self_candidates`](crate::FeatureTree::self_candidates).
#[must_use]
pub fn self_candidates_brute_force(surface: &MovingSurface<'_>) -> SelfCandidates {
    let [v, e, f] = surface.boxes(None);
    let edges = surface.topology.edges();
    SelfCandidates {
        vertex_face: overlapping(&v, &f, |v, f| !surface.triangles[f].contains(&(v as u32))),
        edge_edge: overlapping(&e, &e, |i, j| i < j && !edges[i].iter().any(|v| edges[j].contains(v))),
    }
}

/// The same as [`FeatureTree::candidates`](crate::FeatureTree::candidates), or as
/// [`FeatureTree::candidates_under`](crate::FeatureTree::candidates_under) when there is a pose.
#[must_use]
pub fn cross_candidates_brute_force(
    first: &MovingSurface<'_>,
    second: &MovingSurface<'_>,
    relative: Option<&Pose>,
) -> CrossCandidates {
    let ([v, e, f], [w, g, h]) = (first.boxes(None), second.boxes(relative));
    CrossCandidates {
        vertex_face: overlapping(&v, &h, |_, _| true),
        face_vertex: overlapping(&f, &w, |_, _| true),
        edge_edge: overlapping(&e, &g, |_, _| true),
    }
}

/// The same as [`FeatureTree::self_triangle_pairs`](crate::FeatureTree::self_triangle_pairs).
#[must_use]
pub fn self_triangle_pairs_brute_force(surface: &MovingSurface<'_>) -> Vec<(u32, u32)> {
    let [_, _, f] = surface.boxes(None);
    overlapping(&f, &f, |i, j| i < j)
}

/// The same as [`FeatureTree::triangle_pairs`](crate::FeatureTree::triangle_pairs).
#[must_use]
pub fn triangle_pairs_brute_force(
    first: &MovingSurface<'_>,
    second: &MovingSurface<'_>,
    relative: Option<&Pose>,
) -> Vec<(u32, u32)> {
    let ([_, _, f], [_, _, g]) = (first.boxes(None), second.boxes(relative));
    overlapping(&f, &g, |_, _| true)
}
