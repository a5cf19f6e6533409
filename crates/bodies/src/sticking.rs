//! What a step makes of a body whose contacts hold it across their normals as well: friction that sticks is a spring, with a long lever.
//!
//! A cube on four corners whose springs are as stiff across as along swings with 3.6 times the square of its bounce. An explicit step bears
//! λ below 1, the largest eigenvalue of M⁻¹ Σ (k Δt²/limit + c Δt/2): at 1 the body goes to and fro from step to step for ever. What it
//! does is bounded by Coulomb's cone: no run flies off, but nothing comes to rest.

use impinge_geometry::{DMat3, DVec3};

/// Rounds of the power method: three digits where two modes are as close as 5 %.
const ROUNDS: u32 = 100;

/// A contact that sticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stick {
    /// From the centre of mass (m), in body axes.
    pub arm: DVec3,
    /// k Δt²/limit + c Δt/2 along the normal (kg).
    pub along: f64,
    /// The same across it.
    pub across: f64,
}

/// λ of contacts with the normal `up` (unit) on a rigid body of `mass` (kg) with this inverse inertia; both in body axes.
#[must_use]
pub fn sticking(sticks: &[Stick], up: DVec3, mass: f64, inverse_inertia: &DMat3) -> f64 {
    let size = sticks.iter().map(|s| s.arm.mag()).fold(0.0, f64::max);
    if !(size > 0.0 && mass > 0.0) {
        return sticks.iter().map(|s| s.along).sum::<f64>() / mass;
    }
    // No direction of symmetry.
    let mut u = DVec3::new(0.7, 0.4, 0.6);
    let mut w = DVec3::new(0.8, 0.5, 0.3) / size;
    let mut most = 0.0f64;
    for _ in 0..ROUNDS {
        let (mut push, mut turn) = (DVec3::zero(), DVec3::zero());
        for s in sticks {
            let way = u + w.cross(s.arm);
            let along = up * up.dot(way);
            let f = along * s.along + (way - along) * s.across;
            push += f;
            turn += s.arm.cross(f);
        }
        // Rayleigh's quotient, as for rocking.
        let (a, b) = (push / mass, *inverse_inertia * turn);
        let (stored, moved) = (push.dot(a) + turn.dot(b), push.dot(u) + turn.dot(w));
        if !(stored > 0.0 && moved > 0.0 && stored.is_finite()) {
            break;
        }
        most = most.max(stored / moved);
        let scale = 1.0 / (a.mag() + b.mag() * size);
        (u, w) = (a * scale, b * scale);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_that_sticks_on_four_corners_swings_as_it_must() {
        let (m, a) = (2.0, 0.3);
        let inverse = DMat3::identity() * (6.0 / (m * a * a));
        let corners = [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]];
        let of = |along: f64, across: f64| {
            let arm = |c: [f64; 2]| DVec3::new(c[0], c[1], -1.0) * (0.5 * a);
            let sticks: Vec<Stick> = corners.iter().map(|&c| Stick { arm: arm(c), along, across }).collect();
            sticking(&sticks, DVec3::unit_z(), m, &inverse)
        };
        // Slide x and turn about y: [[s, √1.5 s], [√1.5 s, 1.5 (s + n)]] with s and n of all four over m.
        for (n, s) in [(1.0f64, 1.0f64), (0.2, 1.0), (1.0, 0.2), (1.0, 0.0)] {
            let half = 0.5 * (s + 1.5 * (s + n));
            // Or turn about z: 3 s.
            let wanted = (half + ((half - s).powi(2) + 1.5 * s * s).sqrt()).max(3.0 * s);
            let is = of(n * m / 4.0, s * m / 4.0);
            assert!((is / wanted - 1.0).abs() < 2e-3, "{n} and {s}: {is} for {wanted}");
        }
    }
}
