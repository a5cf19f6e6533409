//! A particle on a spring in one dimension: the explicit scheme of the paper and the energy-conserving one, as small as they
//! can be written (seed 000 §3.6 and supplement C; ACCEPTANCE B1, B2, B37, B56).
//!
//! Height x (m), velocity v (m/s), gravity g downwards, spring energy U = ½ k min(x, 0)² (or ½ k x² when it also pulls).
//!
//! * [`Particle::explicit`]: v* = v − gΔt, x* = x + Δt v*, I = −k Δt ∫ x dt over the part of the path below 0,
//!   v' = v* + I/m, x' = x + Δt v'. Stable for s = kΔt²/m < 2, |λ| = √(1 − s/2) a step; rests at −mg/k + gΔt²/2 (C9).
//! * [`Particle::conserving`]: x' = x + Δt(v + v')/2, m(v' − v) = −Δt(mg + ΔU/Δx). In one dimension the path average of
//!   U' is ΔU/Δx, so the discrete gradients of Gonzalez and of the average vector field coincide. The energy is that of the
//!   step before whatever s is; damping is what the caller asks for and nothing else.

use crate::{ParamError, Params, height_impulse};

/// A particle over a spring at 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Mass (kg).
    pub mass: f64,
    /// Gravity, downwards (m/s²).
    pub gravity: f64,
    /// The spring pulls above 0 as well.
    pub bilateral: bool,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleStep {
    /// Height at its end (m).
    pub x: f64,
    /// Velocity at its end (m/s).
    pub v: f64,
    /// Impulse of the spring, and of its damper (N·s).
    pub impulse: f64,
}

impl Particle {
    /// A checked particle.
    ///
    /// # Errors
    /// The mass.
    pub fn new(mass: f64, gravity: f64, bilateral: bool) -> Result<Self, ParamError> {
        if mass.is_finite() && mass > 0.0 {
            Ok(Self { mass, gravity, bilateral })
        } else {
            Err(ParamError::Mass(mass))
        }
    }

    /// Energy (J) on a spring of stiffness `k` (N/m): kinetic, weight, spring.
    #[must_use]
    pub fn energy(&self, x: f64, v: f64, k: f64) -> f64 {
        let (_, u) = self.spring(x, k);
        0.5 * self.mass * v * v + self.mass * self.gravity * x + u
    }

    /// One explicit step with stiffness `k` (N/m; any sign, it may be perturbed).
    #[must_use]
    pub fn explicit(&self, x: f64, v: f64, k: f64, params: &Params) -> ParticleStep {
        let predicted = v - self.gravity * params.dt;
        let end = x + params.dt * predicted;
        let impulse = if self.bilateral {
            -k * params.dt * (0.5 * (x + end))
        } else {
            height_impulse(x, end, k, params).impulse
        };
        let v = predicted + impulse / self.mass;
        ParticleStep { x: x + params.dt * v, v, impulse }
    }

    /// One energy-conserving step with stiffness `k` (N/m) and damping `c` (N·s/m) while the spring is loaded.
    ///
    /// Solved by Newton with the exact derivative inside a bracket; the residual is monotone in x' because U is convex.
    ///
    /// The state stays as it is, without an impulse, where there is no step to make: `dt` (s) is not finite and positive, what
    /// [`Params::new`] refuses with [`ParamError::Step`]; a number is NaN or infinite; or the numbers overflow. `k` and `c` must
    /// not be negative: the residual need not be monotone then, and the answer is some point of the bracket.
    #[must_use]
    pub fn conserving(&self, x0: f64, v0: f64, k: f64, c: f64, dt: f64) -> ParticleStep {
        let still = ParticleStep { x: x0, v: v0, impulse: 0.0 };
        if !(dt.is_finite() && dt > 0.0) {
            return still;
        }
        let (m, g) = (self.mass, self.gravity);
        let free = x0 + dt * v0 - 0.5 * g * dt * dt;
        // In units of length: R(x') = x' − free + (Δt²/2m)(ΔU/Δx + damping).
        let h = dt * dt / (2.0 * m);
        let residual = |x: f64| {
            let (f, df) = self.force(x0, x, k, c / dt);
            (x - free + h * f, 1.0 + h * df)
        };
        // The force is between that at rest on the free path's end and at the start, so the root lies between them.
        let (f_free, _) = self.force(x0, free, k, c / dt);
        let (mut lo, mut hi) =
            if f_free <= 0.0 { (free - h * f_free * 2.0, free) } else { (free - h * f_free, free) };
        if lo > hi {
            (lo, hi) = (hi, lo);
        }
        // NaN orders nothing: there is no bracket.
        if lo.is_nan() || hi.is_nan() {
            return still;
        }
        let mut x = free.clamp(lo, hi);
        for _ in 0..100 {
            let (r, dr) = residual(x);
            if r == 0.0 {
                break;
            }
            if r > 0.0 {
                hi = hi.min(x)
            } else {
                lo = lo.max(x)
            }
            let mut next = x - r / dr;
            if !(next >= lo && next <= hi) {
                next = 0.5 * (lo + hi);
            }
            if next == x || (next - x).abs() <= f64::EPSILON * x.abs().max(1e-300) * 0.5 {
                x = next;
                break;
            }
            x = next;
        }
        let v = 2.0 * (x - x0) / dt - v0;
        let (f, _) = self.force(x0, x, k, c / dt);
        let impulse = -dt * f;
        if x.is_finite() && v.is_finite() && impulse.is_finite() {
            ParticleStep { x, v, impulse }
        } else {
            still
        }
    }

    /// U' and U.
    fn spring(&self, x: f64, k: f64) -> (f64, f64) {
        let d = if self.bilateral { x } else { x.min(0.0) };
        (k * d, 0.5 * k * d * d)
    }

    /// The discrete derivative ΔU/Δx plus damping on the change of depth, and its derivative by x'. `c` in N/m.
    fn force(&self, x0: f64, x1: f64, k: f64, c: f64) -> (f64, f64) {
        if self.bilateral {
            return (0.5 * k * (x0 + x1) + c * (x1 - x0), 0.5 * k + c);
        }
        let (d0, d1) = (x0.min(0.0), x1.min(0.0));
        // ΔU/Δx = ½k(d0 + d1)·Δd/Δx; Δd/Δx is the part of the path that is below 0.
        let below = match (x0 < 0.0, x1 < 0.0) {
            (true, true) => 1.0,
            (false, false) => return (0.0, 0.0),
            _ => (d1 - d0) / (x1 - x0),
        };
        let slope = if x1 < 0.0 { 1.0 } else { 0.0 };
        // d(below)/dx' = (slope − below)/Δx, zero where the whole path is below.
        let d_below = if below == 1.0 { 0.0 } else { (slope - below) / (x1 - x0) };
        let mean = 0.5 * k * (d0 + d1);
        // The damper works on the change of depth: power −c Δd²/Δt, and in proportion to `below` as a force along x.
        let f = (mean + c * (d1 - d0)) * below;
        let df = (0.5 * k + c) * slope * below + (mean + c * (d1 - d0)) * d_below;
        (f, df)
    }
}
