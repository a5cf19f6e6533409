//! Parabolas and rotations: straight motion as a special case, closed forms, brute force; friction and damping along the path.

use impinge_ccd::accelerated::control_points;
use impinge_ccd::screw::RigidMotion;
use impinge_ccd::{Entry, Kind, Opens};
use impinge_contact::{Damping, FrictionLaw, SlipRule};
use impinge_cpf::{
    Normalisation, Params, curved_impulses, damping_over, friction_over, pair_impulses, rigid_impulses,
};
use impinge_geometry::DVec3;

const BOTH: Opens = Opens::FromBothSides;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn exact() -> Params {
    Params::new(1.0, Normalisation::Exact { tolerance: 1e-12 }).unwrap()
}

const FACE: [DVec3; 3] = [DVec3::new(0.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];

/// Without acceleration it is the straight pair.
#[test]
fn straight_motion_is_a_parabola() {
    let x0 = [v(0.3, 0.2, 0.2), FACE[0], FACE[1] + v(0.0, 0.0, 0.1), FACE[2]];
    let x1 = [v(0.2, 0.3, -0.4), FACE[0], FACE[1], FACE[2] + v(0.1, 0.0, 0.2)];
    let middle = std::array::from_fn(|i| (x0[i] + x1[i]) * 0.5);
    for n in [Normalisation::Constant, Normalisation::Exact { tolerance: 1e-12 }] {
        let params = Params::new(0.5, n).unwrap();
        let a = pair_impulses(Kind::VertexFace, &x0, &x1, None, BOTH, 7.0, &params).unwrap();
        let b = curved_impulses(Kind::VertexFace, &[x0, middle, x1], None, BOTH, 7.0, &params).unwrap();
        assert_eq!((a.len(), b.len()), (1, 1));
        assert!((a[0].impulse - b[0].impulse).mag() < 1e-13, "{:?} {:?}", a[0].impulse, b[0].impulse);
        assert!((a[0].depth - b[0].depth).abs() < 1e-14 && (a[0].couple - b[0].couple).mag() < 1e-13);
    }
}

/// A vertex thrown at a face at rest from below its apex: h = h₀ + vt + ½at²; −k∫h over where it is below.
#[test]
fn a_parabola_into_a_face_at_rest() {
    // h = 0.15 − 0.8 t + 0.8 t²  = 0.8 (t − ¼)(t − ¾): in and out again.
    let b = control_points(v(0.25, 0.25, 0.15), v(0.0, 0.0, -0.8), v(0.0, 0.0, 1.6));
    let at = |i: usize| [b[i], FACE[0], FACE[1], FACE[2]];
    for n in [Normalisation::Constant, Normalisation::Exact { tolerance: 1e-12 }] {
        let params = Params::new(1.0, n).unwrap();
        let got =
            curved_impulses(Kind::VertexFace, &[at(0), at(1), at(2)], None, BOTH, 1.0, &params).unwrap();
        assert_eq!(got.len(), 1);
        // ∫ 0.8 (t − ¼)(¾ − t) dt = 0.8 · ½³/6.
        assert!((got[0].impulse.z - 0.8 / 48.0).abs() < 1e-14 && got[0].depth == 0.0, "{:?}", got[0]);
        assert!((got[0].t_in - 0.25).abs() < 1e-10 && (got[0].t_out - 0.75).abs() < 1e-10);
    }
}

/// A triangle that turns by a right angle about an axis beside a vertex at rest: against a fine sum over the true arcs.
#[test]
fn a_quarter_turn_on_its_true_arc() {
    let x = [v(0.6, 0.1, 0.3), v(0.0, -1.0, 0.0), v(2.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    // About y through the origin, lifting the corner at (2, 0, 0): towards the vertex and past it.
    let turn = RigidMotion {
        origin: DVec3::zero(),
        translation: DVec3::zero(),
        rotation: v(0.0, -std::f64::consts::FRAC_PI_2, 0.0),
    };
    let motions = [RigidMotion::at_rest(), turn];
    let got = rigid_impulses(Kind::VertexFace, &x, &motions, None, BOTH, 1.0, &exact(), 1e-7).unwrap();
    assert_eq!((got.len(), got[0].entry), (1, Entry::Contact));
    // The plane through the axis at angle θ passes the vertex at tan θ = ½; its distance then is |p| sin(θ − θ₀), along its normal.
    let theta0 = (0.3f64 / 0.6).atan();
    let length = (0.6f64 * 0.6 + 0.3 * 0.3).sqrt();
    assert!((got[0].t_in - theta0 / std::f64::consts::FRAC_PI_2).abs() < 1e-6, "{}", got[0].t_in);
    let mut want = DVec3::zero();
    let n = 20_000;
    for i in 0..n {
        let t = got[0].t_in + (1.0 - got[0].t_in) * (f64::from(i) + 0.5) / f64::from(n);
        let theta = t * std::f64::consts::FRAC_PI_2;
        // Free side: above the face, where the vertex came from.
        let normal = v(-theta.sin(), 0.0, theta.cos());
        want += normal * (length * (theta - theta0).sin() * (1.0 - got[0].t_in) / f64::from(n));
    }
    assert!((got[0].impulse - want).mag() < 1e-6, "{:?} {want:?}", got[0].impulse);
    assert!((got[0].depth - length * theta0.cos()).abs() < 1e-6);
    // Straight lines between the ends are far off: what the option is for.
    let end: [DVec3; 4] = std::array::from_fn(|i| motions[usize::from(i > 0)].point_at(x[i], 1.0));
    let straight = pair_impulses(Kind::VertexFace, &x, &end, None, BOTH, 1.0, &exact()).unwrap();
    assert!((straight[0].impulse - want).mag() > 0.02 * want.mag());
}

/// Sliding at constant speed under growing pressure: μ_k times the normal impulse, against the motion.
#[test]
fn friction_follows_the_force_in_the_step() {
    let x0 = [v(0.2, 0.2, 0.1), FACE[0], FACE[1], FACE[2]];
    let x1 = [v(0.5, 0.2, -0.2), FACE[0], FACE[1], FACE[2]];
    let (k, dt) = (1000.0, 0.01);
    let params = Params::new(dt, Normalisation::Constant).unwrap();
    let hit = pair_impulses(Kind::VertexFace, &x0, &x1, None, BOTH, k, &params).unwrap()[0];
    let slide =
        FrictionLaw { mu_s: 0.4, mu_k: 0.4, k_fp: 1e9, k_fd: 0.0, k_omega: 1e9, rule: SlipRule::ReturnMap };
    let f = friction_over(Kind::VertexFace, &x0, &x1, &hit, k, dt, &slide, [x0[0], x1[0]], None, false);
    assert!((f.impulse - v(-0.4 * hit.impulse.z, 0.0, 0.0)).mag() < 1e-9 * hit.impulse.z, "{:?}", f.impulse);
    assert!(f.slipping && f.anchor.is_some());
    // A soft anchor holds: k_FP ∫ (distance from where it touched) dt, distance 0.3 (t − t_in).
    let stick = FrictionLaw { mu_s: 1e9, k_fp: 10.0, ..slide };
    let f = friction_over(Kind::VertexFace, &x0, &x1, &hit, k, dt, &stick, [x0[0], x1[0]], None, false);
    let open = 1.0 - hit.t_in;
    assert!((f.impulse.x + 10.0 * dt * 0.15 * open * open).abs() < 1e-12 && !f.slipping, "{:?}", f.impulse);
}

/// Kelvin–Voigt while sinking at constant speed: c times the change of depth; a damper never pulls.
#[test]
fn damping_along_the_path() {
    let x0 = [v(0.2, 0.2, 0.1), FACE[0], FACE[1], FACE[2]];
    let x1 = [v(0.5, 0.2, -0.2), FACE[0], FACE[1], FACE[2]];
    let (k, dt) = (1000.0, 0.01);
    let params = Params::new(dt, Normalisation::Constant).unwrap();
    let down = pair_impulses(Kind::VertexFace, &x0, &x1, None, BOTH, k, &params).unwrap()[0];
    let d = damping_over(Kind::VertexFace, &x0, &x1, &down, k, dt, Damping::KelvinVoigt(3.0));
    assert!((d - v(0.0, 0.0, 3.0 * 0.2)).mag() < 1e-12, "{d:?}");
    let chi = damping_over(Kind::VertexFace, &x0, &x1, &down, k, dt, Damping::HuntCrossley(0.5));
    assert!((chi.z - 0.5 * 30.0 * down.impulse.z).abs() < 1e-12);
    let side = impinge_ccd::Carried { side: 1, weight: None };
    let up = pair_impulses(Kind::VertexFace, &x1, &x0, Some(&side), BOTH, k, &params).unwrap()[0];
    let d = damping_over(Kind::VertexFace, &x1, &x0, &up, k, dt, Damping::KelvinVoigt(1e9));
    assert!((d + up.impulse).mag() < 1e-12, "a damper may cancel the force, not more");
}

/// A point on a circle of 1 m through the height of a face: once within a right angle, and twice near the top.
#[test]
fn times_on_arcs_are_right_where_the_parabolas_are_coarse() {
    let meet = |from: f64, by: f64, height: f64| {
        let (s, c) = from.sin_cos();
        let far = 9.0;
        let face =
            [DVec3::new(-far, height, -far), DVec3::new(0.0, height, far), DVec3::new(far, height, -far)];
        let x = [DVec3::new(c, s, 0.0), face[0], face[1], face[2]];
        let motions = [RigidMotion::screw(DVec3::zero(), DVec3::unit_z() * by, 0.0), RigidMotion::at_rest()];
        let got = rigid_impulses(Kind::VertexFace, &x, &motions, None, BOTH, 1.0, &exact(), 1e-3).unwrap();
        assert_eq!(got.len(), 1, "{got:?}");
        [got[0].t_in, got[0].t_out]
    };
    let quarter = meet(0.0, 90f64.to_radians(), 0.5);
    assert!((quarter[0] - 1.0 / 3.0).abs() < 1e-14 && quarter[1] == 1.0, "{quarter:?}");
    let (from, by) = (30f64.to_radians(), 120f64.to_radians());
    for height in [0.9, 0.999] {
        let up = (f64::asin(height) - from) / by;
        let top = meet(from, by, height);
        assert!((top[0] - up).abs() < 1e-12 && (top[1] - (1.0 - up)).abs() < 1e-12, "{height}: {top:?} {up}");
    }
}
