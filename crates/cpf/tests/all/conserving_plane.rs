//! The discrete gradient of a vertex against a plane.

use impinge_cpf::conserving::{HeightGradient, height_gradient};

/// Work is the loss of potential and what the damper takes, and the stiffness is the derivative.
#[test]
fn the_quotient_is_exact_and_its_slope_is_the_derivative() {
    let (k, dt) = (3e4, 1e-3);
    for (h0, h1) in [
        (-2e-3, 1e-9),
        (-1e-3, -2e-3),
        (-2e-3, -1e-3),
        (1e-3, -3e-3),
        (-3e-3, 2e-3),
        (0.0, -1e-3),
        (-1e-3, 0.0),
    ] {
        for c in [0.0, 5.0, 50.0] {
            let g = height_gradient(h0, h1, k, c, dt);
            let potential = |h: f64| 0.5 * k * h.min(0.0).powi(2);
            let work = g.force * (h1 - h0);
            let lost = potential(h0) - potential(h1) - g.dissipated;
            assert!(
                (work - lost).abs() <= 1e-13 * (potential(h0) + potential(h1)),
                "{h0} {h1}: {work} {lost}"
            );
            let e = 1e-8;
            // Away from the kinks.
            if h1.abs() > 1e-6 {
                let slope = |h: f64| height_gradient(h0, h, k, c, dt).force;
                let numeric = -(slope(h1 + e) - slope(h1 - e)) / (2.0 * e);
                assert!((g.stiffness - numeric).abs() <= 1e-3 * k.max(c / dt), "{h0} {h1} {c}");
            }
        }
    }
    assert_eq!(height_gradient(1.0, 1e-9, k, 1.0, dt), HeightGradient::default());
}
