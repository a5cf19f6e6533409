//! Rotating rigid features: known angles, dense sampling by Rodrigues' formula, poses.

use impinge_ccd::screw::{LARGEST_ROTATION, RigidMotion, ScrewError, screw_within, tolerance};
use impinge_ccd::{Kind, Within, vertex_face_within};
use impinge_geometry::{
    DVec3, Pose, closest_between_segments, closest_on_triangle, rotor_from_rotation_vector,
};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_3, FRAC_PI_6, PI};

const KINDS: [Kind; 2] = [Kind::VertexFace, Kind::EdgeEdge];

/// Rodrigues, independent of the crate's rotor.
fn place(m: &RigidMotion, x: DVec3, t: f64) -> DVec3 {
    let angle = m.rotation.mag() * t;
    let k = if angle == 0.0 { DVec3::unit_x() } else { m.rotation.normalized() };
    let a = x - m.origin;
    m.origin
        + m.translation * t
        + a * angle.cos()
        + k.cross(a) * angle.sin()
        + k * (k.dot(a) * (1.0 - angle.cos()))
}

fn distance(kind: Kind, x: &[DVec3; 4], m: &[RigidMotion; 2], t: f64) -> f64 {
    let split = if kind == Kind::VertexFace { 1 } else { 2 };
    let x: [DVec3; 4] = std::array::from_fn(|i| place(&m[usize::from(i >= split)], x[i], t));
    match kind {
        Kind::VertexFace => closest_on_triangle(x[0], [x[1], x[2], x[3]]).distance_squared.sqrt(),
        Kind::EdgeEdge => closest_between_segments([x[0], x[1]], [x[2], x[3]]).distance_squared.sqrt(),
    }
}

fn size(kind: Kind, x: &[DVec3; 4], m: &[RigidMotion; 2]) -> f64 {
    let split = if kind == Kind::VertexFace { 1 } else { 2 };
    let one = |m: &RigidMotion, x: &[DVec3]| {
        x.iter().map(|x| (*x - m.origin).mag()).fold(0.0, f64::max) + m.origin.mag() + m.translation.mag()
    };
    one(&m[0], &x[..split]) + one(&m[1], &x[split..])
}

fn check(kind: Kind, x: &[DVec3; 4], m: &[RigidMotion; 2], d: f64) -> Option<Within> {
    let got = screw_within(kind, x, m, d).unwrap();
    let slack = 1e-12 * size(kind, x, m);
    for i in 0..=600 {
        let t = f64::from(i) / 600.0;
        if got.is_none_or(|w| t < w.t) {
            assert!(distance(kind, x, m, t) > d - slack, "{kind:?} d={d} t={t} {got:?}\n{x:?}\n{m:?}");
        }
    }
    if let Some(w) = got {
        let there = distance(kind, x, m, w.t);
        let limit = d + tolerance(d, size(kind, x, m));
        assert!(
            there <= w.distance + slack && w.distance <= limit,
            "{kind:?} d={d} {there} {w:?} {limit}\n{x:?}\n{m:?}"
        );
    }
    got
}

fn point(r: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-r..r).prop_map(DVec3::from)
}

