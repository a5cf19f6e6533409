//! Bodies on each other that a response would let through, or let tip: said before the first step.

use crate::common::gravity;
use crate::pushed::responses;
use impinge_contact::{Damping, FrictionLaw, PairLaw};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Mass, Measurement, Response, Simulation, VolumeSettings};

fn named(name: &str) -> Response {
    responses().into_iter().find(|r| r.0.name() == name).unwrap().0
}

/// Two blocks of these sizes (m), one on the other, on a floor.
fn told(response: Response, sizes: [[f64; 3]; 2]) -> Vec<String> {
    let scheme = response.scheme().unwrap_or_default();
    let (mut builder, mut z) =
        (Simulation::builder(1e-3).gravity(gravity()).scheme(scheme).response(response), 0.0);
    builder = builder.body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for (name, size) in ["low", "high"].into_iter().zip(sizes) {
        let place = [0.0, 0.0, z + 0.5 * size[2]];
        builder = builder.body(BodyDesc::cuboid(name, size, Mass::Total(1.0), place).unwrap());
        z += size[2];
    }
    builder.build().unwrap().response_warnings()
}

const SAME: [[f64; 3]; 2] = [[0.2, 0.2, 0.1]; 2];
const ACROSS: [[f64; 3]; 2] = [[1.0, 0.1, 0.05], [0.1, 1.0, 0.05]];
const SMALLER: [[f64; 3]; 2] = [[0.3, 0.3, 0.1], [0.2, 0.2, 0.1]];

#[test]
fn penalty_says_which_bodies_no_vertex_holds() {
    for sizes in [SAME, ACROSS] {
        let told = told(named("penalty"), sizes);
        assert!(
            told.len() == 1 && told[0].starts_with("'low' and 'high' lie or fall on each other"),
            "{told:?}"
        );
    }
    assert!(told(named("penalty"), SMALLER).is_empty());
    assert!(told(named("penalty"), [SMALLER[1], SMALLER[0]]).is_empty());
    // Edges hold these.
    assert!(told(named("cpf"), SAME).is_empty() && told(named("qp"), ACROSS).is_empty());
}

/// The warning is true: without it the upper one would fall as if nothing was below.
#[test]
fn what_no_vertex_holds_falls_through() {
    let [low, high] = ACROSS;
    let body = |name, size, z| BodyDesc::cuboid(name, size, Mass::Total(1.0), [0.0, 0.0, z]).unwrap();
    let mut sim = Simulation::builder(1e-3)
        .gravity(gravity())
        .response(named("penalty"))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(body("low", low, 0.025))
        .body(body("high", high, 0.075))
        .build()
        .unwrap();
    (0..100).for_each(|_| sim.step().unwrap());
    assert!(sim.position(2).z < 0.075 - 0.04);
}

/// A cube of 1 kg on a cube of one size, `aside` (m) of it, with sides in so many parts: what is said, and where it is after 0.6 s.
fn one_on_one(response: Response, aside: [f64; 2], segments: u32) -> (Vec<String>, DVec3) {
    let cube = generators::cuboid(DVec3::broadcast(0.2), [segments; 3]).unwrap();
    let block = |name, x, y, z| {
        let place = Pose::from_position(DVec3::new(x, y, z));
        BodyDesc::rigid(name, &cube, Mass::Total(1.0), place).unwrap()
    };
    let mut sim = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(PairLaw {
            damping: Damping::KelvinVoigt(60.0),
            friction: Some(FrictionLaw::coulomb(0.5)),
            ..PairLaw::elastic(1e4)
        })
        .response(response)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(block("low", 0.0, 0.0, 0.1))
        .body(block("high", aside[0], aside[1], 0.3))
        .build()
        .unwrap();
    let told = sim.response_warnings();
    (0..600).for_each(|_| sim.step().unwrap());
    (told, sim.position(2) - DVec3::new(aside[0], aside[1], 0.3))
}

