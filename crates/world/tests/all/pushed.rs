//! What a program does to bodies between steps: pushes, velocities, poses, gravity, the length of a step.

use crate::common::{G, gravity};
use crate::halved::NoLonger;
use impinge_contact::{BodyKind, Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, LARGEST, Pose, generators};
use impinge_integrators::{Driver, Scheme};
use impinge_pressure::fields;
use impinge_world::{
    BodyDesc, Builder, Deformable, Mass, Motion, OpenError, Place, PressureField, RESPONSES, Response,
    Simulation,
};

const DT: f64 = 1.0 / 1024.0;

fn law() -> PairLaw {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 2e3, k_fd: 3.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw { damping: Damping::HuntCrossley(0.5), friction: Some(friction), ..PairLaw::elastic(5e3) }
}

pub fn cube(name: &str, place: DVec3) -> BodyDesc {
    let mesh = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
    // Only `pressure` reads the field.
    BodyDesc::rigid(name, &mesh, Mass::Total(2.0), Pose::from_position(place))
        .unwrap()
        .with_pressure(PressureField::tets(fields::cuboid(DVec3::broadcast(0.2), 1e6).unwrap()))
}

/// Each response, and the scheme that it can work with.
pub fn responses() -> Vec<(Response, Scheme)> {
    let all: Vec<_> = RESPONSES
        .iter()
        .map(|r| {
            let response = r.response();
            let scheme = response.scheme().unwrap_or_default();
            (response, scheme)
        })
        .collect();
    assert_eq!(all.len(), 8);
    all
}

pub fn under((response, scheme): &(Response, Scheme)) -> Builder {
    Simulation::builder(DT).response(response.clone()).scheme(*scheme).law(law())
}

#[test]
fn a_free_body_gets_f_t_over_m_under_all_responses() {
    for r in responses() {
        let mut sim = under(&r).body(cube("box", DVec3::zero())).build().unwrap();
        let mut energy = 0.0;
        for step in 1..=512 {
            sim.apply_force("box", [3.0, -1.0, 0.5]).unwrap();
            sim.apply_torque("box", [0.0, 0.02, 0.0]).unwrap();
            sim.step().unwrap();
            let t = f64::from(step) * DT;
            let expected = DVec3::new(3.0, -1.0, 0.5) * (t / 2.0);
            let twist = sim.twist(0);
            assert!((twist.velocity - expected).mag() <= 1e-12, "{}: {:?}", r.0.name(), twist);
            // Inertia m a²/6.
            let spin = 0.02 * t / (2.0 * 0.04 / 6.0);
            assert!((twist.angular_velocity - DVec3::new(0.0, spin, 0.0)).mag() <= 1e-12, "{}", r.0.name());
            let ledger = sim.ledger();
            assert!(ledger.residual() <= 1e-12, "{}: {:e}", r.0.name(), ledger.residual());
            energy += ledger.energy.work_applied;
            assert!((energy - ledger.energy.total()).abs() <= 1e-12, "{}", r.0.name());
            assert_eq!(ledger.applied.len(), 1);
            assert!((ledger.applied[0].impulse - DVec3::new(3.0, -1.0, 0.5) * DT).mag() < 1e-15);
        }
        // They act in one step only.
        let before = sim.twist(0);
        sim.step().unwrap();
        assert_eq!(sim.twist(0).velocity, before.velocity);
        assert!(sim.ledger().applied.is_empty());
    }
}

#[test]
fn a_box_on_a_floor_is_pushed_under_all_responses() {
    for r in responses() {
        let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
        let build = || {
            let mut sim = under(&r)
                .gravity(gravity())
                .body(floor.clone())
                .body(cube("box", DVec3::new(0.0, 0.0, 0.1001)))
                .build()
                .unwrap();
            for _ in 0..200 {
                sim.step().unwrap();
            }
            sim
        };
        let mut sim = build();
        let start = sim.position(1);
        // Twice the friction: it slides with (F − μ m g) / m, or at least goes that way.
        let push = G * 2.0;
        let mut work = 0.0;
        for _ in 0..300 {
            sim.apply_force(1, [push, 0.0, 0.0]).unwrap();
            sim.step().unwrap();
            let ledger = sim.ledger();
            assert!(ledger.residual() <= 1e-12, "{}: {:e}", r.0.name(), ledger.residual());
            work += ledger.energy.work_applied;
        }
        let (t, way) = (300.0 * DT, sim.position(1).x - start.x);
        let expected = 0.5 * 0.5 * G * t * t;
        assert!((way - expected).abs() < 0.1 * expected, "{}: {way} m, not {expected} m", r.0.name());
        assert!((work - push * way).abs() < 0.02 * push * way, "{}: {work} J", r.0.name());
    }
}