fn motion(turn: f64) -> impl Strategy<Value = RigidMotion> {
    (point(1.0), point(0.5), point(turn)).prop_map(|(origin, translation, rotation)| RigidMotion {
        origin,
        translation,
        rotation,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: std::env::var("PROPTEST_CASES").map_or(200, |n| n.parse().unwrap()), failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_motion(x in prop::array::uniform4(point(1.0)), a in motion(1.0), b in motion(6.0), d in prop_oneof![Just(0.0), 1e-4..0.3f64]) {
        for kind in KINDS {
            check(kind, &x, &[a, b], d);
            check(kind, &x, &[b, RigidMotion::at_rest()], d);
        }
    }

    /// Two features of one rigid body keep their distance: a hit only where they start with one.
    #[test]
    fn one_body(x in prop::array::uniform4(point(1.0)), m in motion(3.0), d in 1e-3..1.0f64) {
        for kind in KINDS {
            let start = distance(kind, &x, &[m, m], 0.0);
            let got = check(kind, &x, &[m, m], d);
            if start > d * 1.001 + 1e-6 {
                prop_assert!(got.is_none());
            } else if start < d {
                prop_assert_eq!(got.map(|w| w.t), Some(0.0));
            }
        }
    }

    /// The motion between two poses takes body points from one to the other.
    #[test]
    fn between_poses(p in point(2.0), q in point(2.0), v in point(3.0), w in point(3.0), x in point(1.0)) {
        let (a, b) = (Pose::new(p, rotor_from_rotation_vector(v)), Pose::new(q, rotor_from_rotation_vector(w)));
        let m = RigidMotion::between(&a, &b);
        prop_assert!((m.point_at(a.point_to_world(x), 1.0) - b.point_to_world(x)).mag() < 1e-14);
        prop_assert!((m.point_at(a.point_to_world(x), 0.0) - a.point_to_world(x)).mag() < 1e-15 * 8.0);
        prop_assert!(m.rotation.mag() <= PI + 1e-12);
        prop_assert!((m.point_at(x, 0.3) - place(&m, x, 0.3)).mag() < 1e-14);
    }
}

/// The tip of a rod of length 1 starts on the x axis and turns about z by 90°; a wall stands at height y = ½ (reached at
/// 30°) or at x = ½ from the other side (60°). The chord of the whole step never comes below x + y = 1.
#[test]
fn a_rod_hits_a_wall() {
    let turn = RigidMotion { rotation: DVec3::unit_z() * (PI / 2.0), ..RigidMotion::at_rest() };
    let still = RigidMotion::at_rest();
    let tip = DVec3::unit_x();
    let wall = |o: DVec3, u: DVec3| {
        [o - u * 3.0 - DVec3::unit_z(), o + u * 3.0 - DVec3::unit_z(), o + DVec3::unit_z() * 2.0]
    };
    let with = |w: [DVec3; 3]| [tip, w[0], w[1], w[2]];
    for (d, height, angle) in
        [(0.0, 0.5, FRAC_PI_6), (0.125, 0.625, FRAC_PI_6), (0.0, 0.75f64.sqrt(), FRAC_PI_3)]
    {
        let x = with(wall(DVec3::unit_y() * height, DVec3::unit_x()));
        let w = check(Kind::VertexFace, &x, &[turn, still], d).expect("a hit");
        let want = angle / (PI / 2.0);
        assert!(w.t <= want + 1e-15 && want - w.t < 1e-5, "{w:?} {want}");
    }
    // A wall across x + y = √2 − 2⁻⁷: only the arc reaches it, around 45°.
    let o = DVec3::new(1.0, 1.0, 0.0) * (0.5f64.sqrt() - 2.0f64.powi(-8));
    let x = with(wall(o, DVec3::new(1.0, -1.0, 0.0) * 0.1));
    let half = (1.0 - 2.0f64.powi(-8) * 2.0f64.sqrt()).acos();
    let w = check(Kind::VertexFace, &x, &[turn, still], 0.0).expect("a hit");
    assert!((w.t - (0.5 - half / (PI / 2.0))).abs() < 1e-5, "{w:?}");
    let end = place(&turn, tip, 1.0);
    let mut x1 = x;
    x1[0] = end;
    assert_eq!(vertex_face_within(&x, &x1, 0.0).unwrap(), None);
    // The arc touches a wall at x + y = √2 exactly, or just not (by 1e-6).
    for (gap, hit) in [(0.0, true), (1e-6, false)] {
        let o = DVec3::new(1.0, 1.0, 0.0) * (0.5f64.sqrt() + gap);
        let x = with(wall(o, DVec3::new(1.0, -1.0, 0.0)));
        assert_eq!(check(Kind::VertexFace, &x, &[turn, still], 0.0).is_some(), hit);
    }
}

/// A bolt turns three times and goes in by 0.3: a point of its end meets a plate 0.2 ahead after two turns.
#[test]
fn a_bolt() {
    let bolt = RigidMotion::screw(DVec3::new(1.0, 0.0, 0.0), DVec3::unit_z() * (6.0 * PI), 0.3);
    let x = [
        DVec3::new(1.5, 0.0, 0.0),
        DVec3::new(-9.0, -9.0, 0.2),
        DVec3::new(9.0, -9.0, 0.2),
        DVec3::new(0.0, 9.0, 0.2),
    ];
    let w = check(Kind::VertexFace, &x, &[bolt, RigidMotion::at_rest()], 0.0).expect("a hit");
    assert!(w.t <= 2.0 / 3.0 && 2.0 / 3.0 - w.t < 1e-6, "{w:?}");
    assert!((bolt.point_at(x[0], 1.0) - DVec3::new(1.5, 0.0, 0.3)).mag() < 1e-14);
    // Without rotation: straight motion.
    let slide = RigidMotion { translation: DVec3::unit_z() * 0.4, ..RigidMotion::at_rest() };
    let w = check(Kind::VertexFace, &x, &[slide, RigidMotion::at_rest()], 0.1).expect("a hit");
    assert!((w.t - 0.25).abs() < 1e-6, "{w:?}");
}

#[test]
fn refusals_and_extremes() {
    let still = RigidMotion::at_rest();
    let x = [DVec3::unit_x(), DVec3::zero(), DVec3::unit_y(), DVec3::unit_z()];
    for kind in KINDS {
        let bad = RigidMotion { rotation: DVec3::new(f64::NAN, 0.0, 0.0), ..still };
        assert_eq!(screw_within(kind, &x, &[still, bad], 0.1), Err(ScrewError::MotionNotFinite(1)));
        let wild = RigidMotion { rotation: DVec3::unit_x() * (LARGEST_ROTATION * 2.0), ..still };
        let e = screw_within(kind, &x, &[wild, still], 0.1).unwrap_err();
        assert!(e == ScrewError::TooManyTurns(0) && e.to_string().contains("shorter step"), "{e}");
        assert!(screw_within(kind, &x, &[still, still], -1.0).is_err());
        for s in [1e-250, 1e250] {
            let turn = RigidMotion { rotation: DVec3::unit_x() * 3.0, ..still };
            let got = screw_within(kind, &x.map(|p| p * s), &[turn, still], 0.0).unwrap();
            let here = screw_within(kind, &x, &[turn, still], 0.0).unwrap();
            assert_eq!(got.is_some(), here.is_some());
        }
        assert_eq!(
            screw_within(kind, &[DVec3::zero(); 4], &[still, still], 0.0).unwrap().map(|w| w.t),
            Some(0.0)
        );
    }
}
