//! From a coefficient of restitution to a damping, and back (ACCEPTANCE B31, B32).
//!
//! Linear (Kelvin–Voigt) contact of an effective mass `m` on a spring `k` has damping ratio
//! `ζ = c / (2 √(k m))`; its restitution depends on ζ alone and on what ends the contact. Hunt–Crossley's
//! depends on `a = χ v`: `ln[(1 + a)/(1 − a e)] = a (1 + e)` for any law `f(δ)(1 + χ δ̇)`.

use crate::Release;

/// Restitution of a linear damped contact with damping ratio `zeta` (≥ 0).
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
pub fn kelvin_voigt_from_restitution(e: f64, k: f64, m: f64, release: Release) -> Option<f64> {
    let c = 2.0 * linear_damping_ratio(e, release)? * (k * m).sqrt();
    c.is_finite().then_some(c)
}

/// Restitution of a Hunt–Crossley contact entered at speed `v` with `a = χ v` (≥ 0).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_of_b31() {
        let depth = [(0.05, 0.854468), (0.1, 0.729248), (0.2, 0.526621), (0.5, 0.163034)];
        let force = [(0.05, 0.858758), (0.1, 0.744079), (0.2, 0.571740), (0.5, 0.298436)];
        for (z, e) in depth {
            assert!((linear_restitution(z, Release::Depth) - e).abs() < 1e-6);
            assert!((linear_damping_ratio(e, Release::Depth).unwrap() - z).abs() < 1e-5);
        }
        for (z, e) in force {
            assert!((linear_restitution(z, Release::Force) - e).abs() < 1e-6);
            assert!((linear_damping_ratio(e, Release::Force).unwrap() - z).abs() < 1e-5);
        }
        // The three branches meet at ζ = 1.
        let (below, above) =
            (linear_restitution(1.0 - 1e-9, Release::Force), linear_restitution(1.0 + 1e-9, Release::Force));
        assert!((below - (-2.0f64).exp()).abs() < 1e-8 && (above - (-2.0f64).exp()).abs() < 1e-8);
    }

    #[test]
    fn closed_forms_of_b32() {
        let table = [
            (0.01, 0.993377),
            (0.1, 0.937476),
            (0.5, 0.748435),
            (1.0, 0.593624),
            (2.0, 0.410720),
            (5.0, 0.196980),
            (10.0, 0.099982),
        ];
        for (a, e) in table {
            assert!((hunt_crossley_restitution(a) - e).abs() < 1e-6, "{a}: {}", hunt_crossley_restitution(a));
            let chi = hunt_crossley_from_restitution(e, 2.0).unwrap();
            assert!((chi * 2.0 / a - 1.0).abs() < 2e-3, "{a}: {chi}");
        }
    }

    #[test]
    fn impossible_restitutions_are_refused() {
        assert_eq!(linear_damping_ratio(0.0, Release::Force), None);
        assert_eq!(linear_damping_ratio(1.2, Release::Depth), None);
        assert_eq!(linear_damping_ratio(f64::NAN, Release::Depth), None);
        assert_eq!(hunt_crossley_from_restitution(0.5, 0.0), None);
        assert_eq!(linear_damping_ratio(1.0, Release::Force), Some(0.0));
    }
}