#[test]
fn a_push_that_waits_is_in_snapshots_and_in_the_hash() {
    for r in responses() {
        let mut sim = under(&r)
            .gravity(gravity())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(cube("box", DVec3::new(0.0, 0.0, 0.11)))
            .build()
            .unwrap();
        for _ in 0..20 {
            sim.step().unwrap();
        }
        let plain = sim.hash();
        sim.apply_impulse_at_point(1, [0.5, 0.0, 0.2], [0.05, 0.0, 0.2]).unwrap();
        sim.set_velocity(1, [0.0, 0.1, 0.0]).unwrap();
        sim.set_gravity([0.0, 1.0, -5.0]).unwrap();
        sim.set_dt(0.5 * DT).unwrap();
        let (waiting, hash) = (sim.snapshot(), sim.hash());
        assert_ne!(plain, hash);
        let ends = |sim: &mut Simulation| {
            for _ in 0..10 {
                sim.step().unwrap();
            }
            (sim.hash(), sim.time())
        };
        sim.step().unwrap();
        let (books, first) = (sim.ledger().applied.clone(), sim.hash());
        let end = ends(&mut sim);
        sim.restore(&waiting).unwrap();
        assert_eq!(sim.hash(), hash);
        sim.step().unwrap();
        assert_eq!((&*sim.ledger().applied, sim.hash()), (&*books, first), "{}", r.0.name());
        assert_eq!(ends(&mut sim), end);
        assert!((end.1 - (20.0 * DT + 11.0 * 0.5 * DT)).abs() < 1e-15);
    }
}

#[test]
fn soft_bodies_and_particles_are_pushed_by_mass_and_by_node() {
    let block = generators::tet_box(DVec3::broadcast(0.2), [2; 3]).unwrap();
    let rubber = Material::new(1e5, 0.3, 1000.0);
    for scheme in [
        Scheme::SymplecticEuler,
        Scheme::ImplicitEuler,
        Scheme::ImplicitEulerNewton,
        Scheme::ImplicitMidpoint,
    ] {
        let soft = Deformable::solid("soft", &block, Model::Corotational, &rubber).unwrap();
        let mut sim = Simulation::builder(DT)
            .scheme(scheme)
            .law(law())
            .body(BodyDesc::deformable("soft", soft, Pose::identity()))
            .body(BodyDesc::particles("dust", vec![DVec3::unit_x(), DVec3::unit_y()], 0.25))
            .build()
            .unwrap();
        let mut applied = 0.0;
        for _ in 0..64 {
            sim.apply_force("soft", [16.0, 0.0, 0.0]).unwrap();
            sim.apply_force("dust", [0.0, 1.0, 0.0]).unwrap();
            sim.step().unwrap();
            applied += sim.ledger().energy.work_applied;
        }
        let t = 64.0 * DT;
        // 8 kg of rubber, half a kilogram of dust. One acceleration strains nothing.
        assert!((sim.velocity(0).unwrap().x - 16.0 * t / 8.0).abs() < 1e-12);
        assert!((sim.velocity(1).unwrap().y - t / 0.5).abs() < 1e-12);
        assert!((applied - sim.ledger().energy.total()).abs() < 1e-10, "{scheme:?}: {applied}");
        sim.apply_node_impulse("soft", 3, [0.0, 0.0, 0.4]).unwrap();
        sim.step().unwrap();
        assert!((sim.velocity(0).unwrap().z - 0.05).abs() < 1e-9);
        let ledger = sim.ledger();
        assert!(ledger.momentum.linear_residual.mag() < 1e-10 * ledger.momentum.linear_scale, "{scheme:?}");
        // A linearised step is not solved to the end.
        let solved = scheme != Scheme::ImplicitEuler;
        assert!(!solved || ledger.residual() < 1e-9, "{scheme:?}: {:e}", ledger.residual());
    }
}

#[test]
fn a_body_put_elsewhere_keeps_nothing_of_its_contacts() {
    for r in responses() {
        let mut sim = under(&r)
            .gravity(gravity())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(cube("box", DVec3::new(0.0, 0.0, 0.1)))
            .build()
            .unwrap();
        for _ in 0..100 {
            sim.apply_force(1, [2.0, 0.0, 0.0]).unwrap();
            sim.step().unwrap();
        }
        let before = sim.ledger().energy;
        sim.set_pose(1, Pose::from_position(DVec3::new(0.0, 0.0, 1.0))).unwrap();
        let kept = sim.snapshot().kept;
        assert!(kept.iter().all(|k| k.names().next().is_none()), "{}: {kept:?}", r.0.name());
        sim.set_velocity(1, DVec3::zero()).unwrap();
        sim.set_angular_velocity(1, DVec3::zero()).unwrap();
        let height = sim.position(1).z;
        sim.step().unwrap();
        assert!(sim.contact_force(1) == DVec3::zero());
        // Symplectic Euler loses ½ m g² Δt² in a step of free fall, the midpoint rule nothing.
        let after = sim.ledger().energy;
        let fall = if r.1 == Scheme::ImplicitMidpoint { 0.0 } else { 0.5 * 2.0 * (G * DT) * (G * DT) };
        let gone = before.total() + after.work_applied - after.total();
        assert!((gone - fall).abs() < 1e-11, "{}: {gone:e} J for {fall:e} J", r.0.name());
        assert_eq!(height, 1.0);
    }
}

