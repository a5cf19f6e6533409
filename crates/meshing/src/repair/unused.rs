//! Vertices that no face names go; the others keep their order.

use super::Outcome;
use impinge_geometry::{DVec3, TriMesh};

pub(super) fn drop_unused(mesh: &TriMesh) -> Outcome {
    let (positions, triangles) = compacted(mesh.positions(), mesh.triangles());
    Outcome {
        done: vec![(mesh.positions().len() - positions.len(), "vertices dropped that no face names")],
        faces: (0..triangles.len() as u32).collect(),
        mesh: TriMesh::new(positions, triangles),
        left: vec![],
    }
}

/// The arrays without unused vertices.
pub(super) fn compacted(positions: &[DVec3], triangles: &[[u32; 3]]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut used = vec![false; positions.len()];
    triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
    let mut number = vec![0u32; positions.len()];
    let mut kept = Vec::new();
    for (v, _) in used.iter().enumerate().filter(|u| *u.1) {
        number[v] = kept.len() as u32;
        kept.push(positions[v]);
    }
    (kept, triangles.iter().map(|t| t.map(|v| number[v as usize])).collect())
}
