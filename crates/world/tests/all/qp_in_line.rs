//! Under constraints, boxes of one width that stand on each other, a hair beside and heavy on light, bear what they bear in every step.

use crate::common::gravity;
use impinge_contact::{Damping, FrictionLaw, PairLaw, Stiffness};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Mass, QpReport, Response, Simulation};

/// Cubes of 1 m, 1 kg on the ground and `ratio` kg on it, which stands `beside` (m) it and this high above it (m).
fn stacked(dt: f64, ratio: f64, beside: DVec3, above: f64) -> Simulation {
    let law = PairLaw {
        stiffness: Stiffness::PerContact(1.0),
        damping: Damping::None,
        friction: Some(FrictionLaw::coulomb(0.5)),
    };
    let cube = generators::cuboid(DVec3::broadcast(1.0), [1; 3]).unwrap();
    let body =
        |name, mass, at| BodyDesc::rigid(name, &cube, Mass::Total(mass), Pose::from_position(at)).unwrap();
    let on = DVec3::new(0.0, 0.0, 0.5 + above);
    Simulation::builder(dt)
        .gravity(gravity())
        .law(law)
        .response(Response::qp())
        .body(BodyDesc::plane("ground", DVec3::unit_z(), 0.0))
        .body(body("light", 1.0, on))
        .body(body("heavy", ratio, on + beside + DVec3::new(0.0, 0.0, 1.0 + above)))
        .build()
        .unwrap()
}

/// Steps so often; the most iterations of a step, and how many programs were not solved.
fn bears(sim: &mut Simulation, ratio: f64, steps: u32) -> (u32, u32) {
    let weight = 9.81 * ratio;
    let (mut most, mut unfinished) = (0, 0);
    for step in 0..steps {
        sim.step().unwrap();
        let report = *sim.column::<QpReport>();
        most = most.max(report.iterations);
        unfinished += report.unfinished;
        let force = sim.contact_force(2);
        assert!((force.z / weight - 1.0).abs() < 1e-6, "step {step}: {force:?} of {weight}");
        assert!(force.x.abs().max(force.y.abs()) < 1e-6 * weight, "step {step}: {force:?}");
    }
    (most, unfinished)
}

#[test]
fn a_box_a_hair_beside_the_one_below_it_is_borne() {
    // The nearer the two, the steeper the way from the rim of one to the corner of the other, which is rounding.
    for beside in [[3e-13, 2e-13, 0.0], [-4e-10, 1e-12, 0.0], [0.0; 3]] {
        for above in [1e-3, 1e-5, 1e-7] {
            bears(&mut stacked(1e-4, 10.0, beside.into(), above), 10.0, 40);
        }
    }
}

#[test]
fn a_heavy_box_on_a_light_one_is_solved_whatever_the_step() {
    // Corners of one face that hang on each other ask for what differs by the rounding of their places, over the step.
    for dt in [1e-2, 1e-3, 1e-4, 1e-5] {
        let (most, unfinished) = bears(&mut stacked(dt, 1000.0, DVec3::zero(), 1e-3), 1000.0, 60);
        assert!(most < 60 && unfinished == 0, "dt {dt}: {most} iterations, {unfinished} not solved");
    }
}
