//! Poses and the exponential map.

use impinge_geometry::{Pose, bent, rotor_from_rotation_vector, shared_spin};
use ultraviolet::{DBivec3, DRotor3, DVec3};

#[test]
fn exponential_map_turns_the_right_way() {
    let r = rotor_from_rotation_vector(DVec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
    assert!((r * DVec3::unit_x() - DVec3::unit_y()).mag() < 1e-15);
    let r = rotor_from_rotation_vector(DVec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    assert!((r * DVec3::unit_y() - DVec3::unit_z()).mag() < 1e-15);
    let r = rotor_from_rotation_vector(DVec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    assert!((r * DVec3::unit_z() - DVec3::unit_x()).mag() < 1e-15);
}

#[test]
fn series_and_closed_form_meet() {
    for angle in [0.0, 1e-12, 9.9e-3, 1.01e-2, 0.5, 3.0] {
        let w = DVec3::new(0.6, -0.48, 0.64) * angle;
        let v = DVec3::new(0.3, -1.1, 0.7);
        // Rodrigues' formula as the independent answer.
        let axis = DVec3::new(0.6, -0.48, 0.64);
        let want = v * angle.cos() + axis.cross(v) * angle.sin() + axis * (axis.dot(v) * (1.0 - angle.cos()));
        assert!((rotor_from_rotation_vector(w) * v - want).mag() < 1e-14, "angle {angle}");
    }
}

#[test]
fn a_rotor_without_length_is_not_finite() {
    let none = DRotor3::new(0.0, DBivec3::new(0.0, 0.0, 0.0));
    for rotor in [none, DRotor3::new(f64::NAN, DBivec3::new(0.0, 0.0, 0.0))] {
        assert!(!Pose::new(DVec3::zero(), rotor).is_finite());
    }
}

#[test]
fn pose_round_trip() {
    let p = Pose::new(DVec3::new(1.0, -2.0, 3.0), rotor_from_rotation_vector(DVec3::new(0.3, 0.2, -0.9)));
    let x = DVec3::new(0.1, 0.2, 0.3);
    assert!((p.point_to_body(p.point_to_world(x)) - x).mag() < 1e-15);
    assert!((p.matrix() * x - p.rotation * x).mag() < 1e-15);
    let q = Pose::new(DVec3::new(0.2, 0.1, -4.0), rotor_from_rotation_vector(DVec3::new(-0.5, 0.9, 0.1)));
    let via = q.point_to_body(p.point_to_world(x));
    assert!((p.relative_to(&q).point_to_world(x) - via).mag() < 1e-14);
}

#[test]
fn a_matrix_goes_there_and_back() {
    // Small turns and turns of nearly π about each axis: each of the four numbers of a quaternion is the largest once.
    let axes = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z(), DVec3::new(1.0, -2.0, 0.5)];
    for axis in axes {
        for angle in [0.0, 1e-9, 0.3, 2.0, 3.1, std::f64::consts::PI - 1e-6, -2.5] {
            let pose = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), axis, angle);
            let back = Pose::from_matrix(pose.position, pose.matrix()).unwrap();
            let (m, n) = (pose.matrix(), back.matrix());
            let off = (0..3).map(|c| (m.cols[c] - n.cols[c]).mag()).fold(0.0, f64::max);
            assert!(off < 1e-14 && back.position == pose.position, "{axis:?} {angle}: {off}");
        }
    }
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let with = |c: usize, r: usize, x: f64| {
        let mut m = unit;
        m[c][r] = x;
        Pose::from_matrix(DVec3::zero(), m)
    };
    assert!(with(0, 0, 1.0).is_some() && with(0, 0, 1.0 + 1e-7).is_some());
    // Scaled, sheared, mirrored, singular, no numbers.
    for bad in [with(0, 0, 2.0), with(0, 1, 0.1), with(2, 2, -1.0), with(1, 1, 0.0), with(0, 0, f64::NAN)] {
        assert_eq!(bad, None);
    }
}

/// The way of a place that turns, over the time: what `bent` lacks of it falls with the square of the time.
#[test]
fn an_arc_is_bent_to_second_order() {
    let (spin, arm) = (DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.1, -0.4));
    let off = |span: f64| {
        let way = rotor_from_rotation_vector(spin * span) * arm - arm;
        let turning = spin.cross(arm);
        (way / span - turning - bent(shared_spin(spin, spin), turning, span)).mag()
    };
    for span in [1e-2, -1e-2] {
        let order = (off(span) / off(0.5 * span)).log2();
        assert!((order - 2.0).abs() < 0.02, "{order}");
    }
}

#[test]
fn bodies_share_the_spin_that_both_have() {
    let spin = DVec3::new(1.0, -2.0, 0.5);
    assert!((shared_spin(spin, spin) - spin).mag() < 1e-15);
    for other in [DVec3::zero(), -spin, spin.cross(DVec3::unit_x())] {
        assert!(shared_spin(spin, other).mag() < 1e-15, "{other:?}");
        assert_eq!(shared_spin(spin, other), shared_spin(other, spin));
    }
    // A little of one against the other is a little off their mean.
    let near = spin + DVec3::new(1e-4, 2e-4, -1e-4);
    assert!((shared_spin(spin, near) - (spin + near) * 0.5).mag() < 1e-7);
}
