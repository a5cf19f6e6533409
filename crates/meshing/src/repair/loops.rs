//! The rims of holes: closed loops of boundary edges.

use crate::parts::runs_alike;
use impinge_geometry::{Topology, TriMesh};

/// The boundary of a surface as loops of vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loops {
    /// Each loop in the direction in which triangles that fill it run along it, its lowest vertex first; no vertex
    /// twice. In order of their lowest edge.
    pub closed: Vec<Vec<u32>>,
    /// Boundary edges on no loop: the rim runs into an edge with three faces, or into one whose faces disagree.
    pub stray_edges: usize,
}

/// Follows the boundary edges of a mesh. Where several holes meet in one vertex, each keeps to its own fan of faces.
#[must_use]
pub fn boundary_loops(mesh: &TriMesh, topology: &Topology) -> Loops {
    let mut loops = Loops::default();
    let is_boundary = |e: u32| topology.edge_faces()[e as usize][1] == Topology::NONE;
    let mut seen = vec![false; topology.edges().len()];
    for first in 0..topology.edges().len() as u32 {
        if seen[first as usize] || !is_boundary(first) {
            continue;
        }
        // Backwards along the faces is forwards along the hole.
        let mut around = Vec::new();
        let mut edge = first;
        let whole = loop {
            seen[edge as usize] = true;
            let (face, side) = half_edge(topology, edge);
            around.push(mesh.triangles()[face as usize][(side + 1) % 3]);
            match before(mesh, topology, face, side) {
                Some(e) if e == first => break true,
                Some(e) if !seen[e as usize] => edge = e,
                _ => break false,
            }
        };
        if whole {
            split(around, &mut loops.closed);
        } else {
            loops.stray_edges += around.len();
        }
    }
    for rim in &mut loops.closed {
        let lowest = (0..rim.len()).min_by_key(|&i| rim[i]).unwrap_or(0);
        rim.rotate_left(lowest);
    }
    loops
}

/// The one face at a boundary edge, and the side at which it has it.
fn half_edge(topology: &Topology, edge: u32) -> (u32, usize) {
    let face = topology.edge_owner(edge);
    let sides = topology.face_edges()[face as usize];
    (face, (0..3).find(|&s| sides[s] == edge).unwrap_or(0))
}

/// The boundary edge that ends where this half-edge starts, found by turning around that vertex.
fn before(mesh: &TriMesh, topology: &Topology, face: u32, side: usize) -> Option<u32> {
    let pivot = mesh.triangles()[face as usize][side];
    let (mut face, mut side) = (face, (side + 2) % 3);
    // A fan cannot be longer than the faces at the vertex.
    for _ in 0..=topology.vertex_faces(pivot).len() {
        let edge = topology.face_edges()[face as usize][side];
        if topology.edge_faces()[edge as usize][1] == Topology::NONE {
            return Some(edge);
        }
        if runs_alike(mesh, topology, edge) {
            return None;
        }
        let next = topology.face_across(face, side)?;
        let across = topology.face_edges()[next as usize].iter().position(|&e| e == edge)?;
        (face, side) = (next, (across + 2) % 3);
    }
    None
}

/// Cuts a loop that passes a vertex more than once into loops that do not.
fn split(around: Vec<u32>, loops: &mut Vec<Vec<u32>>) {
    let mut open: Vec<u32> = Vec::new();
    for v in around {
        if let Some(at) = open.iter().position(|&w| w == v) {
            loops.push(open.split_off(at));
        }
        open.push(v);
    }
    loops.push(open);
}
