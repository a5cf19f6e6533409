//! What friction holds under the response `pressure` falls when the coefficient is too low: the scenes of a grip with other coefficients.

use impinge_scene::SceneSpec;
use std::path::Path;

/// Height of the body's middle at the end of the scene (m).
fn end(name: &str, body: &str, mu: &str) -> f64 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes").join(name);
    let spec = SceneSpec::load_with(&path, &[("pair.0.mu_s", mu)]).unwrap();
    let steps = (spec.duration / spec.dt).round() as usize;
    let mut sim = spec.simulation().unwrap();
    for _ in 0..steps {
        sim.step().unwrap_or_else(|e| panic!("{e}"));
    }
    sim.position(sim.slot(body).unwrap()).z
}

/// 2 μ N of two sticks that press with about 0.6 N each against 0.1962 N, and what the start of the lift takes.
#[test]
fn chopsticks_drop_what_is_too_smooth() {
    let name = "chopsticks-pressure.toml";
    let (low, high) = (end(name, "dumpling", "0.12"), end(name, "dumpling", "0.35"));
    assert!(low < 0.01, "{low} m: on the table it lies at 0.009 m");
    assert!((high - 0.059).abs() < 5e-4, "{high} m");
}

/// 3 μ N of three fingers that press with about 1.46 N each against 1.962 N: 0.45 is needed.
#[test]
fn a_smooth_mug_stays_on_the_table() {
    let low = end("hand-mug-pressure.toml", "mug", "0.3");
    assert!(low < 0.0323, "{low} m: on the table its middle is at 0.03179 m");
}
