//! Intersection volumes: exact and by depth images, whole and in cells, on the same pairs; the solvers of contact with friction.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use impinge_benches::one_thread;
use impinge_geometry::{DVec3, TriMesh, torus};
use impinge_solvers::Settings;
use impinge_solvers::mlcp::{Cone, ContactProblem, ContactRows, accelerated, gauss_seidel, interior_point};
use impinge_volume::{
    Body, CellGrid, ClosedSurface, Evaluate, Exact, Lattice, LayeredDepth, Limits, Overlap,
};
use std::time::Duration;

/// Two tori R 1, r 0.35, one 0.6 above the other.
fn tori(segments: u32) -> [TriMesh; 2] {
    let a = torus(1.0, 0.35, segments, segments / 2).expect("valid");
    let b = a.mapped(|p| p + DVec3::new(0.0, 0.0, 0.6)).expect("finite");
    [a, b]
}

fn pair(c: &mut Criterion) {
    one_thread();
    let mut group = c.benchmark_group("volume_pair");
    group.measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(300)).sample_size(20);
    for segments in [32, 128, 182] {
        let [a, b] = tori(segments);
        let (sa, sb) = (ClosedSurface::new(&a).expect("closed"), ClosedSurface::new(&b).expect("closed"));
        let (a, b) =
            (Body::new(&sa, a.positions()).expect("fits"), Body::new(&sb, b.positions()).expect("fits"));
        let triangles = sa.triangles().len();
        let grid = CellGrid::new(DVec3::zero(), 0.5).expect("valid");
        let mut out = Overlap::new();
        let mut run = |name: &str, e: &mut dyn Evaluate, grid: Option<&CellGrid>| {
            group.bench_function(BenchmarkId::new(name, triangles), |bench| {
                bench.iter(|| e.evaluate(a, b, grid, &mut out).expect("valid"));
            });
        };
        run("exact", &mut Exact::new(), None);
        run("exact_cells", &mut Exact::new(), Some(&grid));
        run("layered_256", &mut LayeredDepth::new(2.7 / 256.0).expect("valid"), None);
        run("layered_256_cells", &mut LayeredDepth::new(2.7 / 256.0).expect("valid"), Some(&grid));
        let mut image = LayeredDepth::new(2.7 / 256.0).expect("valid");
        group.bench_function(BenchmarkId::new("layered_256_certified", triangles), |bench| {
            bench.iter(|| image.weighed(a, b, None, &mut out).expect("valid"));
        });
    }
    group.finish();
}

/// The two tori as one body: its overlap with itself as one volume, contact by contact, and beside two bodies by the same rays.
fn own(c: &mut Criterion) {
    one_thread();
    let mut group = c.benchmark_group("volume_own");
    group.measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(300)).sample_size(20);
    let pair = tori(128);
    let joined = TriMesh::joined(&[&pair[0], &pair[1]]).expect("valid");
    let closed = [&pair[0], &pair[1], &joined].map(|m| ClosedSurface::new(m).expect("closed"));
    let [a, b, both] = [(0, &pair[0]), (1, &pair[1]), (2, &joined)]
        .map(|(k, m)| Body::new(&closed[k], m.positions()).expect("fits"));
    let (lo, hi) = joined.bounds();
    let bounds = impinge_volume::Bounds { lo, hi };
    let lattice = Lattice::around(&bounds, 2.7 / 256.0, &Limits::default()).expect("fits");
    let mut image = LayeredDepth::new(2.7 / 256.0).expect("valid").with_lattice(lattice);
    let mut out = Overlap::new();
    let triangles = joined.triangles().len();
    group.bench_function(BenchmarkId::new("two_bodies", triangles), |bench| {
        bench.iter(|| image.evaluate(a, b, None, &mut out).expect("valid"));
    });
    let mut places = image.clone().by_place(true);
    group.bench_function(BenchmarkId::new("two_bodies_by_place", triangles), |bench| {
        bench.iter(|| places.evaluate(a, b, None, &mut out).expect("valid"));
    });
    group.bench_function(BenchmarkId::new("one_volume", triangles), |bench| {
        bench.iter(|| image.overlaps(&[both], true, None).expect("valid"));
    });
    group.bench_function(BenchmarkId::new("contacts", triangles), |bench| {
        bench.iter(|| image.own(both, None, &mut out).expect("valid"));
    });
    group.finish();
}