#[test]
fn penalty_says_what_stands_on_a_line_of_vertices() {
    for aside in [[1e-4, 1e-4], [-0.02, 0.01]] {
        let (told, _) = one_on_one(named("penalty"), aside, 1);
        assert!(told.len() == 1 && told[0].starts_with("'high' stands on vertices that reach"), "{told:?}");
        let (told, moved) = one_on_one(named("penalty"), aside, 2);
        assert!(told.is_empty() && moved.mag() < 2e-3, "{told:?} {moved:?}");
        assert!(one_on_one(named("cpf"), aside, 1).0.is_empty());
    }
    // It is true of what is not at rest on the line; where faces do not hold it either, nothing is said of vertices.
    let (_, moved) = one_on_one(named("penalty"), [-0.02, 0.01], 1);
    assert!(moved.mag() > 0.01, "{moved:?}");
    let (told, _) = one_on_one(named("penalty"), [0.11, 0.01], 1);
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn one_pressure_for_a_joint_is_said_to_tip() {
    let whole = VolumeSettings::default();
    let in_cells = VolumeSettings { measure: Measurement { cell: Some(0.1), ..whole.measure }, ..whole };
    for response in [named("volume"), named("volume-penalty")] {
        // Nothing damps the energy of volumes where no viscosity is stated.
        let undamped = usize::from(response.name() == "volume-penalty");
        let told = told(response, SMALLER);
        assert!(told.len() == 1 + undamped && told[0].contains("no tipping moment"), "{told:?}");
    }
    assert!(told(Response::from(in_cells), SMALLER).is_empty());
}

/// Walls are half a cell off the origin. Slivers are joined to what is beside them: a side of one cell and a sliver is one contact.
#[test]
fn a_side_that_no_wall_cuts_is_said_to_rock() {
    let in_cells = |cell: f64| {
        let whole = VolumeSettings::default();
        Response::from(VolumeSettings { measure: Measurement { cell: Some(cell), ..whole.measure }, ..whole })
    };
    let told = |cell: f64, x: f64| {
        let card = BodyDesc::cuboid("card", [0.2, 0.1, 0.01], Mass::Total(1.0), [x, x, 0.005]).unwrap();
        let builder = Simulation::builder(1e-3).gravity(gravity()).response(in_cells(cell));
        let sim = builder.body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0)).body(card).build().unwrap();
        sim.response_warnings()
    };
    for (cell, x) in [(0.11, 0.0), (0.11, 0.055), (0.1, 0.0), (0.0995, 0.0)] {
        let told = told(cell, x);
        assert!(told.len() == 1 && told[0].contains("carries no moment"), "{cell} {x}: {told:?}");
    }
    for (cell, x) in [(0.0995, 0.049), (0.1, 0.05), (0.098, 0.0), (0.05, 0.0)] {
        let told = told(cell, x);
        assert!(told.is_empty(), "{cell} {x}: {told:?}");
    }
}

/// Two columns of two equal boxes, so far apart (m).
fn columns(response: Response, apart: f64) -> Vec<String> {
    let scheme = response.scheme().unwrap_or_default();
    let mut builder = Simulation::builder(1e-3).gravity(gravity()).scheme(scheme).response(response);
    builder = builder.body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for (i, name) in ["low", "low-beside", "high", "high-beside"].into_iter().enumerate() {
        let [column, storey] = [i % 2, i / 2].map(|n| n as f64);
        let place = [column * (0.1 + apart), 0.0, 0.1 * storey + 0.05];
        builder = builder.body(BodyDesc::cuboid(name, [0.1; 3], Mass::Total(1.0), place).unwrap());
    }
    builder.build().unwrap().response_warnings()
}

#[test]
fn flush_columns_are_told_where_rounding_decides_who_bears() {
    for name in ["cpf", "dpf-ccd", "cpf-implicit"] {
        let flush = columns(named(name), 0.0);
        let [said] = &flush[..] else { panic!("{name}: {flush:?}") };
        assert!(said.contains("touches it along a line alone") && said.contains("1 more such"), "{said}");
        for none in [columns(named(name), 1e-4), told(named(name), SAME), told(named(name), SMALLER)] {
            assert_eq!(none, Vec::<String>::new(), "{name}");
        }
    }
}
