//! Which vertices are inside and how deep; the forces of what was found.

use criterion::{Criterion, Throughput};
use impinge_benches::{Touching, around, torus_10k};
use impinge_contact::{Anchors, ContactImpulses};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_penalty::{accumulate_mesh, detect_mesh};
use impinge_query::MeshIndex;

/// The crate's kernels.
pub fn benches(c: &mut Criterion) {
    let mut g = c.benchmark_group("penalty");

    let mesh = torus_10k();
    let index = MeshIndex::new(&mesh);
    let pose = Pose::new(DVec3::new(0.3, -0.2, 0.1), rotor_from_rotation_vector(DVec3::new(0.4, 1.0, -0.2)));
    let points: Vec<DVec3> = around(&mesh, 1024, 0.01).iter().map(|&p| pose.point_to_world(p)).collect();
    let mut hits = vec![None; points.len()];
    g.throughput(Throughput::Elements(points.len() as u64));
    g.bench_function("detect_mesh/1024 points, 10k triangles", |b| {
        b.iter(|| detect_mesh(|i| points[i], &index, &pose, &mut hits));
    });

    let t = Touching::new(10_000);
    let (params, mut out, mut next) = (Touching::params(), ContactImpulses::default(), Anchors::default());
    g.throughput(Throughput::Elements(10_000));
    g.bench_function("accumulate_mesh/10k", |b| {
        b.iter(|| {
            out.clear();
            next.clear();
            accumulate_mesh(&params, &t.inputs(), t.contacts.view(), &mut out, &mut next);
            out.len()
        });
    });
    g.finish();
}
