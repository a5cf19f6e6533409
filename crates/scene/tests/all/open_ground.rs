//! Open meshes as ground: what rests, slides, rolls off and comes from below.

use impinge_geometry::DVec3;
use impinge_scene::{Monitor, Response, SceneSpec, Verdict};
use impinge_world::Simulation;
use std::path::Path;

const SCENE: &str = r#"
[scene]
title = "t"
description = "d"
dt = 0.001
duration = 2.0

[[material]]
name = "any"

[[pair]]
materials = ["any", "any"]
stiffness = 3000.0
mu_s = MU
damping = { kelvin_voigt = 4.0 }

[[body]]
name = "ground"
kind = "fixed"
material = "any"
GROUND

[[body]]
name = "ball"
material = "any"
density = 1000.0
pressure = { modulus = 1e6, dissipation = 1.0 }
BALL
"#;

/// The responses that need no inside of the ground, and how near they come to the weight at rest.
fn six() -> [(Response, f64); 6] {
    [
        (Response::PENALTY, 1e-3),
        (Response::DPF_CCD, 1e-3),
        (Response::CPF, 1e-3),
        (Response::CPF_IMPLICIT, 1e-3),
        (Response::QP, 1e-6),
        (Response::PRESSURE, 1e-3),
    ]
}

fn scene(mu: &str, ground: &str, ball: &str) -> SceneSpec {
    let text = SCENE.replace("MU", mu).replace("GROUND", ground).replace("BALL", ball);
    SceneSpec::from_str(&text, Path::new("open")).unwrap()
}

fn slot(sim: &Simulation) -> u32 {
    sim.names().iter().position(|n| n == "ball").unwrap() as u32
}

fn run(sim: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        sim.step().unwrap();
    }
}

const BOWL: &str = "mesh = { height_field = { size = [1.0, 1.0], heights = [
    [0.25, 0.20, 0.15, 0.20, 0.25],
    [0.20, 0.08, 0.04, 0.08, 0.20],
    [0.15, 0.04, 0.00, 0.04, 0.15],
    [0.20, 0.08, 0.04, 0.08, 0.20],
    [0.25, 0.20, 0.15, 0.20, 0.25]] } }";

#[test]
fn a_ball_rests_with_its_weight_in_a_bowl_of_heights() {
    let ball = "mesh = { icosphere = { radius = 0.05, subdivisions = 3 } }\nposition = [0.0, 0.0, 0.06]";
    for (response, near) in six() {
        let mut sim = scene("0.5", BOWL, ball).simulation_with(response).unwrap();
        let b = slot(&sim);
        run(&mut sim, 2000);
        let weight = sim.mass(b) * 9.81;
        let force = sim.contact_force(b);
        let at = sim.pose(b).position;
        assert!((force.z / weight - 1.0).abs() < near, "{response:?}: {} of {weight} N", force.z);
        assert!(
            at.x.abs() < 1e-3 && at.y.abs() < 1e-3 && (0.04..0.06).contains(&at.z),
            "{response:?}: {at:?}"
        );
    }
}

#[test]
fn on_a_flat_grid_it_is_as_on_a_slab_and_a_plane() {
    let ball = "mesh = { box = { size = [0.1, 0.1, 0.1] } }\nposition = [0.013, 0.027, 0.052]";
    let grounds = [
        "mesh = { grid = { size = [1.0, 1.0], segments = 5 } }",
        "mesh = { grid = { size = [1.0, 1.0], segments = 5 }, thicken = 0.2 }",
        "plane = { normal = [0.0, 0.0, 1.0] }",
    ];
    for (response, near) in six() {
        let mut ends = Vec::new();
        for ground in grounds {
            let mut sim = scene("0.5", ground, ball).simulation_with(response).unwrap();
            let b = slot(&sim);
            run(&mut sim, 2000);
            let weight = sim.mass(b) * 9.81;
            let force = sim.contact_force(b).z / weight - 1.0;
            assert!(force.abs() < near, "{response:?} on {ground}: {force:e}");
            ends.push(sim.pose(b).position);
        }
        assert!((ends[0] - ends[1]).mag() < 1e-6, "{response:?}: {ends:?}");
        assert!((ends[0] - ends[2]).mag() < 1e-4, "{response:?}: {ends:?}");
    }
}

