//! Continuous penalty through the whole pipeline: rest depth, weight, momentum, tunnelling, same bits.

mod common;

use common::{G, collision, gravity, law, node};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule, Stiffness};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_world::{BodyDesc, Mass, Response, Simulation, Tracked};

fn friction() -> FrictionLaw {
    FrictionLaw { mu_s: 0.6, mu_k: 0.4, k_fp: 3e3, k_fd: 2.0, k_omega: 1e3, rule: SlipRule::ReturnMap }
}

#[test]
fn b2_a_particle_rests_at_the_depth_of_the_closed_form() {
    let (k, dt) = (1e4, 2e-3);
    let depth = G / k - 0.5 * G * dt * dt;
    let mut p = BodyDesc::particles("particle", vec![DVec3::new(0.0, 0.0, -depth)], 1.0);
    p.velocity = DVec3::zero();
    let mut sim = Simulation::builder(dt)
        .gravity(gravity())
        .law(law(k, Damping::None))
        .response(Response::cpf())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(p)
        .build()
        .unwrap();
    for _ in 0..500 {
        sim.step().unwrap();
        let (x, v) = node(&sim);
        assert!((x + depth).abs() < 1e-9 && v.abs() < 1e-9, "x {x} v {v}");
    }
    assert!((sim.contact_force(1).z - G).abs() < 1e-9);
}

#[test]
fn b22_a_settled_body_weighs_m_g_on_a_plane_and_on_a_mesh() {
    let bodies = [
        ("box", generators::cuboid(DVec3::new(0.2, 0.15, 0.1), [2, 2, 1]).unwrap()),
        ("tetrahedron", generators::tetrahedron(0.2).unwrap()),
    ];
    let floor = generators::cuboid(DVec3::new(2.0, 2.0, 0.2), [1, 1, 1]).unwrap();
    for (name, mesh) in bodies {
        for on_mesh in [false, true] {
            let lowest = mesh.bounds().0.z;
            let ground = if on_mesh {
                BodyDesc::fixed("floor", floor.clone(), Pose::from_position(DVec3::unit_z() * -0.1)).unwrap()
            } else {
                BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
            };
            let pose = Pose::from_position(DVec3::new(0.01, 0.02, 1e-4 - lowest));
            let mut sim = Simulation::builder(1e-3)
                .gravity(gravity())
                .law(law(5e3, Damping::KelvinVoigt(30.0)))
                .response(Response::cpf())
                .body(ground)
                .body(BodyDesc::rigid(name, &mesh, Mass::Total(2.0), pose).unwrap())
                .build()
                .unwrap();
            for _ in 0..3000 {
                sim.step().unwrap();
            }
            let (body, ground) = (sim.contact_force(1), sim.contact_force(0));
            assert!((body.z / (2.0 * G) - 1.0).abs() < 1e-3, "{name} on mesh {on_mesh}: {body:?}");
            assert!((body + ground).mag() < 1e-9 * G, "{name}: action and reaction");
        }
    }
}

#[test]
fn b55_linear_momentum_is_kept_and_the_angular_leak_is_the_one_predicted() {
    let with_friction = PairLaw {
        stiffness: Stiffness::PerContact(4e3),
        damping: Damping::HuntCrossley(0.2),
        friction: Some(friction()),
    };
    for law in [law(4e3, Damping::None), with_friction] {
        let mut sim = collision(Response::cpf(), law, 5e-4).build().unwrap();
        let (mut touching, mut tracked, mut leak) = (0, 0, 0.0f64);
        for _ in 0..800 {
            sim.step().unwrap();
            let ledger = sim.ledger();
            let m = ledger.momentum;
            touching += usize::from(!ledger.pairs.is_empty());
            assert!(m.linear_residual.mag() < 1e-12 * m.linear_scale);
            assert!((m.angular_residual - m.predicted_leak).mag() < 1e-12 * m.angular_scale);
            leak = leak.max(m.predicted_leak.mag() / m.angular_scale);
            tracked = tracked.max(sim.column::<Tracked>().len());
        }
        assert!(touching > 10 && tracked > 3, "{touching} steps in contact, {tracked} contacts tracked");
        assert!(leak > 1e-8, "the leak is there to be seen: {leak}");
        let apart = sim.pose(1).position - sim.pose(0).position;
        let parting = (sim.twist(1).velocity - sim.twist(0).velocity).dot(apart);
        assert!(parting > 0.0 && sim.ledger().pairs.is_empty(), "the bodies have parted");
        assert!(sim.column::<Tracked>().is_empty());
    }
}

#[test]
fn a_fast_ball_is_thrown_back_on_the_side_it_came_from() {
    let plate = generators::cuboid(DVec3::new(1.0, 1.0, 0.01), [2, 2, 1]).unwrap();
    let ball = generators::icosphere(0.02, 1).unwrap();
    // 6 mm in one step: past the middle of the plate, so the nearest way out is the wrong one.
    let pose = Pose::from_position(DVec3::new(0.03, 0.01, 0.005 + 0.02 + 1e-4));
    let mut body = BodyDesc::rigid("ball", &ball, Mass::Total(0.1), pose).unwrap();
    body.velocity = DVec3::new(0.3, 0.0, -3.0);
    let end = |response| {
        let mut sim = Simulation::builder(2e-3)
            .law(law(2e3, Damping::None))
            .response(response)
            .body(BodyDesc::fixed("plate", plate.clone(), Pose::identity()).unwrap())
            .body(body.clone())
            .build()
            .unwrap();
        for _ in 0..100 {
            sim.step().unwrap();
        }
        (sim.pose(1).position.z, sim.twist(1).velocity.z)
    };
    let (z, v) = end(Response::cpf());
    assert!(z > 0.025 && v > 0.0, "CPF: z {z} v {v}");
    let (z, _) = end(Response::penalty());
    assert!(z < -0.025, "the discrete force takes the nearest way out: z {z}");
}

fn pile() -> Simulation {
    let law = PairLaw {
        stiffness: Stiffness::PerContact(1e3),
        damping: Damping::KelvinVoigt(1.0),
        friction: Some(friction()),
    };
    let torus = generators::torus(0.1, 0.04, 16, 8).unwrap();
    let ball = generators::icosphere(0.08, 2).unwrap();
    let mut b = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law)
        .response(Response::cpf())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for i in 0..4 {
        let (mesh, turn) = if i % 2 == 0 { (&torus, 0.4) } else { (&ball, 1.1) };
        let rotation = rotor_from_rotation_vector(DVec3::new(turn, 0.3 * f64::from(i), 0.1));
        let pose = Pose::new(DVec3::new(0.02 * f64::from(i), 0.01, 0.16 + 0.17 * f64::from(i)), rotation);
        b = b.body(BodyDesc::rigid(&format!("body-{i}"), mesh, Mass::Density(500.0), pose).unwrap());
    }
    b.build().unwrap()
}

#[test]
fn any_number_of_threads_and_a_snapshot_give_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sim = pile();
            for _ in 0..300 {
                sim.step().unwrap();
            }
            let (middle, open) = (sim.snapshot(), sim.column::<Tracked>().len());
            for _ in 0..50 {
                sim.step().unwrap();
            }
            let end = sim.hash();
            sim.restore(&middle).unwrap();
            for _ in 0..50 {
                sim.step().unwrap();
            }
            assert_eq!(sim.hash(), end, "after going back");
            (end, open)
        })
    };
    let one = run(1);
    assert!(one.1 > 5, "{} contacts tracked", one.1);
    assert_eq!(run(2), one);
    assert_eq!(run(8), one);
}
