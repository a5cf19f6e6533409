//! What becomes of a contact that leaves its features: of two edges whose crossing runs past the end of one, of a vertex that goes past an edge of
//! its triangle. What lies there now has never been apart, so nothing would find it: a box that slides off a table would fall through the
//! table's edge, and a box that slides onto it sink in.

mod cable_node;
pub(crate) mod concave_edge;
mod faces;

pub(crate) use cable_node::held_at_node;
pub(crate) use faces::{comes_to_a_rim, edge_between};

use super::dissipation::first_point;
use super::follow_cables::CableCrossings;
use super::ground::Ground;
use crate::{FeatureFrame, Tracked, TrackedRow, edge_edge_key};
use impinge_bodies::COPLANAR as PLANE;
use impinge_ccd::{Kind, contact_normal};
use impinge_contact::SlipState;
use impinge_geometry::DVec3;
use impinge_swept::{Faces, crossing, edges_of, in_a_plane, meets_outside, weights};

/// Cosine of the angle by which the normal may turn in a handover. What turns by more is another side of the body.
pub(crate) const ALONG: f64 = 0.7;

/// Difference of cosines that is none.
const EQUAL: f64 = 1e-6;

/// Sine of the angle up to which two faces are one plane here (2.6 degrees).
pub(crate) const FLAT: f64 = 0.0447;

/// Hands a contact of two edges on to the edges that go on where it leaves one past its end: what the paper does with a point that
/// slides off its triangle (seed 003, 3.5). Without it an edge that slides along a ridge of several edges is let go of at the first vertex, and
/// what it has crossed from there on was never apart, so nothing holds it until the next (`crates/world/tests/all/edges_handed.rs`; `repro tangled`: a ribbon
/// that comes down on a cloth leaves 3 crossed pairs of triangles instead of 16).
///
/// Past the end of an edge of a solid there may be a face of the other one too, for the vertex there to stand on; and a vertex that leaves the last
/// face that can hold it goes past an edge, which edges at the vertex cross (`hand_over/faces.rs`, `crates/world/tests/all/off_the_table.rs`).
///
/// It goes to the edges whose normal is the nearest, within [`ALONG`], which penetrate, meet where their bodies have an outside and are
/// not in contact yet. An edge across a flat place is not handed on: what lies on a face is held by its vertices. If it is, ten boxes on each
/// other, whose diagonals end on the edges of their neighbours, sway by 2 mm/s for 10 s (they rest without), and a box that slides over a floor of many
/// triangles hops by 0.1 mm/s under `cpf-implicit`. Handing on to all edges that can take it gives no more than to one.
#[derive(Default)]
pub(crate) struct HandOver {
    left: Vec<Left>,
    /// Cosine of the angle between the normals, and the contact that goes on.
    handed: Vec<(f64, TrackedRow)>,
    /// Keys of the contacts of a vertex and a face that are over: edges have them, or another face.
    taken: Vec<u64>,
    /// Those that take over from edges.
    onto_faces: Vec<(f64, TrackedRow)>,
    cables: CableCrossings,
}

/// A contact that has left its features, and those among which the next one is.
struct Left {
    row: TrackedRow,
    kind: Kind,
    /// To the free side of the first feature.
    normal: DVec3,
    sides: [Side; 2],
    /// Of two edges the ends that their crossing is at, to the depth: seen along the next normal it may be past them.
    ends: [Option<u32>; 2],
    /// It has left in this step.
    begins: bool,
}

/// Edges that may take over on one side.
#[derive(Clone, Copy)]
enum Side {
    /// It stays on this one.
    Edge(u32),
    /// Any at this vertex.
    At(u32),
}

impl Side {
    fn edges<'a>(&'a self, faces: &'a Faces) -> &'a [u32] {
        match self {
            Self::Edge(e) => std::slice::from_ref(e),
            Self::At(v) => faces.edges_at.of(*v),
        }
    }
}

impl HandOver {
    pub(crate) fn begin(&mut self) {
        self.left.clear();
        self.handed.clear();
        self.taken.clear();
        self.onto_faces.clear();
    }

    /// The lines of a contact cross at `at` along each of the edges, past an end of one or both.
    pub(crate) fn leaves(&mut self, row: &TrackedRow, at: [f64; 2], normal: DVec3, on: &Ground) {
        let (first, second) = edges_of(row.key);
        let edges = [first, second];
        let side = |side: usize| match at[side] {
            s if s < 0.0 => Side::At(row.stencil[2 * side]),
            s if s > 1.0 => Side::At(row.stencil[2 * side + 1]),
            _ => Side::Edge(edges[side]),
        };
        if !edges.into_iter().any(|e| in_a_plane(on.faces, on.x, e, FLAT)) {
            let x = row.stencil.map(|v| on.x[v as usize]);
            let depth = normal.dot(x[2] - x[0]).abs();
            let end = |side: usize| {
                let [a, b] = [row.stencil[2 * side], row.stencil[2 * side + 1]];
                let long = (x[2 * side + 1] - x[2 * side]).mag();
                let away = [at[side].abs(), (at[side] - 1.0).abs()];
                let (nearer, end) = if away[0] < away[1] { (away[0], a) } else { (away[1], b) };
                (nearer * long <= depth).then_some(end)
            };
            self.left.push(Left {
                row: *row,
                kind: Kind::EdgeEdge,
                normal,
                sides: [side(0), side(1)],
                ends: [end(0), end(1)],
                begins: true,
            });
        }
    }

    /// The contacts of two cables.
    pub(crate) fn follow_cables(&mut self, before: &Tracked, on: &Ground) {
        self.handed.extend(self.cables.follow(before, on).map(|row| (1.0, row)));
    }

