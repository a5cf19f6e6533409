//! Pressure fields: the contact query and what is made of it, on two balls; one implicit step of a pile of ten.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use impinge_benches::{one_thread, pressure_pile};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_pressure::{
    BristleLaw, BristleState, Coherence, ContactSurface, Dissipation, Motion, Quadrature, Rule, Shape,
    TractionLaw, Workspace, bristle_slope, bristles, contact, contact_again, energy, fields, pair_stiffness,
    traction_slope, tractions,
};
use std::time::{Duration, Instant};

/// A ball of 0.05 m; resolutions of 0.05, 0.025, 0.0125 and 0.00625 m make 32, 128, 512 and 2048 tets.
fn ball(resolution: f64) -> Shape {
    fields::sphere(0.05, resolution, 1e6).expect("a ball").into()
}

fn pair(c: &mut Criterion) {
    one_thread();
    let mut group = c.benchmark_group("pressure_pair");
    group.measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300)).sample_size(30);
    for resolution in [0.025, 0.0125, 0.00625] {
        let (a, b) = (ball(resolution), ball(resolution));
        let Shape::Compliant(body) = &a else { continue };
        let tets = body.mesh().tets().len();
        let here = Pose::identity();
        let turn = rotor_from_rotation_vector(DVec3::new(0.11, -0.07, 0.05));
        // The pose moves by a micrometre before every call, to and fro.
        let poses = [0.0, 1e-6].map(|d| Pose::new(DVec3::new(0.002 + d, 0.001, 0.085), turn));
        let (mut ws, mut s) = (Workspace::new(), ContactSurface::new());
        let mut i = 0;
        let mut next = || {
            i = 1 - i;
            poses[i]
        };
        group.bench_function(BenchmarkId::new("query", tets), |bench| {
            bench.iter(|| contact(&a, &next(), &b, &here, Rule::Paper, &mut ws, &mut s).expect("a pair"));
        });
        let mut kept = Coherence::new(1e-3);
        group.bench_function(BenchmarkId::new("query, coherent", tets), |bench| {
            bench.iter(|| {
                contact_again(&a, &next(), &b, &here, Rule::Paper, &mut kept, &mut ws, &mut s)
                    .expect("a pair");
            });
        });
        let motion =
            Motion { velocity: DVec3::new(0.1, 0.0, -0.1), spin: DVec3::unit_z(), ..Motion::default() };
        let (dissipation, quadrature) = (Dissipation::HuntCrossley(1.0), Quadrature::Two);
        let law = TractionLaw { dissipation, quadrature, ..TractionLaw::default() };
        let rough = BristleLaw {
            mu_s: 0.5,
            mu_k: 0.5,
            stiffness: 1e5,
            damping: 1e-2,
            dissipation,
            quadrature,
            plane: None,
        };
        let before = BristleState::default();
        group.bench_function(BenchmarkId::new("tractions", tets), |bench| {
            bench.iter(|| tractions(&s, &motion, &law, None));
        });
        group.bench_function(BenchmarkId::new("bristles", tets), |bench| {
            bench.iter(|| bristles(&s, &here, &motion, &rough, 1e-3, &before));
        });
        group.bench_function(BenchmarkId::new("stiffness", tets), |bench| {
            bench.iter(|| pair_stiffness(&s, poses[0].position, here.position));
        });
        group.bench_function(BenchmarkId::new("slopes", tets), |bench| {
            bench.iter(|| {
                let point = s.origin;
                let t = traction_slope(&s, &motion, &law, point);
                (t, bristle_slope(&s, &here, &motion, &rough, 1e-3, &before, point))
            });
        });
        group.bench_function(BenchmarkId::new("energy", tets), |bench| {
            bench.iter(|| energy(&a, &poses[0], &b, &here).expect("a pair"));
        });
    }
    group.finish();
}

fn step(c: &mut Criterion) {
    one_thread();
    let mut sim = pressure_pile();
    for _ in 0..1500 {
        sim.step().expect("the world runs");
    }
    let start = sim.snapshot();
    c.bench_function("pressure_step/pile of 10 balls", |b| {
        b.iter_custom(|steps| {
            let (mut spent, mut left) = (Duration::ZERO, steps);
            while left > 0 {
                let now = left.min(50);
                sim.restore(&start).expect("a snapshot of this world");
                let clock = Instant::now();
                for _ in 0..now {
                    sim.step().expect("the world runs");
                }
                spent += clock.elapsed();
                left -= now;
            }
            spent
        });
    });
}

criterion_group!(benches, pair, step);
criterion_main!(benches);
