//! Rolling and spinning friction as files state it.

use impinge_scene::SceneSpec;
use impinge_world::Laws;
use std::path::Path;

const SCENE: &str = r#"
[scene]
title = "t"
dt = 1e-3
duration = 0.1
[[material]]
name = "steel"
density = 1000
[[material]]
name = "cotton"
density = 1000
[[pair]]
materials = ["steel", "steel"]
stiffness = 1e4
mu_s = 0.5
[[pair]]
materials = ["*", "cotton"]
stiffness = 1e4
[[body]]
name = "floor"
kind = "fixed"
material = "steel"
plane = {}
[[body]]
name = "ball"
material = "steel"
mesh = { icosphere = { radius = 0.1, subdivisions = 2 } }
position = [0.0, 0.0, 0.1]
[[body]]
name = "dust"
kind = "particles"
material = "cotton"
mass = 0.1
points = [[1.0, 0.0, 0.1]]
"#;

fn read(key: &str) -> Result<SceneSpec, String> {
    let text = SCENE.replacen("mu_s = 0.5", &format!("mu_s = 0.5\n{key}"), 1);
    SceneSpec::from_str(&text, Path::new("t.toml")).map_err(|e| e.to_string())
}

#[test]
fn lengths_reach_the_law_and_are_told() {
    let spec = read("rolling_friction = 2e-3").unwrap();
    let sim = spec.simulation().unwrap();
    let turning = sim.column::<Laws>().turning_of(0, 1).unwrap();
    assert_eq!((turning.rolling, turning.spinning), (2e-3, 0.0));
    assert!(sim.column::<Laws>().turning_of(0, 2).is_none());
    let notes = spec.notes(spec.response).join("\n");
    assert!(notes.contains("Rolling and spinning friction") && !notes.contains("made of nodes"), "{notes}");
    let without = read("").unwrap();
    assert!(without.simulation().unwrap().column::<Laws>().turning_of(0, 1).is_none());
    assert!(!without.notes(without.response).join("\n").contains("olling"));
}

#[test]
fn what_does_nothing_and_what_is_no_length_is_refused() {
    let refused = read("spinning_friction = -1e-3").unwrap_err();
    assert!(refused.contains("`spinning_friction`"), "{refused}");
    let soft = SCENE.replacen(
        "materials = [\"*\", \"cotton\"]",
        "materials = [\"*\", \"cotton\"]\nrolling_friction = 1e-3",
        1,
    );
    let refused = SceneSpec::from_str(&soft, Path::new("t.toml")).unwrap_err().to_string();
    assert!(refused.contains("t.toml:18:1") && refused.contains("do nothing"), "{refused}");
    // A ball on a plane turns about the plane's normal, or does not.
    for (locked, key, does) in [
        ("rz", "spinning", false),
        ("rz", "rolling", true),
        ("rx", "spinning", true),
        ("rx\", \"ry", "spinning", true),
        ("rx\", \"ry", "rolling", false),
    ] {
        let ball = "position = [0.0, 0.0, 0.1]";
        let lock = SCENE.replacen(ball, &format!("{ball}\nlocked = [\"{locked}\"]"), 1);
        let text = lock.replacen("mu_s = 0.5", &format!("mu_s = 0.5\n{key}_friction = 1e-3"), 1);
        let read = SceneSpec::from_str(&text, Path::new("t.toml")).map_err(|e| e.to_string());
        assert_eq!(read.is_ok(), does, "{locked}, {key}: {:?}", read.err());
    }
    // A wall may stand in its way, about whose normal it turns.
    let wall = SCENE.replacen("plane = {}", "mesh = { box = { size = [1, 1, 1], segments = 1 } }", 1);
    let wall =
        wall.replacen("position = [0.0, 0.0, 0.1]", "position = [0.0, 0.0, 1.0]\nlocked = [\"rz\"]", 1);
    let wall = wall.replacen("mu_s = 0.5", "mu_s = 0.5\nspinning_friction = 1e-3", 1);
    SceneSpec::from_str(&wall, Path::new("t.toml")).unwrap();
    // Of materials of rigid bodies and others it is said who has none.
    let mixed = SCENE.replacen(
        "materials = [\"steel\", \"steel\"]",
        "materials = [\"*\", \"*\"]\nrolling_friction = 1e-3",
        1,
    );
    let mixed = mixed.replacen("[[pair]]\nmaterials = [\"*\", \"cotton\"]\nstiffness = 1e4\n", "", 1);
    let spec = SceneSpec::from_str(&mixed, Path::new("t.toml")).unwrap();
    let notes = spec.notes(spec.response).join("\n");
    assert!(notes.contains("none of bodies made of nodes (dust)"), "{notes}");
}
