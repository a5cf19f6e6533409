//! Surfaces that move along themselves: belts, turntables, crawlers.

use crate::common::{G, gravity};
use crate::pushed::{cube, responses, under};
use impinge_geometry::{DVec3, Pose};
use impinge_integrators::{Driver, Scheme};
use impinge_world::{BodyDesc, Motion, OpenError, Response, Simulation, SurfaceVelocity};

const DT: f64 = 1.0 / 1024.0;

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

/// A floor that is carried along by a driver.
fn driven(velocity: DVec3, spin: DVec3) -> BodyDesc {
    let mut floor = floor();
    floor.motion = Motion::Kinematic(Driver::constant(floor.pose, velocity, spin));
    floor
}

/// A box at the place `x` on the floor, hardly in it.
fn put(r: &(Response, Scheme), floor: BodyDesc, x: f64) -> Simulation {
    let box_ = cube("box", DVec3::new(x, 0.0, 0.09999));
    under(r).gravity(gravity()).body(floor).body(box_).build().unwrap()
}

#[test]
fn a_box_on_a_belt_moves_as_on_a_slab_that_really_moves() {
    let along = DVec3::new(0.6, 0.3, 0.0);
    for r in responses() {
        let name = r.0.name();
        let mut belt = put(&r, floor().with_surface_velocity(along), 0.0);
        let mut slab = put(&r, driven(along, DVec3::zero()), 0.0);
        let mut off = [0.0f64; 4];
        let mut dissipated = 0.0;
        for _ in 0..400 {
            belt.step().unwrap();
            slab.step().unwrap();
            let (a, b) = (belt.ledger(), slab.ledger());
            off[0] = off[0].max((belt.position(1) - slab.position(1)).mag());
            off[1] = off[1].max((belt.twist(1).velocity - slab.twist(1).velocity).mag());
            off[2] = off[2].max((a.energy.work_driven - b.energy.work_driven).abs());
            off[3] = off[3].max((a.energy.work_friction - b.energy.work_friction).abs());
            assert!(a.residual() <= 1e-12, "{name}: {:e}", a.residual());
            dissipated -= a.energy.work_friction;
        }
        assert!(off.iter().all(|o| *o < 1e-9), "{name}: {off:?}");
        // What the box loses as the belt sees it (2 kg); some of it by rocking.
        let lost = along.mag_sq() - (belt.twist(1).velocity - along).mag_sq();
        assert!((dissipated - lost).abs() < 0.15 * lost && lost > 0.4, "{name}: {dissipated} of {lost} J");
    }
}

/// μ m g up to v/(μ g), and nothing from there on.
#[test]
fn a_box_slips_until_it_goes_along() {
    let (speed, mu) = (0.6, 0.5);
    let slips = speed / (mu * G);
    for r in responses() {
        let name = r.0.name();
        let mut sim = put(&r, floor().with_surface_velocity([speed, 0.0, 0.0]), 0.0);
        let (mut pulled, mut pressed, mut after) = (0.0f64, 0.0, 0.0);
        for step in 1..=1024 {
            sim.step().unwrap();
            let friction: f64 = sim.ledger().pairs.friction.iter().map(|f| f.x).sum();
            let t = f64::from(step) * DT;
            if t < 0.8 * slips {
                pulled -= friction;
                pressed += sim.ledger().pairs.pressed.iter().sum::<f64>();
            } else if t > 0.5 {
                after += friction;
            }
        }
        // It sways on what carries it: a corner that comes down again winds its spring up to the cone, in millimetres of way. The scene
        // `conveyor-belt` has a flat box that does not.
        let expected = mu * pressed;
        assert!(pulled.abs() <= 1.01 * expected, "{name}: {pulled} N·s of {expected}");
        assert!(pulled.abs() >= 0.85 * expected, "{name}: {pulled} N·s of {expected}");
        assert!((pressed - 2.0 * G * 0.8 * slips).abs() < 0.15 * pressed, "{name}: {pressed} N·s");
        assert!(after.abs() < 0.06, "{name}: {after} N·s");
        // v t − v²/(2 μ g).
        let x = speed - speed * speed / (2.0 * mu * G);
        let at = sim.position(1).x;
        assert!((at - x).abs() < 0.01, "{name}: {at} m of {x}");
    }
}