#[test]
fn gravity_and_velocity_are_booked() {
    let mut sim = under(&responses()[0]).body(cube("box", DVec3::new(0.0, 0.0, 3.0))).build().unwrap();
    sim.step().unwrap();
    sim.set_gravity(gravity()).unwrap();
    sim.set_velocity(0, [0.0, 1.0, 0.0]).unwrap();
    sim.step().unwrap();
    let ledger = sim.ledger();
    let row = ledger.applied[0];
    assert!((row.work - (2.0 * G * 3.0 + 1.0)).abs() < 1e-12, "{row:?}");
    assert!((row.impulse - DVec3::new(0.0, 2.0, 0.0)).mag() < 1e-15);
    // Its lever is the height.
    assert!((row.moment - DVec3::new(-6.0, 0.0, 0.0)).mag() < 1e-14);
    assert!(ledger.residual() < 1e-13);
}

#[test]
fn what_cannot_be_is_refused_and_named() {
    let mut moved = cube("door", DVec3::zero());
    moved.motion = Motion::Kinematic(Driver::constant(Pose::identity(), DVec3::unit_x(), DVec3::zero()));
    let mut sim = under(&responses()[0])
        .body(BodyDesc::plane("floor", DVec3::unit_z(), -1.0))
        .body(moved)
        .body(BodyDesc::particles("dust", vec![DVec3::zero()], 0.1))
        .body(cube("box", DVec3::zero()))
        .build()
        .unwrap();
    let start = sim.hash();
    let x = DVec3::unit_x();
    let nan = DVec3::new(f64::NAN, 0.0, 0.0);
    let said: Vec<(OpenError, &str)> = vec![
        (sim.apply_force("nobody", x).unwrap_err(), "'nobody'"),
        (sim.apply_force(9, x).unwrap_err(), "slot 9"),
        (sim.apply_force("floor", x).unwrap_err(), "fixed"),
        (sim.apply_force("door", x).unwrap_err(), "driver"),
        (sim.apply_force("box", nan).unwrap_err(), "finite"),
        (sim.apply_impulse_at_point("box", x, nan).unwrap_err(), "finite"),
        (sim.apply_torque("dust", x).unwrap_err(), "apply_node_force"),
        (sim.apply_force_at_point("dust", x, x).unwrap_err(), "apply_node_force"),
        (sim.apply_node_force("box", 0, x).unwrap_err(), "apply_force_at_point"),
        (sim.apply_node_force("dust", 1, x).unwrap_err(), "node 1"),
        (sim.set_velocity("floor", x).unwrap_err(), "fixed"),
        (sim.set_velocity("box", nan).unwrap_err(), "finite"),
        (sim.set_angular_velocity("dust", x).unwrap_err(), "nodes"),
        (sim.set_pose("door", Pose::identity()).unwrap_err(), "driver"),
        (sim.set_pose("box", Pose::from_position(nan)).unwrap_err(), "finite"),
        (sim.set_gravity(nan).unwrap_err(), "finite"),
        (sim.set_dt(0.0).unwrap_err(), "positive"),
        (sim.set_dt(f64::NAN).unwrap_err(), "positive"),
    ];
    for (error, word) in said {
        assert!(error.to_string().contains(word), "'{error}' does not say {word}");
    }
    assert_eq!(sim.hash(), start);
    assert_eq!(sim.mass(3), 2.0);
    assert_eq!(sim.column::<impinge_world::Dofs>().bodies.kind[1], BodyKind::Kinematic);
}

