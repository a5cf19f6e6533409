//! Points without a surface against meshes under continuous penalty.

use impinge_scene::SceneSpec;
use impinge_world::Simulation;
use std::path::Path;

const SCENE: &str = r#"
[scene]
title = "t"
dt = 1e-3
duration = 1.0
response = "cpf"
[[material]]
name = "m"
density = 100
[[pair]]
materials = ["*", "*"]
stiffness = 1000
damping = { kelvin_voigt = 10 }
mu_s = 0.5
[[body]]
name = "box"
kind = "fixed"
material = "m"
mesh = { box = { size = [1, 1, 1] } }
position = [0, 0, -0.5]
[[body]]
name = "grain"
kind = "particles"
material = "m"
points = [[0.13, 0.21, 0.05], [0.3, -0.1, 0.1], [3.0, 0.0, 0.1]]
mass = 0.3
"#;

fn sim(response: &str) -> Result<Simulation, String> {
    let text = SCENE.replace("\"cpf\"", &format!("\"{response}\""));
    let spec = SceneSpec::from_str(&text, Path::new("t.toml")).map_err(|e| e.to_string())?;
    spec.simulation().map_err(|e| e.to_string())
}

/// Spring and damper carry the weight, on the way that gravity would make of a step from rest; what is beside the box falls on.
#[test]
fn points_rest_on_a_box_and_the_box_carries_their_weight() {
    for response in ["cpf", "dpf-ccd"] {
        let mut sim = sim(response).unwrap();
        for _ in 0..1000 {
            sim.step().unwrap();
        }
        let grain = sim.slot("grain").unwrap();
        let z: Vec<f64> =
            sim.nodes_of(grain).map(|n| sim.column::<impinge_world::NodeState>().x[n].z).collect();
        let (m, k, d, g, dt) = (0.1, 1000.0, 10.0, 9.81, 1e-3);
        // How far ahead of the place the depth is taken: in the mean, or at the predicted end.
        let ahead = g * dt * dt * if response == "cpf" { 0.5 } else { 1.0 };
        let deep = (m * g - d * g * dt) / k - ahead;
        assert!(z[..2].iter().all(|z| (z + deep).abs() < 1e-9) && z[2] < -4.0, "{response}: {z:?}");
        let carried = sim.contact_force(grain).z;
        assert!((carried - 0.2 * 9.81).abs() < 1e-6, "{response}: {carried} N");
        assert!(sim.ledger().momentum.linear_residual.mag() < 1e-12);
    }
}

/// Nothing has crossed a face there: it begins as a contact with the nearest one.
#[test]
fn a_point_that_starts_inside_is_pushed_out() {
    for response in ["cpf", "dpf-ccd"] {
        let text =
            SCENE.replace("\"cpf\"", &format!("\"{response}\"")).replace("0.21, 0.05]", "0.21, -0.02]");
        let spec = SceneSpec::from_str(&text, Path::new("t.toml")).unwrap();
        let mut sim = spec.simulation().unwrap();
        assert_eq!(sim.unseen(), []);
        for _ in 0..1000 {
            sim.step().unwrap();
        }
        let grain = sim.slot("grain").unwrap();
        let carried = sim.contact_force(grain).z;
        assert!((carried - 0.2 * 9.81).abs() < 1e-6, "{response}: {carried} N");
    }
}
