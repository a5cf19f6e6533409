//! Edges against edges: which way they can touch, and when such a contact is over.

use super::laid::first_point;
use crate::swept::{Faces, edges_of};
use impinge_ccd::{Kind, contact_normal};
use impinge_contact::SlipState;
use impinge_cpf::FeatureFrame;
use impinge_geometry::{DVec3, try_normalized};

/// Sine of the angle by which the normal of two edges may miss the cone of the faces' normals.
pub(in super::super) const CONE_SLACK: f64 = 0.2;

/// `out` leaves the body at the edge: it points to the outer side of the faces there, and no face rises along it by more than the
/// slack (a sine). Any direction leaves the edge of a sheet.
pub(super) fn leaves(
    faces: &Faces,
    x: &[DVec3],
    edge: u32,
    [a, b]: [u32; 2],
    out: DVec3,
    slack: f64,
) -> bool {
    let at = faces.edge_faces.get(edge as usize).copied().unwrap_or([u32::MAX; 2]);
    let beside = || at.iter().filter_map(|f| faces.corners.get(*f as usize));
    let area = |[p, q, r]: [u32; 3]| {
        let [p, q, r] = [p, q, r].map(|v| x[v as usize]);
        (q - p).cross(r - p)
    };
    let (mut out_of, mut into, mut rises) = (true, true, false);
    for &corners in beside() {
        let side = area(corners).dot(out);
        out_of &= side >= 0.0;
        into &= side < 0.0;
        // Unit vectors are not needed to compare, and to make them took most of the time here.
        rises |= across([a, b], corners, x).is_some_and(|u| {
            let up = u.dot(out);
            up > 0.0 && up > slack * u.mag()
        });
    }
    let outer = || {
        let unit = |c: &[u32; 3]| try_normalized(area(*c)).unwrap_or(DVec3::zero());
        beside().map(unit).fold(DVec3::zero(), |s, n| s + n).dot(out) >= 0.0
    };
    // A sheet's edge has no face, and both hold.
    !rises && (out_of || !into && outer())
}

/// From an edge into a face beside it, across the edge; `None` for a face that is not beside it.
fn across([a, b]: [u32; 2], corners: [u32; 3], x: &[DVec3]) -> Option<DVec3> {
    let c = corners.into_iter().find(|c| *c != a && *c != b)?;
    let (along, to) = (x[b as usize] - x[a as usize], x[c as usize] - x[a as usize]);
    Some(to - along * (to.dot(along) / along.mag_sq().max(f64::MIN_POSITIVE)))
}

/// The unit vector along that way; `None` for a face without one.
pub(super) fn inward(edge: [u32; 2], corners: [u32; 3], x: &[DVec3]) -> Option<DVec3> {
    try_normalized(across(edge, corners, x)?)
}

/// The edges of `key` meet where `n`, to the free side of the first, leaves both bodies.
pub(super) fn meets_outside(faces: &Faces, x: &[DVec3], key: u64, [a, b, c, d]: [u32; 4], n: DVec3) -> bool {
    let (first, second) = edges_of(key);
    leaves(faces, x, first, [a, b], -n, CONE_SLACK) && leaves(faces, x, second, [c, d], n, CONE_SLACK)
}

/// Part of its stiffness that a contact has whose edges, of these lengths (m), cross at `at` of each: all of it unless that is nearer to an end than
/// `band` of the shorter one, nothing at the end and beyond.
fn share_inside(at: [f64; 2], lengths: [f64; 2], band: f64) -> f64 {
    let [a, b] = lengths;
    let inside = |s: f64, length: f64| s.min(1.0 - s) * length;
    (inside(at[0], a).min(inside(at[1], b)) / (band * a.min(b))).min(1.0)
}

