//! Contacts of two cables from step to step: a crossing, which runs along both from segment to segment and over their nodes.
//!
//! Where cables have passed through each other they stay so until they pass back, or until an end of one has slid out. What the contact is of changes: the lines
//! through two segments cross past the ends of both where a cable folds over the other, and nobody else holds there. So contacts that are of neighbours
//! and on one side are one crossing, and it is told anew in every step which pairs of segments bear it (`crossing_place.rs`).

use super::crossing_place::{Seen, bearers};
use super::dissipation::first_point;
use super::ground::{Ground, next_segment};
use crate::{FeatureFrame, Tracked, TrackedRow, edge_edge_key};
use impinge_ccd::Kind;
use impinge_contact::SlipState;
use impinge_geometry::DVec3;
use impinge_swept::{Faces, edges_of};
use smallvec::SmallVec;

/// Finds them; kept from step to step for its memory alone.
#[derive(Default)]
pub(crate) struct CableCrossings {
    /// Rows that belong to a crossing that was seen.
    taken: Vec<bool>,
    /// Rows of a crossing, and rows beside them of the other side.
    rows: Vec<usize>,
    against: Vec<usize>,
    out: Vec<TrackedRow>,
}

/// Both edges of a key are segments of cables.
pub(crate) fn is_of_cables(faces: &Faces, key: u64) -> bool {
    let (first, second) = edges_of(key);
    faces.is_segment(first) && faces.is_segment(second)
}

impl CableCrossings {
    /// The contacts that the crossings among `tracked` are of when the step begins.
    pub(crate) fn follow(&mut self, tracked: &Tracked, on: &Ground) -> impl Iterator<Item = TrackedRow> {
        self.out.clear();
        let of_cables = |i: usize| is_of_cables(on.faces, tracked.key[i]);
        let any = (0..tracked.len()).any(of_cables);
        self.taken.clear();
        self.taken.resize(if any { tracked.len() } else { 0 }, false);
        let seen = |i: usize| Seen::of(tracked.key[i], tracked.side[i], on);
        let open = |i: usize| seen(i).is_some_and(|s| s.depth > 0.0);
        // First those that have left a segment beside its end: they may have come out, and then what was met there is no contact.
        for ended in [true, false] {
            for i in 0..self.taken.len() {
                if self.taken[i] || !of_cables(i) || ended && open(i) {
                    continue;
                }
                self.gather(tracked, i, on.faces);
                self.bear(tracked, on);
                if ended {
                    self.against.iter().for_each(|&i| self.taken[i] = true);
                }
            }
        }
        self.out.drain(..)
    }

    /// The rows of the crossing that row `from` is of.
    fn gather(&mut self, tracked: &Tracked, from: usize, faces: &Faces) {
        self.rows.clear();
        self.against.clear();
        self.rows.push(from);
        self.taken[from] = true;
        let mut at = 0;
        while let Some(&i) = self.rows.get(at) {
            at += 1;
            let (first, second) = edges_of(tracked.key[i]);
            for e in around(faces, first) {
                for f in around(faces, second) {
                    let Some(j) = tracked.find(edge_edge_key(e, f)).filter(|&j| !self.taken[j]) else {
                        continue;
                    };
                    if tracked.side[j] == tracked.side[from] {
                        self.taken[j] = true;
                        self.rows.push(j);
                    } else {
                        self.against.push(j);
                    }
                }
            }
        }
    }

    /// The contacts of the crossing that `rows` are of, with the friction of those that were there, or of the largest of them.
    fn bear(&mut self, tracked: &Tracked, on: &Ground) {
        let share = |i: usize| tracked.share[i];
        self.rows.sort_by(|&a, &b| share(b).total_cmp(&share(a)).then(a.cmp(&b)));
        let mut rows = self.rows.iter().map(|&i| tracked.row(i));
        let Some(base) = rows.find(|row| Seen::of(row.key, row.side, on).is_some()) else {
            // All along each other: they have no normal, and no force.
            self.out.extend(self.rows.iter().map(|&i| tracked.row(i)));
            return;
        };
        let known = |key: u64| tracked.find(key).filter(|&i| tracked.side[i] == base.side);
        let from = self.rows.iter().map(|&i| edges_of(tracked.key[i]));
        for (seen, part) in bearers(from, base.side, on) {
            let from = known(seen.key).map_or(base, |i| tracked.row(i));
            let weight = seen.weights();
            let laid = laid(&from, &seen, &weight, on);
            self.out.push(TrackedRow {
                share: part,
                anchor: laid.unwrap_or(DVec3::zero()),
                grip: if laid.is_some() { from.grip } else { SlipState::Open },
                ..TrackedRow::opened(seen.key, seen.stencil, base.side, weight, base.stiffness)
            });
        }
    }
}

/// A segment and its neighbours.
fn around(faces: &Faces, segment: u32) -> SmallVec<[u32; 3]> {
    let next = [0, 1].into_iter().filter_map(|end| next_segment(faces, segment, end));
    std::iter::once(segment).chain(next).collect()
}

/// The stretch of a friction spring, laid on another pair.
fn laid(from: &TrackedRow, to: &Seen, weight: &[f64; 4], on: &Ground) -> Option<DVec3> {
    let kind = Kind::EdgeEdge;
    if from.grip == SlipState::Open {
        return None;
    }
    let before = Seen::of(from.key, from.side, on)?;
    let [p, q] = [before.stencil, to.stencil].map(|s| s.map(|v| on.x[v as usize]));
    let anchor = FeatureFrame::new(kind, &p, before.normal)?.from(&from.weight, from.anchor)?;
    let moved = first_point(kind, &q, weight) - first_point(kind, &p, &from.weight);
    FeatureFrame::new(kind, &q, to.normal)?.to(weight, anchor + moved)
}
