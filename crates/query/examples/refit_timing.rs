//! A surface that deforms: a new index against an update of the old one, and what the update costs the queries.
//! `cargo run --release -p impinge-query --example refit_timing`.

use impinge_geometry::{DVec3, TriMesh, torus};
use impinge_query::MeshIndex;
use std::hint::black_box;
use std::time::Instant;

fn median(mut f: impl FnMut(), runs: usize) -> f64 {
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let t = Instant::now();
            f();
            t.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[runs / 2]
}

fn main() {
    println!("milliseconds, medians of 15; queries: ns per nearest point, 0.01 m from the surface");
    println!("triangles     build    update    ratio | looseness   updated     fresh");
    for (nu, nv) in [(126, 80), (400, 125), (1250, 400)] {
        let mesh = torus(1.0, 0.4, nu, nv).expect("a torus");
        // A ring that is folded over: neighbours stay neighbours, far parts meet.
        let bend = |p: DVec3| {
            let a = 1.5 * p.x;
            DVec3::new((1.0 + p.z) * libm::sin(a), p.y, (1.0 + p.z) * libm::cos(a))
        };
        let bent: TriMesh = mesh.mapped(bend).expect("finite");
        let mut index = MeshIndex::new(&mesh);
        let build = median(|| drop(black_box(MeshIndex::new(black_box(&bent)))), 15);
        let update = median(|| index.update(black_box(bent.positions())).expect("finite"), 15);
        let fresh = MeshIndex::new(&bent);
        let points: Vec<DVec3> =
            bent.positions().iter().step_by(7).map(|&p| p + DVec3::new(0.01, -0.004, 0.007)).collect();
        let ask = |index: &MeshIndex| {
            let all = || {
                for &p in &points {
                    black_box(index.nearest(p));
                }
            };
            median(all, 15) * 1e6 / points.len() as f64
        };
        let (updated, new) = (ask(&index), ask(&fresh));
        println!(
            "{:>9} {build:>9.2} {update:>9.2} {:>8.1} | {:>9.2} {updated:>9.0} {new:>9.0}",
            mesh.triangles().len(),
            build / update,
            index.looseness()
        );
    }
}
