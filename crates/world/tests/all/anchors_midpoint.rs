//! Springs to anchors under the midpoint rule keep energy at any stiffness; taken where the step begins they pumped it, whatever the step.

use crate::common::{G, gravity, law};
use impinge_contact::Damping;
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::{AnchorSpring, Scheme};
use impinge_world::{BodyDesc, Builder, Mass, Response, Simulation};

fn world(dt: f64) -> Builder {
    Simulation::builder(dt)
        .law(law(1e4, Damping::None))
        .scheme(Scheme::ImplicitMidpoint)
        .response(Response::cpf_implicit())
}

fn spring(body: u32, node: Option<u32>, arm: DVec3, to: DVec3, stiffness: f64) -> AnchorSpring {
    AnchorSpring { body, node, arm, to, stiffness, damping: 0.0, rest_length: 0.0 }
}

fn block(at: DVec3) -> BodyDesc {
    let mesh = generators::cuboid(DVec3::new(0.3, 0.2, 0.1), [1, 1, 1]).unwrap();
    let turn = rotor_from_rotation_vector(DVec3::new(0.3, -0.2, 0.5));
    BodyDesc::rigid("block", &mesh, Mass::Total(2.0), Pose::new(at, turn)).unwrap()
}

/// x(t) = A cos(ω' t) with tan(ω' Δt/2) = ω Δt/2, what the midpoint rule makes of a spring and a mass: at any Δt.
#[test]
fn a_mass_on_a_spring_swings_as_the_midpoint_rule_says() {
    for s in [1e-4, 0.25, 1.0, 30.0, 1e6] {
        let (dt, m, a) = (0.01, 1.5, 0.1);
        let k = s * m / (dt * dt);
        let particle = BodyDesc::particles("particle", vec![DVec3::unit_x() * a], m);
        let mut sim = world(dt)
            .body(particle)
            .anchor(spring(0, Some(0), DVec3::zero(), DVec3::zero(), k))
            .build()
            .unwrap();
        let phase = 2.0 * (0.5 * s.sqrt()).atan();
        for step in 1..=2000 {
            sim.step().unwrap();
            let x = sim.column::<impinge_world::NodeState>().x[0].x;
            let wanted = a * (phase * f64::from(step)).cos();
            assert!((x - wanted).abs() < 1e-8 * a, "s = {s}, step {step}: {x} for {wanted}");
            let energy = sim.energy().total();
            assert!(
                (energy / (0.5 * k * a * a) - 1.0).abs() < 1e-11 + 1e-15 * s,
                "s = {s}, step {step}: {energy} J"
            );
        }
    }
}

/// A block that hangs from its corner by a rod and is pulled by two springs at others turns and swings: energy is kept, with rest lengths, over thousands of steps.
#[test]
fn a_block_that_swings_and_turns_keeps_its_energy() {
    for (scale, dt) in [(1.0, 2e-3), (100.0, 2e-3)] {
        let mut sim = world(dt).gravity(gravity()).body(block(DVec3::new(0.1, 0.0, -0.4)));
        for (arm, to, k, rest) in [
            ([0.15, 0.1, 0.05], [0.0, 0.0, 0.0], 400.0, 0.35),
            ([-0.15, 0.1, -0.05], [0.5, 0.4, -0.5], 60.0, 0.2),
            ([0.15, -0.1, 0.05], [-0.5, 0.1, -0.3], 30.0, 0.0),
        ] {
            let s = spring(0, None, DVec3::from(arm), DVec3::from(to), k * scale);
            sim = sim.anchor(AnchorSpring { rest_length: rest, ..s });
        }
        let mut sim = sim.build().unwrap();
        let (before, mut least, mut most) = (sim.energy().total(), f64::INFINITY, f64::NEG_INFINITY);
        let mut turned = 0.0f64;
        for _ in 0..4000 {
            sim.step().unwrap();
            let energy = sim.energy();
            (least, most) = (least.min(energy.total()), most.max(energy.total()));
            turned = turned.max(energy.rotational);
            let m = sim.ledger().momentum;
            assert!((m.angular_residual - m.predicted_leak).mag() < 1e-9 * m.angular_scale.max(1.0));
        }
        let swing = 2.0 * G * 0.3 * scale;
        assert!(turned > 0.01 * swing, "it turns: {turned} J");
        assert!((most - before).max(before - least) < 1e-9 * swing, "from {before} to {least} and {most} J");
    }
}

