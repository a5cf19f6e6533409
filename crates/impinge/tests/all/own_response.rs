//! The crate of `fixtures/own-response`, which is no member of the workspace: its law does what it says, it is as short as it claims,
//! and it appears in a comparison.

#[path = "../../../../fixtures/own-response/src/hertz.rs"]
mod hertz;

use impinge::compare::{Install, compare, run};
use impinge::report::Status;
use impinge::scene::Response as Family;
use impinge::scene::SceneSpec;
use std::path::Path;

fn stack(duration: f64) -> SceneSpec {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut spec = SceneSpec::load(&root.join("scenes/stack.toml")).unwrap();
    spec.duration = duration;
    spec
}

#[test]
fn it_carries_the_weight_at_the_depth_of_its_law() {
    let done = run(&stack(1.0), Family::Penalty, "hertz", &hertz::install).unwrap();
    assert_eq!(done.record.status, Status::Completed);
    let force = done.record.plots.iter().find(|p| p.id == "force").unwrap();
    let floor = force.curves.iter().find(|c| c.name.starts_with("floor – box-a")).unwrap();
    let late = &floor.values[900..];
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!((mean / (14.304 * 9.81) - 1.0).abs() < 1e-3, "{mean} N on the floor");
    // Nine vertices of the lowest box share the weight, and the damper sees the free motion of the step, which falls by g Δt:
    // m g = 9 k δ^(3/2) (1 + χ g Δt).
    let depth = done.record.plots.iter().find(|p| p.id == "depth").unwrap();
    let deepest = depth.curves[0].values.last().unwrap();
    let wanted = (14.304f64 * 9.81 / 9.0 / 1e6 / (1.0 + 20.0 * 9.81 * 1e-3)).powf(2.0 / 3.0);
    assert!((deepest / wanted - 1.0).abs() < 1e-3, "{deepest} m, not {wanted} m");
}

#[test]
fn it_stands_beside_the_others_on_the_page() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-response");
    let bad: Install = &|_| Err("it does not like this scene".to_string());
    let own: [(&str, Install); 2] = [("hertz", &hertz::install), ("fussy", bad)];
    let (page, written) = compare(&stack(0.02), &[Family::Penalty], &own, &out).unwrap();
    let labels: Vec<&str> = page.runs.iter().map(|r| r.label.as_str()).collect();
    assert_eq!(labels, ["penalty", "hertz"]);
    assert_ne!(page.runs[0].record.state_hash, page.runs[1].record.state_hash);
    assert_eq!(page.refused, [("fussy".to_string(), "it does not like this scene".to_string())]);
    let html = std::fs::read_to_string(written.html).unwrap();
    assert!(html.contains("hertz") && html.contains("it does not like this scene"));
}

#[test]
fn the_crate_is_as_short_as_the_guide_says() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/own-response/src");
    let lines = |f: &str| std::fs::read_to_string(src.join(f)).unwrap().lines().count();
    let all = lines("main.rs") + lines("hertz.rs");
    assert!(all <= 150, "{all} lines");
}
