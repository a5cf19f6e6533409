//! What starts in touch, or past a surface by rounding or by part of the thickness, is held also where a step falls farther than the thickness.

use crate::common::gravity;
use impinge_contact::PairLaw;
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_world::{BodyDesc, Mass, QpSettings, Response, Simulation};

const R: f64 = 1e-5;
/// In which what falls goes 25 thicknesses.
const DT: f64 = 5e-3;
const MASS: f64 = 1.5;

/// How far past each other the bodies start (m): by rounding, by a hair, and by less than the search looks for what is inside.
const PAST: [f64; 5] = [-1e-12, 0.0, 1e-17, 1e-9, 0.4 * R];

fn world(fixed: BodyDesc, body: BodyDesc) -> Simulation {
    Simulation::builder(DT)
        .gravity(gravity())
        .law(PairLaw::elastic(1.0))
        .response(Response::from(QpSettings { thickness: R, ..QpSettings::default() }))
        .body(fixed)
        .body(body)
        .build()
        .unwrap()
}

fn weight(sim: &Simulation) -> f64 {
    sim.contacts().map(|c| c.force.z.abs()).sum()
}

/// Flat, on an edge and on a corner.
#[test]
fn a_box_that_starts_in_the_top_of_another_by_rounding_stands_on_it() {
    let size = DVec3::new(0.1, 0.1, 0.3);
    let mesh = generators::cuboid(size, [1; 3]).unwrap();
    for turn in [[0.0, 0.0, 0.0], [0.0, 0.0, 0.35], [0.0, 0.436, 0.0], [0.0, 0.436, 0.7], [0.5, 0.3, 0.0]] {
        for past in PAST {
            let turned = rotor_from_rotation_vector(DVec3::from(turn));
            let corners = || mesh.positions().iter().map(|x| turned * *x);
            let low = corners().fold(0.0, |low: f64, x| low.min(x.z));
            let floor = generators::cuboid(DVec3::new(1.0, 1.0, 0.1), [1; 3]).unwrap();
            let floor =
                BodyDesc::fixed("floor", floor, Pose::from_position(DVec3::unit_z() * -0.05)).unwrap();
            let at = Pose::new(DVec3::new(0.123, 0.071, -low - past), turned);
            let mut sim = world(floor, BodyDesc::rigid("box", &mesh, Mass::Total(MASS), at).unwrap());
            sim.step().unwrap();
            let pose = sim.view("box").unwrap().pose();
            let lowest = mesh.positions().iter().fold(0.0, |low: f64, x| low.min(pose.point_to_world(*x).z));
            assert!(lowest > -past.max(0.0) - 1e-3 * R, "{turn:?}, {past:e}: {lowest:e}");
            assert!(weight(&sim) > 0.0, "{turn:?}, {past:e}");
        }
    }
}

/// Ridge on ridge: no vertex is there to be behind a face.
#[test]
fn bars_that_start_edge_in_edge_by_rounding_stand_on_each_other() {
    let mesh = generators::cuboid(DVec3::new(1.0, 0.1, 0.1), [1; 3]).unwrap();
    let ridge = DVec3::unit_x() * std::f64::consts::FRAC_PI_4;
    let up = rotor_from_rotation_vector(ridge);
    for past in PAST {
        let across = rotor_from_rotation_vector(DVec3::unit_z() * 1.1) * up;
        let lower = BodyDesc::fixed("lower", mesh.clone(), Pose::new(DVec3::zero(), up)).unwrap();
        let height = 0.1 * 2f64.sqrt() - past;
        let upper = Pose::new(DVec3::unit_z() * height, across);
        let mut sim = world(lower, BodyDesc::rigid("upper", &mesh, Mass::Total(MASS), upper).unwrap());
        (0..4).for_each(|_| sim.step().unwrap());
        let sunk = height - sim.position(1).z;
        assert!(sunk < R, "{past:e}: {sunk:e}");
        let carried = weight(&sim) / (MASS * 9.81);
        assert!((carried - 1.0).abs() < 1e-6, "{past:e}: {carried}");
    }
}