    /// Adds the contacts that go on to those that stayed. Each that left looks among the same pairs, so their order does not matter; of two that come to the
    /// same pair, one remains.
    pub(crate) fn finish(&mut self, before: &Tracked, on: &Ground, stayed: &mut Tracked) {
        for left in &self.left {
            let from = self.handed.len();
            match left.kind {
                Kind::VertexFace => {
                    left.across(before, on, &mut self.handed);
                    let corner = if self.handed.len() > from { None } else { left.corner_onto_face(on) };
                    if self.handed.len() > from || corner.is_some() {
                        self.taken.push(left.row.key);
                    }
                    self.onto_faces.extend(corner);
                }
                Kind::EdgeEdge => match (left.onto_faces(on), left.next(before, on)) {
                    // Where both go on as before, a vertex stands on a face and its edges only begin there.
                    (Some(face), edge) if edge.is_none_or(|e| face.along > e.0 - EQUAL) => {
                        self.handed.extend(edge.and_then(|e| face.beside(e, on)));
                        self.onto_faces.push((face.along, face.row));
                        self.taken.extend(face.shut);
                    }
                    (_, edge) => self.handed.extend(edge),
                },
            }
        }
        if self.handed.is_empty() {
            return;
        }
        self.handed.sort_by(|a, b| a.1.key.cmp(&b.1.key).then(b.0.total_cmp(&a.0)));
        self.handed.dedup_by_key(|(_, row)| row.key);
        self.handed.extend((0..stayed.len()).map(|i| (1.0, stayed.row(i))));
        self.handed.sort_unstable_by_key(|(_, row)| row.key);
        stayed.clear();
        self.handed.iter().for_each(|(_, row)| stayed.push(*row));
    }
}

impl Left {
    /// The contact that goes on, to a pair that was not in contact `before`.
    fn next(&self, before: &Tracked, on: &Ground) -> Option<(f64, TrackedRow)> {
        let edges = |side: usize| {
            let at_end = self.ends[side].iter().flat_map(|&v| on.faces.edges_at.of(v));
            self.sides[side].edges(on.faces).iter().chain(at_end)
        };
        let mut best: Option<(f64, TrackedRow)> = None;
        for &e in edges(0) {
            for &f in edges(1) {
                let Some((along, row)) = self.onto(e, f, before, on) else { continue };
                if best.is_none_or(|b| along > b.0) {
                    best = Some((along, row));
                }
            }
        }
        best
    }

    /// The contact between these two edges, if it can go on there.
    fn onto(&self, e: u32, f: u32, before: &Tracked, on: &Ground) -> Option<(f64, TrackedRow)> {
        // The lower number comes first; a body against itself may have to change sides.
        let (first, second, turned) = if e < f { (e, f, 1.0) } else { (f, e, -1.0) };
        let key = edge_edge_key(first, second);
        let ([a, b], [c, d]) = (on.faces.edges[first as usize], on.faces.edges[second as usize]);
        if a == c || a == d || b == c || b == d || before.find(key).is_some() {
            return None;
        }
        // Of a vertex that leaves a face they were not looked at yet; what lies in a side is no edge that meets.
        let flat = if self.kind == Kind::VertexFace { FLAT } else { PLANE };
        if [e, f].into_iter().any(|e| in_a_plane(on.faces, on.x, e, flat)) {
            return None;
        }
        let stencil = [a, b, c, d];
        let p = stencil.map(|v| on.x[v as usize]);
        let at = crossing(&p)?;
        let weight = weights(at);
        let normal = |side| contact_normal(Kind::EdgeEdge, &p, &p, 0.0, side, &weight);
        let wanted = self.normal * turned;
        let side = if normal(1).dot(wanted) < 0.0 { -1 } else { 1 };
        let n = normal(side);
        let along = n.dot(wanted);
        // Both edges are at right angles to the normal: any two of their points differ along it by the depth.
        let depth = n.dot(p[2] - p[0]);
        let cross = || self.cross(at, &stencil, (n * turned, depth), on);
        // A cable that bends has its sides all around: over a node what it presses on may turn by as much as the cable does.
        let most = if [e, f].into_iter().any(|e| on.faces.is_segment(e)) { 0.0 } else { ALONG };
        if !(along > most && depth > 0.0 && cross() && meets_outside(on.faces, on.x, key, stencil, n)) {
            return None;
        }
        let (anchor, grip) = self.anchor(Kind::EdgeEdge, &p, &weight, n, turned, on);
        Some((along, TrackedRow { key, stencil, side, weight, anchor, grip, ..self.row }))
    }

    /// The friction spring keeps its stretch, which is that of the first feature over the second.
    fn anchor(
        &self,
        kind: Kind,
        p: &[DVec3; 4],
        weight: &[f64; 4],
        n: DVec3,
        turned: f64,
        on: &Ground,
    ) -> (DVec3, SlipState) {
        let row = &self.row;
        if row.grip == SlipState::Open {
            return (row.anchor, row.grip);
        }
        let q = row.stencil.map(|v| on.x[v as usize]);
        let laid = FeatureFrame::new(self.kind, &q, self.normal).and_then(|frame| {
            let at = frame.from(&row.weight, row.anchor)?;
            let from = first_point(self.kind, &q, &row.weight);
            let (from, at) = if turned > 0.0 { (from, at) } else { (at, from) };
            FeatureFrame::new(kind, p, n)?.to(weight, first_point(kind, p, weight) + (at - from))
        });
        laid.map_or((DVec3::zero(), SlipState::Open), |anchor| (anchor, row.grip))
    }
}

#[cfg(test)]
mod tests;
