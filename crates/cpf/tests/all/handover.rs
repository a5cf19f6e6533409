//! Contacts that slide from triangle to triangle: shares that add up, and edges that let go.

use crate::common::{NONE, follow, force, v};
use impinge_ccd::{Candidates, Kind, Opens};
use impinge_contact::SlipState;
use impinge_cpf::conserving::{ContactLaw, GradientWorkspace, Scheme, gradients};
use impinge_cpf::{Faces, StepPairs, Tracked, TrackedRow, from_feature, to_feature, vertex_face_key};
use impinge_geometry::DVec3;

fn open(face: u32, stencil: [u32; 4], weight: [f64; 4]) -> Tracked {
    let mut t = Tracked::default();
    t.push(TrackedRow::opened(vertex_face_key(0, face), stencil, 1, weight, 1.0));
    t
}

/// The top of a box and its side, one triangle each: the vertex slides over the edge and falls down beside the box.
#[test]
fn over_a_sharp_edge_a_contact_lets_go_as_the_vertex_falls() {
    let at = |p: DVec3| vec![p, v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(1.0, 1.0, 0.0), v(1.0, 0.5, -1.0)];
    let faces = Faces { corners: &[[1, 2, 3], [2, 4, 3]], across: &[[NONE, 1, NONE], [NONE, NONE, 0]] };
    let mut tracked = open(0, [0, 1, 2, 3], [1.0, -0.1, -0.4, -0.5]);
    for i in 0..20 {
        let s = f64::from(i) / 20.0;
        tracked = follow(&tracked, &at(v(0.9 + 0.101 * s, 0.5, -0.01)), &faces);
    }
    assert_eq!(tracked.share[tracked.find(vertex_face_key(0, 0)).unwrap()], 1.0, "still on the top");
    let (mut held, mut most) = (f64::INFINITY, 0.0f64);
    for i in 0..100 {
        let depth = 0.01 + 0.005 * f64::from(i);
        tracked = follow(&tracked, &at(v(1.001, 0.5, -depth)), &faces);
        let share = tracked.find(vertex_face_key(0, 0)).map_or(0.0, |i| tracked.share[i]);
        assert!(share <= held, "the share grows");
        held = share;
        most = most.max(share * depth);
    }
    assert_eq!(held, 0.0, "half a metre below the edge it is still held");
    // (1 − w/b)(d + w) with the band b = d = 0.01 m only falls; with a tenth of the triangle it would grow to 0.03 m.
    assert!(most <= 0.01 + 1e-12, "held as if {most} m deep");
}

/// A roof that is all but a floor, of triangles of very different sizes: what one loses the other gains.
#[test]
fn shares_add_up_to_one_between_triangles_of_any_size() {
    let at = |x: f64| {
        vec![
            v(x, 0.3, -0.01 - 0.002 * x),
            v(-4.0, 0.0, 0.0),
            v(0.0, 0.0, 0.0),
            v(0.0, 1.0, 0.0),
            v(0.2, 0.3, -1e-6),
        ]
    };
    let faces = Faces { corners: &[[1, 2, 3], [2, 4, 3]], across: &[[NONE, 1, NONE], [NONE, NONE, 0]] };
    let mut tracked = open(0, [0, 1, 2, 3], [1.0, -0.025, -0.675, -0.3]);
    tracked.height[0] = -0.01 + 0.002 * 0.1;
    let mut handed = 0;
    for i in 0..=250 {
        let x = -0.1 + 0.001 * f64::from(i);
        tracked = follow(&tracked, &at(x), &faces);
        let sum: f64 = tracked.share.iter().sum();
        assert!((sum - 1.0).abs() < 1e-12, "shares add up to {sum} at {x}");
        handed += usize::from(tracked.len() == 2);
    }
    assert!(handed > 10, "the handover took {handed} steps");
    assert_eq!((tracked.len(), tracked.key[0]), (1, vertex_face_key(0, 1)));
}

