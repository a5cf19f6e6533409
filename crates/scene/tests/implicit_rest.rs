//! Where nothing moves and nothing pushes there is no momentum to read a residual against but that of rounding.

use impinge_scene::{Response, SceneSpec};
use impinge_world::{NewtonReport, NodeState};
use std::path::Path;

/// Four soft organs without weight, in each other from the start, which a force along the way does not see. The implicit step stopped in its
/// first step, with a residual of 1e14 times the momenta.
#[test]
fn organs_that_nothing_moves_stay() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/organs-volume.toml");
    let spec = SceneSpec::load(&file).unwrap();
    let mut sim = spec.simulation_with(Response::CpfImplicit).unwrap();
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
