//! Where nothing moves and nothing pushes there is no momentum to read a residual against but that of rounding.

use impinge_scene::{Response, SceneSpec};
use impinge_world::{NewtonReport, NodeState};
use std::path::Path;

/// Four soft organs without weight, set apart. The implicit step stopped in its first step, with a residual of 1e14 times the momenta.
#[test]
fn organs_that_nothing_moves_stay() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/organs-volume.toml");
    let mut text = std::fs::read_to_string(&file).unwrap();
    // They overlap as the scene has them.
    for (of, at) in
        [("[0.09, 0.02,", "[1.0, 0.02,"), ("[0.02, 0.01,", "[2.0, 0.01,"), ("[-0.06, 0.04,", "[3.0, 0.04,")]
    {
        let (from, to) = (format!("position = {of}"), format!("position = {at}"));
        assert!(text.contains(&from), "{from}");
        text = text.replace(&from, &to);
    }
    let spec = SceneSpec::from_str(&text, &file).unwrap();
    let mut sim = spec.simulation_with(Response::CPF_IMPLICIT).unwrap();
    let start = sim.column::<NodeState>().x.clone();
    let mut residual = 0.0f64;
    for _ in 0..5 {
        sim.step().unwrap();
        residual = residual.max(sim.column::<NewtonReport>().residual);
    }
    let moved =
        sim.column::<NodeState>().x.iter().zip(&start).map(|(a, b)| (*a - *b).mag()).fold(0.0, f64::max);
    assert!(!start.is_empty() && moved < 1e-14, "{moved:e} m");
    assert!(residual <= 1e-9, "{residual:e}");
}
