//! The cost of a step's QP for a cloth of 10 k vertices that drapes over a sphere, against the number of active rows, and
//! against a general solver (Clarabel) on the same problem in the same run:
//! `RAYON_NUM_THREADS=1 cargo run --release -p impinge-qp --features factor --example cloth_on_sphere [STEPS] [YOUNG]`.

#[path = "../tests/support/cloth.rs"]
mod cloth;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use cloth::Falling;
use impinge_geometry::DVec3;
use impinge_qp::{Problem, Rows, Settings, Solver};
use impinge_solvers::{BlockMatrix, Factor, FactorKind, Filter, System};
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
    let (ms, dv, objective) = last;
    let matrix = BlockMatrix::new(&cloth.pattern, &cloth.values).expect("as many values as blocks");
    let mut factor = Factor::new(&cloth.pattern, FactorKind::Llt).expect("it fits");
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            factor.refactor(&matrix, &Filter::none()).expect("definite");
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("one sparse factor of K: {:.1} ms; the last step: {:.1} factors", times[2], ms / times[2]);
    let start = Instant::now();
    let (x, status, iterations) = general(&cloth);
    let theirs = start.elapsed().as_secs_f64() * 1e3;
    let matrix = BlockMatrix::new(&cloth.pattern, &cloth.values).expect("as many values as blocks");
    let p = Problem::of_nodes(System::new(matrix), &cloth.b, &cloth.rows);
    let apart = x.iter().zip(&dv).fold(0.0, |m: f64, (a, b)| m.max((*a - *b).mag()));
    println!("Clarabel on the last step: {theirs:.1} ms, {iterations} iterations, {status:?}");
    println!("objective {objective:.12e} here, {:.12e} there; Δv apart {apart:.1e} m/s", p.objective(&x));
    println!("{:.1} times faster here", theirs / ms);
}

/// The same problem by Clarabel, set-up included.
fn general(cloth: &Falling) -> (Vec<DVec3>, SolverStatus, u32) {
    let n = 3 * cloth.x.len();
    let (mut start, mut row, mut value) = (vec![0usize], Vec::new(), Vec::new());
    // The upper triangle by columns is the lower half by rows.
    for i in 0..cloth.x.len() {
        for c in 0..3 {
            for (&j, slot) in cloth.pattern.row(i).iter().zip(cloth.pattern.row_slots(i)) {
                for r in 0..3 {
                    row.push(3 * j as usize + r);
                    value.push(cloth.values[slot][3 * c + r]);
                }
            }
            for r in 0..=c {
                row.push(3 * i + r);
                value.push(cloth.values[i][3 * c + r]);
            }
            start.push(row.len());
        }
    }
    let k = CscMatrix::new(n, n, start, row, value);
    let q: Vec<f64> = cloth.b.iter().flat_map(|b| [-b.x, -b.y, -b.z]).collect();
    let (mut r, mut c, mut v) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..cloth.rows.len() {
        let one = cloth.rows.row(i);
        for (&b, g) in one.blocks.iter().zip(one.gradients) {
            for (k, g) in [g.x, g.y, g.z].into_iter().enumerate() {
                r.push(i);
                c.push(3 * b as usize + k);
                v.push(g);
            }
        }
    }
    let m = cloth.rows.len();
    let a = CscMatrix::new_from_triplets(m, n, r, c, v);
    let cones = [SupportedConeT::NonnegativeConeT(m)];
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-9,
        tol_gap_rel: 1e-9,
        tol_feas: 1e-9,
        ..DefaultSettings::default()
    };
    let mut solver =
        DefaultSolver::new(&k, &q, &a, cloth.rows.bounds(), &cones, settings).expect("the sizes fit");
    solver.solve();
    let s = &solver.solution;
    let x = s.x.chunks_exact(3).map(|c| DVec3::new(c[0], c[1], c[2])).collect();
    (x, s.status, s.iterations)
}
