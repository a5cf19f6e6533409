//! Nodes of a cable against its segments: what lies along itself, or ends at itself, is near with a node and not where two segments cross.
//!
//! A node counts where the nearest point is a local minimum of its distance to the cable, once, as a vertex of cloth does. It is an edge without
//! length, counted behind all edges.

use super::{LayerRow, Thin};
use crate::layer::{Nearest, Push, between, comes_within};
use impinge_ccd::Kind;
use impinge_geometry::DVec3;
use impinge_swept::List;

impl Thin<'_> {
    /// The segments of a cable by its nodes: segment i from node i to the next, counted from its first.
    fn first_segment(&self) -> Option<u32> {
        let first = self.matter.map.first(self.slot as usize);
        // In the order of the nodes; the first node has one segment alone.
        self.matter.faces.edges_at.of(first).first().copied()
    }

    /// Nodes (counted from the cable's first) and segments (among all edges) that may come near where these segments may.
    pub(super) fn list_nodes(&self, segments: &[(u32, u32)], out: &mut Vec<(u32, u32)>) {
        out.clear();
        let Some(first) = self.first_segment() else { return };
        let last = self.rest.len() as u32 - 1;
        for &(e, f) in segments {
            for (of, with) in [(e, f), (f, e)] {
                out.extend([of - first, of - first + 1].map(|node| (node, with)));
            }
        }
        // The end of a cable that folds flat: its segment shares a node with the next.
        if last >= 2 {
            out.extend([(0, first + 1), (last, first + last - 2)]);
        }
        out.sort_unstable();
        out.dedup();
    }

    /// A node and a segment that it is no end of.
    pub(super) fn near_node(&self, (node, segment): (u32, u32)) -> Option<LayerRow> {
        let faces = self.matter.faces;
        let vertex = self.matter.map.first(self.slot as usize) + node;
        let [a, b] = faces.edges[segment as usize];
        let stencil = [vertex, vertex, a, b];
        if vertex == a || vertex == b {
            return None;
        }
        let (x0, x1) = (self.places(&self.surface.x0, stencil), self.places(&self.surface.x1, stencil));
        let (t, near) = comes_within(Kind::EdgeEdge, &x0, &x1, self.distance)?;
        // All of the node, however its edge without length is divided.
        let [.., c, d] = near.weight;
        let near = Nearest { weight: [1.0, 0.0, c, d], ..near };
        for (end, all) in [(a, c), (b, d)] {
            if all == -1.0 && !self.is_nearest(vertex, end, segment, t) {
                return None;
            }
        }
        let key = List::Edges.key((faces.edges.len() as u32 + node, segment));
        let x = between(&x0, &x1, t);
        self.row(List::Edges, (key, stencil), (near.weight, Push::of(Kind::EdgeEdge, &x, &near)?, t), 1.0)
    }

    /// Whether no point of the cable around `end`, an end of `segment`, is nearer to a node at a time of the step; of the segments there the
    /// lowest says so.
    fn is_nearest(&self, vertex: u32, end: u32, segment: u32, t: f64) -> bool {
        let place = |v: u32| self.surface.x0[v as usize] * (1.0 - t) + self.surface.x1[v as usize] * t;
        let gap: DVec3 = place(vertex) - place(end);
        let at = self.matter.faces.edges_at.of(end);
        at.first() == Some(&segment)
            && at.iter().all(|&e| {
                let [a, b] = self.matter.faces.edges[e as usize];
                let other = if a == end { b } else { a };
                other != vertex && gap.dot(place(other) - place(end)) <= 0.0
            })
    }
}
