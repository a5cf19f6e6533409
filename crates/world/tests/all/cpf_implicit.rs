//! Implicit continuous penalty: energy whatever the stiffness, momenta, rest, friction, deformables.

use crate::common::{G, collision, gravity, law, node};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule, Stiffness, Surface, SurfaceMap};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::{Driver, Scheme};
use impinge_world::adapters::NewtonReport;
use impinge_world::{BodyDesc, BuildError, CpfImplicit, Deformable, Mass, Motion, Response, Simulation};

/// B56: 1 kg from 0.1 m, k Δt²/m from 0.04 to 10⁶, 20,000 steps.
#[test]
fn b56_a_bouncing_particle_keeps_its_energy_at_any_stiffness() {
    for (k, dt) in [(1e4, 2e-3), (1e6, 2e-3), (1e8, 1e-2), (1e10, 1e-2)] {
        let mut sim = Simulation::builder(dt)
            .gravity(gravity())
            .law(law(k, Damping::None))
            .scheme(Scheme::ImplicitMidpoint)
            .response(Response::cpf_implicit())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(BodyDesc::particles("particle", vec![DVec3::new(0.0, 0.0, 0.1)], 1.0))
            .build()
            .unwrap();
        let (mut worst, start) = (0.0f64, sim.energy().total());
        let mut bounces = 0;
        for _ in 0..20_000 {
            let before = node(&sim).1;
            sim.step().unwrap();
            worst = worst.max((sim.ledger().energy.total() / start - 1.0).abs());
            bounces += u32::from(before < 0.0 && node(&sim).1 > 0.0);
        }
        println!("k {k:e} dt {dt}: energy within {worst:.1e}, {bounces} bounces");
        assert!(worst <= 1e-8, "k {k:e}: {worst:e}");
        assert!(bounces > 50, "{bounces}");
    }
}

/// B55: two boxes that spin into each other, stiffer than an explicit step allows: both momenta and the energy.
#[test]
fn b55_two_free_bodies_keep_both_momenta_and_energy() {
    for k in [4e3, 4e6] {
        let mut sim = collision(Response::cpf_implicit(), law(k, Damping::None), 2e-3)
            .scheme(Scheme::ImplicitMidpoint)
            .build()
            .unwrap();
        let start = sim.energy().total();
        let (mut linear, mut angular, mut energy, mut touched) = (0.0f64, 0.0f64, 0.0f64, 0);
        let mut handed = 0.0f64;
        for _ in 0..400 {
            sim.step().unwrap();
            let l = sim.ledger();
            touched += u32::from(!l.pairs.is_empty());
            linear = linear.max(l.momentum.linear_residual.mag() / l.momentum.linear_scale);
            angular = angular.max(l.momentum.angular_residual.mag() / l.momentum.angular_scale);
            handed += l.energy.handed;
            energy = energy.max(((l.energy.total() - handed) / start - 1.0).abs());
        }
        println!(
            "k {k:e}: handed {handed:.1e} J of {start:.1e}, linear {linear:.1e} angular {angular:.1e} energy {energy:.1e} in {touched} steps of contact"
        );
        assert!(touched >= if k < 1e5 { 10 } else { 1 });
        assert!(linear <= 1e-12 && angular <= 1e-10, "{linear:e} {angular:e}");
        // What changes when a contact slides on to the next triangle is booked, and nothing else is lost.
        assert!(energy <= 1e-10 && handed.abs() <= 1e-4 * start, "{energy:e} {handed:e}");
    }
}

