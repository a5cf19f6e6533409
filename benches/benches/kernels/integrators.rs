//! Free rotation, predict and advance of a thousand bodies.

use criterion::{Criterion, Throughput};
use impinge_benches::Numbers;
use impinge_contact::{
    Advanced, Attachment, BodyDof, BodyDofs, BodyKind, External, Loads, Mobility, NodeDofs, Prediction,
    SurfaceMap, Wrench,
};
use impinge_geometry::{DMat3, DVec3, Pose};
use impinge_integrators::{ExternalForces, Scheme, advance, free_rotation, predict};
use std::hint::black_box;

const BODIES: usize = 1000;
const DT: f64 = 1e-3;

fn diagonal(d: DVec3) -> DMat3 {
    DMat3::new(DVec3::unit_x() * d.x, DVec3::unit_y() * d.y, DVec3::unit_z() * d.z)
}

/// Bodies of three different moments that tumble at about 10 rad/s.
fn tumbling() -> BodyDofs {
    let mut numbers = Numbers::new(6);
    let moments = DVec3::new(0.010, 0.016, 0.022);
    let mut bodies = BodyDofs::default();
    for _ in 0..BODIES {
        let pose = Pose::new(numbers.vector() * 10.0, numbers.rotor());
        let angular_velocity = numbers.vector() * 10.0;
        let r = pose.matrix();
        let angular_momentum = r * (diagonal(moments) * (r.transposed() * angular_velocity));
        bodies.push(BodyDof {
            kind: BodyKind::Rigid,
            pose,
            velocity: numbers.vector(),
            angular_velocity,
            angular_momentum,
            mass: 1.0,
            inertia: diagonal(moments),
            mobility: Mobility::new(diagonal(moments)).unwrap_or_default(),
        });
    }
    bodies
}

/// The crate's kernels.
pub fn benches(c: &mut Criterion) {
    let mut g = c.benchmark_group("integrators");
    g.throughput(Throughput::Elements(BODIES as u64));
    let (bodies, nodes) = (tumbling(), NodeDofs::default());

    g.bench_function("free_rotation/1000", |b| {
        b.iter(|| {
            for i in 0..BODIES {
                let (r, l) = (bodies.pose[i].rotation, bodies.angular_momentum[i]);
                black_box(free_rotation(r, l, bodies.mobility[i].inverse_inertia(), DT));
            }
        });
    });

    let forces = ExternalForces { gravity: DVec3::new(0.0, 0.0, -9.81), ..ExternalForces::default() };
    let (mut prediction, mut external) = (Prediction::default(), External::default());
    g.bench_function("predict/1000", |b| {
        b.iter(|| {
            let still = |i: usize| bodies.pose[i];
            let (bodies, nodes) = (bodies.view(), nodes.view());
            predict(
                Scheme::SymplecticEuler,
                DT,
                bodies,
                nodes,
                &forces,
                still,
                &mut prediction,
                &mut external,
            );
        });
    });

    // Every body was hit, so that none gets away with its predicted pose.
    let mut map = SurfaceMap::default();
    (0..BODIES).for_each(|_| map.push_body(Attachment::Rigid, &[]));
    let mut loads = Loads::default();
    loads.shape(0, BODIES);
    let hit = Wrench { impulse: DVec3::new(0.0, 0.0, 0.01), moment: DVec3::new(1e-4, 0.0, 0.0) };
    (0..BODIES).for_each(|i| loads.add_wrench(i, hit));
    let mut advanced = Advanced::default();
    g.bench_function("advance/1000", |b| {
        b.iter(|| {
            let (bodies, nodes) = (bodies.view(), nodes.view());
            let scheme = Scheme::SymplecticEuler;
            advance(scheme, DT, &map, bodies, nodes, &prediction, &loads, &mut advanced);
        });
    });
    g.finish();
}
