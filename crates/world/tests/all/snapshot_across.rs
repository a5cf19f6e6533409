//! A snapshot that holds what another response kept: it goes back with all of it, and what nobody uses is gone after a step.

use crate::common::{cloth, gravity};
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

/// Which pair has which response is kept: also where bodies came since, which are laid out as they were when they last changed.
#[test]
fn a_snapshot_knows_which_pair_has_which_response() {
    let mut sim = world(Response::penalty());
    (0..20).for_each(|_| sim.step().unwrap());
    sim.set_response(0, 1, Response::qp()).unwrap();
    (0..5).for_each(|_| sim.step().unwrap());
    let given = sim.snapshot();
    let again = |sim: &mut Simulation| {
        (0..5).for_each(|_| sim.step().unwrap());
        sim.hash()
    };
    let hash = again(&mut sim);
    // A body that comes takes nothing from it, and one that goes.
    let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
    let far = Pose::from_position(DVec3::unit_z() * 9.0);
    sim.insert(BodyDesc::rigid("far", &cube, Mass::Total(1.0), far).unwrap()).unwrap();
    let with = (sim.snapshot(), again(&mut sim));
    sim.restore(&given).unwrap();
    assert_eq!((sim.response_of(0, 1).name(), sim.snapshot()), ("qp", given.clone()));
    assert_eq!(again(&mut sim), hash);
    sim.restore(&with.0).unwrap();
    assert_eq!(again(&mut sim), with.1);
    sim.remove("far").unwrap();
    sim.restore(&with.0).unwrap();
    assert_eq!(again(&mut sim), with.1);
    // Back also where the pair has another by now.
    sim.restore(&given).unwrap();
    sim.set_response(0, 1, Response::penalty()).unwrap();
    again(&mut sim);
    sim.restore(&given).unwrap();
    assert_eq!((sim.response_of(0, 1).name(), again(&mut sim)), ("qp", hash));
    // What no world has is refused, and nothing changes.
    for of_pairs in [vec![((0, 1), 2)], vec![((0, 7), 1)], vec![((0, 1), 1), ((0, 1), 1)]] {
        let other = impinge_world::Snapshot { of_pairs, ..given.clone() };
        let said = sim.restore(&other).unwrap_err();
        assert!(said.contains("gives pairs responses") && sim.hash() == hash, "{said}");
    }
    let said = world(Response::penalty()).restore(&given).unwrap_err();
    assert!(said.contains("is of a world with 2 responses, this one has 1"), "{said}");
}

/// The next body that takes a slot has not the response that was given to nobody.
#[test]
fn a_response_is_not_given_to_a_body_that_was_removed() {
    let mut sim = world(Response::penalty());
    sim.remove("box").unwrap();
    let said = sim.set_response(0, 1, Response::qp()).unwrap_err().to_string();
    assert!(said.contains("no body in slot 1") && said.contains("removed"), "{said}");
    assert_eq!(sim.responses().len(), 1);
}

/// A spring far too stiff for the step: the step that throws the box is refused, with its stage and the body, and the state is that before it.
#[test]
fn a_step_that_gains_absurd_energy_is_refused() {
    let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
    let above = Pose::from_position(DVec3::unit_z() * 0.1001);
    let mut sim = Simulation::builder(1e-2)
        .gravity(gravity())
        .law(PairLaw::elastic(1e9))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::rigid("box", &cube, Mass::Total(1.0), above).unwrap())
        .response(Response::penalty())
        .build()
        .unwrap();
    let (before, mut kept) = (sim.snapshot(), sim.hash());
    let stopped = (0..2000).find_map(|_| match sim.step() {
        Ok(()) => {
            kept = sim.hash();
            None
        }
        Err(e) => Some(e),
    });
    let e = stopped.expect("the box does not fly away for ever");
    let said = e.to_string();
    for part in [&format!("step {}", sim.steps()), "stage 'advance'", "body 'box' moves at", "no physics"] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    assert_eq!(sim.hash(), kept);
    // Again, and from its own snapshot, to the same step.
    let at = sim.steps();
    let told = sim.step().unwrap_err();
    assert_eq!((told.to_string(), sim.steps()), (said.clone(), at));
    sim.restore(&before).unwrap();
    (0..at).for_each(|_| sim.step().unwrap());
    assert_eq!((sim.hash(), sim.step().unwrap_err().to_string()), (kept, said));
}

/// A cloth allows short steps alone; without it they may be long, and the state with the cloth still comes back.
#[test]
fn a_state_comes_back_in_steps_of_its_own_length() {
    let mut sim = Simulation::builder(1e-3)
        .law(PairLaw::elastic(100.0))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), -1.0))
        .body(cloth(4, 0.0))
        .build()
        .unwrap();
    sim.step().unwrap();
    assert!(sim.set_dt(10.0).is_err(), "the cloth allows no such step");
    let (with, hash) = (sim.snapshot(), sim.hash());
    sim.remove("cloth").unwrap();
    sim.set_dt(10.0).unwrap();
    sim.restore(&with).unwrap();
    assert_eq!((sim.hash(), sim.dt()), (hash, 1e-3));
}
