//! The crate of `fixtures/own-response`, which is no member of the workspace: its law does what it says, it is as short as it claims, and
//! it is a response like the others: named in a scene file, beside another in one world, in a comparison, in snapshots.

#[path = "../../../../fixtures/own-response/src/hertz.rs"]
mod hertz;

use impinge::compare::{compare, run};
use impinge::report::Status;
use impinge::scene::SceneSpec;
use impinge::world::{Family, register};
use std::path::{Path, PathBuf};
use std::sync::Once;

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/own-response")
}

fn scene(duration: f64) -> SceneSpec {
    static LISTED: Once = Once::new();
    LISTED.call_once(|| register(hertz::HERTZ).unwrap());
    let mut spec = SceneSpec::load(&here().join("stack-hertz.toml")).unwrap();
    assert_eq!(spec.response.name(), "hertz");
    spec.duration = duration;
    spec
}

/// All joints but the top one are Hertz's, the top one is held by constraints.
#[test]
fn it_carries_the_weight_at_the_depth_of_its_law() {
    let spec = scene(1.0);
    let done = run(&spec, spec.response).unwrap();
    assert_eq!(done.record.status, Status::Completed);
    let force = done.record.plots.iter().find(|p| p.id == "force").unwrap();
    for (pair, mass) in [("floor – box-a", 14.304), ("box-c – box-d", 1.944)] {
        let curve = force.curves.iter().find(|c| c.name.starts_with(pair)).unwrap();
        let late = &curve.values[900..];
        let mean = late.iter().sum::<f64>() / late.len() as f64;
        assert!((mean / (mass * 9.81) - 1.0).abs() < 1e-3, "{mean} N at {pair}");
    }
    // Nine vertices of the lowest box share the weight: m g = 9 k δ^(3/2).
    let depth = done.record.plots.iter().find(|p| p.id == "depth").unwrap();
    let deepest = depth.curves[0].values.last().unwrap();
    let wanted = (14.304f64 * 9.81 / 9.0 / 1e6).powf(2.0 / 3.0);
    assert!((deepest / wanted - 1.0).abs() < 1e-3, "{deepest} m, not {wanted} m");
    let effort = done.record.plots.iter().find(|p| p.id == "hertz").unwrap();
    let points = effort.curves[0].values.last().unwrap();
    assert!(*points >= 27.0, "{points} points of three joints");
}

#[test]
fn its_state_is_in_snapshots_and_the_run_goes_on_with_the_same_bits() {
    let spec = scene(0.1);
    let mut sim = spec.simulation().unwrap();
    (0..60).for_each(|_| sim.step().unwrap());
    let (middle, hash) = (sim.snapshot(), sim.hash());
    (0..20).for_each(|_| sim.step().unwrap());
    let mut again = spec.simulation().unwrap();
    again.restore(&middle).unwrap();
    assert_eq!(again.hash(), hash);
    (0..20).for_each(|_| again.step().unwrap());
    assert_eq!(again.hash(), sim.hash());
    assert_eq!(again.responses().iter().map(|r| r.name()).collect::<Vec<_>>(), ["hertz", "qp"]);
}

#[test]
fn it_stands_beside_the_others_on_the_page() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-response");
    let spec = scene(0.02);
    let (page, written) = compare(&spec, &[Family::PENALTY, spec.response], &out).unwrap();
    let labels: Vec<&str> = page.runs.iter().map(|r| r.label.as_str()).collect();
    assert_eq!(labels, ["penalty", "hertz"]);
    assert_ne!(page.runs[0].record.state_hash, page.runs[1].record.state_hash);
    let html = std::fs::read_to_string(written.html).unwrap();
    assert!(html.contains("hertz") && html.contains("δ^(3/2)"), "its notes");
    assert!(html.contains("hertz1881"), "its paper");
    assert!(html.contains("qp: box-c – box-d."), "which pair goes by which law");
}

#[test]
fn what_its_table_does_not_know_is_refused() {
    drop(scene(0.1));
    let text = std::fs::read_to_string(here().join("stack-hertz.toml")).unwrap();
    for (wrong, said) in [
        ("stiffness = 1e6\ndisipation = 2.0\n", "`disipation` is not a key of `[hertz]`"),
        ("stiffness = 1e6\ndisipation = 2.0\n", "the keys here are: `stiffness`, `dissipation`"),
        ("stiffness = -1.0\n", "`stiffness` may not be the number -1"),
        ("stiffness = -1.0\n", "write a finite number above 0 (N/m^(3/2))"),
    ] {
        let text = text.replace("stiffness = 1e6\ndissipation = 4.0\n", wrong);
        let error = SceneSpec::from_str(&text, Path::new("own.toml")).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn the_crate_is_as_short_as_the_guide_says() {
    let lines = |f: &str| std::fs::read_to_string(here().join("src").join(f)).unwrap().lines().count();
    let all = lines("main.rs") + lines("hertz.rs");
    assert!(all <= 150, "{all} lines");
}
