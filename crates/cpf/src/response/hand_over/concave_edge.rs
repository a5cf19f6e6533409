//! An edge in the concave corner that two edges of the other body make.

use super::{ALONG, FLAT, Ground, HandOver};
use crate::conserving::PARALLEL;
use crate::{Tracked, TrackedRow, edge_edge_key};
use impinge_ccd::{Kind, contact_normal};
use impinge_geometry::DVec3;
use impinge_swept::{crossing, edges_of, in_a_plane, meets_outside, weights};

impl HandOver {
    /// Whether a contact of two edges stays where their lines cross at `at`, past an end of one: there another edge rises towards the free side,
    /// and what is deeper than that end is behind both. Both hold it, as walls do a vertex in a groove; one that was not in contact begins.
    ///
    /// Without this the contact was let go of, and what is behind the other edge has never crossed it: a wedge that fell into a crack of its length
    /// tipped out of an end of it (`crates/world/tests/all/notch.rs`). Where the corner turns by less than 45 degrees the
    /// contact goes from one edge to the other ([`HandOver::leaves`]).
    ///
    /// Not of sheets: a ribbon that comes down on a cloth then leaves 23 crossed pairs of triangles in place of 3 (`repro tangled`).
    pub(crate) fn stays_in_concave_edge(
        &mut self,
        row: &TrackedRow,
        at: [f64; 2],
        normal: DVec3,
        before: &Tracked,
        on: &Ground,
    ) -> bool {
        let (first, second) = edges_of(row.key);
        let within = at.map(|s| (0.0..=1.0).contains(&s));
        let (past, left, across) = match within {
            [false, true] => (0, first, second),
            [true, false] => (1, second, first),
            _ => return false,
        };
        // A sheet is free on both sides of a corner. A cable that folds over an edge has it in the fold.
        if !on.faces.is_segment(left) && on.faces.edge_faces[left as usize][0] == u32::MAX {
            return false;
        }
        let ends = [row.stencil[2 * past], row.stencil[2 * past + 1]];
        let [corner, end] = if at[past] < 0.0 { ends } else { [ends[1], ends[0]] };
        let concave = ConcaveEdge { corner, end, across, free: if past == 0 { -normal } else { normal } };
        let mut held = false;
        for &edge in on.faces.edges_at.of(corner).iter().filter(|e| **e != left) {
            let Some(other) = concave.beyond(edge, row.stiffness, on) else { continue };
            held = true;
            if before.find(other.key).is_none() {
                self.handed.push((1.0, other));
            }
        }
        held
    }
}

/// Where an edge has left one of the other body.
struct ConcaveEdge {
    /// The vertex that it has gone past, and the other end.
    corner: u32,
    end: u32,
    /// The edge that has left.
    across: u32,
    /// Normal out of the body with the corner.
    free: DVec3,
}

impl ConcaveEdge {
    /// The contact with another edge at the corner, if it rises in front of the one that was left, and the other way around, and if the edge across
    /// is behind it.
    fn beyond(&self, edge: u32, stiffness: f64, on: &Ground) -> Option<TrackedRow> {
        let x = |v: u32| on.x[v as usize];
        let other = *on.faces.edges.get(edge as usize)?.iter().find(|v| **v != self.corner)?;
        if self.free.dot(x(other) - x(self.corner)) <= 0.0 || in_a_plane(on.faces, on.x, edge, FLAT) {
            return None;
        }
        let ours = edge < self.across;
        let (first, second) = if ours { (edge, self.across) } else { (self.across, edge) };
        let ([a, b], [c, d]) = (on.faces.edges[first as usize], on.faces.edges[second as usize]);
        let stencil = [a, b, c, d];
        if a == c || a == d || b == c || b == d {
            return None;
        }
        let p = stencil.map(x);
        let (u, v) = (p[1] - p[0], p[3] - p[2]);
        if u.cross(v).mag_sq() <= PARALLEL * u.mag_sq() * v.mag_sq() {
            return None;
        }
        let at = crossing(&p)?;
        let (on_edge, on_across) = if ours { (at[0], at[1]) } else { (at[1], at[0]) };
        // On the edge, or past the corner on it.
        let starts = on.faces.edges[edge as usize][0] == self.corner;
        let along = if starts { on_edge } else { 1.0 - on_edge };
        if along > 1.0 || !(0.0..=1.0).contains(&on_across) {
            return None;
        }
        let (weight, key) = (weights(at), edge_edge_key(first, second));
        [1, -1].into_iter().find_map(|side| {
            let n = contact_normal(Kind::EdgeEdge, &p, &p, 0.0, side, &weight);
            let free = if ours { -n } else { n };
            let hollow = free.dot(x(self.end) - x(self.corner)) > 0.0 && free.dot(self.free) <= ALONG;
            let penetrates = n.dot(p[2] - p[0]) > 0.0;
            let holds = hollow && penetrates && meets_outside(on.faces, on.x, key, stencil, n);
            holds.then(|| TrackedRow::opened(key, stencil, side, weight, stiffness))
        })
    }
}
