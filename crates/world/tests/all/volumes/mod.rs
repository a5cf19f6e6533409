//! Set-ups of the tests of the volume responses; no test uses all of it.
#![allow(dead_code)]

use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Mass, Measurement, Response, Simulation, VolumeReport, VolumeSettings};

pub const DEPTH: f64 = 1e-5;

/// Stiffness is nothing to constraints.
pub fn law(mu: f64) -> PairLaw {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let friction = (mu > 0.0).then_some(friction);
    PairLaw { friction, ..PairLaw::elastic(1.0) }
}

pub fn settings(cell: Option<f64>) -> VolumeSettings {
    VolumeSettings {
        depth: DEPTH,
        measure: Measurement { cell, ..Measurement::default() },
        ..VolumeSettings::default()
    }
}

pub fn report(sim: &Simulation) -> VolumeReport {
    *sim.column::<VolumeReport>()
}

pub fn run(sim: &mut Simulation, seconds: f64) {
    let steps = (seconds / sim.dt()).round() as u64;
    for _ in 0..steps {
        sim.step().unwrap();
    }
}

/// Ten boxes on each other on a plane: how far the worst gets from where it starts (m).
pub fn stands(settings: &VolumeSettings, dt: f64, seconds: f64) -> (f64, VolumeReport) {
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let mut builder = Simulation::builder(dt)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(law(0.5))
        .response(Response::from(*settings))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for i in 0..10 {
        let z = 0.05 + 0.1 * f64::from(i);
        let pose = Pose::from_position(DVec3::new(1e-3 * f64::from(i % 3), -7e-4 * f64::from(i % 2), z));
        builder = builder.body(BodyDesc::rigid(&format!("box-{i}"), &mesh, Mass::Total(1.0), pose).unwrap());
    }
    let mut sim = builder.build().unwrap();
    let start: Vec<DVec3> = (1..11).map(|s| sim.position(s)).collect();
    let mut worst = 0.0f64;
    for _ in 0..(seconds / dt).round() as u64 {
        sim.step().unwrap();
        for (s, x) in start.iter().enumerate() {
            worst = worst.max((sim.position(s as u32 + 1) - *x).mag());
        }
    }
    (worst, report(&sim))
}
