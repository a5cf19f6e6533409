//! Single layers with laws that need not be linear, pressed by a rigid surface: the pressure field in closed form.
//!
//! Against a rigid body the contact surface is the body's own, and the pressure there depends on the depth only, so a law
//! may bend as it likes: logarithmic strain (what a confined column does, erratum to Fig. 5) grows without bound at full
//! depth. The sinusoid of §VIII-A is integrated here; the integrand is smooth on the contact, so 64 Gauss points reach
//! rounding.

use crate::error::BodyError;

/// Pressure over modulus as a function of strain (depth over thickness).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LayerLaw {
    /// p = M s.
    Linear,
    /// p = −M ln(1 − s): logarithmic strain; no penetration past the thickness.
    Logarithmic,
    /// p = M s/(1 − s/bound): linear at first, infinite at `bound` < 1 or more.
    Bounded {
        /// Largest strain.
        bound: f64,
    },
}

impl LayerLaw {
    /// p/M at a strain; 0 below 0, infinite past the bound.
    #[must_use]
    pub fn pressure(&self, s: f64) -> f64 {
        if !(s > 0.0) {
            return 0.0;
        }
        match *self {
            Self::Linear => s,
            Self::Logarithmic if s < 1.0 => -libm::log1p(-s),
            Self::Bounded { bound } if s < bound => s / (1.0 - s / bound),
            _ => f64::INFINITY,
        }
    }

    /// d(p/M)/ds: 0 below 0, infinite past the bound.
    #[must_use]
    pub fn slope(&self, s: f64) -> f64 {
        if !(s >= 0.0) {
            return 0.0;
        }
        match *self {
            Self::Linear => 1.0,
            Self::Logarithmic if s < 1.0 => 1.0 / (1.0 - s),
            Self::Bounded { bound } if s < bound => {
                let left = 1.0 - s / bound;
                1.0 / (left * left)
            }
            _ => f64::INFINITY,
        }
    }

    /// ∫₀ˢ p/M.
    #[must_use]
    pub fn energy(&self, s: f64) -> f64 {
        if !(s > 0.0) {
            return 0.0;
        }
        match *self {
            Self::Linear => 0.5 * s * s,
            // The two terms cancel to s²/2 for small s; the series takes over there.
            Self::Logarithmic if s < 1e-3 => {
                s * s * (0.5 + s * (1.0 / 6.0 + s * (1.0 / 12.0 + s / 20.0 + s * s / 30.0)))
            }
            Self::Logarithmic if s < 1.0 => (1.0 - s) * libm::log1p(-s) + s,
            Self::Bounded { bound: b } if s < b => {
                let r = s / b;
                if r < 1e-3 {
                    b * b * r * r * (0.5 + r * (1.0 / 3.0 + r * (0.25 + r * (0.2 + r / 6.0))))
                } else {
                    b * b * (-libm::log1p(-r) - r)
                }
            }
            _ => f64::INFINITY,
        }
    }
}

/// What a rigid sinusoid feels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SinusoidContact {
    /// Force over modulus, wavelength and width.
    pub force: f64,
    /// Energy over modulus, wavelength, width and thickness.
    pub energy: f64,
    /// Part of the wavelength in contact.
    pub contact_fraction: f64,
}

/// A rigid sinusoid of amplitude `eta` and any wavelength pressed to depth `d` past first touch into a layer; lengths over
/// the layer's thickness: s(x) = d − η (1 − cos(2πx/λ)).
///
/// # Errors
/// [`BodyError::Parameter`] for numbers that are not finite, a negative amplitude, and a depth past the law's bound.
pub fn press_sinusoid(law: LayerLaw, d: f64, eta: f64) -> Result<SinusoidContact, BodyError> {
    let bad = |reason: String| BodyError::Parameter { reason };
    if !(d.is_finite() && eta.is_finite() && eta >= 0.0) {
        return Err(bad(format!("sinusoid: d = {d}, η = {eta}; give finite numbers and η ≥ 0")));
    }
    if law.pressure(d).is_infinite() {
        return Err(bad(format!("sinusoid: the depth {d} lies past the largest strain of {law:?}")));
    }
    if d <= 0.0 {
        return Ok(SinusoidContact { force: 0.0, energy: 0.0, contact_fraction: 0.0 });
    }
    // Half the contact, as an angle.
    let end = if 2.0 * eta <= d { std::f64::consts::PI } else { libm::acos(1.0 - d / eta) };
    let (mut force, mut energy) = (0.0, 0.0);
    for (x, w) in gauss_legendre::<64>() {
        let half = libm::sin(0.25 * end * (x + 1.0));
        // 1 − cos φ without its cancellation.
        let s = d - 2.0 * eta * half * half;
        force += w * law.pressure(s);
        energy += w * law.energy(s);
    }
    let share = end / std::f64::consts::PI;
    Ok(SinusoidContact { force: 0.5 * share * force, energy: 0.5 * share * energy, contact_fraction: share })
}

/// Points and weights on [−1, 1], by Newton's method on the Legendre polynomial.
fn gauss_legendre<const N: usize>() -> [(f64, f64); N] {
    std::array::from_fn(|i| {
        let n = N as f64;
        let mut x = libm::cos(std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5));
        let mut slope = 1.0;
        for _ in 0..100 {
            let (mut p, mut q) = (1.0, 0.0);
            for k in 1..=N {
                let k = k as f64;
                (p, q) = (((2.0 * k - 1.0) * x * p - (k - 1.0) * q) / k, p);
            }
            slope = n * (x * p - q) / (x * x - 1.0);
            let step = p / slope;
            x -= step;
            if step.abs() < 1e-16 {
                break;
            }
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    })
}
