//! Memory and time of the queries: `cargo run --release -p impinge-query --example query_timing`.

use impinge_geometry::{DVec3, TriMesh, torus};
use impinge_query::MeshIndex;
use std::hint::black_box;
use std::time::Instant;

/// Nanoseconds per point, best of some runs.
fn per_point<T>(points: &[DVec3], mut f: impl FnMut(DVec3) -> T) -> f64 {
    (0..15)
        .map(|_| {
            let t = Instant::now();
            for &p in points {
                black_box(f(black_box(p)));
            }
            t.elapsed().as_secs_f64() * 1e9 / points.len() as f64
        })
        .fold(f64::INFINITY, f64::min)
}

/// Points scattered around the surface at a distance of up to `reach` (m).
fn scatter(mesh: &TriMesh, n: usize, reach: f64) -> Vec<DVec3> {
    let mut seed = 1u64;
    let mut unit = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..n)
        .map(|_| {
            let t = (unit() * mesh.triangles().len() as f64) as usize;
            let [a, b, c] = mesh.corners(t);
            let (u, v) = (unit(), unit());
            let p = if u + v > 1.0 {
                a + (b - a) * (1.0 - u) + (c - a) * (1.0 - v)
            } else {
                a + (b - a) * u + (c - a) * v
            };
            p + (DVec3::new(unit(), unit(), unit()) * 2.0 - DVec3::one()) * reach
        })
        .collect()
}

fn main() {
    println!(
        "{:>10} {:>9} {:>9} | ns per query near the surface, then 0.5 m around it",
        "triangles", "build ms", "B/tri"
    );
    println!(
        "{:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} | {:>9} {:>9}",
        "", "", "", "nearest", "within", "inside", "penetr.", "ray", "nearest", "inside"
    );
    for (nu, nv) in [(40, 25), (126, 80), (400, 125), (1250, 400)] {
        let mesh = torus(1.0, 0.4, nu, nv).expect("a torus");
        let t = Instant::now();
        let index = MeshIndex::new(&mesh);
        let build = t.elapsed().as_secs_f64() * 1e3;
        let near = scatter(&mesh, 4000, 0.01);
        let far = scatter(&mesh, 2000, 0.5);
        println!(
            "{:>10} {build:>9.1} {:>9.0} {:>9.0} {:>9.0} {:>9.0} {:>9.0} {:>9.0} | {:>9.0} {:>9.0}",
            mesh.triangles().len(),
            index.memory_bytes() as f64 / mesh.triangles().len() as f64,
            per_point(&near, |p| index.nearest(p)),
            per_point(&near, |p| index.nearest_within(p, 0.001)),
            per_point(&near, |p| index.winding(p)),
            per_point(&near, |p| index.penetration(p)),
            per_point(&near, |p| index.ray(p, DVec3::new(0.3, -0.5, 0.8), 10.0)),
            per_point(&far, |p| index.nearest(p)),
            per_point(&far, |p| index.winding(p)),
        );
    }
}
