//! The time of a query.

use crate::pairs::Bodies;
use impinge_benches::Numbers;
use impinge_geometry::{Pose, rotor_from_rotation_vector};
use impinge_pressure::{ContactSurface, PairError, Rule, Workspace, contact};
use std::time::Instant;

/// Over the poses.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Mean number of polygons.
    pub faces: f64,
    /// Median of the best of each (µs).
    pub us: f64,
}

/// Poses about those of the pair.
const POSES: usize = 64;

/// `calls` queries at each of the poses, which change before every call.
pub fn measure(bodies: &Bodies, calls: usize) -> Result<Measured, PairError> {
    let mut random = Numbers::new(7);
    let mut near = |p: &Pose| {
        let turn = rotor_from_rotation_vector(random.vector() * 0.15);
        Pose::new(p.position + random.vector() * 2e-3, turn * p.rotation)
    };
    let poses: Vec<[Pose; 2]> = (0..POSES).map(|_| bodies.poses.map(|p| near(&p))).collect();
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    let mut best = [f64::INFINITY; POSES];
    let mut faces = 0;
    // The first round warms up and counts.
    for round in 0..=calls {
        for ([a, b], best) in poses.iter().zip(&mut best) {
            let start = Instant::now();
            contact(&bodies.a, a, &bodies.b, b, Rule::Paper, &mut ws, &mut out)?;
            let us = start.elapsed().as_secs_f64() * 1e6;
            if round == 0 {
                faces += out.faces.len();
            } else {
                *best = best.min(us);
            }
        }
    }
    best.sort_by(f64::total_cmp);
    Ok(Measured { faces: faces as f64 / POSES as f64, us: best[POSES / 2] })
}
