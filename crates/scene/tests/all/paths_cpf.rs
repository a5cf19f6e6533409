//! Arcs and parabolas under continuous penalty: what straight paths miss or invent.

use impinge_scene::SceneSpec;
use impinge_world::Simulation;
use std::path::Path;

fn spin(keys: &[(&str, &str)]) -> Result<Simulation, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/spin-cpf.toml");
    SceneSpec::load_with(&path, keys).map_err(|e| e.to_string())?.simulation().map_err(|e| e.to_string())
}

/// Whether two bodies of a step touched.
fn touched(sim: &Simulation, a: &str, b: &str) -> bool {
    let [a, b] = [a, b].map(|name| sim.slot(name).unwrap());
    let pairs = &sim.ledger().pairs;
    (0..pairs.a.len()).any(|i| (pairs.a[i], pairs.b[i]) == (a.min(b), a.max(b)) && pairs.contacts[i] > 0)
}

/// The wheel never meets its axle and the bar strikes the peg; on straight paths it is the other way round.
#[test]
fn what_spins_keeps_its_size_on_arcs() {
    for response in ["cpf", "dpf-ccd"] {
        let response = format!("\"{response}\"");
        let met = |paths: &str, steps: usize| {
            let mut sim = spin(&[("scene.response", &response), ("cpf.paths", paths)]).unwrap();
            let mut met = [false; 2];
            for _ in 0..steps {
                if sim.step().is_err() {
                    break;
                }
                met[0] |= touched(&sim, "axle", "wheel");
                met[1] |= touched(&sim, "peg", "bar");
                let m = sim.ledger().momentum;
                let unexplained = m.angular_residual - m.predicted_leak;
                assert!(m.linear_residual.mag() <= 1e-12 * m.linear_scale.max(1.0), "{m:?}");
                assert!(unexplained.mag() <= 1e-12 * m.angular_scale.max(1.0), "{m:?}");
            }
            met
        };
        assert_eq!(met("\"arcs\"", 20), [false, true], "{response}");
        assert!(met("\"straight\"", 3)[0], "{response}");
    }
}

#[test]
fn what_paths_would_not_do_is_refused() {
    let friction = spin(&[("cpf.friction", "\"path\"")]).err().unwrap();
    assert!(friction.contains("cpf.friction") && friction.contains("straight"), "{friction}");
    let fall = fall("arcs", 1.0, -5.0, 9.81).err().unwrap();
    assert!(fall.contains("rigid") && fall.contains("parabolas"), "{fall}");
}

/// A point over a plane with this height (m), speed (m/s) and weight (m/s²), at a step of 0.1 s.
fn fall(paths: &str, height: f64, speed: f64, down: f64) -> Result<Simulation, String> {
    let text = format!(
        r#"
[scene]
title = "t"
dt = 0.1
duration = 1.0
gravity = [0, 0, {down:?}]
response = "cpf"
[cpf]
paths = "{paths}"
[[material]]
name = "m"
[[pair]]
materials = ["m", "m"]
stiffness = 2.0
[[body]]
name = "floor"
kind = "fixed"
material = "m"
plane = {{ normal = [0, 0, 1] }}
[[body]]
name = "point"
kind = "particles"
material = "m"
points = [[0, 0, {height:?}]]
mass = 1.0
velocity = [0, 0, {speed:?}]
"#,
        down = -down
    );
    let spec = SceneSpec::from_str(&text, Path::new("t.toml")).map_err(|e| e.to_string())?;
    spec.simulation().map_err(|e| e.to_string())
}

/// In free fall the way of all steps is one parabola, and the impulse is the integral over it; what dips below the plane within a step is met.
#[test]
fn an_accelerated_point_goes_on_its_parabola() {
    let dt = 0.1;
    // Falling in, and thrown down under a pull upwards: below the plane in the middle of the step only.
    for (height, speed, down) in [(0.12, -1.0, 9.81), (0.05, -8.0, -80.0)] {
        let mut sim = fall("parabolas", height, speed, down).unwrap();
        sim.step().unwrap();
        let (a, end) = (-down * dt * dt, height + (speed - down * dt) * dt);
        let z = |t: f64| height + (end - height) * t + 0.5 * a * (t * t - t);
        let n = 1_000_000;
        let below: f64 = (0..n).map(|i| (-z((f64::from(i) + 0.5) / f64::from(n))).max(0.0)).sum();
        let want = 2.0 * below / f64::from(n);
        let got = sim.contact_force(1).z;
        assert!(want > 1e-3 && (got - want).abs() < 1e-9, "{got} N, {want} N expected");
        let mut straight = fall("straight", height, speed, down).unwrap();
        straight.step().unwrap();
        assert!((straight.contact_force(1).z - want).abs() > 1e-3 * want);
    }
}