/// A tilted box tumbles on a plane: kinetic energy changes by the works, total energy stays, at k Δt²/m far above the explicit limit, and
/// where contacts are so stiff that some steps are found only by way of weaker ones; also far off along the plane.
#[test]
fn a_tumbling_box_keeps_its_energy() {
    let mesh = generators::cuboid(DVec3::new(0.2, 0.15, 0.1), [1, 1, 1]).unwrap();
    for (k, dt, off) in [(1e4, 2e-3, 0.0), (1e7, 2e-3, 0.0), (2.5e9, 5e-3, 0.0), (2.5e9, 5e-3, 128.0)] {
        let pose = Pose {
            position: DVec3::new(off, 0.0, 0.4),
            rotation: rotor_from_rotation_vector(DVec3::new(0.4, 0.3, -0.2)),
        };
        let mut body = BodyDesc::rigid("box", &mesh, Mass::Total(1.0), pose).unwrap();
        body.angular_velocity = DVec3::new(1.0, -2.0, 0.5);
        let mut sim = Simulation::builder(dt)
            .gravity(gravity())
            .law(law(k, Damping::None))
            .scheme(Scheme::ImplicitMidpoint)
            .response(Response::cpf_implicit())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(body)
            .build()
            .unwrap();
        let start = sim.energy().total();
        let (mut worst, mut books) = (0.0f64, 0.0f64);
        let mut weakened = 0;
        for _ in 0..5000 {
            let before = sim.energy();
            sim.step().unwrap();
            weakened += u32::from(sim.column::<NewtonReport>().weakened);
            let l = sim.ledger();
            worst = worst.max((l.energy.total() / start - 1.0).abs());
            // Kinetic energy grows by the works of contact and weight.
            let fallen = before.gravity - l.energy.gravity;
            let grown = l.energy.kinetic() - before.kinetic();
            books = books.max((grown - fallen - l.energy.work_normal - l.energy.work_friction).abs());
        }
        println!(
            "k {k:e} dt {dt}, {off} m off: energy within {worst:.1e}, books within {books:.1e} J, {weakened} steps by weaker contacts"
        );
        assert!(k < 1e9 || weakened > 0, "{k:e}: no step needed it");
        assert!(worst <= 1e-8 && books <= 1e-9 * start, "{worst:e} {books:e}");
    }
}

/// A body at rest weighs m g, at the depth mg/k of the potential.
#[test]
fn b22_a_settled_box_weighs_m_g() {
    let mesh = generators::cuboid(DVec3::new(0.2, 0.15, 0.1), [2, 2, 1]).unwrap();
    let floor = generators::cuboid(DVec3::new(2.0, 2.0, 0.2), [1, 1, 1]).unwrap();
    for on_mesh in [false, true] {
        let ground = if on_mesh {
            BodyDesc::fixed("floor", floor.clone(), Pose::from_position(DVec3::unit_z() * -0.1)).unwrap()
        } else {
            BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
        };
        let pose = Pose::from_position(DVec3::new(0.01, 0.02, 0.051));
        let mut sim = Simulation::builder(5e-3)
            .gravity(gravity())
            .law(law(1e6, Damping::KelvinVoigt(3e2)))
            .scheme(Scheme::ImplicitMidpoint)
            .response(Response::cpf_implicit())
            .body(ground)
            .body(BodyDesc::rigid("box", &mesh, Mass::Total(2.0), pose).unwrap())
            .build()
            .unwrap();
        for _ in 0..600 {
            sim.step().unwrap();
        }
        let force = sim.contact_force(1);
        println!("on mesh {on_mesh}: force {force:?}, velocity {:?}", sim.twist(1).velocity);
        assert!((force.z / (2.0 * G) - 1.0).abs() < 1e-6, "{force:?}");
        if !on_mesh {
            // Nine corners of 1 MN/m carry it at the depth of the potential.
            let depth = 0.05 - sim.position(1).z;
            assert!((depth - 2.0 * G / 9e6).abs() < 1e-10, "{depth:e}");
        }
    }
}

#[test]
fn another_integrator_is_refused_with_the_fix() {
    let build = |scheme| {
        Simulation::builder(1e-3)
            .law(law(1e4, Damping::None))
            .scheme(scheme)
            .response(Response::cpf_implicit())
            .body(BodyDesc::particles("particle", vec![DVec3::zero()], 1.0))
            .build()
    };
    assert!(build(Scheme::ImplicitMidpoint).is_ok());
    let Err(BuildError::BadSetting(message)) = build(Scheme::SymplecticEuler) else { panic!("accepted") };
    assert!(message.contains("implicit-midpoint") && message.contains("symplectic-euler"), "{message}");
}

