//! Linear solvers on the elastic cube, one thread: `RAYON_NUM_THREADS=1 cargo bench -p impinge-benches --bench solvers`.
//!
//! Product of the half-stored matrix at 10 k and 100 k nodes, a new set of values, and whole solves of one implicit step of
//! 31 944 unknowns (Δt = 1/60, 10⁻⁸) from zero. `--example step_32k` of impinge-solvers prints the same as one table.

#[path = "../../crates/solvers/tests/all/support/elastic.rs"]
mod elastic;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use impinge_geometry::DVec3;
use impinge_solvers::{
    ApplyWorkspace, BlockJacobi, BlockMatrix, CgWorkspace, Filter, Settings, Ssor, System, pcg,
};
use std::time::Duration;

fn solvers(c: &mut Criterion) {
    let mut group = c.benchmark_group("solvers");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1200));
    for m in [22usize, 47] {
        let e = elastic::elastic(m, 1.1e5, 1.0, 1.0 / 3600.0);
        let matrix = BlockMatrix::new(&e.pattern, &e.values).expect("as many values as blocks");
        let b = elastic::load(&e);
        let mut x = vec![DVec3::zero(); b.len()];
        let mut apply = ApplyWorkspace::default();
        group.throughput(Throughput::Bytes(e.pattern.apply_bytes() as u64));
        group.bench_function(BenchmarkId::new("product", e.x.len()), |bench| {
            bench.iter(|| matrix.apply(&b, &mut x, &mut apply));
        });
        if m > 22 {
            continue;
        }
        let (system, filter, settings) = (System::new(matrix), Filter::none(), Settings::default());
        let mut ws = CgWorkspace::default();
        let mut ssor = Ssor::new(&e.pattern, 1);
        group.throughput(Throughput::Elements(3 * b.len() as u64));
        group.bench_function(BenchmarkId::new("ssor values", e.x.len()), |bench| {
            bench.iter(|| ssor.update(&system, &filter).expect("definite"));
        });
        group.bench_function(BenchmarkId::new("step by ssor", e.x.len()), |bench| {
            bench.iter(|| {
                x.fill(DVec3::zero());
                ssor.update(&system, &filter).expect("definite");
                ssor.solve(&system, &filter, &b, &mut x, &settings, &mut ws)
            });
        });
        let mut jacobi = BlockJacobi::new();
        group.bench_function(BenchmarkId::new("step by block jacobi", e.x.len()), |bench| {
            bench.iter(|| {
                x.fill(DVec3::zero());
                jacobi.update(&system, &filter).expect("definite");
                pcg(&system, &mut jacobi, &filter, &b, &mut x, &settings, &mut ws)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, solvers);
criterion_main!(benches);
