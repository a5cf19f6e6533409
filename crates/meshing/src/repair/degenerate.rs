//! Faces without area and repeated faces go, without tearing the surface.
//!
//! * A face that names a vertex twice, or repeats a lower face the same way round, is simply left out. Two faces on
//!   the same vertices that face opposite ways are the two sides of a sheet and stay.
//! * A *needle* has a side without length: its two ends become one vertex, where the surface stays manifold by it (the
//!   link condition: the ends have no common neighbour beyond the third corners of the faces at that side).
//! * A *cap* has its third corner on its longest side: that side is swapped for the other diagonal of the two faces at
//!   it; on a boundary the cap is left out.
//!
//! One repair can make or uncover the next, so passes are made until nothing changes.

use super::Outcome;
use super::unused::compacted;
use crate::health::is_degenerate;
use impinge_geometry::{DVec3, Topology, TriMesh};
use std::collections::BTreeSet;

/// Passes after which what is left is left.
const PASSES: usize = 32;

#[derive(Default)]
struct Counts {
    repeated: usize,
    collapsed: usize,
    merged: usize,
    flipped: usize,
    trimmed: usize,
}

pub(super) fn drop_degenerate(mesh: &TriMesh) -> Outcome {
    let mut counts = Counts::default();
    let mut work: Vec<([u32; 3], u32)> =
        mesh.triangles().iter().enumerate().map(|(f, &t)| (t, f as u32)).collect();
    let mut at = mesh.clone();
    for _ in 0..PASSES {
        drop_plain(&mut work, &mut counts);
        let Ok(next) = TriMesh::new(mesh.positions().to_vec(), work.iter().map(|w| w.0).collect()) else {
            break;
        };
        at = next;
        if !pass(&at, &mut work, &mut counts) {
            break;
        }
    }
    drop_plain(&mut work, &mut counts);
    let triangles: Vec<[u32; 3]> = work.iter().map(|w| w.0).collect();
    // Only vertices that lost their last face go with it.
    let (positions, triangles) = if counts.merged + counts.collapsed + counts.trimmed > 0 {
        compacted(at.positions(), &triangles)
    } else {
        (at.positions().to_vec(), triangles)
    };
    let after = TriMesh::new(positions, triangles);
    let remaining = after
        .as_ref()
        .map_or(0, |m| (0..m.triangles().len() as u32).filter(|&f| is_degenerate(m, f)).count());
    Outcome {
        mesh: after,
        faces: work.iter().map(|w| w.1).collect(),
        done: vec![
            (counts.collapsed, "faces dropped that name a vertex twice"),
            (counts.repeated, "faces dropped that repeat another one"),
            (counts.merged, "sides without length collapsed"),
            (counts.flipped, "sides swapped at a face whose corner lies on its longest side"),
            (counts.trimmed, "faces without area dropped at the boundary"),
        ],
        left: vec![(remaining, "faces without area left: mending them would make the surface non-manifold")],
    }
}

/// Leaves out collapsed and repeated faces.
fn drop_plain(work: &mut Vec<([u32; 3], u32)>, counts: &mut Counts) {
    let before = work.len();
    work.retain(|([a, b, c], _)| a != b && b != c && c != a);
    counts.collapsed += before - work.len();
    let before = work.len();
    let turned = |t: [u32; 3]| {
        let lowest = (0..3).min_by_key(|&i| t[i]).unwrap_or(0);
        [t[lowest], t[(lowest + 1) % 3], t[(lowest + 2) % 3]]
    };
    let mut seen: BTreeSet<[u32; 3]> = BTreeSet::new();
    // The common case has no repeats: find out by sorting before filling a set.
    let mut keys: Vec<[u32; 3]> = work.iter().map(|w| turned(w.0)).collect();
    keys.sort_unstable();
    if keys.windows(2).any(|w| w[0] == w[1]) {
        work.retain(|w| seen.insert(turned(w.0)));
    }
    counts.repeated += before - work.len();
}

