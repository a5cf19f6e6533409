//! Whether a restitution that a law asks for will be met, asked of every body before the first step.
//!
//! A spring meets it where an impact takes enough steps. Symplectic Euler loses and gains in turn with the phase of first touch, up to s/8 of the
//! speed at either end, s = n k Δt²/m; with Hunt and Crossley's damper it is within 0.02 up to s = 0.16, where an impact takes eight steps. Kelvin and
//! Voigt's force jumps at first touch, and takes steps a quarter as long. n is that of the deepest
//! moment: the body pressed on a plane with the force v √(n k m) of an impact at v, in the stiffest of six positions.

use crate::alike::identity;
use crate::components::{Dofs, Forces, Laws};
use crate::part::Part;
use crate::simulation::Simulation;
use impinge_bodies::stability::{Resting, stiffest_rest};
use impinge_bodies::{Shape, Shapes, places, ways_up};
use impinge_contact::{BodyKind, Damper};
use impinge_integrators::Scheme;
use std::fmt;

/// Of the limit, for a force that jumps at first touch.
const JUMP: f64 = 0.06;
/// Rounds in which the force of an impact and the contacts that it reaches find each other.
const ROUNDS: u32 = 40;

/// A body whose impacts take too few steps for the restitution asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Unmet {
    /// The body's name; the first of several that are alike.
    pub body: String,
    /// How many more there are.
    pub alike: usize,
    /// The response.
    pub response: &'static str,
    /// The restitution asked for.
    pub e: f64,
    /// Approach speed (m/s): that which the law is for, or the fastest that a fall of the body leads to.
    pub speed: f64,
    /// Contacts to be expected at once.
    pub contacts: usize,
    /// Their stiffness together (N/m).
    pub stiffness: f64,
    /// Effective mass (kg).
    pub mass: f64,
    /// The step (s).
    pub dt: f64,
    /// s must stay below this.
    pub limit: f64,
    /// What of the response's settings would do as well.
    pub remedy: Option<&'static str>,
}

impl Unmet {
    /// s = n k Δt²/m.
    #[must_use]
    pub fn number(&self) -> f64 {
        self.stiffness * self.dt * self.dt / self.mass
    }

    /// Longest step that meets it (s).
    #[must_use]
    pub fn dt_limit(&self) -> f64 {
        self.dt * (self.limit / self.number()).sqrt()
    }
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "body '{}'", self.body)?;
        if self.alike > 0 {
            write!(f, " (and {} like it)", self.alike)?;
        }
        write!(
            f,
            ": restitution {} may not be met within 0.02 under '{}' at this step: an impact at {} m/s takes about {} steps (about {} contacts \
             at once, together {:.3e} N/m, on {:.3e} kg): use dt < {:.2e} s, or less than {:.2e} times the stiffness",
            self.e,
            self.response,
            places(self.speed, 3),
            places(std::f64::consts::PI / self.number().sqrt(), 1),
            self.contacts,
            self.stiffness,
            self.mass,
            self.dt_limit(),
            self.limit / self.number()
        )?;
        self.remedy.map_or(Ok(()), |r| write!(f, ", {r}"))
    }
}

/// Largest s at which a spring that is on time under this scheme meets a restitution within 0.02. Where positions move by another velocity
/// than that of the end it gains by √s π/4 in an impact.
pub(crate) fn of_springs(scheme: Scheme) -> f64 {
    match scheme {
        Scheme::ImplicitMidpoint | Scheme::ExplicitEuler => 6e-4,
        Scheme::SymplecticEuler | Scheme::ImplicitEuler | Scheme::ImplicitEulerNewton => 0.16,
    }
}

impl Simulation {
    /// Bodies whose restitution the response in place will not meet at this step, by slot; bodies that are alike share a line.
    #[must_use]
    pub fn unmet(&self) -> Vec<Unmet> {
        self.parts().flat_map(|part| self.unmet_under(part)).collect()
    }

