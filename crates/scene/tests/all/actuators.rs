//! Scene files with locked axes, actuators and forces: what is read is what acts.

use impinge_contact::{Axes, Axis};
use impinge_scene::{Motion, SceneSpec};
use std::path::{Path, PathBuf};

const SCENE: &str = r#"
[scene]
title = "slider"
dt = 1e-3
duration = 1.0
gravity = [0, 0, -10]

[[material]]
name = "steel"

[[body]]
name = "slider"
material = "steel"
mass = 2.0
mesh = { box = { size = [0.2, 0.2, 0.2] } }
position = [1, 0, 0]
locked = ["y", "z", "rx", "ry"]

[[actuator]]
body = "slider"
axis = "x"
force = 4.0

[[actuator]]
body = "slider"
axis = "rz"
stiffness = 1.0
damping = 0.1
position = 0.5
limit = 0.1

[[force]]
body = "slider"
force = [-4, 1, 0]
start = 0.5
"#;

fn read(set: &[(&str, &str)]) -> SceneSpec {
    SceneSpec::from_str_with(SCENE, Path::new("test.toml"), set).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn what_is_read_is_what_acts() {
    let spec = read(&[]);
    let Motion::Rigid(m) = &spec.bodies[0].motion else { panic!() };
    assert_eq!(m.locked, Axes::all_but(Axes::X | Axes::RZ));
    let mut sim = spec.simulation().unwrap();
    for _ in 0..spec.steps() {
        sim.step().unwrap();
        let ledger = sim.ledger();
        assert!(ledger.residual() <= 1e-12);
        assert!((ledger.locks[0].impulse.z - 20.0 * spec.dt).abs() < 1e-14);
        assert!(ledger.actuators[1].impulse.abs() <= 0.1 * spec.dt);
    }
    // Half a second with 4 N, and the other half with none.
    assert!((sim.twist(0).velocity.x - 1.0).abs() < 1e-12);
    assert_eq!(sim.actuator("slider", Axis::Rz).unwrap().limit, 0.1);
    assert!((sim.actuator_position("slider", Axis::Rz).unwrap() - 0.5).abs() < 0.05);
}

#[test]
fn each_key_can_be_set_from_outside() {
    let spec =
        read(&[("actuator.0.force", "6.0"), ("force.0.end", "0.75"), ("body.slider.locked", "[\"z\"]")]);
    assert_eq!(spec.actuators[0].actuator.force, 6.0);
    assert_eq!(spec.forces[0].end, Some(0.75));
    let Motion::Rigid(m) = &spec.bodies[0].motion else { panic!() };
    assert_eq!(m.locked, Axes::Z);
    let settings = spec.settings(spec.response);
    let unit =
        |key: &str| settings.iter().find(|s| s.key == key).map(|s| (s.value.as_str(), s.unit.as_str()));
    assert_eq!(unit("actuator.0.force"), Some(("6.0", "N")));
    assert_eq!(unit("actuator.1.stiffness"), Some(("1.0", "N·m/rad")));
    let notes = spec.notes(spec.response).join("\n");
    assert!(notes.contains("Locked axes (slider)") && notes.contains("Actuators:"), "{notes}");
}

#[test]
fn copies_have_the_locks_of_their_body() {
    let text = SCENE.replace("position = [1, 0, 0]", "copies = { count = 2, offset = [1, 0, 0] }");
    let text = text.replace("body = \"slider\"", "body = \"slider-1\"");
    let text = format!("{text}\n[[pair]]\nmaterials = [\"*\", \"*\"]\nstiffness = 1e3\n");
    let spec = SceneSpec::from_str(&text, Path::new("test.toml")).unwrap();
    let sim = spec.simulation().unwrap();
    assert_eq!(sim.locked("slider-0").unwrap(), sim.locked("slider-1").unwrap());
    assert!(sim.actuator("slider-0", Axis::X).is_err() && sim.actuator("slider-1", Axis::X).is_ok());
}

/// The scene of a grip by force: with 0.9 of what friction needs the block stays where it is.
#[test]
fn a_grip_by_less_than_the_weight_lifts_nothing() {
    let path: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/grip-by-force.toml");
    let end = |force: &str, back: &str| {
        let set = [("actuator.0.force", force), ("actuator.1.force", back), ("force.0.force", "[0, 0.1, 0]")];
        let spec = SceneSpec::load_with(&path, &set).unwrap();
        let mut sim = spec.simulation().unwrap();
        (0..spec.steps()).for_each(|_| sim.step().unwrap());
        sim.position(sim.slot("block").unwrap()).z
    };
    let (low, high) = (end("4.4", "-4.4"), end("8.0", "-8.0"));
    assert!(low < 0.06 && (high - 0.08).abs() < 1.5e-3, "{low} {high}");
}

/// Bodies in another order are the same scene; what stands along axes of the world cannot be turned.
#[test]
fn twins_keep_what_acts() {
    let spec = read(&[]);
    let other = "[[body]]\nname = \"other\"\nmaterial = \"steel\"\nmass = 1.0\nmesh = { box = { size = [0.1, 0.1, 0.1] } }\n";
    let two = format!("{SCENE}\n{other}\n[[pair]]\nmaterials = [\"*\", \"*\"]\nstiffness = 1e3\n");
    let twin = SceneSpec::from_str(&two, Path::new("test.toml")).unwrap();
    let end = |spec: &SceneSpec| {
        let mut sim = spec.simulation().unwrap();
        (0..100).for_each(|_| sim.step().unwrap());
        sim.position(sim.slot("slider").unwrap())
    };
    assert_eq!(end(&twin), end(&twin.reversed().unwrap()));
    let by = impinge_geometry::Pose::identity();
    let refused = spec.moved(&by, spec.response).unwrap_err();
    assert!(refused.contains("`slider` is locked on axes of the world"), "{refused}");
    let sim = spec.simulation().unwrap();
    assert!(spec.taken_up(&sim).is_err());
}
