//! Edges against edges: which way they can touch, and when such a contact is over.

use super::laid::first_point;
use crate::swept::{Faces, edges_of};
use impinge_ccd::{Kind, contact_normal};
use impinge_contact::SlipState;
use impinge_cpf::FeatureFrame;
use impinge_geometry::{DVec3, try_normalized};

/// Sine of the angle by which the normal of two edges may miss the cone of the faces' normals.
pub(in super::super) const CONE_SLACK: f64 = 0.2;

/// Sine over which the force of a contact ends once its normal has missed the cone by more than the slack. (Until twice the slack a ball on a
/// stick bounces better still, and a contact of two edges stayed beside the one that three balls bear a fourth with.)
const CONE_BAND: f64 = 0.5 * CONE_SLACK;

/// The sine by which faces at the edge rise along `out`; `None` where it does not point to the outer side of the faces there. 0 for the edge of
/// a sheet, which any direction leaves.
fn rise(faces: &Faces, x: &[DVec3], edge: u32, ends: [u32; 2], out: DVec3) -> Option<f64> {
    let at = faces.edge_faces.get(edge as usize).copied().unwrap_or([u32::MAX; 2]);
    let beside = || at.iter().filter_map(|f| faces.corners.get(*f as usize));
    let area = |[p, q, r]: [u32; 3]| {
        let [p, q, r] = [p, q, r].map(|v| x[v as usize]);
        (q - p).cross(r - p)
    };
    // Unit vectors are made where they decide something: to make them all took most of the time here.
    let (mut out_of, mut into, mut most) = (true, true, 0.0f64);
    for &corners in beside() {
        let side = area(corners).dot(out);
        out_of &= side >= 0.0;
        into &= side < 0.0;
        if let Some(u) = across(ends, corners, x) {
            let up = u.dot(out);
            if up > 0.0 {
                most = most.max(up / u.mag());
            }
        }
    }
    let outer = || {
        let unit = |c: &[u32; 3]| try_normalized(area(*c)).unwrap_or(DVec3::zero());
        beside().map(unit).fold(DVec3::zero(), |s, n| s + n).dot(out) >= 0.0
    };
    // A sheet's edge has no face, and both hold.
    (out_of || !into && outer()).then_some(most)
}

/// `out` leaves the body at the edge: it points to the outer side of the faces there, and no face rises along it by more than the
/// slack (a sine).
pub(super) fn leaves(faces: &Faces, x: &[DVec3], edge: u32, ends: [u32; 2], out: DVec3, slack: f64) -> bool {
    rise(faces, x, edge, ends, out).is_some_and(|r| r <= slack)
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

/// Part of its force that a contact keeps whose normal, to the free side of the first edge, misses the cones by so much.
fn within_cones(faces: &Faces, x: &[DVec3], key: u64, [a, b, c, d]: [u32; 4], n: DVec3) -> f64 {
    let (first, second) = edges_of(key);
    let of = |edge, ends, out| {
        let r = rise(faces, x, edge, ends, out)?;
        Some(1.0 - (r - CONE_SLACK).max(0.0) / CONE_BAND)
    };
    of(first, [a, b], -n).zip(of(second, [c, d], n)).map_or(0.0, |(p, q)| p.min(q))
}

/// Moves the traced points of edge contacts to where the edges cross at the start of the step. The coplanarity function is about
/// lines and a line has no ends: a contact whose crossing has left one of the edges, or whose normal no longer leaves both
/// bodies, ends, whatever its depth. What lies there now has crossed other features.
///
/// It ends by and by: its force falls to 0 while the crossing goes on by `band` of the shorter edge beyond an end, or the normal turns on by
/// [`CONE_BAND`], and comes back as they do. (It was let go at once. A rounding decided over the whole force then, energy went with it, and a
/// scene that was turned ended elsewhere.)
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
            let beyond = |s: f64| (-s).max(s - 1.0).max(0.0);
            let (first, second) = (d.mag(), e.mag());
            let off = (beyond(s) * first).max(beyond(t) * second) / (band * first.min(second));
            row.share = (1.0 - off).min(within_cones(faces, x, row.key, row.stencil, n));
            if row.share <= 0.0 {
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

    /// Two edges of 1 m, the second above the first by `depth` on the wrong side; `x` are their ends.
    fn share(faces: &Faces, x: &[DVec3]) -> f64 {
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
        let (mut tracked, mut out) = (Tracked::default(), Tracked::default());
        tracked.push(row);
        follow_edges(&tracked, x, faces, BAND, &mut out);
        out.share.first().copied().unwrap_or(0.0)
    }

    /// The second edge slides off the end of the first.
    #[test]
    fn the_force_ends_by_and_by_beyond_an_end() {
        let faces = Faces { edge_faces: vec![[u32::MAX; 2]; 2], ..Faces::default() };
        let at = |s: f64| {
            let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [s, -0.5, 0.01], [s, 0.5, 0.01]].map(DVec3::from);
            share(&faces, &x)
        };
        assert_eq!([at(0.5), at(1.0), at(0.0)], [1.0; 3]);
        assert!((at(1.0 + 0.5 * BAND) - 0.5).abs() < 1e-12 && (at(-0.25 * BAND) - 0.75).abs() < 1e-12);
        assert_eq!([at(1.0 + 1.01 * BAND), at(-1.01 * BAND)], [0.0; 2]);
    }

    /// The first edge is a ridge of a right angle, the second a sheet's, and the ridge is turned about itself: to either side the force goes on
    /// as the direction does, and is nothing before the other edge lies in a face.
    #[test]
    fn the_force_ends_by_and_by_where_the_normal_leaves_the_cone() {
        let faces = Faces {
            edge_faces: vec![[0, 1], [u32::MAX; 2]],
            corners: vec![[0, 1, 4], [1, 0, 5]],
            ..Faces::default()
        };
        let at = |angle: f64| {
            let down = |a: f64| DVec3::new(0.5, a.sin(), -a.cos());
            let quarter = std::f64::consts::FRAC_PI_4;
            let edge =
                [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, -0.5, -0.01], [0.5, 0.5, -0.01]].map(DVec3::from);
            let x = [&edge[..], &[down(angle + quarter), down(angle - quarter)]].concat();
            share(&faces, &x)
        };
        let steps = 2000;
        let turn = |i: i32| f64::from(i) / f64::from(steps) * 1.2;
        let shares: Vec<f64> = (-steps..=steps).map(|i| at(turn(i))).collect();
        let middle = steps as usize;
        assert_eq!(shares[middle], 1.0);
        assert_eq!([shares[0], shares[2 * middle]], [0.0; 2]);
        let most = shares.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
        // The sine changes by no more than the angle.
        assert!(most <= 1.01 * turn(1) / CONE_BAND, "a jump of {most}");
        // A quarter of a right angle on, it lies along a face: within the slack. All of it again, and it is in the body.
        assert_eq!(at(std::f64::consts::FRAC_PI_4), 1.0);
        assert_eq!(at(std::f64::consts::FRAC_PI_4 + 0.31), 0.0);
    }
}
