//! Drivers changed while a world runs, and bodies put from pose to pose.

use crate::halved::NoLonger;
use crate::pushed::{cube, responses, under};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_integrators::{Driver, Keyframe};
use impinge_pressure::fields;
use impinge_world::{BodyDesc, Motion, Place, PressureField, Response, Simulation};

fn lift() -> BodyDesc {
    let size = DVec3::new(0.6, 0.6, 0.1);
    let at = Pose::from_position(DVec3::unit_z() * -0.05);
    let mut body = BodyDesc::fixed("lift", generators::cuboid(size, [1; 3]).unwrap(), at)
        .unwrap()
        .with_pressure(PressureField::tets(fields::cuboid(size, 1e7).unwrap()));
    body.motion = Motion::Kinematic(Driver::constant(at, DVec3::zero(), DVec3::zero()));
    body
}

fn world(r: &(Response, Scheme)) -> Simulation {
    under(r)
        .gravity(DVec3::unit_z() * -9.81)
        .body(lift())
        .body(cube("box", DVec3::new(0.0, 0.0, 0.1)))
        .build()
        .unwrap()
}

/// A box rides on a lift that starts, stops and turns by other drivers; its contacts stay, the books close, work is of the driver.
#[test]
fn a_box_rides_on_a_lift_that_gets_other_drivers() {
    for r in responses() {
        let name = r.0.name();
        let mut sim = world(&r);
        let go = |sim: &mut Simulation, steps: usize| {
            let mut work = 0.0;
            for _ in 0..steps {
                sim.step().unwrap_or_else(|e| panic!("{name}: {e}"));
                let ledger = sim.ledger();
                assert!(ledger.residual() <= 1e-12, "{name}: {:e}", ledger.residual());
                work += ledger.energy.work_driven;
            }
            work
        };
        go(&mut sim, 300);
        let (start, dt) = (sim.position(1).z, sim.dt());
        let up = Driver::constant_from(sim.time(), sim.pose(0), DVec3::unit_z() * 0.1, DVec3::zero());
        sim.drive("lift", up).unwrap();
        let mid = sim.snapshot();
        let work = go(&mut sim, 600);
        let rise = 600.0 * dt * 0.1;
        assert!((sim.pose(0).position.z + 0.05 - rise).abs() < 1e-12, "{name}");
        assert!((sim.position(1).z - start - rise).abs() < 3e-3, "{name}: {}", sim.position(1).z);
        assert!((work / (2.0 * 9.81 * rise) - 1.0).abs() < 0.1, "{name}: {work} J");
        let end = sim.hash();
        sim.restore(&mid).unwrap();
        go(&mut sim, 600);
        assert_eq!(sim.hash(), end, "{name}");
        let t = sim.time();
        let here = sim.pose(0);
        let aside = Pose { position: here.position + DVec3::unit_x() * 0.01, ..here };
        let frames = [(t, here), (t + 0.2, aside)].map(|(time, pose)| Keyframe { time, pose });
        sim.drive(0, Driver::Keyframes(frames.to_vec())).unwrap();
        go(&mut sim, 400);
        assert!((sim.pose(0).position - aside.position).mag() < 1e-12, "{name}");
        // What comes next is state: two drivers that have led the same way so far are two states.
        let mut other = world(&r);
        let mut same = world(&r);
        let on = Driver::constant(same.pose(0), DVec3::unit_z() * 0.1, DVec3::zero());
        let faster = Driver::constant(same.pose(0), DVec3::unit_z() * 0.2, DVec3::zero());
        same.drive(0, on).unwrap();
        other.drive(0, faster).unwrap();
        assert_ne!(other.hash(), same.hash());
    }
}

