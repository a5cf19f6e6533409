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