/// Moves the traced points of edge contacts to where the edges cross at the start of the step. The coplanarity function is about
/// lines and a line has no ends: a contact whose crossing has left one of the edges, or whose normal no longer leaves both
/// bodies, is over, whatever its depth. What lies there now has crossed other features.
///
/// Towards the end of an edge it ends by and by: its share of the stiffness falls to 0 over the last `band` of the shorter edge, so that
/// nothing is left to let go of where the crossing leaves, and a vertex, where the edges around it all end, is left to its faces. (Let go of at
/// once, a rounding decided over the whole force: a stack of boxes gained 0.03 of its energy and stood elsewhere with its bodies in
/// reverse order, by 6e-4; both are rounding now. Falling over as much beyond the ends instead, edges held on to what vertices held too, and
/// the stack gained 0.12. A share that also falls as the normal leaves the cones lets a pair of free boxes lose 0.7 % of its energy.)
pub(super) fn follow_edges(
    tracked: &impinge_cpf::Tracked,
    x: &[DVec3],
    faces: &Faces,
    band: f64,
    out: &mut impinge_cpf::Tracked,
) {
    out.clear();
    for i in 0..tracked.len() {
        let mut row = tracked.row(i);
        let p = row.stencil.map(|v| x[v as usize]);
        let (d, e, r) = (p[1] - p[0], p[3] - p[2], p[2] - p[0]);
        let m = d.cross(e);
        let mm = m.mag_sq();
        if mm > 1e-24 * d.mag_sq() * e.mag_sq() {
            let (s, t) = (r.cross(e).dot(m) / mm, r.cross(d).dot(m) / mm);
            let n = contact_normal(Kind::EdgeEdge, &p, &p, 0.0, row.side, &row.weight);
            row.share = share_inside([s, t], [d.mag(), e.mag()], band);
            if !(row.share > 0.0 && meets_outside(faces, x, row.key, row.stencil, n)) {
                continue;
            }
            let weight = [1.0 - s, s, t - 1.0, -t];
            if row.grip != SlipState::Open {
                // Where they cross runs along the edges; the stretch of the friction spring goes with it.
                let laid = FeatureFrame::new(Kind::EdgeEdge, &p, n).and_then(|frame| {
                    let moved = first_point(Kind::EdgeEdge, &p, &weight)
                        - first_point(Kind::EdgeEdge, &p, &row.weight);
                    frame.to(&weight, frame.from(&row.weight, row.anchor)? + moved)
                });
                row.anchor = laid.unwrap_or(DVec3::zero());
                row.grip = if laid.is_some() { row.grip } else { SlipState::Open };
            }
            row.weight = weight;
        }
        out.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_cpf::{Tracked, TrackedRow, edge_edge_key};

    const BAND: f64 = 0.1;

    /// The share of a contact of two edges of sheets, the first of 1 m along x, the second of 2 m across it at x = `s` and `off` from its
    /// middle, 1 cm past it; 0 where it is over.
    fn share(s: f64, off: f64) -> f64 {
        let row = TrackedRow {
            key: edge_edge_key(0, 1),
            stencil: [0, 1, 2, 3],
            side: -1,
            weight: [0.5, 0.5, -0.5, -0.5],
            stiffness: 1.0,
            share: 1.0,
            fading: false,
            height: 0.0,
            band: 0.0,
            anchor: DVec3::zero(),
            grip: SlipState::Open,
        };
        let faces = Faces { edge_faces: vec![[u32::MAX; 2]; 2], ..Faces::default() };
        let x =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [s, off - 1.0, 0.01], [s, off + 1.0, 0.01]].map(DVec3::from);
        let (mut tracked, mut out) = (Tracked::default(), Tracked::default());
        tracked.push(row);
        follow_edges(&tracked, &x, &faces, BAND, &mut out);
        assert_eq!(out.len(), usize::from(out.share.iter().any(|s| *s > 0.0)), "what has no share is over");
        out.share.first().copied().unwrap_or(0.0)
    }

    #[test]
    fn the_share_of_two_edges_falls_to_nothing_at_their_ends() {
        for all in [share(0.5, 0.0), share(BAND, 0.0), share(1.0 - BAND, 0.5)] {
            assert!((all - 1.0).abs() < 1e-12, "{all}");
        }
        // Half of the band before an end of the first and a quarter of it before one of the second, twice as long; the nearer end counts.
        assert!((share(1.0 - 0.5 * BAND, 0.0) - 0.5).abs() < 1e-12);
        assert!((share(0.5, 1.0 - 0.25 * BAND) - 0.25).abs() < 1e-12);
        assert!((share(0.5 * BAND, 0.25 * BAND - 1.0) - 0.25).abs() < 1e-12);
        assert_eq!([share(0.0, 0.0), share(1.0, 0.0), share(1.1, 0.0), share(0.5, 1.1)], [0.0; 4]);
    }

    /// From end to end without a jump.
    #[test]
    fn no_step_along_an_edge_changes_the_share_by_more_than_its_slope() {
        let steps = 5000;
        let at = |i: i32| f64::from(i) / f64::from(steps) * 1.4 - 0.2;
        let shares: Vec<f64> = (0..=steps).map(|i| share(at(i), 0.0)).collect();
        let most = shares.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
        assert!(most <= 1.001 * (at(1) - at(0)) / BAND, "{most}");
    }
}
