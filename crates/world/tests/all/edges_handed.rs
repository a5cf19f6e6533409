//! An edge that slides across an edge of several pieces is held all the way, not only on the piece it came down on.

use crate::common::law;
use impinge_contact::Damping;
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Family, Mass, Response, Simulation};
use std::f64::consts::FRAC_PI_4;

const STIFFNESS: f64 = 1e4;
/// Start above the ridges (m), and velocity of what slides over them (m/s).
const GAP: f64 = 1e-4;
const DOWN: f64 = 0.01;
const ALONG: f64 = 0.6;
const DT: f64 = 1e-3;

/// Two bars of 1 m stand on an edge, with five edges in a row above; a bar that nothing stops comes down on both with an edge, and moves
/// along them.
fn keel_over_ridges(response: Response, keel_first: bool) -> Simulation {
    let bar = generators::cuboid(DVec3::new(1.0, 0.2, 0.2), [5, 1, 1]).unwrap();
    let keel = generators::cuboid(DVec3::new(0.2, 1.4, 0.2), [1, 1, 1]).unwrap();
    let on_edge = |axis: DVec3| rotor_from_rotation_vector(axis * FRAC_PI_4);
    let ridge = |name: &str, y: f64| {
        let pose = Pose::new(DVec3::new(0.0, y, 0.0), on_edge(DVec3::unit_x()));
        BodyDesc::fixed(name, bar.clone(), pose).unwrap()
    };
    let above = 0.2 * 2.0_f64.sqrt() + GAP;
    let pose = Pose::new(DVec3::new(-0.37, 0.0, above), on_edge(DVec3::unit_y()));
    let mut moving = BodyDesc::rigid("keel", &keel, Mass::Total(1e9), pose).unwrap();
    moving.velocity = DVec3::new(ALONG, 0.0, -DOWN);
    let implicit = response.family() == Some(Family::CPF_IMPLICIT);
    let mut builder = Simulation::builder(DT)
        .gravity(DVec3::zero())
        .scheme(if implicit { Scheme::ImplicitMidpoint } else { Scheme::SymplecticEuler })
        .law(law(STIFFNESS, Damping::None))
        .response(response);
    let mut bodies = vec![ridge("left", 0.5), ridge("right", -0.5), moving];
    if keel_first {
        bodies.rotate_right(1);
    }
    for body in bodies {
        builder = builder.body(body);
    }
    builder.build().unwrap()
}

#[test]
fn a_keel_is_held_between_the_vertices_of_a_ridge_as_at_the_start() {
    for response in [Response::cpf(), Response::dpf_ccd(), Response::cpf_implicit()] {
        for keel_first in [false, true] {
            let mut sim = keel_over_ridges(response.clone(), keel_first);
            let slot = if keel_first { 0 } else { 2 };
            // Vertices are at −0.3, −0.1, 0.1 and 0.3 m; just behind one it still pushes along the flank that it came in by.
            for at in [-0.32, -0.12, 0.08] {
                let steps = ((at + 0.37) / (ALONG * DT)).round() as u64;
                while sim.steps() < steps {
                    sim.step().unwrap();
                }
                // In the middle of the last step.
                let depth = DOWN * DT * (steps as f64 - 0.5) - GAP;
                let (force, wanted) = (sim.contact_force(slot), 2.0 * STIFFNESS * depth);
                let said =
                    format!("{response:?}, keel first {keel_first}, at {at} m: {force:?} N for {wanted} N");
                assert!((force.z / wanted - 1.0).abs() < 0.02, "{said}");
                assert!(force.x.abs() + force.y.abs() < 0.02 * wanted, "{said}");
            }
        }
    }
}

/// Each vertex comes in by the front flank of the keel and goes out past its edge, with the foot on that flank until then: there it is √2 times as
/// deep behind the flank as the keel on the ridge, and pushes back, at 45°, as an edge bears. From there on that only falls, within a way as
/// long: it was five times as much on the way of a tenth of a triangle.
#[test]
fn a_vertex_of_the_ridge_pushes_the_keel_back_no_more_than_an_edge_bears() {
    for response in [Response::cpf(), Response::dpf_ccd(), Response::cpf_implicit()] {
        let mut sim = keel_over_ridges(response.clone(), false);
        // Positions of the keel (m) in which something pushed it back.
        let (mut most, mut pushed) = (0.0_f64, Vec::new());
        for step in 1..=1000 {
            sim.step().unwrap();
            let at = ALONG * DT * f64::from(step) - 0.37;
            let depth = DOWN * DT * f64::from(step) - GAP;
            // Past the edge is found where a step begins, and the step goes on.
            let edges = 2.0 * STIFFNESS * (depth + ALONG * DT);
            let back = -sim.contact_force(2).x / edges;
            assert!(back < 1.0, "{response:?} at {at} m: {back} of what the edges bear");
            most = most.max(back);
            // Into the flank, out past the edge, until it is let go: the depth before the vertex, and 1 + √2 times that behind it.
            let near = [-0.3, -0.1, 0.1].iter().any(|v| {
                let past = (at - v) / (depth + ALONG * DT);
                (-1.1..2.6).contains(&past)
            });
            if back.abs() > 1e-9 {
                pushed.push(at);
                assert!(near, "{response:?} at {at} m: {back} of what the edges bear");
            }
        }
        assert!(most > 0.8 && pushed.len() > 30, "{response:?}: at most {most}, in {} steps", pushed.len());
    }
}
