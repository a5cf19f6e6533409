//! Under constraints, boxes of one width that stand on each other, to a hair, and heavy on light, bear what they bear in every step.

use crate::common::gravity;
use impinge_contact::{Damping, FrictionLaw, PairLaw, Stiffness};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Mass, QpReport, Response, Simulation};

/// Cubes of 1 m, 1 kg on the ground and `ratio` kg on it, so much wider one way and narrower the other (m), and each so high above what is below (m).
fn stacked(dt: f64, ratio: f64, wider: f64, above: f64) -> Simulation {
    let law = PairLaw {
        stiffness: Stiffness::PerContact(1.0),
        damping: Damping::None,
        friction: Some(FrictionLaw::coulomb(0.5)),
    };
    let cube = |x, y| generators::cuboid(DVec3::new(x, y, 1.0), [1; 3]).unwrap();
    let body = |name, mesh, mass, z| {
        let pose = Pose::from_position(DVec3::new(0.0, 0.0, z));
        BodyDesc::rigid(name, mesh, Mass::Total(mass), pose).unwrap()
    };
    Simulation::builder(dt)
        .gravity(gravity())
        .law(law)
        .response(Response::qp())
        .body(BodyDesc::plane("ground", DVec3::unit_z(), 0.0))
        .body(body("light", &cube(1.0, 1.0), 1.0, 0.5 + above))
        .body(body("heavy", &cube(1.0 + wider, 1.0 - wider), ratio, 1.5 + 2.0 * above))
        .build()
        .unwrap()
}

/// Steps so often; linear systems of all steps, and how many programs were not solved.
fn bears(sim: &mut Simulation, ratio: f64, steps: u32) -> (u32, u32) {
    let weight = 9.81 * ratio;
    let (mut systems, mut unfinished) = (0, 0);
    for step in 0..steps {
        sim.step().unwrap();
        let report = *sim.column::<QpReport>();
        systems += report.iterations;
        unfinished += report.unfinished;
        let force = sim.contact_force(2);
        assert!((force.z / weight - 1.0).abs() < 1e-6, "step {step}: {force:?} of {weight}");
        assert!(force.x.abs().max(force.y.abs()) < 1e-6 * weight, "step {step}: {force:?}");
    }
    (systems, unfinished)
}

#[test]
fn a_box_that_is_a_hair_wider_than_the_one_below_it_is_borne() {
    // No corner is over a face: they hang beside by rounding, the steeper the nearer, and their edges cross at their very ends.
    for wider in [0.0, 3e-13, 1e-11, 3e-10, 1.5e-9, 2.5e-9, 1e-8, 1e-6] {
        for above in [1e-3, 1e-5, 1e-7] {
            let (systems, unfinished) = bears(&mut stacked(1e-4, 10.0, wider, above), 10.0, 40);
            assert!(
                systems < 40 * 20 && unfinished == 0,
                "{wider}, {above}: {systems} systems, {unfinished} not solved"
            );
        }
    }
}

#[test]
fn a_heavy_box_on_a_light_one_is_solved_whatever_the_step() {
    // Corners of one face that hang on each other ask for what differs by the rounding of their places, over the step.
    // They were chased for it through 240 systems a step.
    for dt in [1e-2, 1e-3, 1e-4, 1e-5] {
        let (systems, unfinished) = bears(&mut stacked(dt, 1000.0, 0.0, 1e-3), 1000.0, 60);
        assert!(systems < 60 * 20 && unfinished == 0, "dt {dt}: {systems} systems, {unfinished} not solved");
    }
}
