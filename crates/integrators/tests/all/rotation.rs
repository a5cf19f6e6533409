//! Torque-free rotation keeps energy and angular momentum.

use impinge_geometry::{DMat3, DRotor3, DVec3, rotor_from_rotation_vector};
use impinge_integrators::{free_rotation, rotation_between};

#[test]
fn log_inverts_exp() {
    let base = rotor_from_rotation_vector(DVec3::new(0.4, -1.0, 0.2));
    for w in
        [DVec3::zero(), DVec3::new(1e-9, 0.0, 0.0), DVec3::new(0.3, -0.7, 1.1), DVec3::new(0.0, 3.0, 0.0)]
    {
        let got = rotation_between(base, rotor_from_rotation_vector(w) * base);
        assert!((got - w).mag() < 1e-14, "{w:?} {got:?}");
    }
}

#[test]
fn symmetric_body_turns_uniformly() {
    let inv = DMat3::identity();
    let w = DVec3::new(0.2, 0.5, -0.3);
    let r = free_rotation(DRotor3::identity(), w, &inv, 0.1);
    let want = rotor_from_rotation_vector(w * 0.1);
    assert!((r * DVec3::unit_x() - want * DVec3::unit_x()).mag() < 1e-15);
}

#[test]
fn needle_spinning_fast_keeps_both_invariants() {
    let j = DVec3::new(1.0, 120.0, 119.0);
    let inv = DMat3::new(
        DVec3::new(1.0 / j.x, 0.0, 0.0),
        DVec3::new(0.0, 1.0 / j.y, 0.0),
        DVec3::new(0.0, 0.0, 1.0 / j.z),
    );
    let l = DVec3::new(30.0, 40.0, -20.0);
    let energy = |r: DRotor3| {
        let pi = r.reversed() * l;
        0.5 * pi.dot(inv * pi)
    };
    let mut r = DRotor3::identity();
    let e0 = energy(r);
    for _ in 0..2000 {
        r = free_rotation(r, l, &inv, 0.05);
    }
    assert!((energy(r) / e0 - 1.0).abs() < 1e-10, "{}", energy(r) / e0 - 1.0);
}

#[test]
fn what_turns_too_far_to_be_followed_keeps_both_invariants() {
    let inv = DMat3::new(DVec3::unit_x(), DVec3::unit_y() / 2.0, DVec3::unit_z() / 3.0);
    let l = DVec3::new(3.0, 4.0, -2.0);
    let energy = |r: DRotor3| {
        let pi = r.reversed() * l;
        0.5 * pi.dot(inv * pi)
    };
    let start = rotor_from_rotation_vector(DVec3::new(0.4, -1.0, 0.2));
    // By 266 rad a step, and by many turns.
    for dt in [140.0, 1e3, 1e6, 1e15] {
        let mut r = start;
        for _ in 0..20 {
            r = free_rotation(r, l, &inv, dt);
        }
        let gained = energy(r) / energy(start) - 1.0;
        assert!(gained.abs() < 1e-13, "{dt} s: {gained}");
        assert!(rotation_between(start, r).mag() > 1e-3, "{dt} s: it does not turn");
    }
}