#[test]
fn a_turntable_carries_as_a_plate_that_really_turns() {
    let spin = DVec3::unit_z() * 0.8;
    for r in responses() {
        let mut table = floor();
        table.surface_velocity = SurfaceVelocity::turning(spin, DVec3::zero());
        let mut table = put(&r, table, 0.4);
        let mut plate = put(&r, driven(DVec3::zero(), spin), 0.4);
        for _ in 0..400 {
            table.step().unwrap();
            plate.step().unwrap();
            assert!(table.ledger().residual() <= 1e-12, "{}", r.0.name());
        }
        let (a, b) = (table.position(1), plate.position(1));
        assert!(b.y > 0.05, "{}: the plate carries it, {b:?}", r.0.name());
        assert!((a - b).mag() < 2e-3, "{}: {a:?} and {b:?}", r.0.name());
    }
}

/// What drives itself gets the reaction, and all of it is in the books.
#[test]
fn a_crawler_drives_off_by_the_friction_of_the_floor() {
    let speed = 0.5;
    for r in responses() {
        let name = r.0.name();
        let crawler = cube("crawler", DVec3::unit_z() * 0.09999).with_surface_velocity([-speed, 0.0, 0.0]);
        let mut sim = under(&r).gravity(gravity()).body(floor()).body(crawler).build().unwrap();
        let (mut driven, mut rubbed, mut pressed) = (0.0, 0.0, 0.0);
        let (mut kinetic, mut sinks) = (0.0, 0.0);
        for _ in 0..600 {
            sim.step().unwrap();
            let ledger = sim.ledger();
            assert!(ledger.residual() <= 1e-12, "{name}: {:e}", ledger.residual());
            let e = ledger.energy;
            // Gravity works along the mean velocity (2 kg).
            let now = sim.twist(1).velocity.z;
            let weight = -2.0 * G * 0.5 * (sinks + now) * DT;
            let gained = e.kinetic() - kinetic - weight;
            let works = e.work_normal + e.work_friction + e.work_driven;
            assert!((gained - works).abs() < 1e-11, "{name}: {gained:e} and {works:e}");
            (kinetic, sinks) = (e.kinetic(), now);
            driven += e.work_driven;
            rubbed += e.work_friction;
            pressed += e.work_normal;
        }
        let v = sim.twist(1).velocity.x;
        assert!((v - speed).abs() < 0.05, "{name}: {v} m/s");
        assert!(driven > 0.4 && rubbed < -0.2 && pressed.abs() < 0.1, "{name}: {driven} {rubbed} {pressed}");
    }
}

/// Two responses in one world: what the belt works on a body of either is in the whole ledger.
#[test]
fn the_work_of_a_belt_is_booked_beside_other_responses() {
    let all = responses();
    let mixed = |first: &(Response, Scheme), second: &Response| {
        let belt = floor().with_surface_velocity([0.5, 0.0, 0.0]);
        let mut sim = under(first)
            .gravity(gravity())
            .body(belt)
            .body(cube("a", DVec3::new(0.0, 0.0, 0.09999)))
            .body(cube("b", DVec3::new(1.0, 0.0, 0.09999)))
            .pair_response(0, 2, second.clone())
            .build()
            .unwrap();
        let (mut together, mut apart) = (0.0, [0.0; 2]);
        let mut alone = [first.0.clone(), second.clone()]
            .map(|r| put(&(r, first.1), floor().with_surface_velocity([0.5, 0.0, 0.0]), 0.0));
        for _ in 0..100 {
            sim.step().unwrap();
            together += sim.ledger().energy.work_driven;
            for (sum, one) in apart.iter_mut().zip(&mut alone) {
                one.step().unwrap();
                *sum += one.ledger().energy.work_driven;
            }
        }
        assert!(apart.iter().all(|w| *w > 0.1), "{apart:?}");
        let off = together - apart[0] - apart[1];
        assert!(off.abs() < 1e-9, "{} and {}: {together} J of {apart:?}", first.0.name(), second.name());
    };
    // Explicit beside explicit: each moves as if it were alone.
    let explicit: Vec<_> =
        all.iter().filter(|r| !r.0.is_implicit() && r.0.own_stiffness().is_none()).collect();
    mixed(explicit[0], &explicit[1].0);
    mixed(explicit[1], &explicit[0].0);
}

