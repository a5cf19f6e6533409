//! What the messages advise can be done.

use impinge_scene::{Response, SceneSpec};
use std::path::Path;

const ROPE: &str = r#"
[scene]
title = "a rope over a pulley"
dt = 1e-3
duration = 1.0
integrator = "implicit-euler"

[[material]]
name = "m"
density = 1000.0

[[pair]]
materials = ["*", "*"]
stiffness = 1e3

[[body]]
name = "pulley"
kind = "fixed"
material = "m"
mesh = { cylinder = { radius = 0.1, height = 0.1, segments = 12 } }

[[body]]
name = "rope"
kind = "deformable"
material = "m"
line = [[-0.5, 0.0, 0.2], [-0.375, 0.0, 0.2], [-0.25, 0.0, 0.2], [-0.125, 0.0, 0.2], [0.0, 0.0, 0.2], [0.125, 0.0, 0.2], [0.25, 0.0, 0.2], [0.375, 0.0, 0.2], [0.5, 0.0, 0.2]]
cable = { young = 1e6, radius = 5e-3 }

[[expect]]
name = "finite"
measure = "finite"
min = 1
window = [0.5, 0.9]
"#;

fn written(name: &str, text: &[u8]) -> std::path::PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_pair_that_a_response_cannot_take_names_those_that_can() {
    let spec = SceneSpec::load(&written("rope.toml", ROPE.as_bytes())).unwrap();
    for (response, takes) in [(Response::CPF, true), (Response::VOLUME, false), (Response::QP, true)] {
        match spec.simulation_with(response) {
            Ok(_) => assert!(takes, "{response:?}"),
            Err(e) => {
                let text = e.to_string();
                assert!(!takes && text.contains("rope.toml:26"), "{response:?}: {text}");
                let fix = text.split("responses that take these two: ").nth(1).unwrap_or_default();
                assert!(
                    fix.contains("`penalty`") && fix.contains("`qp`") && !fix.contains("`volume`"),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn a_bad_step_is_one_problem() {
    let path = written("step.toml", ROPE.replace("dt = 1e-3", "dt = 0").as_bytes());
    let text = SceneSpec::load(&path).unwrap_err().to_string();
    assert!(text.contains("`dt`") && !text.contains("the scene ends"), "{text}");
    // Against a duration that is known it is one.
    let late = ROPE.replace("window = [0.5, 0.9]", "window = [0.5, 1.5]");
    let text = SceneSpec::load(&written("late.toml", late.as_bytes())).unwrap_err().to_string();
    assert!(text.contains("reaches 1.5 s, but the scene ends at 1 s"), "{text}");
}

#[test]
fn a_pair_that_is_not_there_is_answered_with_those_that_are() {
    let path = written("pairs.toml", ROPE.as_bytes());
    let text = SceneSpec::load_with(&path, &[("pair.m+m.mu_s", "1")]).unwrap_err().to_string();
    assert!(text.contains("the pairs here are: `*+*`"), "{text}");
}

#[test]
fn a_file_that_is_no_text_is_not_offered_again() {
    let text = SceneSpec::load(&written("binary.toml", b"[scene]\n\xff\xfe")).unwrap_err().to_string();
    assert!(text.contains("UTF-8") && !text.contains("did you mean"), "{text}");
}
