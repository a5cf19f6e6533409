//! Energy and rotation under the midpoint rule.

use impinge_contact::Mobility;
use impinge_geometry::{DMat3, DRotor3, DVec3, rotor_from_rotation_vector};
use impinge_integrators::{cayley, cayley_tangent, mean_turn, momentum_after};

fn body() -> (Mobility, DMat3) {
    let j = DMat3::new(DVec3::new(2.0, 0.1, 0.0), DVec3::new(0.1, 1.0, 0.05), DVec3::new(0.0, 0.05, 0.4));
    let m = Mobility::new(j).unwrap();
    (m, *m.inverse_inertia())
}

/// The chord of every point is θ × its mean arm, and the tangent is the derivative.
#[test]
fn the_map_turns_chords_exactly() {
    let theta = DVec3::new(0.4, -0.9, 0.3);
    let (r, arm) = (cayley(theta), DVec3::new(1.0, 2.0, -0.5));
    let chord = r * arm - arm;
    assert!((chord - theta.cross((r * arm + arm) * 0.5)).mag() < 1e-15);
    let d = DVec3::new(0.2, 0.1, -0.3) * 1e-6;
    let moved = (cayley(theta + d) * arm - cayley(theta - d) * arm) * 0.5;
    assert!((moved - (cayley_tangent(theta) * d).cross(r * arm)).mag() < 1e-15);
}

/// A torque's work is θ·τ: the energy gained, to rounding; and the turn found is the one asked for.
#[test]
fn energy_grows_by_the_work_of_the_torque() {
    let (j, i) = body();
    let dt = 0.05;
    let r0 = rotor_from_rotation_vector(DVec3::new(0.3, 0.7, -1.1));
    let l0 = DVec3::new(1.0, -2.0, 0.8);
    let impulse = DVec3::new(-0.5, 0.6, 0.9);
    let theta = mean_turn(r0, [l0, l0 + impulse], &j, dt).unwrap();
    let energy = |r: DRotor3, l: DVec3| {
        let p = r.reversed() * l;
        0.5 * p.dot(i * p)
    };
    let gained = energy(cayley(theta) * r0, l0 + impulse) - energy(r0, l0);
    assert!((gained - theta.dot(impulse) / dt).abs() < 1e-12, "{gained}");
    let (l, slope) = momentum_after(r0, l0, &j, theta, dt);
    assert!((l - l0 - impulse).mag() < 1e-13);
    let d = DVec3::new(1e-6, -2e-6, 3e-6);
    let at = |t| momentum_after(r0, l0, &j, t, dt).0;
    assert!(((at(theta + d) - at(theta - d)) * 0.5 - slope * d).mag() < 1e-9);
}

/// Without a torque energy and momentum stay; a spin that cannot be resolved is refused.
#[test]
fn a_free_body_keeps_its_energy_and_a_fast_one_is_refused() {
    let (j, i) = body();
    let l = DVec3::new(3.0, -1.0, 2.0);
    let mut r = DRotor3::identity();
    let energy = |r: DRotor3| {
        let p = r.reversed() * l;
        0.5 * p.dot(i * p)
    };
    let before = energy(r);
    for _ in 0..5000 {
        r = (cayley(mean_turn(r, [l, l], &j, 0.02).unwrap()) * r).normalized();
    }
    assert!((energy(r) / before - 1.0).abs() < 1e-11, "{}", energy(r) / before - 1.0);
    assert_eq!(mean_turn(r, [l * 1e3, l * 1e3], &j, 0.02), None);
}
