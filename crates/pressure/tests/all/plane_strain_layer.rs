//! A rigid sinusoid on a bonded layer (seed 004 §VIII-A, ACCEPTANCE B20): finite elements beside the pressure field.

use impinge_elasticity::plane_strain::{LayerError, PlaneLaw, PressedLayer};
use impinge_pressure::{LayerLaw, press_sinusoid};
use std::f64::consts::TAU;

fn layer(law: PlaneLaw, eta: f64, cells: usize) -> PressedLayer {
    PressedLayer::new(law, 0.3, TAU / 3.0, eta, [cells, cells]).unwrap()
}

fn field(d: f64, eta: f64) -> f64 {
    press_sinusoid(LayerLaw::Logarithmic, d, eta).unwrap().force
}

/// By how many per cent the pressure field is low.
fn low(layer: &mut PressedLayer, d: f64, eta: f64) -> f64 {
    100.0 * (1.0 - field(d, eta) / layer.press_to(d).unwrap().force)
}

#[test]
fn a_flat_plate_is_the_confined_column() {
    let mut flat = layer(PlaneLaw::Logarithmic, 0.0, 6);
    for d in [0.001, 0.1, 0.4, 0.7, 0.9] {
        let r = flat.press_to(d).unwrap();
        assert!((r.force / field(d, 0.0) - 1.0).abs() < 1e-10, "{r:?}");
        assert!((r.contact_fraction - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_pressure_field_is_low_by_what_b20_says() {
    let large: &[(f64, f64)] =
        &[(0.05, 45.0), (0.1, 34.0), (0.19, 23.2), (0.2, 22.0), (0.3, 16.0), (0.4, 11.7), (0.5, 8.0)];
    let small: &[(f64, f64)] = &[(0.05, 33.0), (0.1, 22.0), (0.2, 11.5), (0.3, 6.6), (0.4, 2.2), (0.5, 1.3)];
    for (eta, rows) in [(0.333, large), (0.166, small)] {
        let mut l = layer(PlaneLaw::Logarithmic, eta, 24);
        for &(d, want) in rows {
            let got = low(&mut l, d, eta);
            assert!((got - want).abs() <= 1.0, "η = {eta}, d = {d}: {got} % for {want} %");
        }
    }
}

#[test]
fn the_neo_hookean_layer_is_as_stiff_at_first_and_softer_in_the_end() {
    let mut l = layer(PlaneLaw::NeoHookean, 0.333, 24);
    assert!((low(&mut l, 0.05, 0.333) - 44.0).abs() < 1.0);
    assert!((low(&mut l, 0.1, 0.333) - 32.0).abs() < 1.0);
    assert!(low(&mut l, 0.6, 0.333) < -3.0);
}

#[test]
fn equilibria_are_exact_and_refinement_changes_little() {
    let mut by_mesh = [12, 24].map(|n| layer(PlaneLaw::Logarithmic, 0.333, n));
    for d in [0.2, 0.5] {
        let [coarse, fine] = by_mesh.each_mut().map(|l| l.press_to(d).unwrap());
        for r in [coarse, fine] {
            assert!(r.residual < 1e-11 && r.violation < 1e-11, "{r:?}");
            assert!((r.force - r.base_force).abs() < 1e-10, "{r:?}");
        }
        assert!((coarse.force / fine.force - 1.0).abs() < 0.01, "{coarse:?} {fine:?}");
    }
}

#[test]
fn the_way_does_not_matter() {
    let mut once = layer(PlaneLaw::NeoHookean, 0.166, 8);
    let direct = once.press_to(0.25).unwrap();
    once.press_to(0.5).unwrap();
    let back = once.press_to(0.25).unwrap();
    assert!((back.force / direct.force - 1.0).abs() < 1e-9, "{back:?} {direct:?}");
    let off = once.press_to(0.0).unwrap();
    assert!(off.force.abs() < 1e-9 && off.residual < 1e-11, "{off:?}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |nu, wave, eta, cells| {
        matches!(
            PressedLayer::new(PlaneLaw::Logarithmic, nu, wave, eta, cells),
            Err(LayerError::Parameter(_))
        )
    };
    assert!(refused(0.5, 1.0, 0.1, [2, 2]) && refused(0.3, 0.0, 0.1, [2, 2]));
    assert!(refused(0.3, 1.0, f64::NAN, [2, 2]) && refused(0.3, 1.0, 0.1, [0, 2]));
    let mut l = layer(PlaneLaw::Logarithmic, 0.1, 4);
    assert!([-0.1, 1.0, f64::NAN].iter().all(|&d| matches!(l.press_to(d), Err(LayerError::Parameter(_)))));
}
