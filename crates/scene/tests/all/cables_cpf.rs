//! Cables in scenes under continuous penalty.

use impinge_scene::SceneSpec;
use std::path::{Path, PathBuf};

fn scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../fixtures/scenes/{name}.toml"))
}

/// Also under the response that solves for the end of the step.
#[test]
fn a_bar_carries_a_cable_under_every_response_that_follows_features() {
    for response in ["cpf", "dpf-ccd", "cpf-implicit"] {
        let keys = [("scene.response", &*format!("\"{response}\""))];
        let mut sim =
            SceneSpec::load_with(&scene("cable-over-bar-cpf"), &keys).unwrap().simulation().unwrap();
        let (cable, mut made) = (sim.slot("cable").unwrap(), 0.0f64);
        for _ in 0..4000 {
            sim.step().unwrap();
            made = made.max(sim.ledger().momentum.linear_residual.mag());
        }
        // ρ π r² L g.
        let weight = 1000.0 * std::f64::consts::PI * 25e-6 * 0.6 * 9.81;
        let carried = sim.contact_force(cable).z;
        assert!((carried / weight - 1.0).abs() < 1e-3, "{response}: {carried} N of {weight} N");
        assert!(made < 1e-12, "{response}: {made:e} N s made");
    }
}

#[test]
fn a_cable_that_meets_itself_without_a_thickness_is_refused_with_the_key() {
    let text = std::fs::read_to_string(scene("cable-coil-cpf")).unwrap().replace("\nthickness = 2e-3", "");
    let refused = SceneSpec::from_str(&text, Path::new("t.toml")).unwrap_err().to_string();
    assert!(refused.contains("`cable`") && refused.contains("`thickness`"), "{refused}");
    let keys = [("scene.response", "\"cpf-implicit\"")];
    let implicit = SceneSpec::load_with(&scene("cable-coil-cpf"), &keys).err().unwrap().to_string();
    assert!(implicit.contains("no inside") && implicit.contains("'qp' or 'cpf'"), "{implicit}");
}
