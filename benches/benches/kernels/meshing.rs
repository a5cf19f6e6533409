//! Tets inside a closed surface.

use criterion::{Criterion, Throughput};
use impinge_benches::torus_10k;
use impinge_meshing::{FillOptions, fill};

/// The crate's kernels.
pub fn benches(c: &mut Criterion) {
    let mut g = c.benchmark_group("meshing");
    let mesh = torus_10k();
    for across in [6, 12] {
        let options = FillOptions::across(&mesh, across);
        let tets = fill(&mesh, options).expect("closed").quality.tets;
        g.throughput(Throughput::Elements(tets as u64));
        g.bench_function(format!("fill/{tets} tets"), |b| b.iter(|| fill(&mesh, options).expect("closed")));
    }
    g.finish();
}
