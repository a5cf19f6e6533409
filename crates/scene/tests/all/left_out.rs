//! A scene that leaves stiffness, damping, friction and the step to its bodies.

use impinge_contact::{Damping, Stiffness};
use impinge_scene::{Response, SceneSpec};
use std::path::Path;

const LEAST: &str = r#"
[scene]
title = "a box on a floor"
duration = 1.0

[[material]]
name = "wood"
density = 500.0

[[body]]
name = "floor"
kind = "fixed"
material = "wood"
plane = {}

[[body]]
name = "box"
material = "wood"
mesh = { box = { size = [0.2, 0.2, 0.2] } }
position = [0.0, 0.0, 0.1]
"#;

fn read(text: &str, response: Response) -> SceneSpec {
    SceneSpec::from_str_under(text, Path::new("least.toml"), &[], Some(response))
        .unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_least_scene_rests_under_every_response() {
    // √(0.2/9.81) s over 100, rounded down.
    for &response in Response::ALL {
        let spec = read(LEAST, response);
        assert_eq!((spec.dt, spec.dt_suggested), (1e-3, true));
        let mut sim = spec.simulation().unwrap();
        let steps = spec.steps();
        let mut carried = 0.0;
        for step in 0..steps {
            sim.step().unwrap_or_else(|e| panic!("{}: {e}", response.name()));
            if step >= steps - 100 {
                carried += sim.view("box").unwrap().contact_force().z / 100.0;
            }
        }
        let body = sim.view("box").unwrap();
        // Its stiffness and its viscosity, none, are those of its own table and follow from nothing: the box swings on it for ever.
        if response == Response::VOLUME_PENALTY {
            assert!((body.position().z - 0.1).abs() < 2e-3, "{:?}", body.position());
            continue;
        }
        let weight = 4.0 * 9.81;
        assert!((carried / weight - 1.0).abs() < 1e-3, "{}: {carried} N", response.name());
        assert!(body.velocity().mag() < 1e-4, "{}: {:?}", response.name(), body.velocity());
        // At most a five-hundredth of its side deep, or held off by as much.
        assert!((body.position().z - 0.1).abs() < 2e-3, "{}: {:?}", response.name(), body.position());
    }
}

#[test]
fn what_is_left_out_is_said() {
    let spec = read(LEAST, Response::PENALTY);
    let notes = spec.notes(spec.response).join("\n");
    assert!(notes.contains("no `dt`: 0.001 s") && notes.contains("no [[pair]]: friction is 0.5"), "{notes}");
    let said = spec.simulation().unwrap().suggested_laws();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("'floor' and 'box': stiffness ") && said[0].contains("friction 0.5"),
        "{said:?}"
    );
    let settings = spec.settings(spec.response);
    let dt = settings.iter().find(|s| s.key == "scene.dt").unwrap();
    assert_eq!((dt.value.as_str(), dt.unit.as_str(), dt.stated), ("0.001", "s", false));

    // Stated numbers stay, and nothing is said of them.
    let stated = LEAST.replace("duration", "dt = 2e-3\nduration")
        + "[[pair]]\nmaterials = [\"*\", \"*\"]\nstiffness = 1e4\nmu_s = 0.25\n";
    let spec = read(&stated, Response::PENALTY);
    let sim = spec.simulation().unwrap();
    let laws = sim.column::<impinge_world::Laws>();
    assert_eq!((laws.laws.len(), laws.laws[0].stiffness), (1, Stiffness::PerContact(1e4)));
    assert_eq!(laws.laws[0].damping, Damping::None);
    assert!(sim.suggested_laws().is_empty() && spec.dt == 2e-3);
    assert!(!spec.notes(spec.response).join("\n").contains("states no"));
}

#[test]
fn a_pair_may_state_friction_alone() {
    let text = format!("{LEAST}[[pair]]\nmaterials = [\"wood\", \"*\"]\nmu_s = 0.3\n");
    let law = |text: &str| {
        let sim = read(text, Response::PENALTY).simulation().unwrap();
        let laws = sim.column::<impinge_world::Laws>();
        laws.laws[laws.of(0, 1).unwrap().0 as usize]
    };
    let alone = law(&text);
    let k = alone.stiffness.value();
    // A power of two, at most 4 kg/(20 dt²) on the contacts it rests on.
    assert!(k <= 4.0 / (20.0 * 1e-6) && k.to_bits() << 12 == 0, "{k}");
    let friction = alone.friction.unwrap();
    assert_eq!((friction.mu_s, friction.mu_k, friction.k_fp), (0.3, 0.3, k));
    assert!(matches!(alone.damping, Damping::KelvinVoigt(c) if c == friction.k_fd && c > 0.0));
    // What is stated beside it stays.
    let more = law(&(text + "damping = \"none\"\nfriction_stiffness = 7.0\nfriction_damping = 0.5\n"));
    let friction = more.friction.unwrap();
    assert_eq!((more.stiffness.value(), more.damping), (k, Damping::None));
    assert_eq!((friction.k_fp, friction.k_fd), (7.0, 0.5));
}

#[test]
fn the_step_follows_what_is_fastest() {
    let dt = |text: &str| read(text, Response::PENALTY).dt;
    let fast = |key: &str| dt(&format!("{LEAST}{key}\n"));
    // 0.2 m at 100 m/s over 100 steps are 20 µs; a radian at 1000 rad/s 10 µs.
    assert_eq!(fast("velocity = [100.0, 0.0, 0.0]"), 2e-5);
    assert_eq!(fast("angular_velocity = [0.0, 0.0, 1000.0]"), 1e-5);
    // Without gravity and speed the duration is left.
    assert_eq!(dt(&LEAST.replace("duration = 1.0", "duration = 3.0\ngravity = [0.0, 0.0, 0.0]")), 2e-2);
    // A hundredth of the size falls by it in a tenth of the time.
    assert_eq!(dt(&LEAST.replace("0.2, 0.2, 0.2", "0.002, 0.2, 0.2")), 1e-4);
}
