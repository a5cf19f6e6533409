//! The chain under continuous penalty: what holds it, what blows it up, and that the warning knows.

use impinge_scene::{Response, SceneSpec};
use impinge_world::Simulation;
use std::path::PathBuf;

fn chain(name: &str, set: &[(&str, &str)]) -> Simulation {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes").join(name);
    let spec = SceneSpec::load_with(&path, set).unwrap_or_else(|e| panic!("{e}"));
    spec.simulation_with(Response::CPF).unwrap_or_else(|e| panic!("{e}"))
}

/// The largest distance between the middles of two links that hang on each other.
fn longest_joint(sim: &Simulation) -> f64 {
    let links: Vec<u32> = (0..sim.names().len() as u32 - 1).collect();
    links.windows(2).fold(0.0, |most, w| most.max((sim.position(w[0]) - sim.position(w[1])).mag()))
}

#[test]
fn links_hold_where_the_step_allows_a_joint_stiff_enough() {
    // Without friction nothing but the normal forces holds them.
    let set = [("scene.dt", "0.005"), ("pair.0.mu_s", "0.0"), ("pair.0.mu_k", "0.0")];
    let mut sim = chain("chain.toml", &set);
    for _ in 0..800 {
        sim.step().unwrap();
        // 0.6 m where they touch, 0.8 m where the wires have passed through each other.
        let joint = longest_joint(&sim);
        assert!(joint < 0.75, "a joint is {joint} m long at {} s", sim.time());
    }
    assert!(sim.position(7).z < -2.0, "it hangs: {:?}", sim.position(7));
}

#[test]
fn the_papers_numbers_hold_links_that_are_thick_enough() {
    let mut sim = chain("chain-cpf.toml", &[]);
    assert!(sim.warnings().is_empty(), "{}", sim.warnings()[0]);
    // Through the fall, the swing and the impact on the box.
    for _ in 0..400 {
        sim.step().unwrap();
        let joint = longest_joint(&sim);
        assert!(joint < 15.0, "a joint is {joint} m long at {} s", sim.time());
    }
}

#[test]
fn the_warning_knows_the_chain_that_blows_up() {
    let mut sim = chain("chain.toml", &[]);
    let warnings = sim.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let w = &warnings[0];
    assert!(w.body == "link-0" && w.alike == 6 && w.contacts > 10, "{w}");
    let blown = (0..200).any(|_| sim.step().is_err() || sim.ledger().energy.total() > 1e4);
    assert!(blown, "{w}, but the chain swings on");
}