#[test]
fn anchors_ride_with_the_feature_and_stay_where_they_are_at_a_handover() {
    let z = DVec3::unit_z();
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        let x = [v(0.3, 0.2, -0.1), v(0.1, 0.0, 0.2), v(1.0, 0.1, 0.0), v(0.2, 1.0, -0.3)];
        let p = v(0.4, 0.3, 0.05);
        let w = [0.25, 0.75, -0.4, -0.6];
        let at = to_feature(kind, &x, &w, z, p).unwrap();
        assert!((from_feature(kind, &x, &w, z, at).unwrap() - p).mag() < 1e-14);
        // Turned and moved with the feature.
        let moved = |a: DVec3| v(-a.y + 3.0, a.x - 1.0, a.z + 0.5);
        let there = from_feature(kind, &x.map(moved), &w, z, at).unwrap();
        assert!((there - moved(p)).mag() < 1e-14, "{kind:?}");
    }
    let flat = [z, v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(2.0, 0.0, 0.0)];
    let w = [1.0, -0.1, -0.4, -0.5];
    assert_eq!(to_feature(Kind::VertexFace, &flat, &w, z, z), None);

    // Over the edge of two triangles that are not in one plane.
    let x =
        vec![v(0.45, 0.6, -0.01), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(1.0, 1.0, -0.3)];
    let faces = Faces { corners: &[[1, 2, 3], [2, 4, 3]], across: &[[NONE, 1, NONE], [NONE, NONE, 0]] };
    let mut tracked = open(0, [0, 1, 2, 3], w);
    let place = v(0.44, 0.5, -0.004);
    let stencil = |s: [u32; 4]| s.map(|i| x[i as usize]);
    tracked.anchor[0] = to_feature(Kind::VertexFace, &stencil(tracked.stencil[0]), &w, z, place).unwrap();
    tracked.grip[0] = SlipState::Static;
    let out = follow(&tracked, &x, &faces);
    assert_eq!((out.len(), &out.grip[..]), (2, &[SlipState::Static; 2][..]));
    for i in 0..2 {
        let at = from_feature(Kind::VertexFace, &stencil(out.stencil[i]), &w, z, out.anchor[i]).unwrap();
        assert!((at - place).mag() < 1e-14, "{at:?}");
    }
}

/// The stretch of a contact of two edges that turn apart, told with either edge first: the same, with the other sign. (In the frame of the
/// second edge it turned with that one.)
#[test]
fn the_anchor_of_edges_does_not_depend_on_which_is_first() {
    let kind = Kind::EdgeEdge;
    let before = [v(-1.0, -0.1, 0.01), v(1.0, 0.2, -0.02), v(0.1, -1.0, 0.03), v(-0.3, 1.2, 0.0)];
    // The first edge turns about z, the second rises at one end.
    let after = [v(-0.9, -0.4, 0.01), v(0.9, 0.5, -0.02), v(0.1, -1.0, 0.03), v(-0.3, 1.2, 0.2)];
    let (w, n) = ([0.5, 0.5, -0.55, -0.45], DVec3::unit_z());
    let other = |x: [DVec3; 4]| [x[2], x[3], x[0], x[1]];
    let other_w = [0.55, 0.45, -0.5, -0.5];
    let first = |x: &[DVec3; 4], w: &[f64; 4]| x[0] * w[0] + x[1] * w[1];
    let stretch = v(0.02, -0.01, 0.0);
    let carried = |x: [DVec3; 4], y: [DVec3; 4], w: &[f64; 4], n: DVec3, stretch: DVec3| {
        let at = to_feature(kind, &x, w, n, first(&x, w) - stretch).unwrap();
        first(&y, w) - from_feature(kind, &y, w, n, at).unwrap()
    };
    let one = carried(before, after, &w, n, stretch);
    let two = carried(other(before), other(after), &other_w, -n, -stretch);
    assert!((one + two).mag() < 1e-15, "{one:?} {two:?}");
    assert!((one - stretch).mag() > 1e-3, "the edges moved, and the stretch with them: {one:?}");
}