/// Mends faces that do not touch each other's surroundings; whether anything changed.
fn pass(mesh: &TriMesh, work: &mut Vec<([u32; 3], u32)>, counts: &mut Counts) -> bool {
    let topology = Topology::new(mesh);
    // Vertices whose faces have changed in this pass: the topology is out of date around them.
    let mut touched = vec![false; mesh.positions().len()];
    let mut into: Vec<u32> = (0..mesh.positions().len() as u32).collect();
    let mut drop: BTreeSet<u32> = BTreeSet::new();
    let mut changed = false;
    for f in 0..mesh.triangles().len() as u32 {
        if !is_degenerate(mesh, f) {
            continue;
        }
        let t = mesh.triangles()[f as usize];
        if t.iter().any(|&v| touched[v as usize]) {
            continue;
        }
        let length = |side: usize| {
            let [a, b] = [t[side], t[(side + 1) % 3]].map(|v| mesh.positions()[v as usize]);
            (b - a).mag()
        };
        let mut sides = [0, 1, 2];
        sides.sort_by(|&i, &j| length(i).total_cmp(&length(j)));
        let [shortest, _, longest] = sides;
        let reach =
            t.iter().fold(DVec3::zero(), |m, &v| m.max_by_component(mesh.positions()[v as usize].abs()));
        if length(shortest) <= 8.0 * f64::EPSILON * reach.component_max() {
            let ends = [t[shortest], t[(shortest + 1) % 3]];
            let Some(edge) = topology.edge_between(ends[0], ends[1]) else { continue };
            let around = neighbourhood(&topology, ends);
            if around.iter().any(|&v| touched[v as usize]) || !may_collapse(&topology, edge, ends) {
                continue;
            }
            into[ends[0].max(ends[1]) as usize] = ends[0].min(ends[1]);
            around.iter().for_each(|&v| touched[v as usize] = true);
            counts.merged += 1;
            // The faces at the side name a vertex twice now; they are part of this repair.
            topology.faces_of_edge(edge).iter().for_each(|&g| _ = drop.insert(g));
            changed = true;
            continue;
        }
        let edge = topology.face_edges()[f as usize][longest];
        let [p, q, m] = [0, 1, 2].map(|k| t[(longest + k) % 3]);
        if topology.edge_faces()[edge as usize][1] == Topology::NONE {
            drop.insert(f);
            counts.trimmed += 1;
            t.iter().for_each(|&v| touched[v as usize] = true);
            changed = true;
            continue;
        }
        let Some(g) = topology.face_across(f, longest) else { continue };
        if crate::parts::runs_alike(mesh, &topology, edge) {
            continue;
        }
        let Some(&w) = mesh.triangles()[g as usize].iter().find(|&&v| v != p && v != q) else { continue };
        if w == m || touched[w as usize] || topology.edge_between(m, w).is_some() {
            continue;
        }
        work[f as usize].0 = [p, w, m];
        work[g as usize].0 = [w, q, m];
        [p, q, m, w].iter().for_each(|&v| touched[v as usize] = true);
        counts.flipped += 1;
        changed = true;
    }
    for w in work.iter_mut() {
        w.0 = w.0.map(|v| into[v as usize]);
    }
    let mut place = 0;
    work.retain(|_| {
        place += 1;
        !drop.contains(&(place - 1))
    });
    changed
}

fn neighbourhood(topology: &Topology, ends: [u32; 2]) -> BTreeSet<u32> {
    ends.iter().flat_map(|&v| topology.vertex_neighbours(v)).chain(ends).collect()
}

/// The link condition for merging the ends of an edge.
fn may_collapse(topology: &Topology, edge: u32, [a, b]: [u32; 2]) -> bool {
    let near_b = topology.vertex_neighbours(b);
    let common = topology.vertex_neighbours(a).iter().filter(|v| near_b.contains(v)).count();
    common == topology.faces_of_edge(edge).len() && topology.extra_face_count(edge) == 0
}
