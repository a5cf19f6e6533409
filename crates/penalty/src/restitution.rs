//! From a coefficient of restitution to a damping, and back (ACCEPTANCE B31, B32).
//!
//! Linear (Kelvin–Voigt) contact of an effective mass `m` on a spring `k` has damping ratio
//! `ζ = c / (2 √(k m))`; its restitution depends on ζ alone and on what ends the contact. Hunt–Crossley's
//! depends on `a = χ v`: `ln[(1 + a)/(1 − a e)] = a (1 + e)` for any law `f(δ)(1 + χ δ̇)`.

use crate::Release;
use impinge_contact::{Damper, Damping, FrictionLaw, PairLaw, Restitution};

/// Restitution of a linear damped contact with damping ratio `zeta` (≥ 0).
#[must_use]
pub fn linear_restitution(zeta: f64, release: Release) -> f64 {
    if zeta <= 0.0 {
        return 1.0;
    }
    match release {
        Release::Depth if zeta < 1.0 => libm::exp(-std::f64::consts::PI * zeta / (1.0 - zeta * zeta).sqrt()),
        // Overdamped contact creeps back and never leaves.
        Release::Depth => 0.0,
        Release::Force => {
            let d = 1.0 - zeta * zeta;
            if d > 1e-12 {
                let s = d.sqrt();
                libm::exp(-zeta / s * libm::atan2(2.0 * zeta * s, 2.0 * zeta * zeta - 1.0))
            } else if d < -1e-12 {
                let s = (-d).sqrt();
                libm::pow((zeta - s) / (zeta + s), zeta / s)
            } else {
                libm::exp(-2.0)
            }
        }
    }
}

/// The damping ratio that gives restitution `e`; `None` unless `0 < e ≤ 1`.
#[must_use]
pub fn linear_damping_ratio(e: f64, release: Release) -> Option<f64> {
    if !(e > 0.0 && e <= 1.0) {
        return None;
    }
    if e == 1.0 {
        return Some(0.0);
    }
    if release == Release::Depth {
        let l = libm::log(e);
        return Some(-l / (std::f64::consts::PI * std::f64::consts::PI + l * l).sqrt());
    }
    let mut hi = 1.0;
    while linear_restitution(hi, release) > e {
        hi *= 2.0;
    }
    Some(bisect(0.0, hi, |z| linear_restitution(z, release) - e))
}

/// The Kelvin–Voigt coefficient `c` (N·s/m) of a contact with stiffness `k` (N/m) and effective mass
/// `m` (kg) that gives restitution `e`.
#[must_use]
pub fn kelvin_voigt_from_restitution(e: f64, k: f64, m: f64, release: Release) -> Option<f64> {
    let c = 2.0 * linear_damping_ratio(e, release)? * (k * m).sqrt();
    c.is_finite().then_some(c)
}

/// Restitution of a Hunt–Crossley contact entered at speed `v` with `a = χ v` (≥ 0).
#[must_use]
pub fn hunt_crossley_restitution(a: f64) -> f64 {
    if a <= 0.0 {
        return 1.0;
    }
    // g falls from +∞ side to the other across the only root in (0, 1]; 1 − a e must stay positive.
    let g = |e: f64| libm::log((1.0 + a) / (1.0 - a * e)) - a * (1.0 + e);
    let hi = (1.0f64).min((1.0 - 1e-15) / a);
    bisect(0.0, hi, g)
}

/// `χ` (s/m) that gives restitution `e` at impact speed `v` (m/s); `None` unless `0.001 ≤ e ≤ 1` and `v > 0`.
#[doc(alias("restitution", "coefficient of restitution"))]
#[must_use]
pub fn hunt_crossley_from_restitution(e: f64, v: f64) -> Option<f64> {
    if !((1e-3..=1.0).contains(&e) && v > 0.0 && v.is_finite()) {
        return None;
    }
    if e == 1.0 {
        return Some(0.0);
    }
    let mut hi = 1.0;
    while hunt_crossley_restitution(hi) > e {
        hi *= 2.0;
    }
    Some(bisect(0.0, hi, |a| hunt_crossley_restitution(a) - e) / v)
}

/// The point where `f` changes sign between `lo` and `hi`, to the last bit.
fn bisect(mut lo: f64, mut hi: f64, f: impl Fn(f64) -> f64) -> f64 {
    let rising = f(hi) > 0.0;
    for _ in 0..200 {
        let mid = 0.5 * (lo + hi);
        if mid == lo || mid == hi {
            break;
        }
        if (f(mid) > 0.0) == rising {
            hi = mid;
        } else {
            lo = mid;
        }
    }
    0.5 * (lo + hi)
}

/// The law under which `mass` (kg) on a contact point sinks by `depth` (m) at rest where it is pressed down with `weight` (N), and comes back from an
/// impact with `restitution` times its speed. Friction has one coefficient, and anchors as stiff and as damped as the contact. `None` for a restitution that is
/// not 0.001 to 1, and for numbers that are not positive.
///
/// The depth decides the stiffness, and with it the longest step: `evaluate` at the start of a step is stable below 2 √(mass/k), and accurate from a tenth of
/// that on. [`PairLaw::suggested`] goes the other way, from the step to the depth.
///
/// ```
/// use impinge_penalty::law_of_depth;
/// // 2 kg on four corners, 0.1 mm deep, and half of the speed back.
/// let law = law_of_depth(0.5, 0.5 * 9.81, 1e-4, 0.5, 0.3).unwrap();
/// assert!((law.stiffness.value() - 49_050.0).abs() < 1e-9);
/// assert_eq!(law.damping.restitution().unwrap().e, 0.5);
/// assert!(law_of_depth(0.5, 4.9, 1e-4, 1.5, 0.3).is_none());
/// ```
#[must_use]
pub fn law_of_depth(mass: f64, weight: f64, depth: f64, restitution: f64, mu: f64) -> Option<PairLaw> {
    let k = weight / depth;
    if !([mass, weight, depth, k].iter().all(|x| *x > 0.0 && x.is_finite()) && mu >= 0.0) {
        return None;
    }
    let c = kelvin_voigt_from_restitution(restitution, k, mass, Release::default())?;
    let asked = Restitution { e: restitution, damper: Damper::KelvinVoigt(c) };
    let friction = FrictionLaw { k_fp: k, k_fd: c, ..FrictionLaw::coulomb(mu) };
    Some(PairLaw {
        damping: Damping::Restitution(asked),
        friction: (mu > 0.0).then_some(friction),
        ..PairLaw::elastic(k)
    })
}
