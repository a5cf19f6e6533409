//! Keyframes, and turns that are too fast for a step.

use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_integrators::{Driver, Keyframe, secant};
use std::f64::consts::PI;

#[test]
fn keyframes_interpolate_and_hold() {
    let turned = rotor_from_rotation_vector(DVec3::new(0.0, 0.0, 1.0));
    let d = Driver::Keyframes(vec![
        Keyframe { time: 1.0, pose: Pose::identity() },
        Keyframe { time: 3.0, pose: Pose::new(DVec3::new(4.0, 0.0, 0.0), turned) },
    ]);
    assert_eq!(d.pose(0.0), Some(Pose::identity()));
    let mid = d.pose(2.0).unwrap();
    assert!((mid.position.x - 2.0).abs() < 1e-15);
    assert!((mid.rotation * DVec3::unit_x() - DVec3::new(0.5f64.cos(), 0.5f64.sin(), 0.0)).mag() < 1e-15);
    assert!((d.pose(9.0).unwrap().position.x - 4.0).abs() < 1e-15);
    let (v, w) = secant(&d.pose(1.5).unwrap(), &d.pose(2.5).unwrap(), 1.0);
    assert!((v.x - 2.0).abs() < 1e-14 && (w.z - 0.5).abs() < 1e-14);
}

#[test]
fn more_than_half_a_turn_a_step_is_refused_with_the_step_that_would_do() {
    let at = |spin: f64| Driver::constant(Pose::identity(), DVec3::zero(), DVec3::new(0.0, 0.0, spin));
    // 700 rad/s at 5 ms are 3.5 rad, which look like −2.783: −556.6 rad/s.
    let fast = at(700.0);
    let (_, seen) = secant(&fast.pose(0.0).unwrap(), &fast.pose(5e-3).unwrap(), 5e-3);
    assert!((seen.z + 556.637).abs() < 1e-3, "{seen:?}");
    let refused = fast.check_turn(5e-3).unwrap_err();
    assert!((refused.turn - 3.5).abs() < 1e-12 && (refused.longest - PI / 700.0).abs() < 1e-9);
    assert!(refused.to_string().contains("700.000000 rad/s") && refused.to_string().contains("4.4880e-3 s"));
    // Below it the secant is the spin.
    for (spin, dt) in [(700.0, 4.4879e-3), (-628.0, 5e-3), (0.0, 1.0)] {
        let d = at(spin);
        assert_eq!(d.check_turn(dt), Ok(()));
        for step in [0.0, 1.0, 777.0] {
            let [from, to] = [step, step + 1.0].map(|n| d.pose(n * dt).unwrap());
            assert!((secant(&from, &to, dt).1.z - spin).abs() < 1e-9 * spin.abs().max(1.0));
        }
    }
}

#[test]
fn keyframes_that_turn_too_much_between_two_steps_are_refused() {
    let turned = |a: f64| Pose::new(DVec3::zero(), rotor_from_rotation_vector(DVec3::new(a, 0.0, 0.0)));
    let frame = |time: f64, a: f64| Keyframe { time, pose: turned(a) };
    // 2 rad in a second, then 2 rad in half a second, then at rest.
    let d = Driver::Keyframes(vec![frame(1.0, 0.0), frame(2.0, 2.0), frame(2.5, 4.0), frame(9.0, 4.0)]);
    for (dt, most) in [(0.25, 1.0), (0.5, 2.0), (1.0, 3.0), (1.5, 4.0), (50.0, 4.0)] {
        assert!((d.largest_turn(dt) - most).abs() < 1e-12, "{dt} {}", d.largest_turn(dt));
    }
    assert_eq!(d.check_turn(1.0), Ok(()));
    // The half second and what of the second makes up π.
    let longest = d.check_turn(2.0).unwrap_err().longest;
    assert!((longest - (0.5 + (PI - 2.0) / 2.0)).abs() < 1e-9, "{longest}");
    // A turn between two keyframes is by the shortest arc however short the time: that is what they say.
    let jump = Driver::Keyframes(vec![frame(0.0, 0.0), frame(1e-9, 3.0)]);
    assert_eq!(jump.check_turn(1.0), Ok(()));
    for no_turn in [Driver::Keyframes(vec![]), Driver::sine(Pose::identity(), DVec3::one(), 50.0, 0.0)] {
        assert_eq!((no_turn.largest_turn(1.0), no_turn.check_turn(1.0)), (0.0, Ok(())));
    }
}
