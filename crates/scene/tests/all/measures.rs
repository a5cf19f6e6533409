//! Measures whose values are known in advance.

use impinge_scene::{Checked, Monitor, Response, SceneSpec};
use std::path::Path;

/// A box of 1 kg on four points of 2.5e5 N/m meets a floor at 1 m/s: π √(m/K) = 3.1416 ms of contact. Another flies by.
const BOXES: &str = r#"
[scene]
title = "boxes"
gravity = [0.0, 0.0, 0.0]
dt = 1e-6
duration = 5e-3

[penalty]
evaluate = "start"

[[material]]
name = "m"

[[pair]]
materials = ["*", "*"]
stiffness = 2.5e5

[[body]]
name = "floor"
kind = "fixed"
material = "m"
plane = { normal = [0.0, 0.0, 1.0] }

[[body]]
name = "box"
material = "m"
mass = 1.0
mesh = { box = { size = [0.1, 0.1, 0.1] } }
position = [0.0, 0.0, 0.05]
velocity = [0.0, 0.0, -1.0]

[[body]]
name = "other"
material = "m"
mass = 1.0
mesh = { box = { size = [0.1, 0.1, 0.1] } }
position = [3.0, 4.0, 0.051]
"#;

fn run(scene: &str, expectations: &[(&str, &str)]) -> Vec<Checked> {
    let mut text = scene.to_string();
    for (i, (measure, rest)) in expectations.iter().enumerate() {
        text += &format!("\n[[expect]]\nname = \"e{i}\"\nmeasure = \"{measure}\"\n{rest}\nmin = -1.0\n");
    }
    let spec = SceneSpec::from_str(&text, Path::new("boxes.toml")).unwrap_or_else(|e| panic!("{e}"));
    let mut sim = spec.simulation_with(Response::PENALTY).unwrap();
    let mut monitor = Monitor::new(&spec, Response::PENALTY, &sim);
    for _ in 0..spec.steps() {
        sim.step().unwrap();
        monitor.observe(&sim);
    }
    monitor.finish()
}

#[test]
fn time_of_contact_and_its_parts() {
    let found = run(
        BOXES,
        &[
            ("contact_time", "body = \"box\""),
            ("contact_time", "pair = [\"floor\", \"box\"]"),
            ("contact_time", ""),
            ("contact_time", "body = \"other\""),
            ("contact_time", "body = \"box\"\nat = 1e-3"),
            ("contact_time", "body = \"box\"\nwindow = [3e-3, 5e-3]"),
        ],
    );
    let whole = std::f64::consts::PI * 1e-3;
    for c in &found[..3] {
        assert!((c.measured - whole).abs() < 3e-6, "{c:?}");
        assert_eq!(c.unit, "s");
    }
    assert_eq!(found[3].measured, 0.0);
    assert!((found[4].measured - 1e-3).abs() < 3e-6, "{:?}", found[4]);
    assert!((found[5].measured - (whole - 3e-3)).abs() < 3e-6, "{:?}", found[5]);
}

#[test]
fn a_run_that_stops_has_measured_only_what_was_over_by_then() {
    let mut text = BOXES.to_string();
    let window = |from: &str, to: &str| format!("body = \"box\"\nwindow = [{from}, {to}]");
    for (name, measure, rest) in [
        ("contact", "contact_time", "body = \"box\"".to_string()),
        ("residual", "momentum_residual", String::new()),
        ("late", "speed", window("0.0", "2e-6")),
        ("over", "speed", window("0.0", "1e-6")),
    ] {
        text += &format!("\n[[expect]]\nname = \"{name}\"\nmeasure = \"{measure}\"\n{rest}\nmin = 0.0\n");
    }
    let spec = SceneSpec::from_str(&text, Path::new("boxes.toml")).unwrap();
    let mut sim = spec.simulation_with(Response::PENALTY).unwrap();
    let mut monitor = Monitor::new(&spec, Response::PENALTY, &sim);
    sim.step().unwrap();
    monitor.observe(&sim);
    monitor.stopped(sim.time(), false);
    let found = monitor.finish();
    for c in &found[..3] {
        assert!(c.measured.is_nan() && !c.verdict.is_as_expected(), "{c:?}");
    }
    assert!(found[3].measured > 0.9 && found[3].verdict.is_as_expected(), "{:?}", found[3]);
}

