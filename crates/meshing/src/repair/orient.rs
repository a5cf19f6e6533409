//! Faces are turned until neighbours agree which side is out, and closed sheets face outwards.
//!
//! A *sheet* is what hangs together through edges with exactly two faces. Inside a sheet one face decides for all. A
//! closed sheet is turned to positive volume, unless it lies inside another closed sheet and its faces already agreed:
//! then it faces inwards on purpose, as the wall of a cavity. An open sheet has no outside; the larger area keeps its
//! side.

use super::Outcome;
use crate::parts::runs_alike;
use impinge_geometry::{DVec3, Topology, TriMesh, triangle_area};
use impinge_query::MeshIndex;

struct Sheet {
    faces: Vec<u32>,
    closed: bool,
    agreed: bool,
    /// Signed volume after the first turning (m³), and what of it is rounding.
    volume: f64,
    rounding: f64,
    bounds: (DVec3, DVec3),
}

pub(super) fn orient(mesh: &TriMesh) -> Outcome {
    let topology = Topology::new(mesh);
    let mut turn = vec![false; mesh.triangles().len()];
    let (sheets, conflicts) = agree(mesh, &topology, &mut turn);
    let (mut inside_out, mut cavities) = (0, 0);
    for (i, sheet) in sheets.iter().enumerate() {
        if !sheet.closed || sheet.volume >= -sheet.rounding {
            continue;
        }
        if sheet.agreed && is_nested(mesh, &sheets, i) {
            cavities += 1;
            continue;
        }
        inside_out += 1;
        for &f in &sheet.faces {
            turn[f as usize] ^= true;
        }
    }
    let triangles = mesh
        .triangles()
        .iter()
        .zip(&turn)
        .map(|(&[a, b, c], &turned)| if turned { [a, c, b] } else { [a, b, c] })
        .collect();
    Outcome {
        mesh: TriMesh::new(mesh.positions().to_vec(), triangles),
        faces: (0..turn.len() as u32).collect(),
        done: vec![
            (turn.iter().filter(|&&t| t).count(), "faces turned over"),
            (inside_out, "closed sheets turned to face outwards"),
        ],
        left: vec![
            (cavities, "closed sheets inside another left facing inwards, as walls of cavities"),
            (
                conflicts,
                "edges left where faces disagree: the surface has one side only, like a Möbius strip",
            ),
            (
                topology.non_manifold_edges(),
                "edges have more than two faces: which two belong together is not known there",
            ),
        ],
    }
}

/// Turns faces until neighbours across manifold edges agree; gives the sheets and the edges where they cannot.
fn agree(mesh: &TriMesh, topology: &Topology, turn: &mut [bool]) -> (Vec<Sheet>, usize) {
    let mut sheets = Vec::new();
    let mut seen = vec![false; turn.len()];
    let mut conflict = vec![false; topology.edges().len()];
    for start in 0..turn.len() {
        if seen[start] || topology.face_edges()[start][0] == Topology::NONE {
            continue;
        }
        seen[start] = true;
        let mut faces = vec![start as u32];
        let (mut closed, mut next) = (true, 0);
        while let Some(&f) = faces.get(next) {
            next += 1;
            for side in 0..3 {
                let Some(g) = topology.face_across(f, side) else {
                    closed = false;
                    continue;
                };
                let edge = topology.face_edges()[f as usize][side];
                let wanted = turn[f as usize] ^ runs_alike(mesh, topology, edge);
                if !seen[g as usize] {
                    seen[g as usize] = true;
                    turn[g as usize] = wanted;
                    faces.push(g);
                } else if turn[g as usize] != wanted {
                    conflict[edge as usize] = true;
                    closed = false;
                }
            }
        }
        let area_of = |f: &u32| triangle_area(mesh.corners(*f as usize));
        let area: f64 = faces.iter().map(area_of).sum();
        let turned: f64 = faces.iter().filter(|&&f| turn[f as usize]).map(area_of).sum();
        let agreed = faces.iter().all(|&f| !turn[f as usize]);
        if turned > 0.5 * area {
            faces.iter().for_each(|&f| turn[f as usize] ^= true);
        }
        faces.sort_unstable();
        let o = mesh.corners(start)[0];
        let mut bounds = (o, o);
        let mut volume = 0.0;
        for &f in &faces {
            let [a, b, c] = mesh.corners(f as usize);
            for p in [a, b, c] {
                bounds = (bounds.0.min_by_component(p), bounds.1.max_by_component(p));
            }
            let v = (a - o).dot((b - o).cross(c - o)) / 6.0;
            volume += if turn[f as usize] { -v } else { v };
        }
        let rounding = 64.0 * f64::EPSILON * area * (bounds.1 - bounds.0).mag();
        sheets.push(Sheet { faces, closed, agreed, volume, rounding, bounds });
    }
    (sheets, conflict.iter().filter(|&&c| c).count())
}

/// Whether a sheet lies inside another closed one, judged by one of its corners.
fn is_nested(mesh: &TriMesh, sheets: &[Sheet], i: usize) -> bool {
    let (lo, hi) = sheets[i].bounds;
    let p = mesh.corners(sheets[i].faces[0] as usize)[0];
    sheets.iter().enumerate().any(|(j, q)| {
        let holds = j != i
            && q.closed
            && q.agreed
            && (0..3).all(|k| q.bounds.0[k] <= lo[k] && hi[k] <= q.bounds.1[k]);
        if !holds {
            return false;
        }
        let triangles = q.faces.iter().map(|&f| mesh.triangles()[f as usize]).collect();
        // The same vertices, fewer faces: always a mesh.
        TriMesh::new(mesh.positions().to_vec(), triangles).is_ok_and(|m| MeshIndex::new(&m).winding(p) != 0)
    })
}
