//! Scene files: text, and worlds built from it.

use crate::case::{Case, Outcome, must};
use crate::families::Numbers;
use crate::mutate;
use impinge_geometry::is_finite;
use impinge_scene::{Response, SceneSpec};
use impinge_world::Simulation;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes")
}

/// The scenes of the repository, by name.
fn scenes() -> &'static [(String, String)] {
    static ALL: OnceLock<Vec<(String, String)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: Vec<(String, String)> = std::fs::read_dir(folder())
            .into_iter()
            .flatten()
            .filter_map(|e| {
                let path = e.ok()?.path();
                let toml = path.extension().is_some_and(|e| e == "toml");
                let name = path.file_stem()?.to_string_lossy().into_owned();
                Some((name, std::fs::read_to_string(&path).ok()?)).filter(|_| toml)
            })
            .collect();
        all.sort();
        assert!(!all.is_empty(), "no scenes in {}", folder().display());
        all
    })
}

pub fn text(c: &mut Case) -> Result<Outcome, String> {
    let all = scenes();
    let n = all.len() as u64;
    let (one, other) = (&all[c.r.below(n) as usize].1, &all[c.r.below(n) as usize].1);
    let bytes = mutate::mutate(&mut c.r, one.as_bytes(), other.as_bytes());
    c.show(|| String::from_utf8_lossy(&bytes).into_owned());
    check(&bytes)
}

/// Reads a scene's bytes and judges what comes out.
pub fn check(bytes: &[u8]) -> Result<Outcome, String> {
    let text = String::from_utf8_lossy(bytes);
    match SceneSpec::from_str(&text, &folder().join("x.toml")) {
        Ok(scene) => {
            must(scene.dt > 0.0 && scene.steps() >= 1 && !scene.bodies.is_empty(), || {
                "no sense in it".into()
            })?;
            for b in &scene.bodies {
                must(b.pose.is_finite() && b.material < scene.materials.len(), || {
                    format!("body {}", b.name)
                })?;
            }
            Ok(Outcome::Answered)
        }
        Err(e) => {
            let lines = text.matches('\n').count() + 1;
            must(!e.issues().is_empty(), || "an error without an issue".into())?;
            for i in e.issues() {
                let placed = (1..=lines).contains(&i.line) && i.column <= i.source_line.chars().count() + 1;
                must(placed && !i.what.is_empty() && !i.fix.is_empty(), || {
                    format!("an issue out of place: {i}")
                })?;
            }
            Ok(Outcome::Refused)
        }
    }
}

/// Small scenes, several of each response.
const SMALL: &[&str] = &[
    "bounce-implicit",
    "bouncing-ball-pressure",
    "box-rest",
    "box-stack-volume",
    "cable-qp",
    "cable-sag",
    "cantilever",
    "card-house",
    "chain-cpf",
    "cloth-limited",
    "cloth-on-itself",
    "cut-block",
    "drop",
    "incline",
    "newton-cradle",
    "overlapping-start",
    "pencil-pressure",
    "stack",
    "stick-cpf",
    "stick",
    "tumble",
];

/// One of the small scenes, with at most two numbers of another size.
fn small(r: &mut Numbers) -> (String, String) {
    let all = scenes();
    let name = r.pick(SMALL);
    let found = all.iter().find(|s| s.0 == name);
    let text = found.unwrap_or_else(|| panic!("there is no scene {name} in fixtures/scenes")).1.clone();
    let mut bytes = text.into_bytes();
    for _ in 0..r.below(3) {
        mutate::number(r, &mut bytes);
    }
    (name.to_string(), String::from_utf8_lossy(&bytes).into_owned())
}

/// Every number of the state is finite.
pub fn state_is_finite(sim: &Simulation) -> Result<(), String> {
    let s = sim.snapshot();
    for (i, (pose, twist)) in s.bodies.iter().enumerate() {
        let fine = pose.is_finite() && is_finite(twist.velocity) && is_finite(twist.angular_velocity);
        must(fine, || format!("body {i} is not finite and no error was given: {pose:?} {twist:?}"))?;
    }
    must(s.nodes.x.iter().chain(&s.nodes.v).all(|&v| is_finite(v)), || "a vertex is not finite".into())
}

pub fn run(c: &mut Case) -> Result<Outcome, String> {
    let (name, text) = small(&mut c.r);
    let own = c.r.below(2) == 0;
    let response = c.r.pick(Response::ALL);
    c.show(|| {
        format!("{name} under {} {}\n{text}", if own { "its own response, not" } else { "" }, response.name())
    });
    let Ok(spec) = SceneSpec::from_str(&text, &folder().join(Path::new("x.toml"))) else {
        return Ok(Outcome::Refused);
    };
    let response = if own { spec.response } else { response };
    // What a person could ask for and would wait for is no matter of a fuzzer.
    let triangles: usize = 20_000;
    if spec.meshes().is_ok_and(|m| m.meshes.iter().map(|m| m.triangles().len()).sum::<usize>() > triangles) {
        return Ok(Outcome::Refused);
    }
    let Ok(mut sim) = spec.simulation_with(response) else { return Ok(Outcome::Refused) };
    for _ in 0..3 {
        if let Err(e) = sim.step() {
            must(!e.to_string().is_empty(), || "an error without a text".into())?;
            state_is_finite(&sim)?;
            return Ok(Outcome::Refused);
        }
        state_is_finite(&sim)?;
    }
    Ok(Outcome::Answered)
}
