//! A snake pulled sideways (seed 002, Fig. 7): how many contacts it takes, and how far off it is.
//!
//! `cargo run --release -p impinge-world --example snake [-- SECONDS]`
//!
//! The paper gives no sizes: here it is a soft bar of 1 m by 6 cm on a plane, one end held by a grip that draws a quarter of an
//! ellipse (half-axes 0.25 and 0.5 m) sideways. Each line is a cell size of the response `volume`; the error is the distance of the nodes at the end of the run from
//! where the classical contact of the response `qp` leaves them, in lengths of the snake, mean and largest.

use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::{Driver, Keyframe, Scheme};
use impinge_world::{
    AttachTo, BodyDesc, BuildError, Deformable, Measurement, Motion, NodeState, PairRule, QpSettings,
    Response, Simulation, VolumeReport, VolumeSettings, Walls,
};
use std::error::Error;

const LENGTH: f64 = 1.0;
const WIDTH: f64 = 0.06;
/// Thickness of `qp` and depth of `volume` (m): where the bar rests.
const GAP: f64 = 2e-4;

fn snake(response: Response) -> Result<Simulation, BuildError> {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let law = PairLaw { friction: Some(friction), ..PairLaw::elastic(1.0) };
    let refused = |source| BuildError::Mesh { body: "grip".to_string(), source };
    let frames = (0..=20)
        .map(|i| {
            let angle = f64::from(i) / 20.0 * std::f64::consts::FRAC_PI_2;
            let way = DVec3::new(-0.25 * (1.0 - angle.cos()), 0.5 * angle.sin(), 0.0);
            let position = DVec3::new(0.5 * LENGTH, 0.0, 0.5 * WIDTH) + way;
            Keyframe { time: 0.1 + 0.1 * f64::from(i), pose: Pose::from_position(position) }
        })
        .collect::<Vec<_>>();
    let grip = generators::cuboid(DVec3::broadcast(0.5 * WIDTH), [1; 3]).map_err(refused)?;
    let mut grip = BodyDesc::fixed("grip", grip, frames[0].pose)?;
    grip.motion = Motion::Kinematic(Driver::Keyframes(frames));
    let bar = generators::tet_box(DVec3::new(LENGTH, WIDTH, WIDTH), [24, 1, 1]).map_err(refused)?;
    let rubber = Material::new(2e5, 0.3, 1000.0).with_rayleigh(1.0, 0.002);
    let bar = Deformable::solid("snake", &bar, Model::Corotational, &rubber)?
        .pinned(AttachTo::Body(1), |p| p.x > 0.499 * LENGTH);
    let pose = Pose::from_position(DVec3::unit_z() * 0.5 * WIDTH);
    Simulation::builder(5e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .scheme(Scheme::ImplicitEuler)
        .law(law)
        .response(response)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(grip)
        .body(BodyDesc::deformable("snake", bar, pose))
        .rule(1, 2, PairRule::Ignore)
        .rule(0, 1, PairRule::Ignore)
        .build()
}

/// What [`run`] gives.
type Ran = (Vec<DVec3>, u32, f64, u32);

/// Nodes at the end (m), most contacts at once, worst residual, steps short of the tolerance.
fn run(response: Response, seconds: f64) -> Result<Ran, Box<dyn Error>> {
    let mut sim = snake(response)?;
    let (mut cells, mut residual, mut unfinished) = (0, 0.0f64, 0);
    while sim.time() < seconds {
        sim.step()?;
        let r = *sim.column::<VolumeReport>();
        cells = cells.max(r.cells);
        residual = residual.max(r.residual);
        unfinished += r.unfinished;
    }
    let x = sim.column::<NodeState>().x.clone();
    Ok((x, cells, residual, unfinished))
}

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args().nth(1).map_or(Ok(2.4), |s| s.parse())?;
    let (reference, ..) =
        run(Response::from(QpSettings { thickness: GAP, ..QpSettings::default() }), seconds)?;
    println!("cell size                contacts   mean error   largest error   residual   solves cut short");
    let carried = [0, 2, 4, 8, 16].map(|parts| (parts, Walls::Carried));
    for (parts, walls) in carried.into_iter().chain([2, 4, 8, 16].map(|parts| (parts, Walls::Shared))) {
        let cell = (parts > 0).then(|| LENGTH / f64::from(parts));
        let settings = VolumeSettings {
            // Without cells, too, all is one contact.
            measure: Measurement { cell, by_place: Some(false), walls, ..Measurement::default() },
            depth: GAP,
            ..VolumeSettings::default()
        };
        let (x, cells, residual, unfinished) = run(Response::from(settings), seconds)?;
        let far = |a: &DVec3, b: &DVec3| {
            let d = *a - *b;
            DVec3::new(d.x, d.y, 0.0).mag() / LENGTH
        };
        let errors: Vec<f64> = x.iter().zip(&reference).map(|(a, b)| far(a, b)).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let most = errors.iter().fold(0.0, |m: f64, e| m.max(*e));
        let size = cell.map_or("one contact".to_string(), |c| format!("{c:.4} m {walls:?}"));
        println!(
            "{size:<24} {cells:<10} {:>8.3} %   {:>9.3} %     {residual:.1e}   {unfinished}",
            100.0 * mean,
            100.0 * most
        );
    }
    println!(
        "paper:  1: 26.21 / 61.30 %   4: 3.47 / 9.94   7: 3.85 / 6.58   12: 0.40 / 0.83   20: 0.25 / 0.46   40: 0.18 / 0.35"
    );
    Ok(())
}
