//! Snapshots in files after bodies came and went, and drivers, rules, laws and groups were changed.

use crate::common::gravity;
use crate::pushed::{cube, responses, under};
use impinge_bodies::{Attach, AttachTo, ClothSpec};
use impinge_contact::{Groups, PairLaw};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::{Driver, Scheme};
use impinge_world::{BodyDesc, Deformable, Motion, PairRule, Response, Sensor, Simulation, Snapshot};

fn lift() -> BodyDesc {
    let plate = generators::cuboid(DVec3::new(0.5, 0.5, 0.1), [1; 3]).unwrap();
    let mut lift = BodyDesc::fixed("lift", plate, Pose::from_position(DVec3::new(2.0, 0.0, 0.05))).unwrap();
    lift.motion = Motion::Kinematic(Driver::sine(lift.pose, DVec3::unit_z() * 0.01, 2.0, 0.0));
    lift
}

fn start(r: &(Response, Scheme)) -> Simulation {
    let gate = generators::cuboid(DVec3::broadcast(0.3), [1; 3]).unwrap();
    under(r)
        .gravity(gravity())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(cube("a", DVec3::unit_z() * 0.1001))
        .body(cube("b", DVec3::new(1.0, 0.0, 0.1001)))
        .body(lift())
        .sensor(Sensor::new("gone", gate.clone(), Pose::identity()).unwrap().on(2))
        .sensor(Sensor::new("gate", gate, Pose::from_position(DVec3::unit_z() * 0.4)).unwrap())
        .build()
        .unwrap()
}

/// Everything that a program can do to the bodies of a world and that is no number of its state.
fn changed(r: &(Response, Scheme)) -> Simulation {
    let mut sim = start(r);
    let steps = |sim: &mut Simulation| (0..15).for_each(|_| sim.step().unwrap());
    steps(&mut sim);
    sim.remove("b").unwrap();
    sim.insert(cube("c", DVec3::new(0.01, 0.0, 0.31))).unwrap();
    sim.insert(cube("d", DVec3::new(3.0, 0.0, 0.05))).unwrap();
    sim.insert(cube("e", DVec3::new(2.0, 0.0, 0.21))).unwrap();
    sim.drive("lift", Driver::constant_from(sim.time(), sim.pose(3), DVec3::unit_z() * 0.02, DVec3::zero()))
        .unwrap();
    sim.set_rule("d", "floor", Some(PairRule::Ignore)).unwrap();
    sim.set_groups("c", Groups::new(2, u32::MAX)).unwrap();
    let ride = generators::cuboid(DVec3::broadcast(0.5), [1; 3]).unwrap();
    let on = sim.body("e").unwrap().slot();
    sim.insert_sensor(Sensor::new("ride", ride, Pose::identity()).unwrap().on(on)).unwrap();
    steps(&mut sim);
    sim
}

fn written(snapshot: &Snapshot) -> Vec<u8> {
    postcard::to_stdvec(snapshot).unwrap()
}

#[test]
fn a_changed_world_goes_on_from_a_file() {
    for r in responses() {
        let mut sim = changed(&r);
        let snapshot = sim.snapshot();
        let read: Snapshot = postcard::from_bytes(&written(&snapshot)).unwrap();
        assert_eq!((read.hash(), &read), (sim.hash(), &snapshot), "{r:?}");
        // What was read can be written again.
        let read: Snapshot = postcard::from_bytes(&written(&read)).unwrap();
        let mut other = start(&r);
        other.restore(&read).unwrap();
        assert_eq!((other.hash(), other.names()), (sim.hash(), sim.names()), "{r:?}");
        assert_eq!((other.sensors().len(), other.body("b")), (2, None));
        let under = ["floor", "lift"].map(|name| other.body(name).unwrap());
        assert_eq!(other.sensed("ride").unwrap(), under);
        for step in 0..30 {
            let both = [&mut sim, &mut other].map(|s| {
                s.step().unwrap();
                let said: Vec<String> = s.sensor_events().map(|e| e.to_string()).collect();
                (s.hash(), impinge_contact::Ledger::clone(&s.ledger()), said)
            });
            assert_eq!(both[0], both[1], "{r:?}, step {step}");
        }
        // And changes go on from there.
        for s in [&mut sim, &mut other] {
            s.remove("c").unwrap();
            s.insert(cube("f", DVec3::new(0.0, 0.5, 0.11))).unwrap();
            s.step().unwrap();
        }
        assert_eq!(sim.hash(), other.hash(), "{r:?}");
    }
}

