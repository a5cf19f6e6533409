//! Which vertices are inside and how deep; the forces of what was found.

use criterion::{Criterion, Throughput};
use impinge_benches::{Touching, around, torus_10k};
use impinge_contact::{Anchors, ContactImpulses};
use impinge_geometry::{DVec3, Pose, Topology, closest_on_triangle, rotor_from_rotation_vector};
use impinge_penalty::{accumulate_mesh, detect_mesh, near_edges, near_surface};
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

    // By proximity: each point against the faces that a tree would list for it, and its two nearest edges.
    let topology = Topology::new(&mesh);
    let reach = 0.01;
    let local: Vec<DVec3> = points.iter().map(|&p| pose.point_to_body(p)).collect();
    let lists: Vec<Vec<u32>> = (local.iter())
        .map(|&p| {
            let corners = |t: &[u32; 3]| t.map(|v| mesh.positions()[v as usize]);
            let near =
                |t: &[u32; 3]| closest_on_triangle(p, corners(t)).distance_squared < 4.0 * reach * reach;
            (0..).zip(mesh.triangles()).filter(|(_, t)| near(t)).map(|(f, _)| f).collect()
        })
        .collect();
    let faces: usize = lists.iter().map(Vec::len).sum();
    let (mut scratch, mut near) = (Vec::new(), Vec::new());
    g.throughput(Throughput::Elements(faces as u64));
    g.bench_function("near_surface/1024 points", |b| {
        b.iter(|| {
            near.clear();
            for (&p, faces) in local.iter().zip(&lists) {
                let surface = (mesh.triangles(), &topology);
                near_surface(
                    p,
                    faces.iter().copied(),
                    surface,
                    mesh.positions(),
                    reach,
                    &mut scratch,
                    &mut near,
                );
            }
            near.len()
        });
    });
    let edges: Vec<[DVec3; 2]> =
        topology.edges().iter().take(1024).map(|e| e.map(|v| mesh.positions()[v as usize])).collect();
    let along: Vec<[DVec3; 2]> = local.windows(2).map(|w| [w[0], w[1]]).collect();
    g.throughput(Throughput::Elements(along.len() as u64));
    g.bench_function("near_edges/1023", |b| {
        b.iter(|| {
            edges
                .iter()
                .zip(&along)
                .filter(|(p, q)| near_edges(**p, **q, reach, DVec3::zero).is_some())
                .count()
        });
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
