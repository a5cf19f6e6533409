//! Nearest point, winding number and penetration, near the surface, where contact is, and far from it; point in tet.

use criterion::{BatchSize, Criterion, Throughput};
use impinge_benches::{around, torus_10k, torus_100k};
use impinge_geometry::{DVec3, tet_box};
use impinge_query::{MeshIndex, TetIndex};
use std::hint::black_box;

/// Points of one call: enough that they do not share a path through the tree.
const POINTS: usize = 512;

/// The crate's kernels.
pub fn benches(c: &mut Criterion) {
    let mut g = c.benchmark_group("query");
    for (size, mesh) in [("10k", torus_10k()), ("100k", torus_100k())] {
        let index = MeshIndex::new(&mesh);
        let near = around(&mesh, POINTS, 0.01);
        let far = around(&mesh, POINTS, 0.5);
        g.throughput(Throughput::Elements(POINTS as u64));
        let mut each = |name: &str, points: &[DVec3], f: &dyn Fn(DVec3) -> f64| {
            g.bench_function(format!("{name}/{size}"), |b| {
                b.iter(|| points.iter().map(|&p| f(black_box(p))).sum::<f64>());
            });
        };
        each("nearest near", &near, &|p| index.nearest(p).distance);
        each("nearest far", &far, &|p| index.nearest(p).distance);
        each("winding near", &near, &|p| f64::from(index.winding(p)));
        each("winding far", &far, &|p| f64::from(index.winding(p)));
        each("penetration near", &near, &|p| index.penetration(p).map_or(0.0, |h| h.depth));
    }
    let mesh = torus_10k();
    g.throughput(Throughput::Elements(mesh.triangles().len() as u64));
    g.bench_function("build/10k", |b| {
        b.iter_batched(|| (), |()| MeshIndex::new(black_box(&mesh)), BatchSize::LargeInput);
    });

    // 55,566 tets, as large as the one the crate survey measured.
    let tets = tet_box(DVec3::broadcast(1.0), [21; 3]).expect("a box");
    let index = TetIndex::new(&tets);
    let spread = |k: usize, f: f64| (k as f64 * f).fract() * 1.1 - 0.55;
    let points: Vec<DVec3> = (0..POINTS)
        .map(|k| DVec3::new(spread(k, 0.618_034), spread(k, 0.414_214), spread(k, 0.732_051)))
        .collect();
    g.throughput(Throughput::Elements(POINTS as u64));
    g.bench_function("locate in 56k tets", |b| {
        b.iter(|| points.iter().filter(|&&p| index.locate(black_box(p)).is_some()).count());
    });
    g.finish();
}
