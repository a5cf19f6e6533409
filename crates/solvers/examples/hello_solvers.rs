//! Three nodes on two springs, solved.
//!
//! `cargo run -p impinge-solvers --example hello_solvers`

use impinge_geometry::DVec3;
use impinge_solvers::{BlockMatrix, BlockPattern, Choice, Filter, Method, Problem, Settings, Solver, System};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Three nodes on two springs; the first is held and moves by 1 mm.
    let springs = [[0u32, 1], [1, 2]];
    let pattern = BlockPattern::new(3, springs.iter().map(|s| &s[..]))?;
    let mut values = vec![[0.0; 9]; pattern.blocks()];
    for s in &springs {
        for (slot, k) in pattern.slots([&s[..]]).into_iter().zip([50.0, -50.0, -50.0, 50.0]) {
            if slot != u32::MAX {
                (0..3).for_each(|q| values[slot as usize][4 * q] += k);
            }
        }
    }
    let system = System::new(BlockMatrix::new(&pattern, &values)?);
    let mut filter = Filter::none();
    filter.fix(0);
    let mut solver = Solver::automatic(&pattern, &[], &Problem::dynamic(9))?;
    assert_eq!(solver.choice().to_string(), "dense Cholesky: 9 unknowns are at most 96");
    solver.update(&system, &filter)?;
    let mut x = [DVec3::new(0.001, 0.0, 0.0), DVec3::zero(), DVec3::zero()];
    let outcome = solver.solve(&system, &filter, &[DVec3::zero(); 3], &mut x, &Settings::default());
    assert!(outcome.converged && (x[2].x - 0.001).abs() < 1e-12);
    let _ = Choice::forced(Method::Ssor);
    println!("as expected");
    Ok(())
}