#[test]
fn a_belt_is_switched_and_remembered() {
    for r in responses() {
        let name = r.0.name();
        let mut sim = put(&r, floor(), 0.0);
        let still = sim.hash();
        sim.set_surface_velocity("floor", SurfaceVelocity::along([0.4, 0.0, 0.0])).unwrap();
        assert_ne!(sim.hash(), still, "{name}");
        let run = |sim: &mut Simulation, steps: usize| {
            (0..steps).for_each(|_| sim.step().unwrap());
            sim.hash()
        };
        run(&mut sim, 30);
        let (then, moving) = (sim.snapshot(), sim.twist(1).velocity.x);
        assert!(moving > 0.1, "{name}: {moving}");
        let on = run(&mut sim, 20);
        sim.set_surface_velocity("floor", SurfaceVelocity::default()).unwrap();
        run(&mut sim, 300);
        assert!(sim.twist(1).velocity.x.abs() < 0.05, "{name}: it stops with the belt");
        sim.restore(&then).unwrap();
        assert_eq!(sim.surface_velocity("floor").unwrap().linear.x, 0.4);
        assert_eq!(run(&mut sim, 20), on, "{name}");
        // What comes and goes leaves the belt alone; a body that takes its slot does not get it.
        sim.insert(cube("other", DVec3::new(3.0, 0.0, 0.5))).unwrap();
        assert_eq!(sim.surface_velocity("floor").unwrap().linear.x, 0.4);
        sim.remove("floor").unwrap();
        let id = sim.insert(floor()).unwrap();
        assert!(sim.surface_velocity(id).unwrap().is_still(), "{name}");
    }
}

#[test]
fn what_cannot_be_a_belt_is_refused() {
    let dust = BodyDesc::particles("dust", vec![DVec3::zero()], 1.0);
    let r = &responses()[0];
    let built = under(r).body(dust.clone().with_surface_velocity(DVec3::unit_x())).build();
    assert!(built.err().unwrap().to_string().contains("body 'dust': it is made of nodes"));
    let built = under(r).body(floor().with_surface_velocity([f64::NAN, 0.0, 0.0])).build();
    assert!(built.err().unwrap().to_string().contains("finite"));
    let mut sim = under(r).body(floor()).body(dust).build().unwrap();
    let belt = SurfaceVelocity::along([1.0, 0.0, 0.0]);
    assert!(matches!(sim.set_surface_velocity("dust", belt), Err(OpenError::Refused { .. })));
    assert!(matches!(sim.set_surface_velocity("belt", belt), Err(OpenError::NoBody { .. })));
}

#[test]
fn a_pose_turns_the_belt() {
    // A belt along its own x axis, turned about z by a quarter: it carries along y.
    let r = &responses()[0];
    let mut belt = floor().with_surface_velocity([0.5, 0.0, 0.0]);
    belt.pose = Pose::new(
        DVec3::zero(),
        impinge_geometry::rotor_from_rotation_vector(DVec3::unit_z() * std::f64::consts::FRAC_PI_2),
    );
    let mut sim = put(r, belt, 0.0);
    (0..50).for_each(|_| sim.step().unwrap());
    let v = sim.twist(1).velocity;
    assert!(v.y > 0.15 && v.x.abs() < 1e-9, "{v:?}");
}

#[test]
fn threads_do_not_matter() {
    for r in responses() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut sim = put(&r, floor().with_surface_velocity([0.5, 0.2, 0.1]), 0.0);
                (0..60).for_each(|_| sim.step().unwrap());
                sim.hash()
            })
        };
        assert_eq!(run(1), run(4), "{}", r.0.name());
    }
}
