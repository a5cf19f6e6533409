//! Single keys set from outside, and a mesh file in the place of a placeholder.

use impinge_geometry::DVec3;
use impinge_scene::{
    DriverSpec, Evaluate, Integrator, Mass, Motion, Replacement, Response, SceneSpec, Shape, Sides,
    Stiffness, When,
};
use impinge_world::Penalty;
use std::path::{Path, PathBuf};

const SCENE: &str = r##"
[scene]
title = "all kinds"
dt = 1e-3
duration = 1.0

[[material]]
name = "steel"
density = 7800.0

[[material]]
name = "rubber"

[[pair]]
materials = ["*", "*"]
stiffness = 1.0

[[pair]]
materials = ["steel", "*"]
stiffness = 2.0

[[pair]]
materials = ["rubber", "steel"]
stiffness_per_area = 3.0
mu_s = 0.5

[[body]]
name = "floor"
kind = "fixed"
material = "steel"
plane = {}

[[body]]
name = "ball"
material = "rubber"
mass = 2.0
mesh = { icosphere = { radius = 0.1 } }
position = [0, 0, 1]
copies = { count = 3, offset = [1, 0, 0], turn = { axis = [0, 0, 1], degrees = 90 } }
anchors = [{ point = [0, 0, 0.1], to = [0, 0, 2], stiffness = 10 }]

[[body]]
name = "arm"
kind = "kinematic"
material = "steel"
mesh = { box = { size = [1, 1, 1] } }
driver = { spin = { angular_velocity = [0, 0, 1] } }

[[rule]]
bodies = ["ball-*", "floor"]
sides = "first"

[[rule]]
bodies = ["ball-2", "*"]
response = "none"

[[expect]]
name = "fall"
measure = "speed"
body = "ball-1"
max = 10
"##;