#[test]
fn largest_component_and_distance() {
    let found = run(
        BOXES,
        &[
            // At rest for an instant in the middle, 1 m/s at both ends.
            ("speed.z", "body = \"box\"\nwindow = [0.0, 5e-3]"),
            ("speed.z", "body = \"box\"\nat = 1.570796e-3"),
            ("speed.x", "body = \"box\"\nwindow = [0.0, 5e-3]"),
            ("distance", "pair = [\"box\", \"other\"]\nat = 1e-6"),
        ],
    );
    assert!((found[0].measured - 1.0).abs() < 1e-6, "{:?}", found[0]);
    assert!(found[1].measured < 2e-3, "{:?}", found[1]);
    assert_eq!(found[2].measured, 0.0);
    assert!((found[3].measured - 5.0).abs() < 1e-6, "{:?}", found[3]);
}

#[test]
fn only_a_gain_is_growth() {
    let both = [("energy_growth", ""), ("total_energy_drift", "")];
    // At the end of the step a penalty loses energy.
    let damped = run(&BOXES.replace("\"start\"", "\"end\"").replace("dt = 1e-6", "dt = 5e-5"), &both);
    assert_eq!(damped[0].measured, 0.0);
    assert!(damped[1].measured > 1e-3, "{damped:?}");
    // A floor that comes up at 1 m/s gives the box its 2 m/s more: 0.5 J become 4.5 J.
    let floor = "kind = \"kinematic\"\nmaterial = \"m\"\nmesh = { box = { size = [1.0, 1.0, 0.1] } }\nposition = [0.013, 0.031, -0.05]\n\
                 driver = { constant_velocity = { velocity = [0.0, 0.0, 1.0] } }";
    let moved = BOXES
        .replace("kind = \"fixed\"\nmaterial = \"m\"\nplane = { normal = [0.0, 0.0, 1.0] }", floor)
        .replace("duration = 5e-3", "duration = 8e-3");
    let pushed = run(&moved, &both);
    assert!((pushed[0].measured - 4.0 / 4.5).abs() < 2e-3, "{pushed:?}");
    assert_eq!(pushed[0].measured, pushed[1].measured);
}

/// The wing nut of ACCEPTANCE B54 (0.2 m long, 1 kg, 180 °/s about its middle axis) after Euler's equations: ω₂ = A sn(λ t + φ, m) just
/// before it changes sign, with a slope of 4.20296 rad/s². The order is that of the step; the size of the error is (ω Δt)²/12 of the time.
#[test]
fn a_wing_nut_flips_on_time_to_second_order() {
    let nut = |dt: &str| {
        format!(
            r#"
[scene]
title = "nut"
gravity = [0.0, 0.0, 0.0]
dt = {dt}
duration = 15.2

[[material]]
name = "m"

[[body]]
name = "nut"
material = "m"
mass = 1.0
mesh = {{ wingnut = {{ bar = [0.2, 0.04], stem = [0.04, 0.1], thickness = 0.04 }} }}
angular_velocity = [0.01, 3.141592653589793, 0.01]
"#
        )
    };
    let times = [(5.344, 2.479_501_306e-3), (15.188, -4.289_011_118e-3)];
    let asked = times.map(|(t, _)| format!("body = \"nut\"\nat = {t}"));
    let lates: Vec<[f64; 2]> = ["4e-3", "2e-3", "1e-3"]
        .iter()
        .map(|dt| {
            let found = run(&nut(dt), &[("spin.y", &asked[0]), ("spin.y", &asked[1])]);
            [0, 1].map(|i| (found[i].measured - times[i].1).abs() / 4.202_96)
        })
        .collect();
    println!("B54: late by (s), dt = 4, 2, 1 ms, first and second flip: {lates:?}");
    for flip in 0..2 {
        for pair in lates.windows(2) {
            let order = (pair[0][flip] / pair[1][flip]).log2();
            assert!((order - 2.0).abs() < 0.1, "order {order}: {lates:?}");
        }
        let bound = 2.0 * (std::f64::consts::PI * 1e-3).powi(2) / 12.0 * times[flip].0;
        assert!(lates[2][flip] < bound, "{lates:?}, bound {bound}");
    }
}
