//! Vertices within a tolerance become one. The lowest of them stays where it stands; nothing is averaged, and nothing
//! moves by more than the tolerance. Faces that name a vertex twice afterwards have no area and go.

use super::Outcome;
use crate::health::repeated_faces;
use crate::merge::merge_map;
use impinge_geometry::{Topology, TriMesh};

pub(super) fn weld(mesh: &TriMesh, tolerance: f64) -> Outcome {
    let map = merge_map(mesh.positions(), tolerance);
    let mut number = vec![0u32; map.len()];
    let mut positions = Vec::new();
    for (v, &to) in map.iter().enumerate() {
        if to as usize == v {
            number[v] = positions.len() as u32;
            positions.push(mesh.positions()[v]);
        }
    }
    let (mut triangles, mut faces) = (Vec::new(), Vec::new());
    let mut collapsed = 0;
    for (f, &t) in mesh.triangles().iter().enumerate() {
        let welded @ [a, b, c] = t.map(|v| number[map[v as usize] as usize]);
        let was_whole = t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        if was_whole && (a == b || b == c || c == a) {
            collapsed += 1;
            continue;
        }
        triangles.push(welded);
        faces.push(f as u32);
    }
    let merged = map.len() - positions.len();
    let before = Topology::new(mesh);
    let mesh_after = TriMesh::new(positions, triangles);
    let mut left = Vec::new();
    let mut done = vec![
        (merged, "vertices merged into a lower one"),
        (collapsed, "faces dropped: their corners became one"),
    ];
    if let Ok(m) = &mesh_after {
        let after = Topology::new(m);
        let closed = before.boundary_edges().saturating_sub(after.boundary_edges());
        done.push((closed, "boundary edges fewer"));
        let grew = |now: usize, then: usize| now.saturating_sub(then);
        left.push((
            grew(after.non_manifold_edges(), before.non_manifold_edges()),
            "edges now have more than two faces: surfaces that touch were joined; weld with a smaller tolerance",
        ));
        left.push((
            grew(after.misoriented_edges(), before.misoriented_edges()),
            "edges now join faces that disagree which side is out: `orient` turns them",
        ));
        left.push((
            grew(repeated_faces(m).0.len(), repeated_faces(mesh).0.len()),
            "faces now repeat another one: `drop-degenerate` removes them",
        ));
        left.push((
            grew(repeated_faces(m).1.len(), repeated_faces(mesh).1.len()),
            "faces now lie back to back on another one: a sheet without thickness",
        ));
    }
    Outcome { mesh: mesh_after, faces, done, left }
}
