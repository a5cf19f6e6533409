//! One bristle: a spring and a damper per pressure, up to Coulomb's bound. What patches and volumes rub with.

use impinge_geometry::DVec3;

/// Largest stiffness (1/m) that is reckoned with: the square of a traction overflows beyond it, and what has no size would not rub at all.
const STIFFEST: f64 = 1e100;

/// A stiffness (1/m) whose tractions have a size. NaN stays.
#[must_use]
pub fn bounded_stiffness(stiffness: f64) -> f64 {
    if stiffness > STIFFEST { STIFFEST } else { stiffness }
}

/// What one bristle does, over the pressure on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[doc(alias("LuGre"))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bristle {
    /// Traction over pressure.
    pub traction: DVec3,
    /// The part of it that the spring carries; −κ times the stretch that is to be remembered if the bristle slides.
    pub carried: DVec3,
    /// The cone bounds it.
    pub slides: bool,
}

/// One bristle of stiffness κ (1/m) and damping τ (s): −κ d − κτ v up to `mu_s`, beyond it `mu_k` that way. `stretch` d (m) and `velocity`
/// v (m/s) lie in the tangent plane.
#[must_use]
pub fn bristle(
    [stiffness, damping]: [f64; 2],
    [mu_s, mu_k]: [f64; 2],
    stretch: DVec3,
    velocity: DVec3,
) -> Bristle {
    let stiffness = bounded_stiffness(stiffness);
    let damp = velocity * (-stiffness * damping);
    let mut traction = stretch * -stiffness + damp;
    let size = traction.mag();
    let slides = size > mu_s;
    if slides {
        traction *= mu_k / size;
    }
    Bristle { traction, carried: carried(traction, traction - damp), slides }
}

/// The part of a traction that the spring keeps when the damper takes the rest: never more than the traction and never against
/// it, or a body stopped in mid-slide would be pushed back by what its damper carried.
fn carried(traction: DVec3, spring: DVec3) -> DVec3 {
    if spring.dot(traction) <= 0.0 {
        DVec3::zero()
    } else if spring.mag_sq() > traction.mag_sq() {
        traction
    } else {
        spring
    }
}

/// The stiffness κ (1/m) up to the one asked for that an explicit step of `dt` (s) can follow, for bristles of a damping τ (s). All contacts of a body
/// give it `pulls` = Σ N Δt w (m/s) together, the largest sum of the bodies or nodes that the contact moves. N Δt is a normal impulse, w what a
/// unit of impulse across it gives its contact (1/kg).
///
/// No motion is pulled harder than the largest of these sums says: (x + y)² ≤ (u + v)(x²/u + y²/v) shares each contact out between what it moves. A
/// spring of a force that is that of the start of the step is stable for κ Δt `pulls` below 4, a damper for κ τ `pulls` below 2, both for the sum of
/// these parts below 1, which is allowed: no motion has all of the largest sum.
#[must_use]
pub fn stable_bristles([stiffness, damping]: [f64; 2], pulls: f64, dt: f64) -> f64 {
    let load = stiffness * pulls * (0.25 * dt + 0.5 * damping);
    if load > 1.0 { stiffness / load } else { stiffness }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_too_long_for_the_stiffness_follows_a_lower_one() {
        assert_eq!(stable_bristles([1e4, 2e-3], 0.02, 1e-3), 1e4, "κ g (Δt/4 + τ/2) is 0.25");
        let k = stable_bristles([1e4, 2e-3], 2.0, 5e-3);
        assert!((k * 2.0 * (0.25 * 5e-3 + 0.5 * 2e-3) - 1.0).abs() < 1e-12, "{k}");
    }
}
