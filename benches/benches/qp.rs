//! The QP of a step, one thread: `RAYON_NUM_THREADS=1 cargo bench -p impinge-benches --bench qp`.
//!
//! Chains of beads on a plane (small: the dense path, cold and warm), and a cloth of 900 vertices on a sphere. The example
//! `cloth_on_sphere` of impinge-qp measures 10 k vertices with the sparse factor.

#[path = "../../crates/qp/tests/all/cloth.rs"]
mod cloth;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use impinge_geometry::DVec3;
use impinge_qp::{Problem, RowKind, Rows, Settings, Solver};
use impinge_solvers::{BlockMatrix, BlockPattern, System};
use std::time::Duration;

fn chain(n: usize) -> (BlockPattern, Vec<[f64; 9]>, Vec<DVec3>, Rows) {
    let springs: Vec<[u32; 2]> = (1..n as u32).map(|i| [i - 1, i]).collect();
    let pattern = BlockPattern::new(n, springs.iter().map(|s| &s[..])).expect("in range");
    let mut values = vec![[0.0; 9]; pattern.blocks()];
    for (slot, v) in values.iter_mut().enumerate() {
        let k = if slot < n { 0.01 + 2.0 } else { -1.0 };
        (0..3).for_each(|q| v[4 * q] = k);
    }
    let b = (0..n).map(|i| DVec3::new(0.0, 0.1 * (i as f64).sqrt(), -0.3 - 0.1 * (i % 3) as f64)).collect();
    let mut rows = Rows::new();
    for i in 0..n as u32 {
        let c = 0.5 + 0.1 * f64::from(i % 5);
        rows.push(RowKind::Contact, u64::from(i), c, &[(i, -DVec3::unit_z())]).expect("finite");
    }
    (pattern, values, b, rows)
}

fn qp(c: &mut Criterion) {
    let mut group = c.benchmark_group("qp");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1200));
    for n in [20usize, 80] {
        let (pattern, values, b, rows) = chain(n);
        let matrix = BlockMatrix::new(&pattern, &values).expect("as many values as blocks");
        let p = Problem::of_nodes(System::new(matrix), &b, &rows);
        let (mut solver, mut dv, mut mu) = (Solver::new(), vec![DVec3::zero(); n], Vec::new());
        group.bench_function(BenchmarkId::new("chain cold", n), |bench| {
            bench.iter(|| {
                mu.clear();
                solver.solve(&p, &Settings::default(), &mut dv, &mut mu)
            });
        });
        group.bench_function(BenchmarkId::new("chain warm", n), |bench| {
            bench.iter(|| solver.solve(&p, &Settings::default(), &mut dv, &mut mu));
        });
    }
    let mut cloth = cloth::Falling::new(30, 1e5);
    let (mut solver, mut old, mut mu) = (Solver::new(), Rows::new(), Vec::new());
    let mut dv = vec![DVec3::zero(); cloth.x.len()];
    for step in 0..=12 {
        cloth.assemble();
        let matrix = BlockMatrix::new(&cloth.pattern, &cloth.values).expect("as many values as blocks");
        let p = Problem::of_nodes(System::new(matrix), &cloth.b, &cloth.rows);
        mu = cloth.rows.carry(&old, &mu);
        if step == 12 {
            group.bench_function(BenchmarkId::new("cloth warm", cloth.x.len()), |bench| {
                bench.iter(|| {
                    let mut warm = mu.clone();
                    solver.solve(&p, &Settings::default(), &mut dv, &mut warm)
                });
            });
            break;
        }
        if solver.solve(&p, &Settings::default(), &mut dv, &mut mu).is_err() {
            break;
        }
        old = cloth.rows.clone();
        cloth.advance(&dv);
    }
    group.finish();
}

criterion_group!(benches, qp);
criterion_main!(benches);
