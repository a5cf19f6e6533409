//! Refusing parameters that make no mesh, with the name and the sane range; points of a circle.

use crate::MeshError;
use std::ops::RangeInclusive;

/// Lengths outside this range (m) are almost surely a unit mistake, and their fifth powers (inertia) stay
/// far from under- and overflow inside it.
const LENGTHS: RangeInclusive<f64> = 1e-9..=1e9;

/// More triangles than this is refused before the memory is asked for.
const MAX_TRIANGLES: f64 = 33_554_432.0;

fn bad(reason: String) -> MeshError {
    MeshError::BadParameter { reason }
}

/// A length must be finite and inside [`LENGTHS`].
pub(super) fn length(shape: &str, name: &str, value: f64) -> Result<(), MeshError> {
    if LENGTHS.contains(&value) {
        return Ok(());
    }
    Err(bad(format!(
        "{shape}: {name} = {value} m; give a length from {:e} to {:e} m",
        LENGTHS.start(),
        LENGTHS.end()
    )))
}

/// One length must be smaller than another.
pub(super) fn smaller(shape: &str, small: (&str, f64), large: (&str, f64)) -> Result<(), MeshError> {
    if small.1 < large.1 {
        return Ok(());
    }
    Err(bad(format!(
        "{shape}: {} = {} m must be smaller than {} = {} m, else the surface meets itself",
        small.0, small.1, large.0, large.1
    )))
}

/// A count must lie in a range.
pub(super) fn count(shape: &str, name: &str, value: u32, lo: u32, hi: u32) -> Result<(), MeshError> {
    if (lo..=hi).contains(&value) {
        return Ok(());
    }
    Err(bad(format!("{shape}: {name} = {value}; give {lo} to {hi}")))
}

/// A count must be even.
pub(super) fn even(shape: &str, name: &str, value: u32) -> Result<(), MeshError> {
    if value.is_multiple_of(2) {
        return Ok(());
    }
    Err(bad(format!("{shape}: {name} = {value}; give an even number, such as {}", value + 1)))
}

/// The whole mesh must not be larger than memory.
pub(super) fn triangles(shape: &str, names: &str, wanted: f64) -> Result<(), MeshError> {
    if wanted <= MAX_TRIANGLES {
        return Ok(());
    }
    Err(bad(format!(
        "{shape}: {names} ask for {wanted:.3e} triangles; at most {MAX_TRIANGLES:.0} are made: give smaller counts"
    )))
}

/// Point `i` of `n` on the unit circle as (cos, sin), with the symmetries of the circle exact: quarter turns
/// give 0 and ±1, mirrored points give mirrored numbers.
pub(super) fn circle_point(i: u32, n: u32) -> [f64; 2] {
    let (i, n) = (u64::from(i % n), u64::from(n));
    let (quadrant, rest) = (4 * i / n, 4 * i % n);
    // Angle inside the quadrant: (π/2)·rest/n; past its middle use the complement.
    let small = |k: u64| std::f64::consts::FRAC_PI_2 * (k as f64 / n as f64);
    let (c, s) = if 2 * rest == n {
        (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2)
    } else if 2 * rest < n {
        (libm::cos(small(rest)), libm::sin(small(rest)))
    } else {
        (libm::sin(small(n - rest)), libm::cos(small(n - rest)))
    };
    match quadrant {
        0 => [c, s],
        1 => [-s, c],
        2 => [-c, -s],
        _ => [s, -c],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circle_is_exact_where_it_can_be() {
        assert_eq!(circle_point(1, 4), [0.0, 1.0]);
        assert_eq!(circle_point(6, 12), [-1.0, 0.0]);
        for n in [3, 5, 8, 12, 37] {
            for i in 0..n {
                let [c, s] = circle_point(i, n);
                let angle = std::f64::consts::TAU * f64::from(i) / f64::from(n);
                assert!((c - angle.cos()).abs() < 1e-15 && (s - angle.sin()).abs() < 1e-15);
                let [mc, ms] = circle_point(n - i, n);
                assert_eq!((mc, ms + 0.0), (c, -s + 0.0), "mirror of {i} of {n}");
            }
        }
    }
}
