//! Rows of boxes that lean on each other under `cpf-implicit`, at a step with k Δt²/m = 2222: which contacts hold and which slide is found.

use impinge_scene::{Response, SceneSpec};
use impinge_world::{NewtonReport, NodeState};
use std::path::Path;

/// The pyramid stopped in its second step, with all contacts sliding in every trial. Here every step is solved, nothing moves farther than the
/// boxes sink into each other, and the floor carries the weight on average: the midpoint rule damps no swing.
#[test]
fn a_pyramid_of_ten_boxes_stands() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/box-pyramid-pressure.toml");
    let spec = SceneSpec::load(&file).unwrap();
    let mut sim = spec.simulation_with(Response::CPF_IMPLICIT).unwrap();
    let floor = sim.names().iter().position(|n| n == "floor").unwrap() as u32;
    let (steps, dt) = (120, 1.0 / 60.0);
    let (mut carried, mut residual) = (0.0, 0.0f64);
    for _ in 0..steps {
        sim.step().unwrap();
        carried -= sim.ledger().contact[floor as usize].impulse.z;
        residual = residual.max(sim.column::<NewtonReport>().residual);
    }
    let way = |b: usize| (sim.pose(b as u32).position - spec.bodies[b].pose.position).mag();
    let moved = (0..spec.bodies.len()).map(way).fold(0.0, f64::max);
    let weight = carried / (f64::from(steps) * dt);
    println!("moved {moved:.1e} m, carries {weight:.3} N of 49, residual {residual:.1e}");
    // 1e6 N/m a point, 49 N on 16 points of the floor: micrometres.
    assert!(moved < 5e-5, "{moved:e}");
    assert!((weight / 49.0 - 1.0).abs() < 0.02, "{weight}");
    assert!(residual <= 1e-9, "{residual:e}");
}

/// A soft block on the floor, its upper face held by a jaw that starts and stops.
const HELD: &str = r#"
[scene]
title = "t"
description = "d"
dt = 0.01
duration = 0.4
integrator = "implicit-midpoint"

[[material]]
name = "flesh"
density = 500.0

[[pair]]
materials = ["*", "*"]
stiffness = 1e4
mu_s = 0.5

[[body]]
name = "floor"
kind = "fixed"
material = "flesh"
plane = {}

[[body]]
name = "jaw"
kind = "kinematic"
material = "flesh"
mesh = { box = { size = [0.1, 0.1, 0.02] } }
keyframes = [
    { time = 0.0, position = [0.0, 0.0, 0.13] },
    { time = 0.1, position = [0.0, 0.0, 0.13] },
    { time = 0.2, position = [0.005, 0.0, 0.13] },
    { time = 0.4, position = [0.005, 0.0, 0.13] },
]

[[body]]
name = "block"
kind = "deformable"
material = "flesh"
solid = { box = { size = [0.1, 0.1, 0.1], segments = 2 } }
elastic = { young = 2e4, poisson = 0.3 }
position = [0.0, 0.0, 0.05]
attach = [{ min = [-1.0, -1.0, 0.0499], max = [1.0, 1.0, 0.0501], to = "jaw" }]

[[rule]]
bodies = ["jaw", "block"]
response = "none"
"#;

/// What is prescribed moves as prescribed, also where the step is solved from the motion that goes on as it is.
#[test]
fn held_nodes_go_where_they_are_taken() {
    let spec = SceneSpec::from_str(HELD, Path::new("held")).unwrap();
    let mut sim = spec.simulation_with(Response::CPF_IMPLICIT).unwrap();
    let slot = |sim: &impinge_world::Simulation, n: &str| sim.slot(n).unwrap();
    let (jaw, block, floor) = (slot(&sim, "jaw"), slot(&sim, "block"), slot(&sim, "floor"));
    let nodes = sim.nodes_of(block);
    let at = |sim: &impinge_world::Simulation| -> Vec<_> {
        let (x, jaw) = (sim.column::<NodeState>().x[nodes.clone()].to_vec(), sim.pose(jaw).position);
        x.into_iter().map(|x| x - jaw).collect()
    };
    let start = at(&sim);
    let held: Vec<usize> = (0..start.len()).filter(|&i| start[i].z > -0.0301).collect();
    let (mut off, mut touched) = (0.0f64, 0);
    for _ in 0..40 {
        sim.step().unwrap();
        let now = at(&sim);
        off = held.iter().map(|&i| (now[i] - start[i]).mag()).fold(off, f64::max);
        touched += u32::from(sim.ledger().contact[floor as usize].impulse.z < 0.0);
    }
    println!("{} nodes held, off by {off:.1e} m, {touched} steps of contact", held.len());
    assert!(held.len() == 9 && touched > 20, "{} {touched}", held.len());
    assert!(off <= 1e-12, "{off:e}");
}
