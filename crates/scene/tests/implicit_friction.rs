//! Rows of boxes that lean on each other under `cpf-implicit`, at a step with k Δt²/m = 2222: which contacts hold and which slide is found.

use impinge_scene::{Response, SceneSpec};
use impinge_world::NewtonReport;
use std::path::Path;

/// The pyramid stopped in its second step, with all contacts sliding in every trial. Here every step is solved, nothing moves farther than the
/// boxes sink into each other, and the floor carries the weight on average: the midpoint rule damps no swing.
#[test]
fn a_pyramid_of_ten_boxes_stands() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes/box-pyramid-pressure.toml");
    let spec = SceneSpec::load(&file).unwrap();
    let mut sim = spec.simulation_with(Response::CpfImplicit).unwrap();
    let floor = sim.names().iter().position(|n| n == "floor").unwrap() as u32;
    let (steps, dt) = (120, 1.0 / 60.0);
    let (mut carried, mut residual) = (0.0, 0.0f64);
    for _ in 0..steps {
        sim.step().unwrap();
        carried -= sim.ledger().contact[floor as usize].impulse.z;
        residual = residual.max(sim.column::<NewtonReport>().residual);
    }
    let way = |b: usize| (sim.pose(b as u32).position - spec.bodies[b].pose.position).mag();
    let moved = (0..spec.bodies.len()).map(way).fold(0.0, f64::max);
    let weight = carried / (f64::from(steps) * dt);
    println!("moved {moved:.1e} m, carries {weight:.3} N of 49, residual {residual:.1e}");
    // 1e6 N/m a point, 49 N on 16 points of the floor: micrometres.
    assert!(moved < 5e-5, "{moved:e}");
    assert!((weight / 49.0 - 1.0).abs() < 0.02, "{weight}");
    assert!(residual <= 1e-9, "{residual:e}");
}
