//! Tets at 10 k and 100 k, cloth of 18 k triangles: `cargo bench -p impinge-benches --bench elasticity`. One thread.
//!
//! Energy, force, force with Hessian (projected, and warped for the corotational energy; lower triangle), and the product of
//! stiffness and vector without a matrix. Of cloth, membranes and hinges: energy, force, Hessian (projected; upper triangle). `cargo run --release -p impinge-elasticity --example tet_speed` sets the
//! same kernels against the roofline.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use impinge_elasticity::cloth::{Cloth, Hinges, MembraneLaw, Membranes};
use impinge_elasticity::{Elements, Material, Projection, assemble, tet::*};
use impinge_geometry::{DVec3, TriMesh, tet_box};
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

/// Rectangles a side of the sheet.
const SIDE: u32 = 96;

fn cloth(c: &mut Criterion) {
    let (mut rest, mut triangles) = (Vec::new(), Vec::new());
    for j in 0..=SIDE {
        for i in 0..=SIDE {
            rest.push(DVec3::new(f64::from(i), f64::from(j), 0.0) * 0.01);
            if i < SIDE && j < SIDE {
                let a = j * (SIDE + 1) + i;
                triangles.extend([[a, a + 1, a + SIDE + 2], [a, a + SIDE + 2, a + SIDE + 1]]);
            }
        }
    }
    let mesh = TriMesh::new(rest.clone(), triangles).expect("a sheet");
    let membranes = Membranes::from_rest(mesh.triangles(), &rest, DVec3::unit_x()).expect("membranes");
    let hinges = Hinges::from_mesh(&mesh, 1e-5).expect("hinges");
    // Waves and a little stretch: taut, slack and wrinkled triangles.
    let waves = |p: &DVec3| (20.0 * p.x).sin() * (13.0 * p.y).cos();
    let x: Vec<DVec3> = rest.iter().map(|p| DVec3::new(1.01 * p.x, 0.995 * p.y, 0.01 * waves(p))).collect();
    let laws = [
        ("isotropic", MembraneLaw::isotropic(1e5, 0.3, 1e-3).expect("a law")),
        ("rubber", MembraneLaw::rubber(4e4, 1e-3).expect("a law")),
    ];
    for (name, law) in laws {
        elements(c, &format!("membrane {name}"), &Cloth { membranes: membranes.view(), law }, &x);
    }
    elements(c, "hinge", &hinges.view(), &x);
}

fn elements<const N: usize, E: Elements<N>>(c: &mut Criterion, name: &str, elements: &E, x: &[DVec3]) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let mut group = c.benchmark_group("elasticity");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1200));
    let n = elements.nodes().len();
    group.throughput(Throughput::Elements(n as u64));
    let id = |what: &str| BenchmarkId::new(format!("{name} {what}"), n);
    let mut ws = assemble::Workspace::default();
    group.bench_function(id("energy"), |b| {
        pool.install(|| b.iter(|| assemble::energy(elements, x, &mut ws)));
    });
    let mut out = vec![DVec3::zero(); x.len()];
    group.bench_function(id("force"), |b| {
        pool.install(|| b.iter(|| assemble::add_forces(elements, x, &mut out, &mut ws)));
    });
    // Eight places for each row, upper triangle.
    let slots = assemble::block_slots(elements.nodes(), |i, j| {
        (i <= j).then(|| (i * 8 + (j - i) % 8) % (8 * x.len() as u32))
    });
    let mut values = vec![[0.0; 9]; 8 * x.len()];
    group.bench_function(id("Spd Hessian"), |b| {
        pool.install(|| {
            b.iter(|| {
                assemble::add_hessian(elements, x, Projection::Spd, &slots, &mut values, &mut ws);
            });
        });
    });
    group.finish();
}

criterion_group!(benches, tets, cloth);
criterion_main!(benches);
