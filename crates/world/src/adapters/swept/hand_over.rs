//! What becomes of a contact of two edges where the place at which they cross runs past the end of one: the other edges at that vertex.

use super::edges::{crossing, meets_outside, weights};
use super::laid::{first_point, kept_anchor};
use super::start::in_a_plane;
use crate::swept::{Faces, edges_of};
use impinge_ccd::{Kind, contact_normal};
use impinge_contact::SlipState;
use impinge_cpf::{FeatureFrame, Tracked, TrackedRow, edge_edge_key};
use impinge_geometry::DVec3;

/// Cosine of the angle by which the normal may turn in a handover. What turns by more is another side of the body.
const ALONG: f64 = 0.7;

/// Sine of the angle up to which two faces are one plane here (2.6 degrees).
const FLAT: f64 = 0.0447;

/// Where the contacts are: places at the start of the step (m), and what is known of the surfaces.
pub(super) struct Ground<'a> {
    pub(super) x: &'a [DVec3],
    pub(super) faces: &'a Faces,
}

/// Hands a contact of two edges on to the edges that go on where it leaves one past its end: what the paper does with a point that
/// slides off its triangle (seed 003, 3.5). Without it an edge that slides along a ridge of several edges is let go of at the first vertex, and
/// what it has crossed from there on was never apart, so nothing holds it until the next (`crates/world/tests/edges_handed.rs`; `repro tangled`: a ribbon
/// that comes down on a cloth leaves 3 crossed pairs of triangles instead of 16).
///
/// It goes to the edges whose normal is the nearest, within [`ALONG`], which penetrate, meet where their bodies have an outside and are
/// not in contact yet. An edge across a flat place is not handed on: what lies on a face is held by its vertices. If it is, ten boxes on each
/// other, whose diagonals end on the edges of their neighbours, sway by 2 mm/s for 10 s (they rest without), and a box that slides over a floor of many
/// triangles hops by 0.1 mm/s under `cpf-implicit`. Handing on to all edges that can take it gives no more than to one.
#[derive(Default)]
pub(super) struct HandOver {
    left: Vec<Left>,
    /// Cosine of the angle between the normals, and the contact that goes on.
    handed: Vec<(f64, TrackedRow)>,
}

struct Left {
    row: TrackedRow,
    normal: DVec3,
    /// The vertex past which the crossing left each edge.
    past: [Option<u32>; 2],
}

impl HandOver {
    pub(super) fn begin(&mut self) {
        self.left.clear();
        self.handed.clear();
    }

    /// The lines of a contact cross at `at` along each of the edges, past an end of one or both.
    pub(super) fn leaves(&mut self, row: &TrackedRow, at: [f64; 2], normal: DVec3, on: &Ground) {
        let end = |side: usize| match at[side] {
            s if s < 0.0 => Some(row.stencil[2 * side]),
            s if s > 1.0 => Some(row.stencil[2 * side + 1]),
            _ => None,
        };
        let (first, second) = edges_of(row.key);
        if ![first, second].into_iter().any(|e| in_a_plane(on.faces, on.x, e, FLAT)) {
            self.left.push(Left { row: *row, normal, past: [end(0), end(1)] });
        }
    }