fn scene() -> SceneSpec {
    SceneSpec::from_str(SCENE, Path::new("all.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes")
}

#[test]
fn the_more_exact_law_wins() {
    let s = scene();
    assert_eq!(s.pair_law("rubber", "rubber").unwrap().stiffness, Stiffness::PerContact(1.0));
    assert_eq!(s.pair_law("steel", "steel").unwrap().stiffness, Stiffness::PerContact(2.0));
    for (a, b) in [("steel", "rubber"), ("rubber", "steel")] {
        let law = s.pair_law(a, b).unwrap();
        assert_eq!(law.stiffness, Stiffness::PerArea(3.0));
        assert_eq!((law.mu_k, law.friction_stiffness), (0.5, 3.0));
    }
}

#[test]
fn the_last_rule_wins() {
    let s = scene();
    let [floor, ball0, ball1, ball2] =
        ["floor", "ball-0", "ball-1", "ball-2"].map(|n| s.body_index(n).unwrap());
    assert_eq!(s.rule_for(ball0, floor), (Some(s.response), Sides::First));
    assert_eq!(s.rule_for(floor, ball0), (Some(s.response), Sides::Second));
    assert_eq!(s.rule_for(ball0, ball1), (Some(s.response), Sides::Both));
    assert_eq!(s.rule_for(ball2, floor).0, None);
    assert!(!s.can_meet(ball2, ball0) && s.can_meet(ball1, ball0) && !s.can_meet(ball0, ball0));
    let arm = s.body_index("arm").unwrap();
    assert!(!s.can_meet(arm, floor), "neither answers to forces");
}

#[test]
fn copies_are_bodies() {
    let s = scene();
    let ball = &s.bodies[s.body_index("ball-2").unwrap()];
    assert_eq!(ball.pose.position, DVec3::new(2.0, 0.0, 1.0));
    assert!(
        (ball.pose.vector_to_world(DVec3::unit_x()) + DVec3::unit_x()).mag() < 1e-15,
        "turned twice by 90°"
    );
    let Motion::Rigid(rigid) = &ball.motion else { panic!("rigid") };
    assert_eq!(rigid.anchors[0].to, DVec3::new(2.0, 0.0, 2.0));
    assert_eq!(rigid.mass, Mass::Total(2.0));
    // They share one mesh.
    let meshes = s.meshes().unwrap();
    assert_eq!(meshes.of_body, [None, Some(0), Some(0), Some(0), Some(1)]);
}

#[test]
fn any_key_can_be_set() {
    let mut s = scene();
    s.set("scene.dt", "5e-4").unwrap();
    s.set("scene.duration", "2").unwrap();
    assert_eq!((s.dt, s.duration, s.steps()), (5e-4, 2.0, 4000));
    s.set("scene.integrator", "explicit-euler").unwrap();
    assert_eq!(s.integrator, Integrator::ExplicitEuler);
    // A table that the file leaves out.
    s.set("penalty.evaluate", "start").unwrap();
    assert_eq!(s.with_settings(Response::PENALTY).settings::<Penalty>().unwrap().evaluate, Evaluate::Start);
    s.set("record.frames", "10").unwrap();
    assert_eq!(s.record.frame_interval, 0.2);
    // By name, by number, by both materials.
    s.set("body.ball.mass", "3").unwrap();
    s.set("body.1.position", "[0, 0, 5]").unwrap();
    s.set("pair.steel+rubber.mu_s", "0.75").unwrap();
    s.set("pair.0.stiffness", "9").unwrap();
    assert_eq!(s.pair_law("rubber", "steel").unwrap().mu_s, 0.75);
    assert_eq!(s.pair_law("rubber", "rubber").unwrap().stiffness.value(), 9.0);
    let ball = &s.bodies[1];
    assert_eq!(ball.pose.position.z, 5.0);
    let Motion::Rigid(rigid) = &ball.motion else { panic!("rigid") };
    assert_eq!(rigid.mass, Mass::Total(3.0));
    s.set("body.arm.driver", "{ sine = { amplitude = [0, 0, 1], frequency = 2 } }").unwrap();
    let arm = &s.bodies[4];
    assert!(matches!(arm.motion, Motion::Kinematic(DriverSpec::Sine { frequency: 2.0, phase: 0.0, .. })));
    s.set("body.ball.copies.count", "2").unwrap_err(); // the expectation and a rule name the third
    s.set("expect.fall.at", "0.5").unwrap();
    assert_eq!(s.expectations[0].when, When::At(0.5));
    s.set("scene.title", "\"a new title\"").unwrap();
    assert_eq!(s.title, "a new title");
}

#[test]
fn wrong_overrides_are_refused_and_change_nothing() {
    let mut s = scene();
    for (key, value, says) in [
        ("scene.dt", "-1", "set scene.dt = -1: `dt` may not be the integer -1"),
        ("scene.dt", "nan", "`dt` may not be the number NaN"),
        ("scene.dt", "", "`dt` may not be the text \"\""),
        ("scene.dx", "1", "set scene.dx = 1: `dx` is not a key of `[scene]`"),
        ("scene.dt.x", "1", "the number 0.001 stands before it"),
        ("scen.dt", "1", "did you mean `scene`?"),
        ("body.bal.mass", "1", "did you mean `ball`?"),
        ("body.ball-1.mass", "1", "`ball-1` is a copy of `ball`; set body.ball"),
        ("body.ball.mas", "1", "did you mean `mass`?"),
        ("pair.7.mu_s", "1", "write a number from 0 to 2"),
        ("rule.x.sides", "first", "write a number from 0 to 1"),
        ("scene..dt", "1", "names joined by dots"),
        ("", "1", "names joined by dots"),
        ("scene.response", "penlty", "did you mean `penalty`?"),
        ("body.ball.mesh.torus", "{ major = 1, minor = 0.5 }", "`torus` stands beside `icosphere`"),
        ("body", "[]", "the scene has no body"),
        ("scene", "3", "`scene` may not be the integer 3"),
    ] {
        let e = s.set(key, value).expect_err(key).to_string();
        assert!(e.contains(says), "{key} = {value} says:\n{e}");
        assert_eq!((s.dt, s.bodies.len()), (1e-3, 5), "{key} changed the scene");
    }
    s.set("scene.dt", "2e-3").unwrap();
    assert_eq!(s.dt, 2e-3);
}

#[test]
fn a_path_without_end_is_refused() {
    let e = scene().set(&vec!["a"; 100_000].join("."), "1").unwrap_err();
    assert!(e.issues()[0].fix.contains("names joined by dots"));
}

#[test]
fn several_keys_that_only_fit_together() {
    let path = fixtures().join("drop.toml");
    assert!(SceneSpec::load_with(&path, &[("scene.duration", "1.0"), ("scene.dt", "0.5")]).is_ok());
    let e = SceneSpec::load_with(&path, &[("scene.duration", "1e-4"), ("scene.dt", "0.5")]).unwrap_err();
    assert!(e.to_string().contains("shorter than one step"), "{e}");
}

fn corner_file(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // A tetrahedron with sides 2, 4 and 8 along the axes, away from the origin.
    std::fs::write(&path, "v 10 0 0\nv 12 0 0\nv 10 4 0\nv 10 0 8\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        .unwrap();
    path
}

#[test]
fn a_file_takes_the_placeholders_place_and_size() {
    let file = corner_file("corner.obj");
    let mut s = SceneSpec::load(&fixtures().join("drop.toml")).unwrap();
    let placeholder = s.meshes().unwrap().meshes[1].bounds();
    s.replace_mesh(&file).unwrap();
    let body = s.bodies.iter().find(|b| b.replaceable).unwrap();
    assert_eq!(body.name, "dropped");
    assert!(matches!(body.shape, Shape::Mesh(_)));
    let (lo, hi) = s.meshes().unwrap().meshes[1].bounds();
    let longest = |(lo, hi): (DVec3, DVec3)| (hi - lo).component_max();
    assert!((longest((lo, hi)) - longest(placeholder)).abs() < 1e-15);
    assert!((lo + hi - placeholder.0 - placeholder.1).mag() < 1e-15, "the middles coincide");
    assert!(((hi - lo).x / (hi - lo).z - 0.25).abs() < 1e-15, "the shape stays");
    // Still the same scene: keys can be set, and the file can give way to another.
    s.set("scene.dt", "2e-3").unwrap();
    assert!((longest(s.meshes().unwrap().meshes[1].bounds()) - longest(placeholder)).abs() < 1e-15);
    s.replace_mesh_with(&file, &Replacement { y_up: true, scale: Some(0.01) }).unwrap();
    let (lo, hi) = s.meshes().unwrap().meshes[1].bounds();
    assert!((hi - lo - DVec3::new(0.02, 0.08, 0.04)).mag() < 1e-15, "turned, and scaled as told");
}

#[test]
fn a_mesh_that_cannot_be_replaced_or_read() {
    let mut stack = SceneSpec::load(&fixtures().join("stack.toml")).unwrap();
    let e = stack.replace_mesh(Path::new("x.obj")).unwrap_err().to_string();
    assert!(
        e.contains("no body of this scene has a replaceable mesh") && e.contains("replaceable = true"),
        "{e}"
    );
    let mut drop = SceneSpec::load(&fixtures().join("drop.toml")).unwrap();
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            drop.replace_mesh_with(Path::new("x.obj"), &Replacement { y_up: false, scale: Some(scale) })
                .is_err()
        );
    }
    drop.replace_mesh(Path::new("a \"quoted\" name.obj")).unwrap();
    let e = drop.meshes().unwrap_err();
    assert!(e.to_string().contains("name.obj") && e.to_string().contains("`dropped`"), "{e}");
    // An open file is refused with the reason.
    let mut drop = SceneSpec::load(&fixtures().join("drop.toml")).unwrap();
    let open = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("open.obj");
    std::fs::write(&open, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    drop.replace_mesh(&open).unwrap();
    let e = drop.meshes().unwrap_err().to_string();
    assert!(e.contains("not closed") && e.contains("3 boundary edges"), "{e}");
}

#[test]
fn settings_are_told_in_the_words_of_the_scene() {
    let mut spec = SceneSpec::from_str(SCENE, Path::new("all.toml")).unwrap();
    spec.set("pair.1.mu_s", "0.25").unwrap();
    spec.duration = 0.5;
    let settings = spec.settings(Response::PENALTY);
    let row = |key: &str| {
        let s = settings.iter().find(|s| s.key == key)?;
        Some((s.value.as_str(), s.unit.as_str(), s.stated))
    };
    assert_eq!(row("scene.dt"), Some(("1e-3", "s", true)));
    assert_eq!(row("scene.duration"), Some(("0.5", "s", true)));
    assert_eq!(row("scene.integrator"), Some(("symplectic-euler", "", false)));
    assert_eq!(row("pair.0.stiffness"), Some(("1.0", "N/m", true)));
    assert_eq!(row("pair.0.mu_s"), Some(("0.0", "", false)));
    assert_eq!(row("pair.0.mu_k"), Some(("mu_s", "", false)));
    assert_eq!(row("pair.1.mu_s"), Some(("0.25", "", true)), "what is set on top of the file is stated");
    assert_eq!(row("pair.2.stiffness_per_area"), Some(("3.0", "N/m³", true)));
    assert_eq!(row("material.steel.density"), Some(("7800.0", "kg/m³", true)));
    assert_eq!(row("penalty.evaluate"), Some(("end", "", false)));
    assert!(settings.iter().all(|s| !s.key.starts_with("volume.") && !s.key.starts_with("expect.")));
    assert!(spec.settings(Response::VOLUME).iter().any(|s| s.key == "volume.depth" && s.unit == "m"));
}

/// What is told can be typed: every key with its value, set once more, leaves every scene as it is.
#[test]
fn every_setting_of_every_scene_can_be_set_as_it_is_told() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes");
    let mut told = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|x| x != "toml") {
            continue;
        }
        let spec = SceneSpec::load(&path).unwrap();
        let words = spec.in_words();
        let settings = spec.settings(spec.response);
        let typed = |s: &&impinge_scene::Setting| s.stated && !s.value.starts_with("a list of");
        let keys: Vec<(&str, &str)> =
            settings.iter().filter(typed).map(|s| (s.key.as_str(), s.value.as_str())).collect();
        told += keys.len();
        let again = SceneSpec::load_with(&path, &keys).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(again.in_words(), words, "{}", path.display());
    }
    assert!(told > 500, "{told} settings");
}
