//! An edge at a node of a cable, between its two segments.

use crate::TrackedRow;
use impinge_geometry::DVec3;
use impinge_swept::{ENDS, Faces, crossing, edges_of};

/// Whether a contact of two edges stays though their lines cross at `at`, past the end of a segment of a cable.
///
/// Where the cable bends around the other edge, that is past the ends of both segments at the node for a while, as seen along the normal of either.
/// The next segment takes the contact over once it crosses the edge itself. Let go of before, the edge would never cross that one, and nothing
/// would find it. An edge that is farther past the end than it is deep has gone by the node.
pub(crate) fn stays_at_node(row: &TrackedRow, at: [f64; 2], (x, faces): (&[DVec3], &Faces)) -> bool {
    let edges = edges_of(row.key);
    let p = row.stencil.map(|v| x[v as usize]);
    let lines = [p[1] - p[0], p[3] - p[2]];
    let depth = (p[0] + lines[0] * at[0] - p[2] - lines[1] * at[1]).mag();
    let stays = |side: usize| {
        if (-ENDS..=1.0 + ENDS).contains(&at[side]) {
            return true;
        }
        let past = (at[side] - 1.0).max(-at[side]) * lines[side].mag();
        let (segment, across) = if side == 0 { edges } else { (edges.1, edges.0) };
        let node = row.stencil[2 * side + usize::from(at[side] > 1.0)];
        past <= depth
            && faces.is_segment(segment)
            && crosses_next_before_node([segment, across], node, (x, faces))
    };
    stays(0) && stays(1)
}

/// There is a segment on the other side of the node, and the line of `across` crosses its line before it begins.
fn crosses_next_before_node([segment, across]: [u32; 2], node: u32, (x, faces): (&[DVec3], &Faces)) -> bool {
    let next = faces.edges_at.of(node).iter().find(|&&e| e != segment);
    next.is_some_and(|&next| {
        let ([a, b], [c, d]) = (faces.edges[next as usize], faces.edges[across as usize]);
        let from_node = if a == node { [a, b] } else { [b, a] };
        let p = [from_node[0], from_node[1], c, d].map(|v| x[v as usize]);
        crossing(&p).is_none_or(|[along, _]| along < 0.0)
    })
}
