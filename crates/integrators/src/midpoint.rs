//! Rigid bodies by the midpoint rule: positions move by the mean velocity, rotations by the Cayley map of the mean spin.
//!
//! `X₁ = X₀ + Δt (v₀+v₁)/2`, `R₁ = cay(θ) R₀`, `θ = Δt R₀ (Ω₀+Ω₁)/2` with `Ω = J⁻¹ Rᵀ L` (Simo and Wong's scheme on the Cayley map). A
//! force f at a material point does the work `f·(x₁ − x₀)` exactly when its moment is taken about the mean arm:
//! `(R₁−R₀)ρ = θ × ½(R₀+R₁)ρ`, and the energy of the rotation grows by `θ·(L₁ − L₀)/Δt`. So contact impulses that are discrete gradients keep the
//! energy of rigid bodies as well, and `x̄ × f` is the angular momentum they give.

use crate::locked::locked_momentum_after;
use impinge_contact::Mobility;
use impinge_geometry::{DMat3, DRotor3, DVec3, Pose, add, inverse, scale, skew, sub};

/// The rotation cay(θ) = (I − ½θ̂)⁻¹(I + ½θ̂): about θ by the angle 2 atan(|θ|/2).
#[must_use]
pub fn cayley(theta: DVec3) -> DRotor3 {
    let half = theta * 0.5;
    let mut r = DRotor3::identity();
    // As a quaternion (1, θ/2); ultraviolet's planes are (−z, y, −x) of its axis.
    (r.bv.xy, r.bv.xz, r.bv.yz) = (-half.z, half.y, -half.x);
    r.normalized()
}

/// The spin `δψ` of cay(θ) by `δθ`: `δR = [δψ]× R` with `δψ = T δθ`, `T = (I + ½θ̂)/(1 + ¼|θ|²)`.
#[must_use]
pub fn cayley_tangent(theta: DVec3) -> DMat3 {
    scale(&add(&DMat3::identity(), &skew(theta * 0.5)), 1.0 / (1.0 + 0.25 * theta.mag_sq()))
}

/// Angular momentum (kg m²/s, world axes) at the end of a step that turns by `theta` (world axes) and began with `momentum`, and its
/// derivative by `theta`. About locked axes it takes more than any torque gives.
#[must_use]
pub fn momentum_after(
    rotation: DRotor3,
    momentum: DVec3,
    mobility: &Mobility,
    theta: DVec3,
    dt: f64,
) -> (DVec3, DMat3) {
    if mobility.locked().rotates() {
        return locked_momentum_after(rotation, momentum, mobility, theta, dt);
    }
    let (inertia, inverse_inertia) = (mobility.inertia(), mobility.inverse_inertia());
    let r0 = rotation.into_matrix();
    let r1 = cayley(theta).into_matrix() * r0;
    let before = *inverse_inertia * (r0.transposed() * momentum);
    let after = (r0.transposed() * theta) * (2.0 / dt) - before;
    let l = r1 * (*inertia * after);
    let turned = skew(l) * cayley_tangent(theta);
    let slope = sub(&scale(&(r1 * *inertia * r0.transposed()), 2.0 / dt), &turned);
    (l, slope)
}

/// The rotation vector θ of a step with these angular momenta at both ends; `None` for a body that turns by more than about two
/// radians, where the equation has no useful solution.
#[must_use]
pub fn mean_turn(rotation: DRotor3, momentum: [DVec3; 2], mobility: &Mobility, dt: f64) -> Option<DVec3> {
    let (r0, wanted) = (rotation.into_matrix(), mobility.angular(momentum[1]));
    let mut theta = (mobility.spin(&r0, momentum[0]) + mobility.spin(&r0, momentum[1])) * (0.5 * dt);
    let size = momentum[0].mag() + wanted.mag();
    let mut best = f64::INFINITY;
    for _ in 0..40 {
        let (l, slope) = momentum_after(rotation, momentum[0], mobility, theta, dt);
        let residual = mobility.angular(l) - wanted;
        let now = residual.mag();
        if !now.is_finite() || theta.mag() > 4.0 {
            return None;
        }
        let stalled = now <= 1e-13 * size && now >= best;
        best = best.min(now);
        // Until rounding stops the descent.
        if now == 0.0 || stalled {
            break;
        }
        theta -= mobility.angular(inverse(&slope)? * residual);
    }
    (best <= 1e-10 * size || size == 0.0).then_some(theta)
}

/// Where a body is after a step that it began and ended with these velocities and angular momenta; `None` as for [`mean_turn`].
#[must_use]
pub fn mean_motion(
    pose: &Pose,
    velocity: [DVec3; 2],
    momentum: [DVec3; 2],
    mobility: &Mobility,
    dt: f64,
) -> Option<Pose> {
    let theta = mean_turn(pose.rotation, momentum, mobility, dt)?;
    Some(Pose {
        position: pose.position + (velocity[0] + velocity[1]) * (0.5 * dt),
        rotation: (cayley(theta) * pose.rotation).normalized(),
    })
}
