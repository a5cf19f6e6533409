//! Places of a pair told apart: what one volume for all cannot hold, and that they are state like everything else.

mod volumes;

use impinge_geometry::{DVec3, Pose, TriMesh, cuboid, generators, rotor_from_rotation_vector};
use impinge_world::{BodyDesc, Features, Mass, Measurement, Response, Simulation, VolumeSettings};
use volumes::{law, report, run};

const G: f64 = 9.81;

fn by_place(by_place: Option<bool>, cell: Option<f64>) -> VolumeSettings {
    let measure = Measurement { by_place, cell, ..Measurement::default() };
    VolumeSettings { measure, depth: 1e-5, ..VolumeSettings::default() }
}

/// A ball of 1 kg in a groove whose walls stand at 45°, without friction, under gravity that leans by `lean` (rad).
fn in_a_groove(lean: f64, settings: VolumeSettings) -> Simulation {
    let angle = generators::l_shape(DVec3::new(0.4, 0.4, 0.3), 0.1).unwrap();
    // Its inner corner becomes the origin, and it opens upwards.
    let (corner, s) = (angle.positions()[3], std::f64::consts::FRAC_1_SQRT_2);
    let upright = |p: DVec3| DVec3::new(p.z, (p.x - p.y) * s, (p.x + p.y) * s);
    let groove = angle.mapped(|p| upright(DVec3::new(p.x - corner.x, p.y - corner.y, p.z))).unwrap();
    let ball = generators::icosphere(0.05, 3).unwrap();
    let ball = BodyDesc::rigid("ball", &ball, Mass::Total(1.0), Pose::from_position(DVec3::unit_z() * 0.07));
    Simulation::builder(2e-3)
        .gravity(DVec3::new(0.0, G * lean.sin(), -G * lean.cos()))
        .law(law(0.0))
        .response(Response::Volume(settings))
        .body(BodyDesc::fixed("groove", groove, Pose::default()).unwrap())
        .body(ball.unwrap())
        .build()
        .unwrap()
}

#[test]