    /// Adds the contacts that go on to those that stayed. Each that left looks among the same pairs, so their order does not matter; of two that come to the
    /// same pair, one remains.
    pub(super) fn finish(&mut self, before: &Tracked, on: &Ground, stayed: &mut Tracked) {
        for left in &self.left {
            self.handed.extend(left.next(before, on));
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
        let (first, second) = edges_of(self.row.key);
        let own = [[first], [second]];
        let around = |side: usize| self.past[side].map_or(own[side].as_slice(), |v| on.faces.edges_at.of(v));
        let mut best: Option<(f64, TrackedRow)> = None;
        for &e in around(0) {
            for &f in around(1) {
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
        let stencil = [a, b, c, d];
        let p = stencil.map(|v| on.x[v as usize]);
        let at = crossing(&p).filter(|at| at.iter().all(|s| (0.0..=1.0).contains(s)))?;
        let weight = weights(at);
        let normal = |side| contact_normal(Kind::EdgeEdge, &p, &p, 0.0, side, &weight);
        let wanted = self.normal * turned;
        let side = if normal(1).dot(wanted) < 0.0 { -1 } else { 1 };
        let n = normal(side);
        let along = n.dot(wanted);
        // Both edges are at right angles to the normal: any two of their points differ along it by the depth.
        let penetrates = n.dot(p[2] - p[0]) > 0.0;
        if !(along > ALONG && penetrates && meets_outside(on.faces, on.x, key, stencil, n)) {
            return None;
        }
        let (anchor, grip) = self.anchor(&p, &weight, n, turned, on);
        Some((along, TrackedRow { key, stencil, side, weight, anchor, grip, ..self.row }))
    }

    /// The friction spring keeps its stretch, which is that of the first edge over the second.
    fn anchor(
        &self,
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
        let laid = FeatureFrame::new(Kind::EdgeEdge, &q, self.normal).and_then(|frame| {
            let at = frame.from(&row.weight, row.anchor)?;
            let from = first_point(Kind::EdgeEdge, &q, &row.weight);
            let kept = if turned > 0.0 { (from, at) } else { (at, from) };
            kept_anchor(Kind::EdgeEdge, p, weight, FeatureFrame::new(Kind::EdgeEdge, p, n), kept)
        });
        laid.map_or((DVec3::zero(), SlipState::Open), |anchor| (anchor, row.grip))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ridge along x of two edges, and across it, 1 mm below where it should be, an edge beyond the first of them.
    /// Edges are numbered as the keys ask; `keel` is the number of the one across.
    fn handed(keel: usize) -> (Vec<DVec3>, TrackedRow) {
        let x = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (1.1, -1.0, -1e-3), (1.1, 1.0, -1e-3)];
        let x: Vec<DVec3> = x.iter().map(|p| DVec3::new(p.0, p.1, p.2)).collect();
        let mut edges = vec![[0, 1], [1, 2]];
        edges.insert(keel, [3, 4]);
        let mut faces = Faces { edges: edges.clone(), ..Faces::default() };
        faces.gather_edges(x.len());
        assert_eq!(faces.edges_at.of(1).len(), 2);
        let none = Tracked::default();
        let on = Ground { x: &x, faces: &faces };

        let (first, second) = if keel == 0 { (0, 1) } else { (0, keel) };
        let [[a, b], [c, d]] = [edges[first], edges[second]];
        let stencil = [a, b, c, d];
        let p = stencil.map(|v| x[v as usize]);
        let at = crossing(&p).unwrap();
        // Where it was a moment ago, at the vertex.
        let weight = if keel == 0 { [0.5, 0.5, 0.0, -1.0] } else { [0.0, 1.0, -0.5, -0.5] };
        // The keel belongs above.
        let up = contact_normal(Kind::EdgeEdge, &p, &p, 0.0, 1, &weight).z;
        let side = if (up < 0.0) == (keel == 0) { -1 } else { 1 };
        let n = contact_normal(Kind::EdgeEdge, &p, &p, 0.0, side, &weight);
        let at_first = first_point(Kind::EdgeEdge, &p, &weight);
        let frame = FeatureFrame::new(Kind::EdgeEdge, &p, n).unwrap();
        let anchor = frame.to(&weight, at_first - DVec3::new(3e-4, -2e-4, 0.0)).unwrap();
        let row = TrackedRow {
            key: edge_edge_key(first as u32, second as u32),
            stencil,
            side,
            weight,
            stiffness: 1e4,
            share: 1.0,
            fading: false,
            height: 0.0,
            band: 0.0,
            anchor,
            grip: SlipState::Static,
        };
        let mut over = HandOver::default();
        over.begin();
        over.leaves(&row, at, n, &on);
        let mut stayed = Tracked::default();
        over.finish(&none, &on, &mut stayed);
        assert_eq!(stayed.len(), 1, "edge {keel} is across");
        assert!(over.left[0].next(&stayed, &on).is_none(), "it is in contact already");
        (x, stayed.row(0))
    }

    #[test]
    fn a_contact_goes_on_with_its_normal_its_depth_and_its_friction_however_the_edges_are_numbered() {
        for (keel, key) in [(0, (0, 2)), (1, (1, 2)), (2, (1, 2))] {
            let (x, after) = handed(keel);
            assert_eq!(edges_of(after.key), key);
            let p = after.stencil.map(|v| x[v as usize]);
            let n = contact_normal(Kind::EdgeEdge, &p, &p, 0.0, after.side, &after.weight);
            let gap = (0..4).map(|i| p[i] * after.weight[i]).fold(DVec3::zero(), |s, q| s + q).dot(n);
            assert!((gap + 1e-3).abs() < 1e-12, "edge {keel} is across: gap {gap} m");
            assert_eq!(after.grip, SlipState::Static);
            let stretch = first_point(Kind::EdgeEdge, &p, &after.weight)
                - FeatureFrame::new(Kind::EdgeEdge, &p, n)
                    .unwrap()
                    .from(&after.weight, after.anchor)
                    .unwrap();
            // With the keel in the middle the ridge was first and is second.
            let turned = if keel == 1 { -1.0 } else { 1.0 };
            let wanted = DVec3::new(3e-4, -2e-4, 0.0) * turned;
            assert!((stretch - wanted).mag() < 1e-12, "edge {keel} is across: {stretch:?}");
        }
    }
}
