//! Whether contacts will be too stiff for the step, estimated before the first one.
//!
//! An explicit contact force is stable below a limit of s = n k Δt²/m, with n contacts on one mass (ACCEPTANCE B1): 2 for
//! continuous penalty, 4/3 and 4 for the discrete force at the end and at the start of the step. Dampers take a part of it: a force
//! −k (x + a v Δt) − c v, a = ½, 1, 0 for these three, makes of (x, v Δt) in a step a matrix with determinant D = 1 − a s − d and trace
//! T = 1 − s + D, d = n c Δt/m, whose eigenvalues are within one while 1 + T + D > 0: s (1 + 2a)/4 + d/2 < 1. Where positions move by the mean of both velocities (the midpoint rule) they are while
//! a s + d < 2 and D = 1 + s/2 − a s − d ≤ 1: with the force at the start only while dampers make up for what it gains, d ≥ s/2. How many contacts a body has
//! at once is known only when it touches. The estimate: as many as lie below a plane that carries the body's weight, in the
//! stiffest of the six positions along its axes, against rocking on them too (`rocking`); a contact surface or an intersection volume is taken as it is there,
//! straight. It counts vertices against an immovable surface, and in a stack against neighbours that give way ([`crate::stacked`]): edges,
//! impacts, a load from above and a light partner that comes later make it worse, so no warning is no promise.

use crate::places::places;
use crate::rest::ways_up;
use crate::rocking::rocking;
use impinge_geometry::{DMat3, DVec3};
use impinge_integrators::Scheme;
use std::fmt;

/// A body on which the contacts to be expected are too stiff for the step.
#[derive(Clone, Debug, PartialEq)]
pub struct StiffContact {
    /// The body's name; the first of several that are alike.
    pub body: String,
    /// How many more there are.
    pub alike: usize,
    /// The response family.
    pub response: &'static str,
    /// Contacts to be expected at once.
    pub contacts: usize,
    /// Their stiffness together (N/m).
    pub stiffness: f64,
    /// Their dampers together (N·s/m): Kelvin and Voigt's, and Hunt and Crossley's while they carry the body's weight.
    pub damping: f64,
    /// What they act on (kg): less than the mass of a body that rocks on them more stiffly than it bounces.
    pub mass: f64,
    /// The mass of the body (kg), or of what of it is looked at.
    pub whole: f64,
    /// Bodies that give way, one on the other, this one among them; 1 where it is alone.
    pub stack: usize,
    /// The step (s).
    pub dt: f64,
    /// s must stay below this, without dampers; 0 where the force gains energy at any step.
    pub limit: f64,
}

impl StiffContact {
    /// s = n k Δt²/m.
    pub fn number(&self) -> f64 {
        self.stiffness * self.dt * self.dt / self.mass
    }

    /// d = n c Δt/m.
    pub fn damping_number(&self) -> f64 {
        self.damping * self.dt / self.mass
    }

    /// s over its limit + d/2: stable below 1. Where the force gains energy at any step, what it gains over what the dampers take.
    pub fn load(&self) -> f64 {
        if self.limit == 0.0 {
            return (0.5 * self.number() / self.damping_number()).max(0.5 * self.damping_number());
        }
        self.number() / self.limit + 0.5 * self.damping_number()
    }

    /// Longest stable step (s); 0 where there is none.
    pub fn dt_limit(&self) -> f64 {
        let (a, b) = (self.stiffness / (self.mass * self.limit), 0.5 * self.damping / self.mass);
        2.0 / (b + (b * b + 4.0 * a).sqrt())
    }

    /// Largest factor on the stiffness of the law with which this step is stable, as long as the number of contacts stays; `None` where the
    /// dampers alone are too much.
    pub fn stiffness_factor(&self) -> Option<f64> {
        let left = 1.0 - 0.5 * self.damping_number();
        (left > 0.0).then(|| left * self.limit / self.number())
    }

    /// Largest factor on the dampers with which this step is stable; `None` where the stiffness alone is too much, or nothing damps.
    pub fn damping_factor(&self) -> Option<f64> {
        let left = 1.0 - self.number() / self.limit;
        (left > 0.0 && self.damping > 0.0).then(|| 2.0 * left / self.damping_number())
    }
}

