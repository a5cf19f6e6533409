//! An implicit step meets what bodies are pushed into, also where no prediction leads there.

use crate::pressing::{at, compliant, cube, floor, law, settings};
use impinge_geometry::DVec3;
use impinge_world::{PressureSettings, Response, Simulation};

/// Cubes in a row along x with gaps of a millimetre, each `aside` (m) of the one before; the first flies at the others.
fn row(settings: PressureSettings, turned: bool, aside: f64) -> Simulation {
    let mut builder = Simulation::builder(1.0 / 60.0).law(law(0.3)).response(Response::from(settings));
    for i in 0..4u32 {
        let place = if turned { 3 - i } else { i };
        let mut body = compliant(
            &format!("cube-{place}"),
            &cube(1e7),
            1.0,
            at(0.101 * f64::from(place), aside * f64::from(place), 0.0),
        );
        if place == 0 {
            body.velocity = DVec3::new(1.0, 0.0, 0.0);
        }
        builder = builder.body(body);
    }
    builder.build().unwrap()
}

#[test]
fn a_row_of_cubes_passes_the_push_on_within_the_step() {
    for turned in [false, true] {
        let mut sim = row(settings(), turned, 0.0);
        let mut deepest = 0.0f64;
        for step in 0..30 {
            sim.step().unwrap();
            let slot = |place: u32| if turned { 3 - place } else { place };
            for place in 0..3 {
                let (a, b) = (slot(place), slot(place + 1));
                let overlap = 0.1 - (sim.position(b).x - sim.position(a).x);
                deepest = deepest.max(overlap);
                let ledger = sim.ledger();
                let pushed = (0..ledger.pairs.len()).any(|i| {
                    [ledger.pairs.a[i], ledger.pairs.b[i]] == [a.min(b), a.max(b)]
                        && ledger.pairs.contacts[i] > 0
                });
                assert!(overlap <= 1e-9 || pushed, "step {step}: {overlap:.2e} m deep, and nothing pushes");
            }
            let momentum: f64 = (0..4).map(|s| sim.twist(s).velocity.x).sum();
            assert!((momentum - 1.0).abs() < 1e-12, "step {step}: {momentum}");
        }
        // 17 mm a step; a modulus of 1e7 Pa stops a kilogram within 2 mm.
        assert!(deepest < 2e-3, "{deepest}");
    }
}

/// Beside each other they turn as they meet; deep in each other, at the start of the step, the tangent is not definite, and its direction
/// once led 0.9 m away.
#[test]
fn a_row_of_cubes_that_turn_gains_no_energy() {
    let mut sim = row(settings(), false, 0.003);
    let energy = |sim: &Simulation| {
        let e = sim.energy();
        e.translational + e.rotational
    };
    let start = energy(&sim);
    for step in 0..60 {
        sim.step().unwrap();
        assert!(energy(&sim) <= start * (1.0 + 1e-12), "step {step}: {} J of {start}", energy(&sim));
        let momentum: f64 = (0..4).map(|s| sim.twist(s).velocity.x).sum();
        assert!((momentum - 1.0).abs() < 1e-12, "step {step}: {momentum}");
    }
}

#[test]
fn a_body_that_is_pushed_onto_a_plane_meets_it_in_that_step() {
    let mut sim = Simulation::builder(1.0 / 60.0)
        .law(law(0.3))
        .response(Response::from(settings()))
        .body(floor())
        .body(compliant("low", &cube(1e7), 1.0, at(0.0, 0.0, 0.051)))
        .body({
            let mut high = compliant("high", &cube(1e7), 1.0, at(0.0, 0.0, 0.152));
            high.velocity = DVec3::new(0.0, 0.0, -1.0);
            high
        })
        .build()
        .unwrap();
    for step in 0..20 {
        sim.step().unwrap();
        let deep = 0.05 - sim.position(1).z;
        assert!(deep <= 2e-3, "step {step}: {deep} m below");
    }
}
