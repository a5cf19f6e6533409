//! An edge of a mesh at a node of a cable, between its two segments.

use crate::TrackedRow;
use crate::response::ground::next_segment;
use impinge_geometry::DVec3;
use impinge_swept::{ENDS, Faces, crossing, edges_of};

/// Where the points of two edges are (0 and 1 at the ends), whose lines cross at `at`, past the end of a segment of a cable, and that stay a contact; `normal` is
/// to the free side of the first. `None` for those that do not.
///
/// Where the cable bends around the other edge, that is past the ends of both segments at the node for a while, as seen along the normal of either.
/// The next segment takes the contact over once it crosses the edge itself. Let go of before, the edge would never cross that one, and nothing
/// would find it. By the tip of a bend that it is not in an edge is free.
pub(crate) fn held_at_node(
    row: &TrackedRow,
    at: [f64; 2],
    normal: DVec3,
    (x, faces): (&[DVec3], &Faces),
) -> Option<[f64; 2]> {
    let edges = edges_of(row.key);
    let p = row.stencil.map(|v| x[v as usize]);
    let depth = normal.dot(p[2] - p[0]).abs();
    let mut held = at;
    for side in [0, 1] {
        if (-ENDS..=1.0 + ENDS).contains(&at[side]) {
            continue;
        }
        let (segment, across) = if side == 0 { edges } else { (edges.1, edges.0) };
        let end = usize::from(at[side] > 1.0);
        let next = next_segment(faces, segment, end).filter(|_| faces.is_segment(segment))?;
        let node = faces.edges[segment as usize][end];
        let ([a, b], [c, d]) = (faces.edges[next as usize], faces.edges[across as usize]);
        let from_node = if a == node { [a, b] } else { [b, a] };
        let line = [from_node[0], from_node[1], c, d].map(|v| x[v as usize]);
        let before = crossing(&line).is_none_or(|[along, _]| along < 0.0);
        let free = if side == 0 { -normal } else { normal };
        if !before || (line[1] - line[0]).dot(free) <= 0.0 {
            return None;
        }
        let most = depth / (p[2 * side + 1] - p[2 * side]).mag().max(f64::MIN_POSITIVE);
        held[side] = at[side].clamp(-most, 1.0 + most);
    }
    Some(held)
}
