//! An edge that slides across an edge of several pieces is held all the way, not only on the piece it came down on.

mod common;

use common::law;
use impinge_contact::Damping;
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Mass, Response, Simulation};
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
    let implicit = matches!(response, Response::CpfImplicit { .. });
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
            let mut sim = keel_over_ridges(response, keel_first);
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

/// A limit, not a wish: the vertex came in by the front flank, and over the keel's edge that contact fades over a share of the triangle, which is
/// many times the depth here.
#[test]
fn each_vertex_of_the_ridge_pushes_the_keel_back_until_its_band_is_over() {
    let mut sim = keel_over_ridges(Response::cpf(), false);
    let mut back = |at: f64| {
        let steps = ((at + 0.37) / (ALONG * DT)).round() as u64;
        while sim.steps() < steps {
            sim.step().unwrap();
        }
        -sim.contact_force(2).x
    };
    // N, before, beside and beyond the vertices at −0.3 m; the edges bear 30 N there.
    let forces = [-0.31, -0.274, -0.23].map(&mut back);
    assert!(forces[0].abs() < 1e-9 && forces[2].abs() < 1e-9, "{forces:?}");
    assert!((forces[1] - 149.0).abs() < 1.0, "{forces:?}");
}
