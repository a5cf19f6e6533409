//! Feature trees of a wavy sheet at 10 k, 100 k and 1 M triangles, one thread:
//! `cargo bench -p impinge-benches --bench broadphase`.
//!
//! Build, update with refit, triangle pairs, vertex–face and edge–edge lists (static and swept), and two sheets
//! under a relative pose. Prints the bytes per triangle of tree and workspace, and how much each list holds.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use impinge_broadphase::{CandidateWorkspace, CrossCandidates, FeatureTree, SelfCandidates};
use impinge_geometry::{DVec3, Pose, Topology, TriMesh, rotor_from_rotation_vector};
use std::time::Duration;

/// Vertices one apart in the plane, waves of height 3 and length 40.
fn wave(n: usize, phase: f64) -> Vec<DVec3> {
    let height = |i: usize, j: usize| 3.0 * ((i as f64 * 0.16 + phase).sin() + (j as f64 * 0.15).cos());
    (0..n * n).map(|k| DVec3::new((k % n) as f64, (k / n) as f64, height(k % n, k / n))).collect()
}

fn triangles(n: usize) -> Vec<[u32; 3]> {
    let quad = |k: usize| {
        let a = (k / (n - 1) * n + k % (n - 1)) as u32;
        let n = n as u32;
        [[a, a + 1, a + n], [a + 1, a + n + 1, a + n]]
    };
    (0..(n - 1) * (n - 1)).flat_map(quad).collect()
}

fn sheets(c: &mut Criterion) {
    let mut group = c.benchmark_group("broadphase");
    // Short: three passes of all benches shall stay a matter of minutes.
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1200));
    for n in [71usize, 225, 708] {
        let faces = triangles(n);
        let (x0, x1) = (wave(n, 0.0), wave(n, 0.1));
        let topology = Topology::new(&TriMesh::new(x0.clone(), faces.clone()).expect("a sheet"));
        let m = faces.len();
        group.throughput(Throughput::Elements(m as u64));

        group.bench_function(BenchmarkId::new("build", m), |b| {
            b.iter(|| FeatureTree::new(&faces, &topology, &x0).expect("a sheet"));
        });

        let mut tree = FeatureTree::new(&faces, &topology, &x0).expect("a sheet");
        let mut k = 0;
        group.bench_function(BenchmarkId::new("update and refit", m), |b| {
            b.iter(|| {
                k += 1;
                let x = if k % 2 == 0 { &x0 } else { &x1 };
                tree.update(x, x, 0.0).expect("finite")
            });
        });

        let mut workspace = CandidateWorkspace::new();
        tree.update(&x0, &x0, 0.0).expect("finite");
        let mut pairs = Vec::new();
        group.bench_function(BenchmarkId::new("triangle pairs", m), |b| {
            b.iter(|| tree.self_triangle_pairs(&mut workspace, &mut pairs));
        });
        group.bench_function(BenchmarkId::new("triangle pairs, unsorted", m), |b| {
            b.iter(|| tree.self_triangle_pairs_unsorted(&mut workspace, &mut pairs));
        });
        tree.self_triangle_pairs(&mut workspace, &mut pairs);
        let mut own = SelfCandidates::default();
        group.bench_function(BenchmarkId::new("candidates, at rest", m), |b| {
            b.iter(|| tree.self_candidates(&mut workspace, &mut own));
        });
        let at_rest = own.vertex_face.len() + own.edge_edge.len();
        tree.update(&x0, &x1, 0.0).expect("finite");
        group.bench_function(BenchmarkId::new("candidates, swept", m), |b| {
            b.iter(|| tree.self_candidates(&mut workspace, &mut own));
        });

        // The sheet against itself turned about its middle: it cuts along many lines.
        let rest = FeatureTree::new(&faces, &topology, &x0).expect("a sheet");
        let middle = rest.bounds().centre();
        let turn = rotor_from_rotation_vector(DVec3::new(0.3, 0.0, 1.0));
        let pose = Pose::new(middle - turn * middle, turn);
        let mut cross = CrossCandidates::default();
        group.bench_function(BenchmarkId::new("candidates under a pose", m), |b| {
            b.iter(|| {
                rest.candidates_under(&rest, &pose, &mut workspace, &mut cross).expect("a finite pose")
            });
        });
        println!(
            "{m} triangles: tree {:.0} and workspace {:.0} bytes per triangle; {} triangle pairs, {at_rest} candidates \
             at rest, {} swept, {} under a pose",
            tree.memory_bytes() as f64 / m as f64,
            workspace.memory_bytes() as f64 / m as f64,
            pairs.len(),
            own.vertex_face.len() + own.edge_edge.len(),
            cross.vertex_face.len() + cross.face_vertex.len() + cross.edge_edge.len()
        );
    }
    group.finish();
}

criterion_group!(benches, sheets);
criterion_main!(benches);
