//! What rests is worked on by nothing, whatever holds it; what is pressed once is worked on once.

use impinge_scene::{Response, SceneSpec};
use impinge_world::Simulation;
use std::path::Path;

fn build(text: &str, response: Response) -> Simulation {
    SceneSpec::from_str(text, Path::new("works.toml")).unwrap().simulation_with(response).unwrap()
}

const BOXES: &str = r#"
[scene]
title = "Two boxes on a floor"
dt = 1e-3
duration = 4.0
response = "penalty"
[[material]]
name = "wood"
density = 500.0
[[pair]]
materials = ["*", "*"]
stiffness = 5e3
damping = { kelvin_voigt = 20.0 }
mu_s = 0.3
[[body]]
name = "floor"
kind = "fixed"
material = "wood"
mesh = { box = { size = [1.0, 1.0, 0.1] } }
position = [0.0, 0.0, -0.05]
[[body]]
name = "lower"
material = "wood"
mesh = { box = { size = [0.2, 0.2, 0.1] } }
position = [0.0, 0.0, 0.05]
[[body]]
name = "upper"
material = "wood"
mesh = { box = { size = [0.1, 0.1, 0.1] } }
position = [0.01, 0.0, 0.15]
"#;

/// Booked one after the other, gravity and contact, the floor took ½ m g² Δt² a step: 0.24 J a second here.
#[test]
fn a_stack_at_rest_is_worked_on_by_nothing() {
    let responses = [
        Response::PENALTY,
        Response::CPF,
        Response::DPF_CCD,
        Response::CPF_IMPLICIT,
        Response::QP,
        Response::PRESSURE,
    ];
    for response in responses {
        let mut sim = build(BOXES, response);
        for _ in 0..1500 {
            sim.step().unwrap();
        }
        let (mut normal, mut friction) = (0.0, 0.0);
        for _ in 0..500 {
            sim.step().unwrap();
            let e = sim.ledger().energy;
            normal += e.work_normal;
            friction += e.work_friction;
        }
        let works = normal.abs() + friction.abs();
        assert!(works < 1e-6, "{response:?}: {normal:e} J by the normal force, {friction:e} J by friction");
    }
}

const SQUEEZE: &str = r#"
[scene]
title = "A soft block between plates"
dt = 5e-3
duration = 1.5
response = "qp"
integrator = "implicit-euler"
gravity = [0.0, 0.0, 0.0]
[[material]]
name = "gel"
density = 1000.0
[[pair]]
materials = ["*", "*"]
stiffness = 1e4
[[body]]
name = "block"
kind = "deformable"
material = "gel"
solid = { box = { size = [0.1, 0.1, 0.1], segments = 4 } }
elastic = { young = 1e5, poisson = 0.0, rayleigh_stiffness = 0.01 }
[[body]]
name = "top"
kind = "kinematic"
material = "gel"
mesh = { box = { size = [0.2, 0.2, 0.02] } }
keyframes = [ { time = 0.0, position = [0.0, 0.0, 0.061] }, { time = 1.0, position = [0.0, 0.0, 0.051] } ]
[[body]]
name = "bottom"
kind = "fixed"
material = "gel"
mesh = { box = { size = [0.2, 0.2, 0.02] } }
position = [0.0, 0.0, -0.061]
"#;

/// ½ E A/h d² = 0.5 J are stored; the plates put in that and what damping takes, half of it each contact. Normal impulses at their own
/// surface do nothing, and nothing is done once all is still. Booked one after the other, −25 J and +25 J were said after 1.5 s, at any step.
#[test]
fn a_squeezed_block_is_worked_on_once() {
    let mut sim = build(SQUEEZE, Response::QP);
    let mut sums = [0.0; 3];
    let mut at_rest = [0.0; 3];
    for step in 0..300 {
        sim.step().unwrap();
        let e = sim.ledger().energy;
        for (i, w) in [e.work_normal, e.work_driven, e.work_elastic].into_iter().enumerate() {
            sums[i] += w;
            at_rest[i] += if step < 250 { 0.0 } else { w };
        }
    }
    let [normal, driven, inner] = sums;
    let stored = sim.energy().elastic;
    assert!((stored - 0.5).abs() < 0.02, "{stored} J");
    assert!(normal.abs() < 0.02 * stored, "{normal} J by the normal force");
    assert!(driven > stored && driven < 1.1 * stored, "{driven} J by the plate");
    assert!((normal + driven + inner).abs() < 1e-6, "{sums:?}");
    assert!(at_rest.iter().all(|w| w.abs() < 1e-6), "{at_rest:?}");
}

const DRAGGED: &str = r#"
[scene]
title = "A box and a soft block thrown at a wall through honey"
dt = 1e-3
duration = 0.3
response = "penalty"
integrator = "implicit-euler"
gravity = [0.0, 0.0, 0.0]
[deformable]
tolerance = 1e-12
[[material]]
name = "wood"
density = 500.0
[[pair]]
materials = ["*", "*"]
stiffness = 2e4
mu_s = 0.3
[[body]]
name = "wall"
kind = "fixed"
material = "wood"
mesh = { box = { size = [0.1, 2.0, 2.0] } }
position = [0.25, 0.0, 0.0]
[[body]]
name = "box"
material = "wood"
mesh = { box = { size = [0.2, 0.2, 0.1] } }
position = [0.05, 0.4, 0.0]
velocity = [2.0, 0.5, 0.0]
angular_velocity = [1.0, 2.0, 3.0]
linear_drag = 3.0
angular_drag = 0.02
[[body]]
name = "soft"
kind = "deformable"
material = "wood"
solid = { box = { size = [0.1, 0.1, 0.1], segments = 2 } }
elastic = { young = 1e5, poisson = 0.3, rayleigh_stiffness = 0.01 }
position = [0.1, -0.4, 0.0]
velocity = [2.0, 0.0, 0.5]
linear_drag = 0.3
"#;

/// Contact, drag and what is inside: their works are the change of kinetic energy, in each step.
#[test]
fn works_of_drag_and_contact_together_are_the_change_of_kinetic_energy() {
    let mut sim = build(DRAGGED, Response::PENALTY);
    let mut before = sim.energy().kinetic();
    let (mut dragged, mut pressed) = (0.0, 0.0f64);
    for step in 0..300 {
        sim.step().unwrap();
        let e = sim.ledger().energy;
        let works = e.work_normal + e.work_friction + e.work_drag + e.work_driven + e.work_elastic;
        let gap = e.kinetic() - before - works;
        assert!(gap.abs() < 1e-12 * (e.kinetic() + before), "step {step}: {gap:e} J of {works:e}");
        (dragged, pressed) = (dragged + e.work_drag, pressed.max(e.work_normal.abs()));
        before = e.kinetic();
    }
    assert!(dragged < -0.1 && pressed > 1e-3, "{dragged} J by drag, {pressed} J at most by contact");
}