fn layers(c: &mut Criterion) {
    one_thread();
    let mut group = c.benchmark_group("volume_layers");
    group.measurement_time(Duration::from_secs(2)).sample_size(20);
    // 100 k triangles at 512² pixels.
    let m = torus(1.0, 0.35, 316, 158).expect("valid");
    let surface = ClosedSurface::new(&m).expect("closed");
    let body = Body::new(&surface, m.positions()).expect("fits");
    let (lo, hi) = m.bounds();
    let pixel = (hi.x - lo.x) / 512.0;
    let bounds = impinge_volume::Bounds { lo, hi };
    let lattice = Lattice::around(&bounds, pixel, &Limits::default()).expect("fits");
    let mut image = LayeredDepth::new(pixel).expect("valid");
    group.bench_function("torus_100k_512", |bench| {
        bench.iter(|| image.count_layers(&[body], &lattice, 2).expect("fits"));
    });
    group.finish();
}

fn friction(c: &mut Criterion) {
    one_thread();
    // A stack of 500 contacts of 4 cells each between 125 boxes.
    let bodies = 125usize;
    let mut rows = ContactRows::new();
    for level in 0..bodies {
        for corner in 0..4 {
            let (x, y) = (if corner & 1 == 0 { -0.5 } else { 0.5 }, if corner & 2 == 0 { -0.5 } else { 0.5 });
            for k in 0..3 {
                let mut entries = Vec::new();
                for (body, s, z) in [(Some(level), 1.0, -0.5), (level.checked_sub(1), -1.0, 0.5)] {
                    let Some(body) = body else { continue };
                    // Normal z, tangents x and y; the arm is (x, y, z).
                    let (linear, angular) = match k {
                        0 => (2, [y, -x, 0.0]),
                        1 => (0, [0.0, z, -y]),
                        _ => (1, [-z, 0.0, x]),
                    };
                    let at = 6 * body as u32;
                    entries.push((at + linear, s));
                    entries.extend((0..3).map(|a| (at + 3 + a, s * angular[a as usize])));
                }
                rows.push(entries);
            }
        }
    }
    let motion: Vec<f64> = (0..6 * bodies).map(|t| [0.02, 0.0, -0.1, 0.0, 0.0, 0.01][t % 6]).collect();
    let assemble = || {
        let cones = vec![Cone::Round { mu: 0.4 }; 4 * bodies];
        let unit =
            |x: &mut [f64]| x.chunks_exact_mut(6).for_each(|b| b[3..].iter_mut().for_each(|w| *w *= 6.0));
        ContactProblem::assemble(&rows, &motion, None, cones, unit).expect("valid")
    };
    let mut group = c.benchmark_group("volume_friction");
    group.measurement_time(Duration::from_secs(2)).sample_size(10);
    group.bench_function("assemble_500", |bench| bench.iter(assemble));
    let problem = assemble();
    let settings = Settings { tolerance: 1e-4, max_iterations: 2000 };
    for (name, method) in [
        ("gauss_seidel_500", gauss_seidel as fn(&ContactProblem, &mut [[f64; 3]], &Settings) -> _),
        ("accelerated_500", accelerated),
        ("interior_point_500", interior_point),
    ] {
        group.bench_function(name, |bench| {
            bench.iter(|| method(&problem, &mut vec![[0.0; 3]; 4 * bodies], &settings));
        });
    }
    group.finish();
}

criterion_group!(benches, pair, own, layers, friction);
criterion_main!(benches);