/// Squares of larger numbers overflow, and with them the books: a body at 5e307 m had an angular momentum, and its size was no number.
#[test]
fn numbers_beyond_the_largest_are_refused_where_they_enter() {
    use impinge_contact::{Actuator, Axis, SurfaceVelocity};
    let y = |size: f64| DVec3::new(0.0, size, 0.0);
    let builder = |law| {
        Simulation::builder(DT)
            .law(law)
            .body(BodyDesc {
                motion: Motion::Kinematic(Driver::constant(Pose::identity(), DVec3::zero(), DVec3::zero())),
                ..cube("hand", DVec3::zero())
            })
            .body(cube("box", DVec3::unit_x()))
    };
    let mut sim = builder(law()).build().unwrap();
    let start = sim.hash();
    let slide = |by| Driver::constant(Pose::from_position(y(1.0)), by, DVec3::zero());
    for far in [2.0 * LARGEST, 1e154, f64::MAX, f64::INFINITY, f64::NAN] {
        let v = y(far);
        let said: Vec<(OpenError, &str)> = vec![
            (sim.apply_force("box", v).unwrap_err(), "force"),
            (sim.apply_torque("box", v).unwrap_err(), "torque"),
            (sim.apply_impulse_at_point("box", DVec3::unit_x(), v).unwrap_err(), "point"),
            (sim.set_velocity("box", v).unwrap_err(), "velocity"),
            (sim.set_angular_velocity("box", v).unwrap_err(), "spin"),
            (sim.set_pose("box", Pose::from_position(v)).unwrap_err(), "pose"),
            (sim.set_next_pose("hand", Pose::from_position(v)).unwrap_err(), "next pose"),
            (sim.drive("hand", slide(v)).unwrap_err(), "driver"),
            (sim.set_surface_velocity("box", SurfaceVelocity::along(v)).unwrap_err(), "belt"),
            (sim.set_actuator("box", Actuator::force(Axis::Y, far)).unwrap_err(), "actuator"),
            (sim.set_gravity(v).unwrap_err(), "gravity"),
            (sim.set_dt(far).unwrap_err(), "dt"),
            (sim.insert(cube("far", v)).unwrap_err(), "place"),
            (
                sim.insert(BodyDesc { velocity: v, ..cube("fast", y(2.0)) }).unwrap_err(),
                "velocity of a new one",
            ),
        ];
        for (error, door) in said {
            assert!(error.to_string().contains("1e60"), "{door} of {far}: '{error}' does not say the bound");
        }
        assert!(sim.cast_ray(v, DVec3::unit_y(), 10.0).is_none() && sim.closest_point(v).is_none());
        let built = builder(law()).body(cube("far", v)).build();
        assert!(built.err().unwrap().to_string().contains("1e60"));
        let dust = builder(law()).body(BodyDesc::particles("dust", vec![v], 0.1)).build();
        assert!(dust.err().unwrap().to_string().contains("1e60"));
    }
    assert_eq!(sim.hash(), start);
    // What is taken has books.
    sim.set_pose("box", Pose::from_position(y(LARGEST))).unwrap();
    sim.set_velocity("box", DVec3::new(LARGEST, 0.0, 0.0)).unwrap();
    sim.step().unwrap();
    let ledger = sim.ledger();
    assert!(ledger.momentum.angular_scale.is_finite() && ledger.energy.total().is_finite());
    assert!(ledger.residual() <= 1e-12, "{}", ledger.residual());
}

#[test]
fn a_push_acts_over_all_parts_of_a_halved_step() {
    for r in responses() {
        let mut sim = under(&r).body(cube("box", DVec3::zero())).build().unwrap();
        // Eight parts each.
        sim.pipeline =
            std::mem::take(&mut sim.pipeline).with(Place::Solve, NoLonger(DT / 8.0, 0.0..f64::INFINITY));
        let mut work = 0.0;
        for step in 1..=64 {
            sim.apply_force(0, [3.0, 0.0, 0.0]).unwrap();
            sim.apply_impulse(0, [0.0, 0.01, 0.0]).unwrap();
            sim.step().unwrap();
            let t = f64::from(step) * DT;
            let expected = DVec3::new(1.5 * t, 0.005 * f64::from(step), 0.0);
            assert!((sim.twist(0).velocity - expected).mag() <= 1e-12, "{}: {:?}", r.0.name(), sim.twist(0));
            let ledger = sim.ledger();
            assert!((ledger.applied[0].impulse - DVec3::new(3.0 * DT, 0.01, 0.0)).mag() < 1e-15);
            assert!(ledger.residual() < 1e-12);
            work += ledger.energy.work_applied;
            assert!((work - ledger.energy.total()).abs() < 1e-12);
        }
        assert_eq!(sim.halved().steps, 64);
    }
    // One that cannot be made leaves the push waiting.
    let mut sim = under(&responses()[0]).body(cube("box", DVec3::zero())).build().unwrap();
    sim.pipeline = std::mem::take(&mut sim.pipeline).with(Place::Solve, NoLonger(0.0, 0.0..0.5 * DT));
    sim.apply_impulse(0, DVec3::unit_x()).unwrap();
    let waiting = sim.hash();
    assert!(sim.step().is_err());
    assert_eq!(sim.hash(), waiting);
}
