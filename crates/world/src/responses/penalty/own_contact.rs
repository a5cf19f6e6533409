//! A deformable solid against itself: which of its surface vertices are inside its own tets, and which way is out.
//!
//! The surface of a body that runs into itself has no inside where it counts, but its tets still do (Teschner et al. 2003).
//! A vertex in a tet it does not belong to is a material point inside the body: the tet's weights carry that point to the
//! rest pose, where the closest point of the surface is a plain query, and the triangle found carries it back. Depth and
//! direction are those of the deformed positions.
//!
//! Tets that share a node with the vertex's own are left out: they touch it in every pose.

use crate::adapters::vertices::Vertices;
use impinge_bodies::OwnTets;
use impinge_contact::{Attachment, SurfaceMap, par};
use impinge_geometry::{DVec3, TriMesh, triangle_normal, try_normalized};
use impinge_penalty::Penetrating;
use impinge_query::TetIndex;

/// Vertices of one chunk.
const CHUNK: usize = 64;

/// Fills `hits` for `vertices` of body `slot` against the body itself.
pub(super) fn detect_own(
    at: &Vertices<'_>,
    map: &SurfaceMap,
    slot: u32,
    own: &OwnTets,
    surface: &TriMesh,
    vertices: &[u32],
    hits: &mut [Option<Penetrating>],
) {
    let first_node = match map.attachment(slot as usize) {
        Attachment::Nodes { first_node } | Attachment::Embedded { first_node } => first_node as usize,
        _ => return,
    };
    let mut next = first_node;
    let moved = own.rest.mapped(|_| {
        next += 1;
        at.nodes[next - 1]
    });
    let Ok(moved) = moved else { return };
    let index = TetIndex::new(&moved);
    let first = map.first(slot as usize);
    par::fill(hits, CHUNK, |i, hit| {
        let v = vertices[i];
        let Some((nodes, weights)) = map.nodes_of(v) else { return };
        let foreign = |t: u32| {
            own.rest.tets()[t as usize]
                .iter()
                .all(|&n| (0..4).all(|k| weights[k] == 0.0 || nodes[k] as usize != first_node + n as usize))
        };
        let x = at.position(v);
        let Some(found) = index.locate_if(x, foreign) else { return };
        let rest = own.rest.corners(found.tet as usize);
        let material = (0..4).fold(DVec3::zero(), |s, k| s + rest[k] * found.weights[k]);
        let Some(p) = own.surface.penetration(material) else { return };
        let corners = surface.triangles()[p.triangle as usize].map(|k| first + k);
        if corners.contains(&v) {
            return;
        }
        let corners = corners.map(|k| at.position(k));
        let closest = (0..3).fold(DVec3::zero(), |s, k| s + corners[k] * p.weights[k]);
        // Where the body is folded so far that the way out leads inward, there is no way to say which way is out.
        let (Some(normal), Some(face)) = (try_normalized(closest - x), triangle_normal(corners)) else {
            return;
        };
        if normal.dot(face) <= 0.0 {
            return;
        }
        let depth = (closest - x).mag();
        *hit = Some(Penetrating { depth, closest, normal, triangle: p.triangle, weights: p.weights });
    });
}
