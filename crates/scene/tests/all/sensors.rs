//! Sensors, as files state them.

use impinge_scene::{Monitor, SceneSpec, Verdict};
use std::path::Path;

const SCENE: &str = r#"
[scene]
title = "t"
dt = 1e-3
duration = 0.4
gravity = [0.0, 0.0, 0.0]
[[material]]
name = "m"
density = 1000
[[pair]]
materials = ["*", "*"]
stiffness = 1e4
[[body]]
name = "cart"
material = "m"
mesh = { wedge = { size = [0.2, 0.2, 0.2] } }
velocity = [1.0, 0.0, 0.0]
groups = ["cart"]
[[body]]
name = "post"
material = "m"
kind = "fixed"
mesh = { box = { size = [0.02, 0.02, 0.02] } }
position = [0.305, 0.05, 0.5]
groups = ["post"]
# Of the world: the cart is in it while its middle third passes.
[[sensor]]
name = "gate"
mesh = { box = { size = [0.1, 1.0, 0.1] } }
position = [0.2505, 0.0, 0.0]
meets = ["cart"]
# Carried in front of the cart, half a metre up: it meets the post where that is.
[[sensor]]
name = "feeler"
on = "cart"
mesh = { box = { size = [0.02, 0.02, 0.02] } }
position = [0.1, 0.05, 0.5]
[[sensor]]
name = "blind"
mesh = { box = { size = [0.1, 1.0, 0.1] } }
position = [0.25, 0.0, 0.0]
meets = ["post"]
"#;

fn expected(measures: &str) -> SceneSpec {
    SceneSpec::from_str(&format!("{SCENE}{measures}"), Path::new("test.toml"))
        .unwrap_or_else(|e| panic!("{e}"))
}

fn expect(name: &str, sensor: &str, measure: &str, more: &str, value: f64) -> String {
    format!(
        "\n[[expect]]\nname = \"{name}\"\nmeasure = \"{measure}\"\nsensor = \"{sensor}\"\n{more}\nvalue = {value:?}\nabs = 1.1e-3\n"
    )
}

/// The faces of all are along the axes but for the wedge's slope, and nobody is pushed: times are known.
#[test]
fn who_is_in_them_when() {
    // The cart's front, at 0.1 m of its frame, comes to 0.2005 m between two steps, and its back to 0.3005 m after the end.
    // The feeler, 0.1 ± 0.01 m, reaches the post, 0.305 ± 0.01 m, at 0.185 s, and is past it at 0.225 s.
    let measures = [
        expect("first", "gate", "first_sensed", "", 0.1),
        expect("time", "gate", "sensed_time", "body = \"cart\"", 0.3),
        expect("by-then", "gate", "sensed_time", "at = 0.15", 0.05),
        expect("number", "gate", "sensed", "", 1.0),
        expect("mean", "gate", "sensed", "window = [0.051, 0.15]", 0.5),
        expect("other-body", "gate", "sensed", "body = \"post\"", 0.0),
        expect("feels", "feeler", "first_sensed", "", 0.185),
        expect("how-long", "feeler", "sensed_time", "body = \"post\"", 0.04),
        expect("nobody", "blind", "sensed_time", "", 0.0),
    ];
    let scene = expected(&measures.concat());
    let mut sim = scene.simulation().unwrap();
    let mut monitor = Monitor::new(&scene, scene.response, &sim);
    for _ in 0..scene.steps() {
        sim.step().unwrap();
        monitor.observe(&sim);
    }
    for check in monitor.finish() {
        assert_eq!(check.verdict, Verdict::Pass, "{check:?}");
    }
    // Told the other way round, they see the same.
    let turned = scene.reversed().unwrap();
    let mut other = turned.simulation().unwrap();
    let mut monitor = Monitor::new(&turned, turned.response, &other);
    for _ in 0..turned.steps() {
        other.step().unwrap();
        monitor.observe(&other);
    }
    assert!(monitor.finish().iter().all(|c| c.verdict == Verdict::Pass));
}

#[test]
fn nobody_ever_is_no_time() {
    let scene = expected(&expect("never", "blind", "first_sensed", "", 0.1));
    let mut sim = scene.simulation().unwrap();
    let mut monitor = Monitor::new(&scene, scene.response, &sim);
    sim.step().unwrap();
    monitor.observe(&sim);
    let check = &monitor.finish()[0];
    assert_eq!((check.measured, check.verdict), (f64::INFINITY, Verdict::Fail));
}
