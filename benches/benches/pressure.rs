//! Pressure fields: the contact query and what is made of it, on two balls; one implicit step of a pile of ten.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use impinge_benches::one_thread;
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule, Stiffness};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_pressure::{
    BristleLaw, BristleState, Coherence, ContactSurface, Dissipation, Motion, Quadrature, Rule, Shape,
    TractionLaw, Workspace, bristle_slope, bristles, contact, contact_again, energy, fields, pair_stiffness,
    traction_slope, tractions,
};
use impinge_world::{BodyDesc, Mass, PressureSettings, Response, Simulation};
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
        let rough =
            BristleLaw { mu_s: 0.5, mu_k: 0.5, stiffness: 1e5, damping: 1e-2, dissipation, quadrature };
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

/// Ten balls of 128 tets in a pit, at rest.
fn pile() -> Simulation {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let law = PairLaw {
        stiffness: Stiffness::PerContact(1.0),
        damping: Damping::HuntCrossley(10.0),
        friction: Some(friction),
    };
    let settings = PressureSettings { energy: false, ..PressureSettings::default() };
    let mut builder = Simulation::builder(1e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(law)
        .response(Response::Pressure(settings))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for (i, n) in
        [DVec3::unit_x(), -DVec3::unit_x(), DVec3::unit_y(), -DVec3::unit_y()].into_iter().enumerate()
    {
        builder = builder.body(BodyDesc::plane(&format!("wall{i}"), n, -0.11));
    }
    let field = fields::sphere(0.05, 0.025, 1e6).expect("a ball");
    for i in 0..10u32 {
        let (level, side) = (f64::from(i / 2), f64::from(i % 2));
        let turn = rotor_from_rotation_vector(DVec3::new(0.3, 0.5, 0.1) * f64::from(i));
        let x = DVec3::new(
            0.108 * side - 0.05 + 0.01 * level,
            0.02 - 0.03 * side + 0.007 * level,
            0.06 + 0.105 * level,
        );
        let body = BodyDesc::compliant(&format!("ball{i}"), &field, Mass::Total(0.5), Pose::new(x, turn));
        builder = builder.body(body.expect("a ball"));
    }
    builder.build().expect("a world")
}

fn step(c: &mut Criterion) {
    one_thread();
    let mut sim = pile();
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
