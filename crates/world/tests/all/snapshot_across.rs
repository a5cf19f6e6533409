//! A snapshot that holds what another response kept: it goes back with all of it, and what nobody uses is gone after a step.

use crate::common::gravity;
use impinge_contact::PairLaw;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Mass, Response, Simulation, State, Tracked};

/// A box that sits 0.1 mm deep in the floor.
fn world(response: Response) -> Simulation {
    let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
    let plate = generators::cuboid(DVec3::new(1.0, 1.0, 0.2), [1; 3]).unwrap();
    let pose = Pose::from_position(DVec3::new(0.013, 0.027, 0.0999));
    let friction = impinge_contact::FrictionLaw {
        mu_s: 0.5,
        mu_k: 0.4,
        k_fp: 1e3,
        k_fd: 1.0,
        k_omega: 0.0,
        rule: impinge_contact::SlipRule::default(),
    };
    Simulation::builder(1e-3)
        .gravity(gravity())
        .law(PairLaw { friction: Some(friction), ..PairLaw::elastic(1e4) })
        .body(BodyDesc::fixed("plate", plate, Pose::from_position(DVec3::unit_z() * -0.1)).unwrap())
        .body(BodyDesc::rigid("box", &cube, Mass::Total(2.0), pose).unwrap())
        .response(response)
        .build()
        .unwrap()
}

#[test]
fn contacts_of_a_response_that_was_exchanged_end_with_the_next_step() {
    let mut sim = world(Response::cpf());
    (0..20).for_each(|_| sim.step().unwrap());
    sim.swap_response(Response::penalty()).unwrap();
    let across = sim.snapshot();
    assert!(
        across.kept[0].get::<Tracked>().is_some_and(|t| !t.is_empty()),
        "the contacts of cpf are still there"
    );
    let mut other = world(Response::penalty());
    other.restore(&across).unwrap();
    assert_eq!((other.hash(), other.snapshot()), (sim.hash(), across));
    for s in [&mut sim, &mut other] {
        s.step().unwrap();
        assert!(s.snapshot().kept[0].get::<Tracked>().is_none(), "penalty follows none");
    }
    assert_eq!(sim.hash(), other.hash());
    // And back: both find the same contacts anew.
    for s in [&mut sim, &mut other] {
        s.swap_response(Response::cpf()).unwrap();
        (0..5).for_each(|_| s.step().unwrap());
    }
    assert_eq!(sim.hash(), other.hash());
}

#[test]
fn a_pair_that_changes_its_response_leaves_its_anchors_behind() {
    let mut sim = world(Response::penalty());
    (0..20).for_each(|_| sim.step().unwrap());
    assert!(sim.snapshot().kept[0].get::<State>().is_some(), "it holds by anchors");
    sim.set_response(0, 1, Response::qp()).unwrap();
    assert!(sim.snapshot().kept[0].get::<State>().is_none(), "the pair is qp's now");
    (0..20).for_each(|_| sim.step().unwrap());
}

/// What its contacts stored is booked when it is lifted off: also right after the world went back to a snapshot, and once.
#[test]
fn books_of_a_lifted_body_are_the_same_from_a_snapshot() {
    let lifted = Pose::from_position(DVec3::unit_z());
    let mut sim = world(Response::penalty());
    (0..20).for_each(|_| sim.step().unwrap());
    let pressed = sim.snapshot();
    let mut other = world(Response::penalty());
    other.restore(&pressed).unwrap();
    let before = sim.energy().total() + sim.ledger().energy.contact;
    assert!(sim.ledger().energy.contact > 0.0);
    for s in [&mut sim, &mut other] {
        s.set_pose("box", lifted).unwrap();
    }
    let work = sim.snapshot().given.changes[0].work;
    assert!((work - (sim.energy().total() - before)).abs() < 1e-12 * work, "{work}");
    assert_eq!((other.snapshot(), other.hash()), (sim.snapshot(), sim.hash()));
    // Again from where it is booked already.
    let booked = sim.snapshot();
    let mut third = world(Response::penalty());
    third.restore(&booked).unwrap();
    for s in [&mut sim, &mut third] {
        s.set_pose("box", Pose::from_position(DVec3::unit_z() * 2.0)).unwrap();
    }
    assert_eq!(third.snapshot(), sim.snapshot());
    // And a world that has made no step since it went back stores what the snapshot says.
    sim.restore(&pressed).unwrap();
    assert_eq!(sim.snapshot(), pressed);
}
