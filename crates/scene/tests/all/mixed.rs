//! A stack of three laws, two of them solved with the motion and with a cloth between them.

use impinge_scene::{Response, SceneSpec};
use impinge_world::Simulation;
use std::path::PathBuf;

fn table() -> SceneSpec {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/mixed-table.toml");
    SceneSpec::load(&path).unwrap_or_else(|e| panic!("{e}"))
}

fn slot(sim: &Simulation, name: &str) -> u32 {
    sim.slot(name).unwrap_or_else(|| panic!("no body '{name}'"))
}

/// Which body comes first decides the order of sums, and nothing else.
#[test]
fn the_order_of_bodies_does_not_matter() {
    let run = |spec: &SceneSpec| {
        let mut sim = spec.simulation().unwrap();
        (0..60).for_each(|_| sim.step().unwrap());
        ["box", "cloth", "ball"].map(|name| {
            let body = slot(&sim, name);
            (sim.position(body), sim.contact_force(body))
        })
    };
    let spec = table();
    let mut turned = table();
    turned.bodies.reverse();
    for (one, other) in run(&spec).iter().zip(&run(&turned)) {
        let (way, force) = ((one.0 - other.0).mag(), (one.1 - other.1).mag());
        assert!(way < 1e-9 && force < 1e-5, "{way:e} m, {force:e} N: {one:?}, {other:?}");
    }
}

/// The ball goes from one law to another while it lies on the cloth, and back.
#[test]
fn a_pair_changes_hands_above_a_cloth() {
    let mut sim = table().simulation().unwrap();
    let (ball, cloth) = (slot(&sim, "ball"), slot(&sim, "cloth"));
    let weight = 0.9509128;
    let rests = |sim: &mut Simulation, law: &str| {
        (0..250).for_each(|_| sim.step().unwrap());
        let mut mean = 0.0;
        for _ in 0..100 {
            sim.step().unwrap();
            mean += sim.contact_force(ball).z / 100.0;
            let left = sim.ledger().momentum.linear_residual.mag();
            assert!(left <= 1e-12, "{law}: momentum {left:e}");
        }
        assert!((mean / weight - 1.0).abs() < 1e-2, "{law}: {mean} N of {weight} N");
    };
    rests(&mut sim, "cpf");
    sim.set_response(ball, cloth, Response::PENALTY.response()).unwrap();
    rests(&mut sim, "penalty");
    sim.set_response(ball, cloth, Response::CPF.response()).unwrap();
    rests(&mut sim, "cpf again");
}
