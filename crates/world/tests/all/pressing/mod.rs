//! Bodies and worlds of the tests of pressure fields.
// Each test program takes what it needs.
#![allow(dead_code)]

use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_pressure::{CompliantBody, fields};
use impinge_world::{BodyDesc, Builder, Mass, PressureReport, PressureSettings, Response, Simulation};

pub const G: f64 = 9.8;

/// Only friction and a Hunt–Crossley damping of the law are used here.
pub fn law(mu: f64) -> PairLaw {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let friction = (mu > 0.0).then_some(friction);
    PairLaw { friction, ..PairLaw::elastic(1.0) }
}

pub fn settings() -> PressureSettings {
    PressureSettings { energy: false, ..PressureSettings::default() }
}

pub fn explicit() -> PressureSettings {
    PressureSettings::explicit()
}

pub fn world(dt: f64, mu: f64, settings: PressureSettings) -> Builder {
    Simulation::builder(dt).gravity(DVec3::new(0.0, 0.0, -G)).law(law(mu)).response(Response::from(settings))
}

pub fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

pub fn ball(resolution: f64, modulus: f64) -> CompliantBody {
    fields::sphere(0.05, resolution, modulus).unwrap()
}

pub fn cube(modulus: f64) -> CompliantBody {
    fields::cuboid(DVec3::broadcast(0.1), modulus).unwrap()
}

pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(DVec3::new(x, y, z))
}

pub fn compliant(name: &str, field: &CompliantBody, mass: f64, pose: Pose) -> BodyDesc {
    BodyDesc::compliant(name, field, Mass::Total(mass), pose).unwrap()
}

pub fn report(sim: &Simulation) -> PressureReport {
    *sim.column::<PressureReport>()
}

pub fn run(sim: &mut Simulation, steps: usize) {
    (0..steps).for_each(|_| sim.step().unwrap());
}

/// Bodies that fly into one another far from the ground: nothing else acts.
pub fn collision(settings: PressureSettings, dt: f64) -> Builder {
    let mut law = law(0.4);
    law.damping = Damping::HuntCrossley(0.5);
    let mut builder = Simulation::builder(dt).law(law).response(Response::from(settings));
    let bodies = [
        (ball(0.025, 1e6), DVec3::new(0.0, 0.0, 0.0), DVec3::new(1.5, 0.0, 0.0), 1.0),
        (cube(3e6), DVec3::new(0.13, 0.02, 0.01), DVec3::new(-0.5, 0.1, 0.0), 2.0),
        (fields::cylinder(0.04, 0.1, 0.02, 2e6).unwrap(), DVec3::new(0.27, 0.0, 0.02), DVec3::zero(), 0.7),
    ];
    for (i, (field, x, v, mass)) in bodies.into_iter().enumerate() {
        let rotation = rotor_from_rotation_vector(DVec3::new(0.2, 0.5, -0.3) * i as f64);
        let mut body = compliant(&format!("b{i}"), &field, mass, Pose::new(x, rotation));
        body.velocity = v;
        body.angular_velocity = DVec3::new(0.3, -1.0, 2.0);
        builder = builder.body(body);
    }
    builder
}