/// The discrete gradients carry a contact that was just handed over, though it has no force yet: over the whole way across the edge the
/// floor pushes with one contact's force. (They dropped it once: a box that slid over an edge of a floor fell through.)
#[test]
fn the_implicit_force_is_that_of_one_contact_all_the_way_over_an_edge() {
    let (depth, k) = (0.01, 1000.0);
    let at = |x: f64| {
        vec![v(x, 0.3, -depth), v(-4.0, 0.0, 0.0), v(0.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(4.0, 0.3, 0.0)]
    };
    let faces = Faces { corners: &[[1, 2, 3], [2, 4, 3]], across: &[[NONE, 1, NONE], [NONE, NONE, 0]] };
    let mut tracked = open(0, [0, 1, 2, 3], [1.0, -0.025, -0.675, -0.3]);
    tracked.stiffness[0] = k;
    tracked.height[0] = -depth;
    let named = |_: usize| (0, k);
    let law = |_: u64, _: &[u32; 4], _: f64| ContactLaw::default();
    let (mut ws, mut rows, mut next) = (GradientWorkspace::default(), Vec::new(), Tracked::default());
    for i in 0..200 {
        let (x0, x1) = (at(-0.1 + 0.002 * f64::from(i)), at(-0.1 + 0.002 * f64::from(i + 1)));
        let pairs =
            StepPairs { candidates: Candidates::VertexFace(&[]), named: &named, opens: Opens::From(1) };
        let followed = follow(&tracked, &x0, &faces);
        let sticky = Tracked::default();
        let scheme = Scheme::Equivariant;
        gradients(scheme, 0.01, &x0, &x1, &pairs, &law, &followed, &sticky, &mut ws, &mut rows, &mut next)
            .unwrap();
        let force: f64 = rows.iter().map(|r| -r.pair.gradient[0].z).sum();
        assert!((force - k * depth).abs() < 1e-9 * k * depth, "step {i}: {force} N");
        tracked.clone_from(&next);
    }
    assert_eq!((tracked.len(), tracked.key[0]), (1, vertex_face_key(0, 1)), "handed over for good");
}

/// Both walls of a sharp groove hold what is below its bottom, and take it over from each other.
#[test]
fn below_the_bottom_of_a_groove_both_walls_hold() {
    // Walls of slope 2 that meet in the y axis; the left one looks to the right.
    let at = |p: DVec3| vec![p, v(0.0, -1.0, 0.0), v(0.0, 1.0, 0.0), v(-0.5, 0.0, 1.0), v(0.5, 0.0, 1.0)];
    let faces = Faces { corners: &[[1, 2, 3], [2, 1, 4]], across: &[[1, NONE, NONE], [0, NONE, NONE]] };
    let n = |right: bool| v(if right { -2.0 } else { 2.0 }, 0.0, 1.0) / 5.0f64.sqrt();
    let left = open(0, [0, 1, 2, 3], [1.0, -0.4, -0.4, -0.2]);
    // Down the left wall, 1 mm behind it, past the bottom and below it.
    let mut tracked = left.clone();
    let mut before = force(&tracked, &at(v(-0.05, 0.0, 0.1) - n(false) * 1e-3));
    for i in 0..400 {
        let s = 0.1 - 5e-4 * f64::from(i);
        let x = at(v(-0.5 * s, 0.0, s) - n(false) * 1e-3);
        tracked = follow(&tracked, &x, &faces);
        let now = force(&tracked, &x);
        // Where it goes 5.6e-4 m in a step, so do depths.
        assert!((now - before).mag() < 6e-4, "step {i}: {before:?}, then {now:?}");
        before = now;
    }
    let x = at(v(0.04, 0.0, -0.1));
    tracked = follow(&tracked, &x, &faces);
    assert_eq!(
        (tracked.share.as_slice(), tracked.fading.as_slice()),
        ([1.0, 1.0].as_slice(), [false; 2].as_slice())
    );
    // Out of the left plane below the bottom: the other wall alone, whichever of them it knew of.
    let x = at(v(0.08, 0.0, -0.1));
    for known in [&tracked, &left] {
        let out = follow(known, &x, &faces);
        let keys = [vertex_face_key(0, 1)];
        assert_eq!((out.key.as_slice(), out.share.as_slice()), (keys.as_slice(), [1.0].as_slice()));
    }
    // Outside: over.
    let x = at(v(0.0, 0.0, 0.01));
    let out = follow(&tracked, &x, &faces);
    assert_eq!(force(&out, &x), DVec3::zero());
}

/// At the bottom of a pit the wall on the other side has only a corner in common.
#[test]
fn the_wall_across_a_pit_holds_too() {
    let at = |p: DVec3| {
        vec![p, v(0.0, 0.0, 0.0), v(0.5, -0.5, 1.0), v(0.5, 0.5, 1.0), v(-0.5, 0.5, 1.0), v(-0.5, -0.5, 1.0)]
    };
    // Around the bottom: +x, +y, −x, −y; each looks inwards. Edge 0 starts at the bottom.
    let corners = [[1, 2, 3], [1, 3, 4], [1, 4, 5], [1, 5, 2]];
    let across = [[3, NONE, 1], [0, NONE, 2], [1, NONE, 3], [2, NONE, 0]];
    let faces = Faces { corners: &corners, across: &across };
    let tracked = open(0, [0, 1, 2, 3], [1.0, -0.4, -0.3, -0.3]);
    let out = follow(&tracked, &at(v(0.001, 0.0005, -0.05)), &faces);
    let share = |face: u32| out.find(vertex_face_key(0, face)).map(|i| (out.share[i], out.fading[i]));
    assert_eq!(share(2), Some((1.0, false)), "the wall opposite");
    let x = at(v(0.001, 0.0005, -0.05));
    // Beside it the distance to the edge; between them they push it up, and back to the middle.
    assert!(share(0).is_some_and(|(share, fading)| share > 0.5 && share < 1.0 && !fading), "{:?}", share(0));
    let force = force(&out, &x);
    assert!(force.z > 0.02 && force.x.abs() < 0.01 && force.y.abs() < 0.02, "{force:?}");
}
