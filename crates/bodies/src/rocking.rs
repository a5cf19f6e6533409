//! How much stiffer contacts are against rocking than against a straight push: a plate on its four corners, three times.
//!
//! A body on springs kᵢ with normal n at arms rᵢ has accelerations n Σ kᵢ dᵢ/m and I⁻¹ Σ kᵢ dᵢ (rᵢ × n) with dᵢ = n·u + w·(rᵢ × n) for a motion (u, w). An explicit
//! force is stable below its limit for the largest eigenvalue of that, not for Σ kᵢ/m alone.

use impinge_geometry::{DMat3, DVec3, outer};

/// Rounds of the power method. From a start with a part in all four directions a few give two digits.
const ROUNDS: u32 = 60;

/// The largest eigenvalue over Σ k/m, at least 1, for springs of stiffness (N/m) at arms from the centre of mass (m), with the normal `up` (unit), on a body of
/// `mass` (kg) with this inverse inertia (body axes, as the arms).
#[must_use]
pub fn rocking(springs: &[(DVec3, f64)], up: DVec3, mass: f64, inverse_inertia: &DMat3) -> f64 {
    let whole: f64 = springs.iter().map(|s| s.1).sum();
    let size = springs.iter().map(|s| s.0.mag()).fold(0.0, f64::max);
    if !(whole > 0.0 && size > 0.0 && mass > 0.0) {
        return 1.0;
    }
    // What the springs do to any motion, summed once: Σ k, Σ k l and Σ k l lᵀ of the levers l = r × n.
    let (mut lever_sum, mut levers) =
        (DVec3::zero(), DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero()));
    for &(arm, k) in springs {
        let lever = arm.cross(up);
        lever_sum += lever * k;
        levers += outer(lever * k, lever);
    }
    // No direction of symmetry.
    let mut u = 1.0;
    let mut w = DVec3::new(0.8, 0.5, 0.3) / size;
    let mut most = 1.0f64;
    for _ in 0..ROUNDS {
        let push = whole * u + lever_sum.dot(w);
        let turn = lever_sum * u + levers * w;
        // Rayleigh's quotient: what is stored over what moves; I w would need the inertia, so of the next round's motion.
        let (a, b) = (push / mass, *inverse_inertia * turn);
        let (stored, moved) = (push * a + turn.dot(b), push * u + turn.dot(w));
        if !(stored > 0.0 && moved > 0.0 && stored.is_finite()) {
            break;
        }
        most = most.max(stored / moved * mass / whole);
        let scale = 1.0 / (a.abs() + b.mag() * size);
        (u, w) = (a * scale, b * scale);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plate_rocks_three_times_as_stiffly_and_a_cube_half_as_much_again() {
        let of = |size: [f64; 3]| {
            let [x, y, z] = size.map(|s| 0.5 * s);
            let corners = [[x, y], [-x, y], [x, -y], [-x, -y]];
            let springs: Vec<_> = corners.iter().map(|c| (DVec3::new(c[0], c[1], -z), 100.0)).collect();
            let (m, [a, b, c]) = (2.0, size.map(|s| s * s));
            let j = [b + c, a + c, a + b].map(|s| 12.0 / (m * s));
            let inverse = DMat3::new(DVec3::unit_x() * j[0], DVec3::unit_y() * j[1], DVec3::unit_z() * j[2]);
            rocking(&springs, DVec3::unit_z(), m, &inverse)
        };
        // Σ k x²/I over Σ k/m: 12 (a/2)²/(a² + c²).
        for size in [[0.5, 0.3, 0.0], [0.2; 3], [0.5, 0.1, 0.02], [0.1, 0.1, 0.4]] {
            let ratio = |a: f64| 3.0 * a * a / (a * a + size[2] * size[2]);
            let wanted = ratio(size[0]).max(ratio(size[1])).max(1.0);
            assert!((of(size) / wanted - 1.0).abs() < 0.02, "{size:?}: {} for {wanted}", of(size));
        }
        assert_eq!(rocking(&[], DVec3::unit_z(), 1.0, &DMat3::identity()), 1.0);
    }
}
