//! Torque-free rotation that keeps energy and angular momentum.
//!
//! In body axes `Π = J Ω` obeys `Π̇ = Π × Ω`. One step solves `Π₁ = exp(−Θ) Π₀` with
//! `Θ = h (Ω₀ + Ω₁) / 2` and turns the body by `R₁ = R₀ exp(Θ)`. The world momentum `R Π` is then the same
//! vector before and after, and because `Π₁ − Π₀` is perpendicular to the axis of the rotation between them,
//! which is the direction of `Ω₀ + Ω₁`, so is the energy: `½ (Ω₀ + Ω₁) · (Π₁ − Π₀) = 0` (Simo and Wong's
//! argument; the exponential map and any scaling of Θ have the property). The period error is O(h²).

use impinge_geometry::{DMat3, DRotor3, DVec3, inverse, rotor_from_rotation_vector, skew, sub};

/// Largest rotation of one inner step (rad); faster spins are split, which keeps both invariants.
const MAX_ANGLE: f64 = 0.25;
/// Inner steps at the most: what spins faster is turned about its angular momentum by its mean spin, see [`free_rotation`].
const MAX_SUBSTEPS: f64 = 1024.0;

/// The rotation of a free rigid body after `dt` seconds.
///
/// `momentum` is the angular momentum about the centre of mass in world axes (kg m²/s), `inverse_inertia` is in
/// body axes. A body that turns by more than 256 rad is turned about its momentum, at the rate that it has along it. The momentum in body
/// axes stays, and with it the energy; its axis does not wander in the body, as it does in truth. Total: a body without inertia, or a
/// non-finite momentum, gives a rotation that is unchanged or not finite; the step's guard names it.
#[must_use]
pub fn free_rotation(rotation: DRotor3, momentum: DVec3, inverse_inertia: &DMat3, dt: f64) -> DRotor3 {
    let mut pi = rotation.reversed() * momentum;
    let mut omega = *inverse_inertia * pi;
    let angle = omega.mag() * dt.abs();
    if angle == 0.0 {
        return rotation;
    }
    if angle > MAX_ANGLE * MAX_SUBSTEPS {
        let along = momentum / momentum.mag();
        let spin = omega.dot(pi / pi.mag());
        return (rotor_from_rotation_vector(along * (spin * dt)) * rotation).normalized();
    }
    let substeps = (angle / MAX_ANGLE).ceil().max(1.0);
    let h = dt / substeps;
    let mut r = rotation;
    for _ in 0..substeps as usize {
        let (theta, pi1, omega1) = inner_step(pi, omega, inverse_inertia, h);
        r = (r * rotor_from_rotation_vector(theta)).normalized();
        pi = pi1;
        omega = omega1;
    }
    r
}

/// Solves `Ω₁ = J⁻¹ exp(−h (Ω₀ + Ω₁)/2) Π₀` by Newton with the derivative's leading term
/// `I − (h/2) J⁻¹ [Π₁]×`. A plain fixed point diverges for needles, whose moments differ a hundredfold.
fn inner_step(pi0: DVec3, omega0: DVec3, inverse_inertia: &DMat3, h: f64) -> (DVec3, DVec3, DVec3) {
    let mut omega1 = omega0;
    let mut theta = omega0 * h;
    let mut pi1 = pi0;
    let mut last = f64::INFINITY;
    for _ in 0..32 {
        theta = (omega0 + omega1) * (0.5 * h);
        pi1 = rotor_from_rotation_vector(-theta) * pi0;
        let residual = omega1 - *inverse_inertia * pi1;
        let size = residual.mag();
        // Stop when rounding stops the descent, or there is nothing left to gain.
        if size == 0.0 || size.is_nan() || (size >= last && size <= 1e-13 * omega1.mag()) {
            break;
        }
        last = size;
        let derivative = sub(&DMat3::identity(), &(*inverse_inertia * skew(pi1 * (0.5 * h))));
        let Some(inverse) = inverse(&derivative) else { break };
        omega1 -= inverse * residual;
    }
    (theta, pi1, *inverse_inertia * pi1)
}

/// The rotation vector (rad, shortest way) that takes `from` to `to` in world axes.
#[must_use]
pub fn rotation_between(from: DRotor3, to: DRotor3) -> DVec3 {
    let d = (to * from.reversed()).normalized();
    let (s, v) = if d.s < 0.0 {
        (-d.s, DVec3::new(d.bv.yz, -d.bv.xz, d.bv.xy))
    } else {
        (d.s, DVec3::new(-d.bv.yz, d.bv.xz, -d.bv.xy))
    };
    let size = v.mag();
    if size < 1e-12 {
        return v * 2.0;
    }
    v * (2.0 * libm::atan2(size, s) / size)
}
