//! Body pairs among moving boxes; vertices of a resting tree in a box and below a plane.

use criterion::{Criterion, Throughput};
use impinge_benches::{boxes, torus_100k};
use impinge_broadphase::{Aabb, BodyPairs, VertexTree};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use std::hint::black_box;

/// The crate's kernels.
pub fn benches(c: &mut Criterion) {
    let mut g = c.benchmark_group("broadphase");
    for n in [100usize, 1000] {
        // There and back again: the boxes move by as much as a body does in a step, and the tree is refitted.
        let frames = boxes(n, 0.01);
        let (mut pairs, mut out, mut step) = (BodyPairs::new(), Vec::new(), 0usize);
        g.throughput(Throughput::Elements(n as u64));
        g.bench_function(format!("body_pairs/{n}"), |b| {
            b.iter(|| {
                step += 1;
                pairs.find(&frames[step % 2], |_, _| true, &mut out).map(|()| out.len())
            });
        });
    }

    let mesh = torus_100k();
    let tree = VertexTree::new(mesh.positions());
    let turned =
        Pose::new(DVec3::new(0.3, -0.2, 0.1), rotor_from_rotation_vector(DVec3::new(0.4, 1.0, -0.2)));
    let mut out = Vec::new();
    // A box that holds no vertex, some and half of them.
    let centre = turned.point_to_world(DVec3::new(1.4, 0.0, 0.0));
    for (name, middle, half) in
        [("none", DVec3::broadcast(3.0), 0.2), ("some", centre, 0.1), ("half", centre, 1.2)]
    {
        let window = Aabb::new(middle - DVec3::broadcast(half), middle + DVec3::broadcast(half));
        g.throughput(Throughput::Elements(mesh.positions().len() as u64));
        g.bench_function(format!("candidates in a box/{name} of 50k"), |b| {
            b.iter(|| {
                tree.candidates(black_box(&turned), &window, &mut out);
                out.len()
            });
        });
    }
    // Standing on the plane with a thin slice below it.
    let upright = Pose::from_position(DVec3::unit_z() * 0.399);
    g.bench_function("below a plane/slice of 50k", |b| {
        b.iter(|| {
            tree.below_plane(black_box(&upright), DVec3::unit_z(), 0.0, &mut out);
            out.len()
        });
    });
    g.finish();
}
