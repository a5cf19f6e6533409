//! What slides over a fine floor is not caught by the floor's own vertices, and what starts on a surface to rounding rests on it.

use crate::common::{G, gravity, law};
use impinge_contact::Damping;
use impinge_geometry::{DVec3, Pose, TriMesh, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_penalty::{Evaluate, Release};
use impinge_world::{BodyDesc, Detection, Family, Mass, Penalty, Response, Simulation};

/// A kilogram of box, 0.1 m wide, on a plate of 0.1 m thickness, both tested against each other.
fn on_plate(
    response: Response,
    cells: u32,
    height: f64,
    turned: DVec3,
    speed: f64,
    stiffness: f64,
    damping: Damping,
) -> Simulation {
    let plate = generators::cuboid(DVec3::new(1.0, 0.6, 0.1), [cells, cells, 1]).unwrap();
    let cube = generators::cuboid(DVec3::broadcast(0.1), [2, 2, 2]).unwrap();
    let turn = rotor_from_rotation_vector(turned);
    let place = Pose::new(turn * DVec3::new(-0.2171, 0.0193, 0.1 + height), turn);
    let mut body = BodyDesc::rigid("box", &cube, Mass::Total(1.0), place).unwrap();
    body.velocity = turn * DVec3::new(speed, 0.0, 0.0);
    let implicit = response.family() == Some(Family::CPF_IMPLICIT);
    Simulation::builder(1e-3)
        .gravity(turn * gravity())
        .scheme(if implicit { Scheme::ImplicitMidpoint } else { Scheme::SymplecticEuler })
        .law(law(stiffness, damping))
        .response(response)
        .body(BodyDesc::fixed("plate", plate, Pose::new(DVec3::zero(), turn)).unwrap())
        .body(body)
        .build()
        .unwrap()
}

fn tracked_and_not() -> [Response; 5] {
    [Response::penalty(), Response::cpf(), Response::dpf_ccd(), Response::cpf_implicit(), Response::qp()]
}

#[test]
fn a_box_without_friction_slides_on_over_a_fine_floor() {
    for damping in [Damping::KelvinVoigt(20.0), Damping::HuntCrossley(5.0)] {
        for response in tracked_and_not() {
            let mut sim = on_plate(response.clone(), 40, 0.0, DVec3::zero(), 1.0, 1e4, damping);
            (0..300).for_each(|_| sim.step().unwrap());
            let v = sim.twist(1).velocity.x;
            // The discrete force on tracked features lets it hop by its resting depth, and the tilt takes some tenths of a percent. That is from this height: from 3 to 7 µm
            // above the floor it hops until it is pitched by 12° and more under Kelvin and Voigt's law, a side of it comes down on vertices of the floor, and 5 to 50 % are lost.
            assert!((v - 1.0).abs() < 0.01, "{response:?}, {damping:?}: {v} m/s");
        }
    }
}

#[test]
fn the_closest_point_of_the_seeds_lets_the_floor_catch_it() {
    let [facing, closest] = [Detection::Facing, Detection::Closest].map(|detection| {
        let response =
            Response::from(Penalty { evaluate: Evaluate::End, release: Release::Force, detection });
        let mut sim = on_plate(response, 40, 0.0, DVec3::zero(), 1.0, 200.0, Damping::KelvinVoigt(1.0));
        (0..300).for_each(|_| sim.step().unwrap());
        sim.twist(1).velocity.x
    });
    assert!((facing - 1.0).abs() < 0.01 && closest < 0.9, "{facing} and {closest} m/s");
}

#[test]
fn a_needle_stands_on_its_tip() {
    // Half as wide as 0.05 of its height: no face at the tip looks down by more than three degrees.
    let corners = [[0.05, 0.0, 1.0], [-0.03, 0.04, 1.0], [-0.03, -0.04, 1.0], [0.0, 0.0, 0.0]];
    let needle = TriMesh::from_arrays(&corners, &[[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]).unwrap();
    for response in tracked_and_not() {
        let plate = generators::cuboid(DVec3::new(1.0, 0.6, 0.1), [3, 3, 1]).unwrap();
        let implicit = response.family() == Some(Family::CPF_IMPLICIT);
        let pose = Pose::from_position(DVec3::new(0.013, 0.007, 0.051));
        let body = BodyDesc::rigid("needle", &needle, Mass::Total(1.0), pose).unwrap();
        let mut sim = Simulation::builder(1e-3)
            .gravity(gravity())
            .scheme(if implicit { Scheme::ImplicitMidpoint } else { Scheme::SymplecticEuler })
            .law(law(1e4, Damping::KelvinVoigt(100.0)))
            .response(response.clone())
            .body(BodyDesc::fixed("plate", plate, Pose::identity()).unwrap())
            .body(body)
            .build()
            .unwrap();
        // The tip starts 1 mm above the plate; the needle has hardly begun to fall over by then.
        let start = sim.pose(1).position.z;
        (0..60).for_each(|_| sim.step().unwrap());
        let fallen = start - sim.pose(1).position.z;
        assert!(
            fallen < 4e-3 && sim.contact_force(1).z > 5.0,
            "{response:?}: {fallen} m, {}",
            sim.contact_force(1).z
        );
    }
}

#[test]
fn a_box_that_starts_on_a_plate_to_rounding_rests_on_it() {
    for turned in [DVec3::zero(), DVec3::new(0.3, -0.7, 0.4)] {
        for height in [0.0, 1e-15, -1e-15, -1e-12, -1e-9] {
            for response in tracked_and_not() {
                let mut sim =
                    on_plate(response.clone(), 3, height, turned, 0.0, 1e4, Damping::KelvinVoigt(40.0));
                (0..600).for_each(|_| sim.step().unwrap());
                let up = rotor_from_rotation_vector(turned) * DVec3::unit_z();
                let (z, weight) = (sim.pose(1).position.dot(up), sim.contact_force(1).dot(up));
                let far = format!("{response:?} turned by {turned:?}, {height} m up: {z} m, {weight} N");
                assert!((0.098..0.102).contains(&z) && (weight - G).abs() < 1e-3 * G, "{far}");
            }
        }
    }
}
