//! The scenes of the response `qp`: seed 001, Fig. 2 at the longest step asked for, and cloth over a ball.

use impinge_scene::SceneSpec;
use impinge_world::{QpReport, Simulation};
use std::path::Path;

fn scene(name: &str, keys: &[(&str, &str)]) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes").join(name);
    SceneSpec::load_with(&path, keys).unwrap().simulation().unwrap()
}

/// Runs; rows that act at most, and no way was cut, no pair left, no program unfinished.
fn run(sim: &mut Simulation, seconds: f64) -> u32 {
    let mut active = 0;
    for _ in 0..(seconds / sim.dt()).round() as usize {
        sim.step().unwrap_or_else(|e| panic!("{e}"));
        let r = *sim.column::<QpReport>();
        assert_eq!((r.cut, r.left), (0, 0), "t = {}: {r:?}", sim.time());
        active = active.max(r.active);
    }
    active
}

#[test]
fn the_cable_hangs_over_the_cylinder_in_steps_of_33_ms() {
    let mut sim = scene("cable-qp.toml", &[("scene.dt", "0.033")]);
    let active = run(&mut sim, 10.0);
    let cable = sim.slot("cable").unwrap();
    let speed = sim.velocity(cable).unwrap().mag();
    println!("{active} rows at most, {speed:.1e} m/s at the end");
    assert!(active >= 8 && speed < 1e-3, "{active} rows, {speed} m/s");
    assert!(sim.contact_force(cable).z > 2.0, "the drum carries it: {:?}", sim.contact_force(cable));
}

/// 289 nodes: by the sparse factor.
#[cfg(feature = "factor")]
#[test]
fn cloth_drapes_over_a_ball() {
    let mut sim = scene("large/cloth-qp.toml", &[]);
    let active = run(&mut sim, 1.0);
    println!("{active} rows at most, {:?} N", sim.contact_force(1));
    assert!(active > 30);
}
