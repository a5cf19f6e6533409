//! Where a surface passes through itself: pairs of its triangles that cross.
//!
//! Takes a mesh, gives the pairs in ascending order. Candidates come from a tree, the decision is exact
//! ([`crate::triangles_cross`]), neighbours that merely touch are no crossing. Triangles without area cross nothing;
//! they are a fault of their own.

use crate::cross::triangles_cross;
use crate::pairs::PairTree;
use impinge_geometry::{DVec3, TriMesh};

/// Two triangles that cross.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Crossing {
    /// The two triangles, lower first.
    pub faces: [u32; 2],
    /// A point near the crossing (m): the mean of the two triangles' middles.
    pub position: DVec3,
}

/// Every pair of triangles that cross, in ascending order. About 1 µs per triangle.
#[must_use]
pub fn self_intersections(mesh: &TriMesh) -> Vec<Crossing> {
    crossing_pairs(mesh, |_, _| true)
}

/// The pairs among those that `wanted` (lower face, higher face) accepts.
pub(crate) fn crossing_pairs(mesh: &TriMesh, wanted: impl Fn(u32, u32) -> bool) -> Vec<Crossing> {
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    let triangles = mesh.triangles();
    PairTree::new(mesh, |_| true).pairs(|f, g| {
        if !wanted(f, g) {
            return;
        }
        let (t, u) = (triangles[f as usize], triangles[g as usize]);
        // The same three vertices: a duplicate face, reported as such.
        if u.iter().all(|v| t.contains(v)) {
            return;
        }
        if triangles_cross(&mesh.corners(f as usize), &mesh.corners(g as usize)) {
            pairs.push([f, g]);
        }
    });
    pairs.sort_unstable();
    pairs
        .into_iter()
        .map(|faces| {
            let middle = |f: u32| {
                let [a, b, c] = mesh.corners(f as usize);
                a / 3.0 + b / 3.0 + c / 3.0
            };
            Crossing { faces, position: middle(faces[0]) * 0.5 + middle(faces[1]) * 0.5 }
        })
        .collect()
}
