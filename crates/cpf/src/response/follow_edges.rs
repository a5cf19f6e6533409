//! Contacts of edges from step to step: where they cross now, and when such a contact is over.

use super::dissipation::first_point;
use super::follow_cables::is_of_cables;
use super::ground::Ground;
use super::hand_over::{HandOver, comes_to_a_rim, held_at_node};
use crate::FeatureFrame;
use impinge_ccd::{Kind, contact_normal};
use impinge_contact::SlipState;
use impinge_geometry::DVec3;
use impinge_swept::{ENDS, crossing, meets_outside, weights};

/// Moves the traced points of edge contacts to where the edges cross at the start of the step. The coplanarity function is about
/// lines and a line has no ends: a contact whose crossing has left one of the edges, or whose normal no longer leaves both
/// bodies, is over, whatever its depth. What lies there now has crossed other features. Where the crossing left past a vertex and
/// neither edge lies in a flat place, the edges that go on there or a face take it over ([`HandOver`]); `held` are the contacts with faces.
/// Two segments of cables are followed by themselves (`follow_cables.rs`).
///
/// So a rounding can decide over all of a force (`stack` with its bodies in reverse order ends 6e-4 elsewhere). A share that falls to 0 over the
/// last tenth of an edge before its end mends that and gains no energy, but nothing holds two edges that cross at a vertex: a spike sank 9 mm past the bottom of its hole, an
/// edge 2.4 mm into a cliff. Over as much beyond the end, edges hold on to what vertices hold too, and a stack gains 0.12 of its energy; with
/// the normal leaving the cones, a pair of free boxes loses 0.7 %.
pub(crate) fn follow_edges(
    tracked: &crate::Tracked,
    held: &crate::Tracked,
    on: &Ground,
    hand_over: &mut HandOver,
    out: &mut crate::Tracked,
) {
    out.clear();
    for i in 0..tracked.len() {
        if is_of_cables(on.faces, tracked.key[i]) {
            continue;
        }
        let mut row = tracked.row(i);
        let p = row.stencil.map(|v| on.x[v as usize]);
        let Some(at) = crossing(&p) else {
            out.push(row);
            continue;
        };
        let n = contact_normal(Kind::EdgeEdge, &p, &p, 0.0, row.side, &row.weight);
        let within = at.iter().all(|s| (-ENDS..=1.0 + ENDS).contains(s));
        let stays = within
            || hand_over.stays_in_concave_edge(&row, at, n, tracked, on)
            || comes_to_a_rim(&row, at, n, held, on);
        let held_at = if stays { Some(at) } else { held_at_node(&row, at, n, (on.x, on.faces)) };
        let Some(at) = held_at else {
            hand_over.leaves(&row, at, n, on);
            continue;
        };
        if !meets_outside(on.faces, on.x, row.key, row.stencil, n) {
            continue;
        }
        let weight = weights(at);
        if row.grip != SlipState::Open {
            // Where they cross runs along the edges; the stretch of the friction spring goes with it.
            let laid = FeatureFrame::new(Kind::EdgeEdge, &p, n).and_then(|frame| {
                let moved =
                    first_point(Kind::EdgeEdge, &p, &weight) - first_point(Kind::EdgeEdge, &p, &row.weight);
                frame.to(&weight, frame.from(&row.weight, row.anchor)? + moved)
            });
            row.anchor = laid.unwrap_or(DVec3::zero());
            row.grip = if laid.is_some() { row.grip } else { SlipState::Open };
        }
        if row.share < 1.0 && row.band > 0.0 {
            // Handed over by a vertex that other edges bear too: whole once it is away from there.
            let [s, t] = [[0, 1], [2, 3]].map(|[i, j]| (weight[j] - row.weight[j]) * (p[j] - p[i]).mag());
            row.share = (row.share + (s * s + t * t).sqrt() / row.band).min(1.0);
        }
        row.weight = weight;
        out.push(row);
    }
    hand_over.follow_cables(tracked, on);
    hand_over.finish(tracked, on, out);
}
