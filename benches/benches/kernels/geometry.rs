//! Closest points, mass properties, topology.

use criterion::{BatchSize, Criterion, Throughput};
use impinge_benches::{Numbers, torus_10k, torus_100k};
use impinge_geometry::{DVec3, Topology, closest_on_triangle, mass_properties};
use std::hint::black_box;

/// The crate's kernels.
pub fn benches(c: &mut Criterion) {
    let mut g = c.benchmark_group("geometry");

    // Points all around, so that every region of the triangle is asked for.
    let mut numbers = Numbers::new(4);
    let cases: Vec<(DVec3, [DVec3; 3])> =
        (0..1024).map(|_| (numbers.vector() * 2.0, [(); 3].map(|()| numbers.vector()))).collect();
    g.throughput(Throughput::Elements(cases.len() as u64));
    g.bench_function("closest_on_triangle/1024", |b| {
        b.iter(|| cases.iter().map(|&(p, t)| closest_on_triangle(p, t).distance_squared).sum::<f64>());
    });

    for (size, mesh) in [("10k", torus_10k()), ("100k", torus_100k())] {
        g.throughput(Throughput::Elements(mesh.triangles().len() as u64));
        g.bench_function(format!("mass_properties/{size}"), |b| b.iter(|| mass_properties(black_box(&mesh))));
        g.bench_function(format!("topology/{size}"), |b| {
            // Dropping the result is not part of building it.
            b.iter_batched(|| (), |()| Topology::new(black_box(&mesh)), BatchSize::LargeInput);
        });
    }
    g.finish();
}