impl fmt::Display for StiffContact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "body '{}'", self.body)?;
        if self.alike > 0 {
            write!(f, " (and {} like it)", self.alike)?;
        }
        write!(
            f,
            ": stability number {}, must be below 1 under '{}' (about {} contacts at once, together {:.3e} N/m",
            places(self.load(), 3),
            self.response,
            self.contacts,
            self.stiffness,
        )?;
        if self.damping > 0.0 {
            write!(f, " and {:.3e} N·s/m", self.damping)?;
        }
        write!(f, ", on {:.3e} kg", self.mass)?;
        if self.stack > 1 {
            let n = self.stack;
            write!(
                f,
                ", its effective mass in a stack of {n}: contacts on both sides, and neighbours that give way"
            )?;
        } else if self.mass < 0.99 * self.whole {
            f.write_str(", its effective mass as it rocks on them")?;
        }
        f.write_str(")")?;
        if self.limit == 0.0 {
            return write!(
                f,
                ": a force evaluated at the start of the step gains energy at any dt under 'implicit-midpoint'; use the integrator \
                 'symplectic-euler', or dampers of together {:.2e} N·s/m or more",
                0.5 * self.number() * self.mass / self.dt
            );
        }
        write!(f, ": use dt < {:.2e} s", self.dt_limit())?;
        if let Some(factor) = self.stiffness_factor() {
            write!(f, ", or less than {factor:.2e} times the stiffness")?;
        }
        if let Some(factor) = self.damping_factor() {
            write!(f, ", or less than {factor:.2e} times the damping")?;
        }
        Ok(())
    }
}

/// Limits of s by where an explicit force is taken: at the start, on the way, at the end of the step.
pub fn limits(scheme: Scheme) -> [f64; 3] {
    if scheme == Scheme::ImplicitMidpoint { [0.0, 4.0, 2.0] } else { [4.0, 2.0, 4.0 / 3.0] }
}

/// Contacts of a body at rest: how many, their stiffness (N/m) and their dampers (N·s/m) together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resting {
    /// How many.
    pub contacts: usize,
    /// N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
    /// As of `rocking`.
    pub rocking: f64,
}

impl Default for Resting {
    fn default() -> Self {
        Self { contacts: 0, stiffness: 0.0, damping: 0.0, rocking: 1.0 }
    }
}

impl Resting {
    /// Contacts that have none of the law's dampers. What an explicit pressure field or a contact volume loses by its own is not estimated.
    pub fn undamped((contacts, stiffness): (usize, f64)) -> Self {
        Self { contacts, stiffness, ..Self::default() }
    }
}

/// The body `x` (m) on a plane across `up` that carries `weight` (N): its vertices below the plane, and what they are together. Vertices of equal
/// height count together, also without weight. `of` gives the stiffness and the damper of a vertex.
pub fn carrying(
    x: &[DVec3],
    of: impl Fn(usize) -> (f64, f64),
    weight: f64,
    up: DVec3,
) -> (Resting, Vec<usize>) {
    let mut heights: Vec<(f64, usize)> = x.iter().enumerate().map(|(i, p)| (p.dot(up), i)).collect();
    heights.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let size = heights.first().zip(heights.last()).map_or(0.0, |(a, b)| b.0 - a.0);
    let (mut out, mut moment) = (Resting::default(), 0.0);
    let mut on: Vec<usize> = Vec::new();
    for (j, &(h, i)) in heights.iter().enumerate() {
        let (k, c) = of(i);
        out.contacts += 1;
        out.stiffness += k;
        out.damping += c;
        on.push(i);
        moment += k * h;
        // Sunk so that the plane is at height z, these carry Σ k (z − h).
        let z = (weight + moment) / out.stiffness;
        if heights.get(j + 1).is_none_or(|next| next.0 > z + 1e-9 * size) {
            break;
        }
    }
    (out, on)
}

/// As [`carrying`]. `rocks` is the mass (kg) and inverse inertia of a rigid body whose centre of mass is the origin.
fn resting(
    x: &[DVec3],
    of: impl Fn(usize) -> (f64, f64),
    weight: f64,
    up: DVec3,
    rocks: Option<(f64, DMat3)>,
) -> Resting {
    let (mut out, on) = carrying(x, &of, weight, up);
    if let Some((mass, inverse_inertia)) = rocks {
        let springs: Vec<(DVec3, f64)> = on.iter().map(|&i| (x[i], of(i).0)).collect();
        out.rocking = rocking(&springs, up, mass, &inverse_inertia);
    }
    out
}

/// The stiffest of six positions; arguments as of `resting`.
pub fn stiffest_rest(
    x: &[DVec3],
    of: impl Fn(usize) -> (f64, f64),
    weight: f64,
    rocks: Option<(f64, DMat3)>,
) -> Resting {
    let mut most = Resting::default();
    for up in ways_up() {
        let r = resting(x, &of, weight, up, rocks);
        if r.stiffness * r.rocking > most.stiffness * most.rocking {
            most = r;
        }
    }
    most
}
