//! Bodies and worlds of the tests of pressure fields.
// Each test program takes what it needs.
#![allow(dead_code)]

use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule, Stiffness};
use impinge_geometry::{DVec3, Pose};
use impinge_pressure::{CompliantBody, fields};
use impinge_world::{BodyDesc, Builder, Mass, PressureReport, PressureSettings, Response, Simulation};

pub const G: f64 = 9.8;

/// Only friction and a Hunt–Crossley damping of the law are used here.
pub fn law(mu: f64) -> PairLaw {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let friction = (mu > 0.0).then_some(friction);
    PairLaw { stiffness: Stiffness::PerContact(1.0), damping: Damping::None, friction }
}

pub fn settings() -> PressureSettings {
    PressureSettings { energy: false, ..PressureSettings::default() }
}

pub fn explicit() -> PressureSettings {
    PressureSettings::explicit()
}

pub fn world(dt: f64, mu: f64, settings: PressureSettings) -> Builder {
    Simulation::builder(dt)
        .gravity(DVec3::new(0.0, 0.0, -G))
        .law(law(mu))
        .response(Response::Pressure(settings))
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
