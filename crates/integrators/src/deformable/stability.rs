//! How long an explicit step may be: power iteration on M⁻¹ K at the positions given.
//!
//! Symplectic Euler with damping taken at the start of the step is stable while `ω² h² + 2 d h ≤ 4` with
//! `d = α + β ω²`, ω the highest circular frequency; so `h = (√(d² + 4 ω²) − d)/ω²`.

use super::operator::{ElasticOperator, matrix};
use super::system::ElasticSystem;
use impinge_contact::BodyDofsView;
use impinge_contact::sums::ordered_sum;
use impinge_elasticity::Projection;
use impinge_geometry::{DVec3, Pose};

/// Iterations; the estimate is from below and gains a digit in about ten.
const ROUNDS: usize = 60;

/// The longest stable explicit step (s), within a few percent; infinite for a system without stiffness. Rigid bodies count as
/// standing still.
pub fn stable_step(system: &ElasticSystem, x: &[DVec3], bodies: BodyDofsView<'_>, poses: &[Pose]) -> f64 {
    let nodes = system.nodes();
    if nodes == 0 {
        return f64::INFINITY;
    }
    let mut op = ElasticOperator::default();
    op.place(system, bodies, poses, 1.0);
    op.assemble_stiffness(system, x, Projection::Spd, true);
    let blocks = system.layout.blocks();
    let beta = system.stiffness_damping.iter().fold(0.0, |a: f64, b| a.max(*b));
    let alpha = (0..nodes).map(|i| system.mass_damping[i] / system.mass[i]).fold(0.0, f64::max);
    // A start with a bit of everything and a period of nothing.
    let mut v: Vec<DVec3> = (0..blocks)
        .map(|i| {
            let k = i as f64;
            DVec3::new(libm::sin(1.7 * k + 0.3), libm::sin(2.3 * k + 1.1), libm::sin(3.1 * k + 2.0))
        })
        .collect();
    let mut kv = vec![DVec3::zero(); blocks];
    let mut omega_squared: f64 = 0.0;
    for _ in 0..ROUNDS {
        system.filter.project(&mut v);
        for v in &mut v[nodes..] {
            *v = DVec3::zero();
        }
        matrix(system, &op.stiffness).apply(&v, &mut kv, &mut op.apply);
        system.filter.project(&mut kv);
        let top = ordered_sum(nodes, |i| v[i].dot(kv[i]));
        let bottom = ordered_sum(nodes, |i| v[i].mag_sq() * system.mass[i]);
        if !(top > 0.0 && bottom > 0.0) {
            break;
        }
        omega_squared = omega_squared.max(top / bottom);
        let size = ordered_sum(nodes, |i| (kv[i] / system.mass[i]).mag_sq()).sqrt();
        for i in 0..nodes {
            v[i] = kv[i] / (system.mass[i] * size);
        }
    }
    if omega_squared == 0.0 {
        return f64::INFINITY;
    }
    let d = alpha + beta * omega_squared;
    ((d * d + 4.0 * omega_squared).sqrt() - d) / omega_squared
}
