//! Intersection volumes through the whole pipeline: weight, friction, momentum, deep starts, same bits.

mod common;

use common::{G, floor, gravity, weighed};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule, Stiffness};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Mass, Measurement, Response, Simulation, VolumeReport, VolumeSettings};

const DEPTH: f64 = 1e-5;

/// Stiffness is nothing to this response.
fn law(mu: f64) -> PairLaw {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let friction = (mu > 0.0).then_some(friction);
    PairLaw { stiffness: Stiffness::PerContact(1.0), damping: Damping::None, friction }
}

fn settings(cell: Option<f64>) -> VolumeSettings {
    VolumeSettings {
        depth: DEPTH,
        measure: Measurement { cell, pixel: None },
        ..VolumeSettings::default()
    }
}

fn report(sim: &Simulation) -> VolumeReport {
    *sim.column::<VolumeReport>()
}

#[test]
fn b22_a_body_weighs_m_g_on_a_plane_and_on_a_mesh() {
    for body in weighed(3e-3) {
        for on_mesh in [false, true] {
            for cell in [None, Some(0.07)] {
                let name = body.name.clone();
                let mut sim = Simulation::builder(1e-3)
                    .gravity(gravity())
                    .law(law(0.5))
                    .response(Response::Volume(settings(cell)))
                    .body(floor(on_mesh))
                    .body(body.clone())
                    .build()
                    .unwrap();
                let mut worst = 0.0f64;
                for step in 0..300 {
                    sim.step().unwrap();
                    if step >= 200 {
                        let (body, ground) = (sim.contact_force(1), sim.contact_force(0));
                        worst = worst.max((body - DVec3::unit_z() * (2.0 * G)).mag() / (2.0 * G));
                        assert!((body + ground).mag() < 1e-12 * G, "{name}: action and reaction");
                    }
                }
                println!("{name} on mesh {on_mesh}, cell {cell:?}: {worst:.2e}, {:?}", report(&sim));
                assert!(worst < 1e-6, "{name} on mesh {on_mesh}, cell {cell:?}: {worst}");
            }
        }
    }
}

/// A box of 1 kg with edges of 0.1 m on a slope of tan θ; the slope is the plane z = 0 and gravity leans.
fn on_slope(mu: f64, tan: f64, g: f64, dt: f64, cell: Option<f64>) -> Simulation {
    let (sin, cos) = (tan / (1.0 + tan * tan).sqrt(), 1.0 / (1.0 + tan * tan).sqrt());
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let pose = Pose::from_position(DVec3::unit_z() * (0.05 - DEPTH));
    Simulation::builder(dt)
        .gravity(DVec3::new(g * sin, 0.0, -g * cos))
        .law(law(mu))
        .response(Response::Volume(settings(cell)))
        .body(BodyDesc::plane("slope", DVec3::unit_z(), 0.0))
        .body(BodyDesc::rigid("box", &mesh, Mass::Total(1.0), pose).unwrap())
        .build()
        .unwrap()
}

fn run(sim: &mut Simulation, seconds: f64) {
    let steps = (seconds / sim.dt()).round() as u64;
    for _ in 0..steps {
        sim.step().unwrap();
    }
}

#[test]
fn b23_the_threshold_of_sticking_is_tan_theta() {
    let (dt, t) = (1e-3, 0.5);
    for cell in [None, Some(0.06)] {
        for (mu, sticks) in [(0.501, true), (0.5001, true), (0.4999, false), (0.49, false)] {
            let mut sim = on_slope(mu, 0.5, 9.8, dt, cell);
            run(&mut sim, t);
            let (x, v) = (sim.pose(1).position.x, sim.twist(1).velocity.x);
            // g (sin θ − μ cos θ): 0.087654 m/s² at μ = 0.49.
            let a = 9.8 * (0.5 - mu) / 1.25f64.sqrt();
            println!("cell {cell:?}, mu {mu}: x {x:.3e}, v {v:.3e}, a {:.6} ({a:.6}), {:?}", v / t, report(&sim));
        }
    }
}

#[test]
fn b24_what_sticks_does_not_creep() {
    for cell in [None, Some(0.06)] {
        let mut sim = on_slope(0.6, 0.5, G, 1e-3, cell);
        run(&mut sim, 1.0);
        let from = sim.pose(1).position;
        run(&mut sim, 1.0);
        let creep = (sim.pose(1).position - from).mag();
        println!("cell {cell:?}: creep {creep:.2e} m/s, {:?}", report(&sim));
        let force = sim.contact_force(1);
        println!("{force:?}");
    }
}
