//! One step with a contact row.
//!
//! `cargo run -p impinge-qp --example hello_qp`

use impinge_geometry::DVec3;
use impinge_qp::{Problem, RowKind, Rows, Settings, Solver, contact_row};
use impinge_solvers::{BlockMatrix, BlockPattern, System};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A particle of 2 kg, 1 mm above the floor, falls at 1 m/s through a step of 10 ms.
    let (h, z, zero) = (0.01, DVec3::unit_z(), DVec3::zero());
    let pattern = BlockPattern::new(1, [])?;
    let mass = [[2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0]];
    let row = contact_row(
        &[z * 1e-3, zero, zero, zero],
        &[-z, zero, zero, zero],
        &[1.0, -1.0, 0.0, 0.0],
        z,
        0.0,
        h,
    );
    let mut rows = Rows::new();
    rows.push(RowKind::Contact, 7, row.bound, &[(0, row.gradient[0])])?;
    let b = [z * (-9.81 * 2.0 * h)];
    let problem = Problem::of_nodes(System::new(BlockMatrix::new(&pattern, &mass)?), &b, &rows);
    let (mut dv, mut mu) = ([zero], Vec::new());
    let report = Solver::new().solve(&problem, &Settings::default(), &mut dv, &mut mu)?;
    assert!(report.solved() && (dv[0].z - 0.9).abs() < 1e-12); // it ends on the floor: −0.1 m/s for 10 ms
    assert!((mu[0] - 2.0 * (0.9 + 9.81 * h)).abs() < 1e-12); // N·s
    println!("as expected");
    Ok(())
}
