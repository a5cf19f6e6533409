//! A wavy sheet that moves: memory and time of its feature tree at several sizes,
//! `cargo run --release -p impinge-broadphase --example sheet`.

use impinge_broadphase::{CandidateWorkspace, FeatureTree, SelfCandidates};
use impinge_geometry::{DVec3, Topology, TriMesh};
use std::time::Instant;

/// Median of `n` runs, in ms.
fn median(n: usize, mut f: impl FnMut()) -> f64 {
    let mut t: Vec<f64> = (0..n)
        .map(|_| {
            let t = Instant::now();
            f();
            t.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    t.sort_by(f64::total_cmp);
    t[n / 2]
}

/// Vertices one apart in the plane, waves of height 3 and length 40.
fn wave(n: usize, phase: f64) -> Vec<DVec3> {
    let height = |i: usize, j: usize| 3.0 * ((i as f64 * 0.16 + phase).sin() + (j as f64 * 0.15).cos());
    (0..n * n).map(|k| DVec3::new((k % n) as f64, (k / n) as f64, height(k % n, k / n))).collect()
}

fn main() {
    println!(
        "{:>10} {:>10} {:>8} {:>10} {:>12} {:>10} {:>10} {:>10} {:>10} {:>12} {:>10}",
        "triangles",
        "bytes/tri",
        "build",
        "update",
        "tri pairs",
        "ms",
        "unsorted",
        "ms",
        "candidates",
        "ms",
        "scratch/tri"
    );
    for n in [71usize, 225, 708] {
        let (x0, x1) = (wave(n, 0.0), wave(n, 0.1));
        let quad = |k: usize| {
            let a = (k / (n - 1) * n + k % (n - 1)) as u32;
            let n = n as u32;
            [[a, a + 1, a + n], [a + 1, a + n + 1, a + n]]
        };
        let triangles: Vec<[u32; 3]> = (0..(n - 1) * (n - 1)).flat_map(quad).collect();
        let mesh = TriMesh::new(x0.clone(), triangles.clone()).expect("a sheet");
        let topology = Topology::new(&mesh);
        let mut tree = FeatureTree::new(&triangles, &topology, &x0).expect("a sheet");
        let build = median(3, || tree = FeatureTree::new(&triangles, &topology, &x0).expect("a sheet"));
        let mut k = 0;
        let update = median(41, || {
            k += 1;
            let x = if k % 2 == 0 { &x0 } else { &x1 };
            tree.update(x, x, 0.0).expect("finite");
        });
        let (mut workspace, mut pairs) = (CandidateWorkspace::new(), Vec::new());
        let t_pairs = median(21, || tree.self_triangle_pairs(&mut workspace, &mut pairs));
        let mut quick = Vec::new();
        let t_quick = median(21, || tree.self_triangle_pairs_unsorted(&mut workspace, &mut quick));
        tree.update(&x0, &x1, 0.0).expect("finite");
        let mut out = SelfCandidates::default();
        let t_lists = median(21, || tree.self_candidates(&mut workspace, &mut out));
        println!(
            "{:>10} {:>10.0} {build:>8.2} {update:>10.2} {:>12} {t_pairs:>10.2} {:>10} {t_quick:>10.2} {:>10} {t_lists:>12.2} {:>10.0}",
            triangles.len(),
            tree.memory_bytes() as f64 / triangles.len() as f64,
            pairs.len(),
            quick.len(),
            out.vertex_face.len() + out.edge_edge.len(),
            workspace.memory_bytes() as f64 / triangles.len() as f64,
        );
    }
}
