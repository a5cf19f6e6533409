//! The cost of a step's QP for a cloth of 10 k vertices that drapes over a sphere, against the number of active rows, and
//! against a general solver (Clarabel) on the same problem in the same run:
//! `RAYON_NUM_THREADS=1 cargo run --release -p impinge-qp --features factor --example cloth_on_sphere [STEPS] [YOUNG]`.

#[path = "../tests/support/cloth.rs"]
mod cloth;

use cloth::Falling;
use impinge_geometry::DVec3;
use impinge_qp::{Problem, Rows, Settings, Solver};
use impinge_solvers::{BlockMatrix, System};
use std::time::Instant;

fn main() {
    let number = |k: usize, or: f64| std::env::args().nth(k).and_then(|a| a.parse().ok()).unwrap_or(or);
    let (steps, young) = (number(1, 40.0) as usize, number(2, 1e6));
    let mut cloth = Falling::new(100, young);
    let mut solver = Solver::new();
    let settings = Settings { tolerance: 1e-9, ..Settings::default() };
    let (mut old, mut mu) = (Rows::new(), Vec::new());
    println!("step   rows active  solves factors inner toggles    time/ms  worst KKT");
    let mut last = (0.0, vec![DVec3::zero(); cloth.x.len()], 0.0);
    for step in 0..steps {
        cloth.assemble();
        let matrix = BlockMatrix::new(&cloth.pattern, &cloth.values).expect("as many values as blocks");
        let p = Problem::of_nodes(System::new(matrix), &cloth.b, &cloth.rows);
        let start = Instant::now();
        mu = cloth.rows.carry(&old, &mu);
        let mut dv = vec![DVec3::zero(); cloth.x.len()];
        let report = solver.solve(&p, &settings, &mut dv, &mut mu).expect("a definite system");
        let ms = start.elapsed().as_secs_f64() * 1e3;
        println!(
            "{step:4} {:6} {:6} {:7} {:7} {:5} {:7} {ms:10.1}  {:.1e} {:?}",
            cloth.rows.len(),
            report.active,
            report.iterations,
            report.factorisations,
            report.inner,
            report.toggles,
            report.kkt.worst(),
            report.status,
        );
        old = cloth.rows.clone();
        last = (ms, dv.clone(), p.objective(&dv));
        if step + 1 == steps {
            break;
        }
        cloth.advance(&dv);
    }
}
