//! Tets at 10 k and 100 k: `cargo bench -p impinge-benches --bench elasticity`. One thread.
//!
//! Energy, force, force with Hessian (projected, and warped for the corotational energy; lower triangle), and the product of
//! stiffness and vector without a matrix. `cargo run --release -p impinge-elasticity --example tet_speed` sets the
//! same kernels against the roofline.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use impinge_elasticity::{Material, tet::*};
use impinge_geometry::{DVec3, tet_box};
use std::time::Duration;

fn tets(c: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let mut group = c.benchmark_group("elasticity");
    // Short: three passes of all benches shall stay a matter of minutes.
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1200));
    for segments in [13, 27] {
        let mesh = tet_box(DVec3::new(1.0, 1.0, 1.0), [segments; 3]).expect("a box");
        let strained = |p: &DVec3| DVec3::new(1.1 * p.x + 0.3 * p.y * p.x, p.y - 0.2 * p.z * p.z, 0.8 * p.z);
        let x: Vec<DVec3> = mesh.positions().iter().map(strained).collect();
        let n = mesh.tets().len();
        group.throughput(Throughput::Elements(n as u64));
        for model in [Model::Corotational, Model::StableNeoHookean] {
            let body = TetElements::new(&mesh, model, &Material::new(1e6, 0.3, 1000.0)).expect("a body");
            let pattern = TetPattern::new(body.nodes(), body.tets(), Triangle::Lower);
            let mut values = vec![[0.0; 9]; pattern.column.len()];
            let mut out = vec![DVec3::zero(); body.nodes()];
            let mut ws = Workspace::default();
            let id = |what: &str| BenchmarkId::new(format!("{model:?} {what}"), n);
            group.bench_function(id("energy"), |b| {
                pool.install(|| b.iter(|| energy(&body, &x, &mut ws)));
            });
            group.bench_function(id("force"), |b| {
                pool.install(|| b.iter(|| add_forces(&body, &x, &mut out, &mut ws)));
            });
            let tangents: &[Tangent] = match model {
                Model::Corotational => &[Tangent::Spd, Tangent::Warped],
                Model::StableNeoHookean => &[Tangent::Spd],
            };
            for &tangent in tangents {
                group.bench_function(id(&format!("force and {tangent:?} Hessian")), |b| {
                    let (w, slots) = (Weights::default(), &pattern.slots);
                    pool.install(|| {
                        b.iter(|| {
                            add_forces_and_hessian(
                                &body,
                                &x,
                                tangent,
                                w,
                                slots,
                                &mut out,
                                &mut values,
                                &mut ws,
                            );
                        });
                    });
                });
                group.bench_function(id(&format!("{tangent:?} stiffness times vector")), |b| {
                    let w = Weights::default();
                    pool.install(|| {
                        b.iter(|| add_stiffness_times(&body, &x, &x, tangent, w, &mut out, &mut ws))
                    });
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, tets);
criterion_main!(benches);