#[test]
fn a_body_goes_to_its_next_pose_in_whole_and_in_halved_steps() {
    for r in responses() {
        let name = r.0.name();
        let ends = |parts: bool, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut sim = world(&r);
                if parts {
                    let halves = NoLonger(sim.dt() / 2.0, 0.25..0.3);
                    sim.pipeline = std::mem::take(&mut sim.pipeline).with(Place::Solve, halves);
                }
                let mut mid = None;
                for step in 0..400 {
                    if (200..300).contains(&step) {
                        let here = sim.pose(0);
                        let turn = rotor_from_rotation_vector(DVec3::unit_z() * 2e-3);
                        let up = Pose {
                            position: here.position + DVec3::unit_z() * 1e-4,
                            rotation: (turn * here.rotation).normalized(),
                        };
                        sim.set_next_pose("lift", up).unwrap();
                        sim.step().unwrap();
                        assert_eq!(sim.pose(0).position, up.position, "{name}");
                        let velocity = (sim.twist(0).velocity.z - 1e-4 / sim.dt()).abs();
                        assert!(parts || velocity < 1e-9, "{name}: {velocity}");
                    } else {
                        sim.step().unwrap();
                    }
                    let ledger = sim.ledger();
                    assert!(ledger.residual() <= 1e-12, "{name}: {:e}", ledger.residual());
                    drop(ledger);
                    if step == 250 {
                        mid = Some(sim.snapshot());
                    }
                }
                let (z, end) = (sim.position(1).z, sim.hash());
                assert!((z - 0.11).abs() < 3e-3, "{name}: {z}");
                let mut again = world(&r);
                again.restore(&mid.unwrap()).unwrap();
                // It stays where it was put last.
                again.step().unwrap();
                assert!((again.pose(0).position.z + 0.05 - 51e-4).abs() < 1e-12, "{name}");
                end
            })
        };
        assert_eq!(ends(false, 1), ends(false, 4), "{name}");
        ends(true, 1);
    }
}

#[test]
fn a_next_pose_that_waits_is_state() {
    let r = &responses()[0];
    let mut sim = world(r);
    sim.step().unwrap();
    let before = sim.hash();
    sim.set_next_pose("lift", Pose::from_position(DVec3::new(0.0, 0.0, -0.049))).unwrap();
    assert_ne!(sim.hash(), before);
    let waiting = sim.snapshot();
    sim.step().unwrap();
    sim.step().unwrap();
    let end = sim.hash();
    sim.restore(&waiting).unwrap();
    sim.step().unwrap();
    sim.step().unwrap();
    assert_eq!(sim.hash(), end);
    // A driver takes over from where the body is.
    let time = sim.time();
    let back = Driver::constant_from(time, sim.pose(0), DVec3::unit_z() * -0.01, DVec3::unit_z() * 0.3);
    assert!((back.pose(time).unwrap().position - sim.pose(0).position).mag() < 1e-15);
    sim.drive("lift", back.clone()).unwrap();
    let driven = sim.snapshot();
    sim.step().unwrap();
    assert!((sim.pose(0).position - back.pose(sim.time()).unwrap().position).mag() < 1e-15);
    let end = sim.hash();
    // Back to before the driver, and to after.
    sim.restore(&waiting).unwrap();
    sim.step().unwrap();
    sim.restore(&driven).unwrap();
    sim.step().unwrap();
    assert_eq!(sim.hash(), end);
}

#[test]
fn what_cannot_be_driven_is_refused() {
    let mut sim = world(&responses()[0]);
    let still = Driver::constant(Pose::identity(), DVec3::zero(), DVec3::zero());
    let said = |e: impinge_world::OpenError| e.to_string();
    assert!(said(sim.drive("box", still.clone()).unwrap_err()).contains("no driver"));
    assert!(said(sim.set_next_pose("box", Pose::identity()).unwrap_err()).contains("`set_pose`"));
    let fast = Driver::constant(Pose::identity(), DVec3::zero(), DVec3::unit_z() * 4000.0);
    assert!(said(sim.drive("lift", fast).unwrap_err()).contains("half a turn"));
    assert!(said(sim.drive("lift", Driver::Keyframes(vec![])).unwrap_err()).contains("keyframe"));
    let lost =
        Driver::constant(Pose::from_position(DVec3::broadcast(f64::NAN)), DVec3::zero(), DVec3::zero());
    assert!(said(sim.drive("lift", lost).unwrap_err()).contains("finite"));
    let about = Pose::new(DVec3::zero(), rotor_from_rotation_vector(DVec3::unit_z() * std::f64::consts::PI));
    assert!(said(sim.set_next_pose("lift", about).unwrap_err()).contains("half a turn"));
    assert!(
        said(sim.set_next_pose("lift", Pose::from_position(DVec3::broadcast(f64::INFINITY))).unwrap_err())
            .contains("finite")
    );
    sim.drive("lift", still).unwrap();
}
