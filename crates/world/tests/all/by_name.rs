//! A body that was removed is refused by every reader that takes a name or an id, also when its slot is taken again.

use impinge_contact::{Actuator, Axis};
use impinge_world::{BodyDesc, BodyId, Mass, OpenError, Response, Simulation};

fn world() -> (Simulation, BodyId) {
    let mut sim = Simulation::new(1e-3).unwrap();
    sim.insert(BodyDesc::plane("floor", [0.0, 0.0, 1.0].into(), 0.0)).unwrap();
    let at = [0.0, 0.0, 0.1];
    let body = sim.insert(BodyDesc::cuboid("box", [0.2; 3], Mass::Total(2.0), at).unwrap()).unwrap();
    (0..300).for_each(|_| sim.step().unwrap());
    (sim, body)
}

/// What every reader by name or id says of a body.
fn asked(sim: &Simulation, body: BodyId) -> Vec<(&'static str, bool)> {
    let floor = sim.body("floor").unwrap();
    let none = |e: OpenError| matches!(e, OpenError::NoBody { .. });
    vec![
        ("view", sim.view(body).is_err_and(none)),
        ("response_between", sim.response_between(body, floor).is_err_and(none)),
        ("response_between, second", sim.response_between(floor, body).is_err_and(none)),
        ("entity", sim.entity(body).is_err_and(none)),
        ("overlapping", sim.overlapping(body).is_err_and(none)),
        ("actuator", sim.actuator(body, Axis::X).is_err_and(none)),
        ("actuator_position", sim.actuator_position(body, Axis::X).is_err_and(none)),
        ("locked", sim.locked(body).is_err_and(none)),
        ("groups", sim.groups(body).is_err_and(none)),
        ("surface_velocity", sim.surface_velocity(body).is_err_and(none)),
    ]
}

#[test]
fn a_removed_body_is_refused_by_every_reader() {
    let (mut sim, body) = world();
    sim.set_actuator(body, Actuator::force(Axis::X, 0.0)).unwrap();
    for (reader, refused) in asked(&sim, body) {
        assert!(!refused, "{reader}");
    }
    sim.remove(body).unwrap();
    let gone = asked(&sim, body);
    assert!(gone.iter().all(|(_, refused)| *refused), "{gone:?}");
    assert!(sim.view("box").is_err() && sim.view(body.slot()).is_err());
    assert!(sim.set_response(body, "floor", Response::qp()).is_err());
    assert!(sim.set_response("floor", body.slot(), Response::qp()).is_err());

    // Another body in its slot is not it.
    let other = BodyDesc::cuboid("other", [0.1; 3], Mass::Total(1.0), [0.0, 0.0, 2.0]).unwrap();
    let other = sim.insert(other).unwrap();
    assert_eq!(other.slot(), body.slot());
    let gone = asked(&sim, body);
    assert!(gone.iter().all(|(_, refused)| *refused), "{gone:?}");
    assert!(sim.set_response(body, "floor", Response::qp()).is_err());
    assert!(asked(&sim, other).iter().filter(|(reader, _)| !reader.starts_with("actuator")).all(|(_, r)| !r));
}

#[test]
fn a_view_reads_what_the_slot_has() {
    let (sim, body) = world();
    let (view, slot) = (sim.view("box").unwrap(), body.slot());
    assert_eq!((view.pose(), view.position()), (sim.pose(slot), sim.position(slot)));
    assert_eq!((view.twist(), view.velocity()), (sim.twist(slot), sim.twist(slot).velocity));
    assert_eq!((view.contact_force(), view.mass()), (sim.contact_force(slot), sim.mass(slot)));
    assert_eq!((view.kinetic_energy(), view.nodes()), (sim.kinetic_energy(slot), sim.nodes_of(slot)));
    assert!((view.contact_force().z - 19.62).abs() < 1e-6);
    assert_eq!(sim.view("floor").unwrap().mass(), 0.0);
}