/// Largest speed aside, slowest and fastest along (m/s) of a box that slides over twenty by twenty cells without friction.
fn slide(response: Response, thicken: &str, sides: &str) -> [f64; 3] {
    let ground = format!("mesh = {{ grid = {{ size = [2.0, 2.0], segments = 20 }}{thicken} }}");
    let ball = format!(
        "mesh = {{ box = {{ size = [0.1, 0.1, 0.05] }} }}\nposition = [-0.413, 0.027, 0.025]\nvelocity = [1.0, 0.0, 0.0]\n\n[[rule]]\n\
         bodies = [\"ground\", \"ball\"]\nsides = \"{sides}\""
    );
    let mut sim = scene("0.0", &ground, &ball).simulation_with(response).unwrap();
    let b = slot(&sim);
    let [mut side, mut slowest, mut fastest] = [0.0f64, 1.0f64, 1.0f64];
    for _ in 0..500 {
        sim.step().unwrap();
        let v = sim.twist(b).velocity;
        side = side.max(v.y.abs());
        (slowest, fastest) = (slowest.min(v.x), fastest.max(v.x));
    }
    [side, slowest, fastest]
}

#[test]
fn a_box_that_slides_over_the_cells_keeps_straight() {
    for (response, _) in six() {
        let (open, closed) = (slide(response, "", "both"), slide(response, ", thicken = 0.2", "both"));
        // Where springs answer for the vertices of both, those of the ground come and go below the box and rock it, whether or not there is a bottom.
        assert_eq!(open, closed, "{response:?}");
        let holds = [Response::QP, Response::PRESSURE].contains(&response);
        let [side, slowest, fastest] = if holds { open } else { slide(response, "", "second") };
        assert!(side <= 1e-9, "{response:?}: {side:e} m/s aside");
        assert!(slowest > 1.0 - 1e-9 && fastest < 1.0 + 1e-9, "{response:?}: {slowest} to {fastest} m/s");
    }
}

#[test]
fn a_ball_that_rolls_over_the_rim_falls_off() {
    let ground = "mesh = { grid = { size = [0.4, 0.4], segments = 4 } }";
    let ball = "mesh = { icosphere = { radius = 0.05, subdivisions = 3 } }\nposition = [0.13, 0.003, 0.05]\nvelocity = [0.5, 0.0, 0.0]";
    for (response, _) in six() {
        let mut sim = scene("0.5", ground, ball).simulation_with(response).unwrap();
        let b = slot(&sim);
        run(&mut sim, 600);
        let at = sim.pose(b).position;
        assert!(at.z < -0.2 && at.x > 0.2, "{response:?}: {at:?}");
        // Once off, it falls freely.
        let before = sim.twist(b).velocity;
        run(&mut sim, 100);
        let fell = sim.twist(b).velocity - before;
        assert!((fell - DVec3::new(0.0, 0.0, -0.981)).mag() < 1e-9, "{response:?}: {fell:?}");
    }
}

#[test]
fn what_stays_behind_the_ground_is_not_met() {
    // Below the middle of a hill, inside the box around the ground, and thrown up so that it turns before it comes to the surface.
    let hill = "mesh = { height_field = { size = [2.0, 2.0], heights = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]] } }";
    let ball = "mesh = { icosphere = { radius = 0.05, subdivisions = 2 } }\nposition = [0.0, 0.0, 0.3]\nvelocity = [0.0, 0.0, 2.0]";
    for (response, _) in six() {
        let mut sim = scene("0.5", hill, ball).simulation_with(response).unwrap();
        let b = slot(&sim);
        run(&mut sim, 500);
        let v = sim.twist(b).velocity;
        assert!((v - DVec3::new(0.0, 0.0, 2.0 - 9.81 * 0.5)).mag() < 1e-9, "{response:?}: {v:?}");
    }
}

#[test]
fn what_needs_an_inside_says_so_and_what_to_do() {
    let ball = "mesh = { icosphere = { radius = 0.05, subdivisions = 2 } }\nposition = [0.0, 0.0, 0.06]";
    for response in [Response::VOLUME, Response::VOLUME_PENALTY] {
        let refused = scene("0.5", BOWL, ball).simulation_with(response).err().unwrap().to_string();
        assert!(refused.contains("'ground' is open") && refused.contains("thicken"), "{refused}");
        let closed = BOWL.replace("]] } }", "]] }, thicken = 0.1 }");
        let mut sim = scene("0.5", &closed, ball).simulation_with(response).unwrap();
        run(&mut sim, 10);
    }
}

#[test]
fn the_scene_with_open_ground_comes_out_as_it_expects() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/terrain-ball.toml");
    let spec = SceneSpec::load(&file).unwrap();
    let response = spec.response;
    let mut sim = spec.simulation_with(response).unwrap();
    let mut monitor = Monitor::new(&spec, response, &sim);
    monitor.observe(&sim);
    for _ in 0..4000 {
        sim.step().unwrap();
        monitor.observe(&sim);
    }
    for checked in monitor.finish() {
        assert_eq!(checked.verdict, Verdict::Pass, "{}: {} {}", checked.name, checked.measured, checked.unit);
    }
}
