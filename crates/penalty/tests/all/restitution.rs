//! Restitution and damping against the closed forms of ACCEPTANCE B31 and B32.

use impinge_penalty::{
    Release, hunt_crossley_from_restitution, hunt_crossley_restitution, linear_damping_ratio,
    linear_restitution,
};

#[test]
fn closed_forms_of_b31() {
    let depth = [(0.05, 0.854468), (0.1, 0.729248), (0.2, 0.526621), (0.5, 0.163034)];
    let force = [(0.05, 0.858758), (0.1, 0.744079), (0.2, 0.571740), (0.5, 0.298436)];
    for (z, e) in depth {
        assert!((linear_restitution(z, Release::Depth) - e).abs() < 1e-6);
        assert!((linear_damping_ratio(e, Release::Depth).unwrap() - z).abs() < 1e-5);
    }
    for (z, e) in force {
        assert!((linear_restitution(z, Release::Force) - e).abs() < 1e-6);
        assert!((linear_damping_ratio(e, Release::Force).unwrap() - z).abs() < 1e-5);
    }
    // The three branches meet at ζ = 1.
    let (below, above) =
        (linear_restitution(1.0 - 1e-9, Release::Force), linear_restitution(1.0 + 1e-9, Release::Force));
    assert!((below - (-2.0f64).exp()).abs() < 1e-8 && (above - (-2.0f64).exp()).abs() < 1e-8);
}

#[test]
fn closed_forms_of_b32() {
    let table = [
        (0.01, 0.993377),
        (0.1, 0.937476),
        (0.5, 0.748435),
        (1.0, 0.593624),
        (2.0, 0.410720),
        (5.0, 0.196980),
        (10.0, 0.099982),
    ];
    for (a, e) in table {
        assert!((hunt_crossley_restitution(a) - e).abs() < 1e-6, "{a}: {}", hunt_crossley_restitution(a));
        let chi = hunt_crossley_from_restitution(e, 2.0).unwrap();
        assert!((chi * 2.0 / a - 1.0).abs() < 2e-3, "{a}: {chi}");
    }
}

#[test]
fn impossible_restitutions_are_refused() {
    assert_eq!(linear_damping_ratio(0.0, Release::Force), None);
    assert_eq!(linear_damping_ratio(1.2, Release::Depth), None);
    assert_eq!(linear_damping_ratio(f64::NAN, Release::Depth), None);
    assert_eq!(hunt_crossley_from_restitution(0.5, 0.0), None);
    assert_eq!(linear_damping_ratio(1.0, Release::Force), Some(0.0));
}