    fn unmet_under(&self, part: Part<'_>) -> Vec<Unmet> {
        let response = part.response();
        let limit = response.restitution_limit(self.recipe.scheme);
        let (dofs, shapes, laws) = (self.column::<Dofs>(), self.column::<Shapes>(), self.column::<Laws>());
        if limit == f64::INFINITY || !laws.ask_restitution() {
            return Vec::new();
        }
        let gravity = self.column::<Forces>().0.gravity.mag();
        let mut out: Vec<(usize, [u64; 2], u32, Unmet)> = Vec::new();
        let partners = laws.partners();
        let rigid = |b: u32| dofs.bodies.kind[b as usize] == BodyKind::Rigid;
        for b in (0..shapes.0.len() as u32).filter(|&b| rigid(b)) {
            let (shape, mass) = (&shapes.0[b as usize], dofs.bodies.mass[b as usize]);
            // By law the lightest that it is to meet, of those that are no lighter than itself.
            let mut met: Vec<(u32, f64)> = Vec::new();
            for o in partners.iter().copied().filter(|&o| o != b) {
                let Some(law) = part.law(&laws, b, o) else { continue };
                if laws.laws[law as usize].damping.restitution().is_none_or(|r| r.e == 0.0) {
                    continue;
                }
                let other = if rigid(o) { dofs.bodies.mass[o as usize].max(mass) } else { f64::INFINITY };
                let effective = 1.0 / (1.0 / mass + 1.0 / other);
                match met.iter_mut().find(|m| m.0 == law) {
                    Some(m) => m.1 = m.1.min(effective),
                    None => met.push((law, effective)),
                }
            }
            for (number, mass) in met {
                let law = &laws.laws[number as usize];
                let Some(asked) = law.damping.restitution() else { continue };
                let (speed, limit) = match asked.damper {
                    Damper::HuntCrossley { speed, .. } => (speed, limit),
                    Damper::KelvinVoigt(_) => (self.fastest_fall(b, &dofs, gravity), JUMP * limit),
                };
                let key = (identity(shape, b as usize), [mass.to_bits(), speed.to_bits()], number);
                if let Some(same) = out.iter_mut().find(|o| (o.0, o.1, o.2) == key) {
                    same.3.alike += 1;
                    continue;
                }
                let at = |force: f64| match (response.own_stiffness(), shape) {
                    (Some(own), _) => Resting::undamped(own(part, b as usize, shape, force, &ways_up())),
                    (None, Shape::Mesh(m)) => {
                        let of = |i: usize| (law.point_stiffness(m.areas[i], 1.0).0, 0.0);
                        stiffest_rest(m.mesh.positions(), of, force, None)
                    }
                    _ => Resting::default(),
                };
                let mut force = mass * gravity;
                let mut rest = at(force);
                for _ in 0..ROUNDS {
                    let next = (speed * (rest.stiffness * mass).sqrt()).max(mass * gravity);
                    let settled = (next - force).abs() <= 1e-6 * next;
                    (force, rest) = (next, at(next));
                    if settled {
                        break;
                    }
                }
                let (contacts, stiffness) = (rest.contacts, rest.stiffness);
                let body = self.names()[b as usize].clone();
                let (remedy, response, e, dt) =
                    (response.restitution_remedy(), response.name(), asked.e, self.dt());
                let line = Unmet {
                    body,
                    alike: 0,
                    response,
                    e,
                    speed,
                    contacts,
                    stiffness,
                    mass,
                    dt,
                    limit,
                    remedy,
                };
                out.push((key.0, key.1, key.2, line));
            }
        }
        out.into_iter().map(|o| o.3).filter(|u| u.number() > u.limit).collect()
    }

    /// Speed (m/s) of a body that falls from where it is past all others.
    fn fastest_fall(&self, body: u32, dofs: &Dofs, gravity: f64) -> f64 {
        let b = &dofs.bodies;
        let at = b.pose[body as usize].position;
        let way = b.pose.iter().fold(0.0f64, |m, p| m.max((p.position - at).mag()));
        (b.velocity[body as usize].mag_sq() + 2.0 * gravity * way).sqrt()
    }
}
