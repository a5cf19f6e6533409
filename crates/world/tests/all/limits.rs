//! More contact than a world allows stops the step with the bodies named, and leaves the state as it was.

use impinge_contact::{Contacts, PairLaw};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_pressure::fields;
use impinge_world::{
    BodyDesc, Builder, ContactError, ContactLimits, Family, Mass, PressurePatch, PressurePatches,
    PressureSettings, Response, Simulation, StageError, StepError,
};

/// Three fine balls: the first is alone, the other two are 1 cm in each other where the response looks: at the start of the step, or on its way.
fn world(response: Response) -> Builder {
    let at = |x: f64| Pose::from_position(DVec3::new(x, 0.0, 0.0));
    let world = Simulation::builder(1e-4).law(PairLaw::elastic(1e2)).response(response.clone());
    if response.family() == Some(Family::PRESSURE) {
        let field = fields::sphere(0.1, 0.02, 1e5).unwrap();
        let ball = |name: &str, x| BodyDesc::compliant(name, &field, Mass::Total(1.0), at(x)).unwrap();
        return world.body(ball("far", -1.0)).body(ball("left", 0.0)).body(ball("right", 0.17));
    }
    let mesh = generators::icosphere(0.1, 4).unwrap();
    let ball = |name: &str, x| BodyDesc::rigid(name, &mesh, Mass::Total(1.0), at(x)).unwrap();
    let on_the_way = ["cpf", "dpf-ccd", "qp"].contains(&response.name());
    let (x, v) = if on_the_way { (0.2001, -101.0) } else { (0.19, 0.0) };
    let right = BodyDesc { velocity: DVec3::new(v, 0.0, 0.0), ..ball("right", x) };
    world.body(ball("far", -1.0)).body(ball("left", 0.0)).body(right)
}

fn step_with(response: Response, limits: ContactLimits) -> (Simulation, Result<(), StepError>) {
    let mut sim = world(response).contact_limits(limits).build().unwrap();
    let end = sim.step();
    (sim, end)
}

/// The limit that the step ran into.
fn passed(response: Response, limits: ContactLimits) -> (&'static str, usize) {
    let (sim, end) = step_with(response.clone(), limits);
    let error = end.unwrap_err();
    let StageError::Contact(ContactError::TooManyContacts { what, ref a, ref b, count, most }) = error.source
    else {
        panic!("{response:?}: {error}")
    };
    assert_eq!([&**a, &**b], ["left", "right"]);
    assert!(count > most);
    assert_eq!((sim.steps(), sim.hash()), (0, world(response).build().unwrap().hash()));
    let text = error.to_string();
    for part in ["'left' and 'right'", what, &most.to_string(), "reduce dt"] {
        assert!(text.contains(part), "{part} in: {text}");
    }
    (what, count)
}

#[test]
fn the_default_is_enough_for_these_balls() {
    for response in [Response::penalty(), Response::cpf(), Response::dpf_ccd(), Response::pressure()] {
        step_with(response, ContactLimits::default()).1.unwrap();
    }
}

#[test]
fn too_many_candidates_are_told() {
    for response in [Response::penalty(), Response::cpf(), Response::dpf_ccd(), Response::qp()] {
        let limits = ContactLimits { candidates: 20, ..ContactLimits::default() };
        assert_eq!(passed(response, limits).0, "candidates");
    }
}

#[test]
fn as_many_contacts_as_allowed_run_and_one_more_does_not() {
    // Explicit pressure looks once a step, so that what the step leaves is what was counted.
    let pressure = Response::from(PressureSettings::explicit());
    for response in [Response::penalty(), Response::cpf(), Response::dpf_ccd(), pressure] {
        let (sim, _) = step_with(response.clone(), ContactLimits::default());
        let faces = |p: &PressurePatch| p.surface.faces.len();
        let count = match response.name() {
            "pressure" => sim.column::<PressurePatches>().0.iter().map(faces).sum(),
            _ => sim.column::<Contacts>().len(),
        };
        assert!(count > 3, "{response:?}: {count}");
        let with = |contacts| ContactLimits { contacts, ..ContactLimits::default() };
        step_with(response.clone(), with(count)).1.unwrap();
        assert_eq!(passed(response, with(count - 1)), ("contacts", count));
    }
}
