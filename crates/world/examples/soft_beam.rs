//! How long an implicit step takes, and what it costs to be right: the first swing of a soft beam clamped at one end.
//! `cargo run --release -p impinge-world --example soft_beam`; `benches/peers/mujoco_flex.py` runs the same beam elsewhere.
//!
//! A beam of 0.5 × 0.1 × 0.1 m (20 × 4 × 4 cells, E = 2 MPa, ν = 0.3, 1000 kg/m³) falls from rest. Printed: how deep the
//! tip swings and when, against the shortest step of the same scheme, and the time a step took (one thread, median).

use impinge_contact::PairLaw;
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::Scheme;
use impinge_world::{AttachTo, BodyDesc, BuildError, Deformable, NodeState, Simulation, StepError};
use std::time::Instant;

/// Simulated time (s): a little more than half a period.
const DURATION: f64 = 0.24;

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    println!("scheme,dt_s,peak_m,peak_s,step_ms,linear_iterations,newton_iterations");
    for scheme in [Scheme::ImplicitEuler, Scheme::ImplicitMidpoint] {
        for dt in [2.5e-4, 1e-3, 2e-3, 4e-3, 8e-3] {
            let swing = pool.install(|| swing(scheme, dt))?;
            println!("{},{dt},{}", scheme.name(), swing);
        }
    }
    Ok(())
}

fn world(scheme: Scheme, dt: f64) -> Result<Simulation, BuildError> {
    let mesh = generators::tet_box(DVec3::new(0.5, 0.1, 0.1), [20, 4, 4])
        .map_err(|e| BuildError::BadSetting(e.to_string()))?;
    let rubber = Material::new(2e6, 0.3, 1000.0);
    let beam = Deformable::solid("beam", &mesh, Model::Corotational, &rubber)?
        .pinned(AttachTo::World, |p| p.x < -0.2499);
    Simulation::builder(dt)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .scheme(scheme)
        .law(PairLaw::elastic(1.0))
        .body(BodyDesc::deformable("beam", beam, Pose::identity()))
        .build()
}

fn swing(scheme: Scheme, dt: f64) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let mut sim = world(scheme, dt)?;
    let tip: Vec<usize> = {
        let x = &sim.column::<NodeState>().x;
        (0..x.len()).filter(|&n| x[n].x > 0.2499).collect()
    };
    let height = |sim: &Simulation| {
        let x = &sim.column::<NodeState>().x;
        tip.iter().map(|&n| x[n].z).sum::<f64>() / tip.len() as f64
    };
    let (mut heights, mut times, mut iterations) = (vec![0.0], Vec::new(), [0u32; 2]);
    for _ in 0..(DURATION / dt).round() as usize {
        let start = Instant::now();
        sim.step().map_err(|e: StepError| e.to_string())?;
        times.push(start.elapsed().as_secs_f64());
        heights.push(height(&sim));
        let op = sim.column::<impinge_world::Operator>();
        iterations[0] += op.predicted.linear;
        iterations[1] += op.predicted.newton;
    }
    let lowest = (0..heights.len()).min_by(|&a, &b| heights[a].total_cmp(&heights[b])).unwrap_or(0);
    // The parabola through the lowest sample and its neighbours.
    let (mut depth, mut at) = (heights[lowest], lowest as f64 * dt);
    if lowest > 0 && lowest + 1 < heights.len() {
        let (a, b, c) = (heights[lowest - 1], heights[lowest], heights[lowest + 1]);
        let bend = a - 2.0 * b + c;
        let shift = 0.5 * (a - c) / bend;
        (depth, at) = (b - 0.25 * (a - c) * shift, at + shift * dt);
    }
    times.sort_by(f64::total_cmp);
    let n = times.len() as f64;
    let mean = |i: u32| f64::from(i) / n;
    Ok(format!(
        "{:.6},{:.6},{:.3},{:.1},{:.2}",
        -depth,
        at,
        times[times.len() / 2] * 1e3,
        mean(iterations[0]),
        mean(iterations[1])
    ))
}
