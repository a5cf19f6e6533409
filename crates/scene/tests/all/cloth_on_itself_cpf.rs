//! Cloth that meets itself under continuous penalty.

use crate::qp::crossings;
use impinge_scene::SceneSpec;
use impinge_world::Simulation;
use std::path::{Path, PathBuf};

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/cloth-on-itself-cpf.toml")
}

fn text() -> String {
    std::fs::read_to_string(path()).unwrap()
}

fn scene(keys: &[(&str, &str)]) -> Result<Simulation, String> {
    SceneSpec::load_with(&path(), keys).map_err(|e| e.to_string())?.simulation().map_err(|e| e.to_string())
}

/// Crossings at most, contacts with itself at most, and how much momentum its own contacts made (N·s).
fn run(sim: &mut Simulation, seconds: f64) -> (usize, u32, f64) {
    let strip = sim.slot("strip").unwrap();
    let (mut crossed, mut own, mut made) = (0, 0, 0.0f64);
    for step in 0..(seconds / sim.dt()).round() as usize {
        sim.step().unwrap_or_else(|e| panic!("{e}"));
        let pairs = &sim.ledger().pairs;
        for i in (0..pairs.a.len()).filter(|&i| (pairs.a[i], pairs.b[i]) == (strip, strip)) {
            own = own.max(pairs.contacts[i]);
        }
        made = made.max(sim.ledger().momentum.linear_residual.mag());
        if step % 20 == 19 {
            crossed = crossed.max(crossings(sim, strip));
        }
    }
    (crossed, own, made)
}

#[test]
fn cloth_folds_on_itself_without_a_crossing() {
    for response in ["cpf", "dpf-ccd"] {
        let mut sim = scene(&[("scene.response", &format!("\"{response}\""))]).unwrap();
        let (crossed, own, made) = run(&mut sim, 0.75);
        println!("{response}: {crossed} crossings, {own} contacts with itself, {made:.1e} N·s made");
        assert!(crossed == 0 && own >= 10 && made < 1e-12, "{response}: {crossed} {own} {made}");
    }
    // The bodies without the expectations, which name contacts with itself.
    let text = text();
    let bodies = text.split("[[expect]]").next().unwrap().replace("self_contact = true", "");
    let mut through = SceneSpec::from_str(&bodies, Path::new("t.toml")).unwrap().simulation().unwrap();
    assert!(run(&mut through, 0.75).0 > 0, "without, it crosses");
}

#[test]
fn cloth_without_a_thickness_is_refused_with_the_key() {
    let text = text().replace("\nthickness = 2e-3", "");
    let refused = SceneSpec::from_str(&text, Path::new("t.toml")).unwrap_err().to_string();
    assert!(refused.contains("`strip`") && refused.contains("`thickness`"), "{refused}");
    let implicit = scene(&[("scene.response", "\"cpf-implicit\"")]).err().unwrap();
    assert!(implicit.contains("no inside") && implicit.contains("'qp'"), "{implicit}");
}