#[test]
fn deformables_that_came_later_and_laws_are_in_it() {
    let start = || {
        Simulation::builder(1e-3)
            .gravity(gravity())
            .law(PairLaw::elastic(1e4))
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(cube("a", DVec3::unit_z() * 0.2))
            .build()
            .unwrap()
    };
    let mut sim = start();
    let sheet = generators::grid([0.4, 0.4], [6, 6]).unwrap();
    let spec = ClothSpec {
        young: 1e5,
        poisson: 0.3,
        thickness: 1e-3,
        density: 300.0,
        bending: 1.0,
        rayleigh: [0.0; 2],
    };
    let corner = Attach { nodes: vec![0], to: AttachTo::World, stiffness: None, damping: 0.0, frame: None };
    let cloth = Deformable::cloth("cloth", &sheet, &spec).unwrap().attached(corner);
    sim.insert(BodyDesc::deformable("cloth", cloth, Pose::from_position(DVec3::new(1.0, 0.0, 0.5)))).unwrap();
    sim.set_law("a", "floor", PairLaw::elastic(2e4)).unwrap();
    (0..20).for_each(|_| sim.step().unwrap());
    let read: Snapshot = postcard::from_bytes(&written(&sim.snapshot())).unwrap();
    let mut other = start();
    other.restore(&read).unwrap();
    for _ in 0..100 {
        for s in [&mut sim, &mut other] {
            s.step().unwrap();
        }
        assert_eq!(sim.hash(), other.hash());
    }
}

#[test]
fn what_a_file_cannot_hold_is_named_and_another_world_stays_as_it_was() {
    let r = &responses()[0];
    let mut sim = start(r);
    sim.drive("lift", Driver::sine(sim.pose(3), DVec3::unit_z() * 0.01, 2.0, 0.0)).unwrap();
    let refused = postcard::to_stdvec(&sim.snapshot()).unwrap_err();
    // Of the reason postcard tells nothing; a format in text does.
    assert_eq!(refused, postcard::Error::SerdeSerCustom);
    let bytes = written(&changed(r).snapshot());
    let read: Snapshot = postcard::from_bytes(&bytes).unwrap();
    let mut other = under(r).body(cube("alone", DVec3::unit_z())).build().unwrap();
    let before = other.hash();
    assert!(other.restore(&read).unwrap_err().contains("another world"));
    assert_eq!(other.hash(), before);
    other.step().unwrap();
}

/// A file of a changed world says which pair has which response; a world that lacks one is told so and stays as it was.
#[test]
fn a_file_says_which_pair_has_which_response() {
    let r = &responses()[0];
    let mut sim = changed(r);
    sim.set_response(0, 1, Response::cpf()).unwrap();
    (0..5).for_each(|_| sim.step().unwrap());
    let read: Snapshot = postcard::from_bytes(&written(&sim.snapshot())).unwrap();
    let mut other = start(r);
    let before = other.hash();
    let said = other.restore(&read).unwrap_err();
    assert!(
        said.contains("is of a world with 2 responses, this one has 1") && other.hash() == before,
        "{said}"
    );
    other.set_response(1, 2, Response::cpf()).unwrap();
    other.restore(&read).unwrap();
    assert_eq!(
        (other.response_of(0, 1), other.response_of(1, 2)),
        (sim.response_of(0, 1), sim.response_of(1, 2))
    );
    for s in [&mut sim, &mut other] {
        (0..5).for_each(|_| s.step().unwrap());
    }
    assert_eq!(other.hash(), sim.hash());
}
