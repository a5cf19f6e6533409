//! Rotation of bodies that are locked about some axes of the world.
//!
//! The free part of the angular momentum is what torques change, and ω = W(R) L with W of [`Mobility::spin`]. One step turns by the mean of the
//! spins at both ends, θ = h (ω₀ + ω₁)/2, about free axes only. About one free axis that is the exact motion. With two, kinetic
//! energy is kept to second order, without drift: the rule is its own reverse.

use crate::midpoint::{cayley, cayley_tangent};
use impinge_contact::Mobility;
use impinge_geometry::{DMat3, DRotor3, DVec3, add, rotor_from_rotation_vector, scale, skew, sub};

/// Largest turn of one inner step (rad).
const MAX_ANGLE: f64 = 0.125;
/// Inner steps at the most.
const MAX_SUBSTEPS: f64 = 1024.0;
/// Passes of the fixed point; each gains a factor of about the angle.
const PASSES: u32 = 64;

/// The rotation after `dt` seconds without torque.
pub(crate) fn locked_rotation(rotation: DRotor3, momentum: DVec3, mobility: &Mobility, dt: f64) -> DRotor3 {
    let spin = |r: DRotor3| mobility.spin(&r.into_matrix(), momentum);
    let omega = spin(rotation);
    let angle = omega.mag() * dt.abs();
    if angle == 0.0 {
        return rotation;
    }
    if mobility.locked().rotations().iter().filter(|l| !**l).count() == 1 {
        return (rotor_from_rotation_vector(omega * dt) * rotation).normalized();
    }
    let substeps = (angle / MAX_ANGLE).ceil().clamp(1.0, MAX_SUBSTEPS);
    let h = dt / substeps;
    let mut r = rotation;
    for _ in 0..substeps as usize {
        let before = spin(r);
        let turned = |theta: DVec3| (rotor_from_rotation_vector(theta) * r).normalized();
        let theta = fixed_point(before * h, |theta| (before + spin(turned(theta))) * (0.5 * h));
        r = turned(theta);
    }
    r
}

/// θ = f(θ) from a first guess, until rounding ends the descent.
fn fixed_point(first: DVec3, f: impl Fn(DVec3) -> DVec3) -> DVec3 {
    let (mut theta, mut last) = (first, f64::INFINITY);
    for _ in 0..PASSES {
        let next = f(theta);
        let change = (next - theta).mag();
        theta = next;
        if change == 0.0 || change.is_nan() || (change >= last && change <= 1e-13 * theta.mag()) {
            break;
        }
        last = change;
    }
    theta
}

/// [`crate::momentum_after`] of a locked body: L₁ = J₁ (2θ/Δt − ω₀), and on locked axes what a system to be solved has there.
pub(crate) fn locked_momentum_after(
    rotation: DRotor3,
    momentum: DVec3,
    mobility: &Mobility,
    theta: DVec3,
    dt: f64,
) -> (DVec3, DMat3) {
    let before = mobility.spin(&rotation.into_matrix(), momentum);
    let r1 = cayley(theta).into_matrix() * rotation.into_matrix();
    let j = r1 * *mobility.inertia() * r1.transposed();
    let after = theta * (2.0 / dt) - before;
    let l = j * after;
    let turned = sub(&skew(l), &(j * skew(after)));
    let slope = sub(&scale(&j, 2.0 / dt), &(turned * cayley_tangent(theta)));
    let heavy = scale(&mobility.lock_inertia(), 2.0 / dt);
    let of = |a: DVec3| mobility.angular(a);
    let slope = DMat3::new(of(slope.cols[0]), of(slope.cols[1]), of(slope.cols[2]));
    (of(l) + heavy * theta, add(&slope, &heavy))
}