/// The books have the mean of the velocities at both ends, of a point that turns: to second order what is lost.
#[test]
fn dampers_take_what_the_books_say() {
    let (dt, k) = (2e-3, 500.0);
    let damped =
        AnchorSpring { damping: 3.0, ..spring(0, None, DVec3::new(0.15, 0.1, 0.05), DVec3::zero(), k) };
    for rest_length in [0.0, 0.3] {
        let mut sim = world(dt)
            .gravity(gravity())
            .body(block(DVec3::new(0.1, 0.2, -0.4)))
            .anchor(AnchorSpring { rest_length, ..damped })
            .build()
            .unwrap();
        let mut energy = sim.energy().total();
        let (mut lost, mut booked) = (0.0, 0.0);
        for _ in 0..1500 {
            sim.step().unwrap();
            let (now, taken) = (sim.energy().total(), sim.ledger().energy.work_anchor_damping);
            assert!(taken <= 1e-15 && now <= energy + 1e-12, "{energy} J to {now}, {taken} J taken");
            lost += energy - now;
            booked -= taken;
            energy = now;
        }
        assert!(lost > 1.0 && (booked / lost - 1.0).abs() < 4e-3, "{lost} J, the books say {booked}");
    }
}

/// The case: a box on a spring far above the floor ran away after two seconds.
#[test]
fn a_box_on_a_spring_bounces_on_a_floor_for_long() {
    let mesh = generators::cuboid(DVec3::broadcast(0.2), [1, 1, 1]).unwrap();
    let body =
        BodyDesc::rigid("box", &mesh, Mass::Total(1.0), Pose::from_position(DVec3::unit_z() * 0.5)).unwrap();
    let mut sim = world(5e-3)
        .gravity(gravity())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(body)
        .anchor(spring(1, None, DVec3::new(0.02, 0.01, 0.1), DVec3::unit_z() * 0.6, 30.0))
        .build()
        .unwrap();
    let before = sim.energy().total();
    for _ in 0..4000 {
        sim.step().unwrap();
        let (now, handed) = (sim.energy().total(), sim.ledger().energy.handed);
        assert!(now - before < 0.05 * 5.0 && handed.abs() < 1.0, "{before} J to {now}");
    }
}

/// Stiff springs with a rest length, on which a body swings freely across them, are found to the end.
#[test]
fn a_block_on_a_stiff_rod_keeps_its_energy() {
    for (k, dt) in [(1e5, 1e-2), (1e6, 1e-2), (1e6, 2e-3), (1e7, 1e-3)] {
        let rod = spring(0, None, DVec3::new(0.15, 0.1, 0.05), DVec3::unit_z(), k);
        let mesh = generators::cuboid(DVec3::new(0.3, 0.2, 0.1), [1, 1, 1]).unwrap();
        let pose = Pose::from_position(DVec3::new(0.6, -0.1, -0.05));
        let length = (pose.point_to_world(rod.arm) - rod.to).mag();
        let mut sim = world(dt)
            .gravity(gravity())
            .body(BodyDesc::rigid("block", &mesh, Mass::Total(1.0), pose).unwrap())
            .anchor(AnchorSpring { rest_length: length, ..rod })
            .build()
            .unwrap();
        let before = sim.energy().total();
        for step in 0..1000 {
            sim.step().unwrap();
            let gained = (sim.energy().total() - before).abs();
            assert!(gained < 1e-7, "{k} N/m, {dt} s, step {step}: {gained} J");
        }
    }
}