fn friction(mu: f64, k_fp: f64, k_fd: f64) -> PairLaw {
    let f = FrictionLaw { mu_s: mu, mu_k: mu, k_fp, k_fd, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw { damping: Damping::KelvinVoigt(3e3), friction: Some(f), ..PairLaw::elastic(1e7) }
}

/// B24 and B26 at a stiffness 600 times what an explicit step of this length takes: no creep inside the cone, and the closed form outside.
#[test]
fn b24_b26_a_block_on_an_incline_sticks_or_slides_as_coulomb_says() {
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let angle = 0.5f64.atan();
    let g = DVec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81;
    let block = |mu: f64, dt: f64| {
        let pose = Pose::from_position(DVec3::unit_z() * (0.05 - 2e-7));
        Simulation::builder(dt)
            .gravity(g)
            .law(friction(mu, 1e7, 1e4))
            .scheme(Scheme::ImplicitMidpoint)
            .response(Response::cpf_implicit())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(BodyDesc::rigid("block", &mesh, Mass::Total(1.0), pose).unwrap())
            .build()
            .unwrap()
    };
    let mut sim = block(0.6, 5e-3);
    for _ in 0..300 {
        sim.step().unwrap();
    }
    let from = sim.position(1);
    for _ in 0..200 {
        sim.step().unwrap();
    }
    let creep = (sim.position(1) - from).mag();
    println!("creep {creep:.1e} m in 1 s, speed {:.1e}", sim.twist(1).velocity.mag());
    assert!(creep <= 1e-9, "{creep:e}");
    let mut sim = block(0.4, 5e-3);
    for _ in 0..400 {
        sim.step().unwrap();
    }
    let want = 0.5 * 9.81 * (angle.sin() - 0.4 * angle.cos()) * 4.0;
    let slid = sim.position(1).x;
    let report = *sim.column::<NewtonReport>();
    println!("slid {slid:.6} m, closed form {want:.6}, {report:?}");
    assert!(report.iterations > 0 && report.residual <= 1e-9);
    assert!((slid / want - 1.0).abs() < 1e-5, "{slid} {want}");
}

/// A soft block falls on a stiff floor: momentum exact; contact keeps energy, the midpoint rule that of the block to second order.
#[test]
fn a_soft_block_bounces_on_a_stiff_floor() {
    let mesh = generators::tet_box(DVec3::broadcast(0.2), [2, 2, 2]).unwrap();
    let rubber = Material::new(1e5, 0.3, 1000.0);
    let pose = Pose {
        position: DVec3::new(0.0, 0.0, 0.25),
        rotation: rotor_from_rotation_vector(DVec3::new(0.2, 0.1, 0.0)),
    };
    let deformable = Deformable::solid("soft", &mesh, Model::StableNeoHookean, &rubber).unwrap();
    let soft = BodyDesc::deformable("soft", deformable, pose);
    let mut sim = Simulation::builder(2e-3)
        .gravity(gravity())
        .law(law(1e6, Damping::None))
        .scheme(Scheme::ImplicitMidpoint)
        .response(Response::cpf_implicit())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(soft)
        .build()
        .unwrap();
    let start = sim.energy().total();
    let (mut worst, mut linear, mut touched) = (0.0f64, 0.0f64, 0);
    for _ in 0..300 {
        sim.step().unwrap();
        let l = sim.ledger();
        worst = worst.max((l.energy.total() / start - 1.0).abs());
        linear = linear.max(l.momentum.linear_residual.mag() / l.momentum.linear_scale);
        touched += usize::from(!l.pairs.is_empty());
    }
    println!("energy within {worst:.1e}, linear momentum {linear:.1e}, {touched} steps of contact");
    assert!(touched > 3 && worst < 1e-3 && linear < 1e-12, "{worst:e} {linear:e}");
}

fn pile() -> Simulation {
    let mesh = generators::cuboid(DVec3::new(0.2, 0.15, 0.1), [2, 2, 1]).unwrap();
    let ball = generators::icosphere(0.08, 1).unwrap();
    let turned = |z: f64, w: DVec3| Pose {
        position: DVec3::new(0.01 * z, 0.02 * z, z),
        rotation: rotor_from_rotation_vector(w),
    };
    let mut builder = Simulation::builder(4e-3)
        .gravity(gravity())
        .law(friction(0.5, 1e6, 1e3))
        .scheme(Scheme::ImplicitMidpoint)
        .response(Response::cpf_implicit())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for (i, z) in [0.06, 0.2, 0.35].into_iter().enumerate() {
        let name = format!("body-{i}");
        let (m, w) = (if i == 2 { &ball } else { &mesh }, DVec3::new(0.1 * z, 0.05, 0.3 * z));
        builder = builder.body(BodyDesc::rigid(&name, m, Mass::Total(0.5), turned(z, w)).unwrap());
    }
    builder.build().unwrap()
}

/// A run that goes on from a snapshot in a fresh world has the same bits, and so has one on one thread.
#[test]
fn a_restored_run_goes_on_with_the_same_bits() {
    let mut sim = pile();
    for _ in 0..60 {
        sim.step().unwrap();
    }
    let snapshot = sim.snapshot();
    let mut fresh = pile();
    fresh.restore(&snapshot).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for i in 0..60 {
        sim.step().unwrap();
        pool.install(|| fresh.step()).unwrap();
        assert_eq!(sim.hash(), fresh.hash(), "step {i}");
    }
    assert!(sim.ledger().pairs.len() >= 2);
}

/// The path average keeps the energy as well, and the angular momentum it leaks is what the books say.
#[test]
fn b56_path_averaging_leaks_angular_momentum_by_its_formula() {
    let gradient = impinge_cpf::conserving::Scheme::PathAverage;
    let response = Response::from(CpfImplicit { gradient, ..CpfImplicit::default() });
    let mut sim =
        collision(response, law(4e3, Damping::None), 2e-3).scheme(Scheme::ImplicitMidpoint).build().unwrap();
    let start = sim.energy().total();
    let (mut off, mut leak, mut energy, mut handed) = (0.0f64, 0.0f64, 0.0f64, 0.0);
    for _ in 0..200 {
        sim.step().unwrap();
        let l = sim.ledger();
        let m = &l.momentum;
        off = off.max((m.angular_residual - m.predicted_leak).mag() / m.angular_scale);
        leak = leak.max(m.predicted_leak.mag() / m.angular_scale);
        handed += l.energy.handed;
        energy = energy.max(((l.energy.total() - handed) / start - 1.0).abs());
    }
    println!("leak {leak:.1e}, off its formula by {off:.1e}, energy {energy:.1e}");
    assert!(off <= 1e-13 && leak > 1e-9 && energy <= 1e-10, "{off:e} {leak:e} {energy:e}");
}

/// Friction between two meshes acts in the middle between the points, which makes couples: what the solver looked at is where the step ends,
/// and the books close. The floor is driven: what it puts in is booked.
#[test]
fn the_step_ends_where_it_was_solved_for_and_a_driven_floor_s_work_is_booked() {
    let mesh = generators::cuboid(DVec3::new(0.2, 0.15, 0.1), [1, 1, 1]).unwrap();
    let floor = generators::cuboid(DVec3::new(2.0, 2.0, 0.2), [1, 1, 1]).unwrap();
    let turn =
        |w: DVec3| Pose { rotation: rotor_from_rotation_vector(w), ..Pose::from_position(DVec3::zero()) };
    let mut ground = BodyDesc::fixed("floor", floor, Pose::identity()).unwrap();
    let (by, spin) = (DVec3::new(0.3, 0.0, 0.1), DVec3::new(0.02, 0.05, 0.4));
    ground.motion = Motion::Kinematic(Driver::constant(ground.pose, by, spin));
    let pose = Pose { position: DVec3::new(0.05, 0.02, 0.1501), ..turn(DVec3::new(0.01, 0.02, 0.3)) };
    let mut body = BodyDesc::rigid("box", &mesh, Mass::Total(1.0), pose).unwrap();
    body.velocity = DVec3::new(-0.5, 0.2, -0.2);
    let mut sim = Simulation::builder(2e-3)
        .gravity(gravity())
        .law(PairLaw {
            stiffness: Stiffness::PerContact(2e4),
            damping: Damping::None,
            ..friction(0.4, 2e4, 20.0)
        })
        .scheme(Scheme::ImplicitMidpoint)
        .response(Response::cpf_implicit())
        .body(ground)
        .body(body)
        .build()
        .unwrap();
    let (mut off, mut books, mut touched) = (0.0f64, 0.0f64, 0);
    for _ in 0..300 {
        let before = sim.energy();
        sim.step().unwrap();
        let l = sim.ledger();
        touched += usize::from(!l.pairs.is_empty());
        let pose = sim.pose(1);
        let (map, surface) = (sim.column::<SurfaceMap>(), sim.column::<Surface>());
        for (arm, v) in map.arms(1).iter().zip(map.range(1)) {
            off = off.max((pose.point_to_world(*arm) - surface.x1[v]).mag());
        }
        let e = &l.energy;
        let grown = e.kinetic() - before.kinetic() + e.gravity - before.gravity;
        books = books.max((grown - e.work_normal - e.work_friction - e.work_driven).abs());
    }
    println!("{touched} steps of contact, end off by {off:.1e} m, books by {books:.1e} J");
    assert!(touched > 20 && off <= 1e-12 && books <= 1e-11, "{touched} {off:e} {books:e}");
}
