//! Steps that are too coarse for what contacts will do, though not for bodies at rest without friction ([`crate::stability`]): friction that
//! sticks is a stiff spring with a lever, and the step of first touch may press in more springs than a body ever rests on.

use crate::alike::{Told, identity};
use crate::components::{Dofs, Forces, Laws};
use crate::falls::Falls;
use crate::part::Part;
use crate::simulation::Simulation;
use impinge_bodies::stability::carrying;
use impinge_bodies::sticking::{Stick, sticking};
use impinge_bodies::{Shape, Shapes, places, ways_up};
use impinge_contact::{BodyKind, Damping, PairLaw};
use impinge_geometry::{DMat3, DVec3};

/// Halvings that look for a step, or a part of a stiffness.
const HALVINGS: u32 = 40;
/// What is told of a limit: it holds when it is rounded to three digits, too.
const TOLD: f64 = 0.995;
/// Times its speed that the step of first touch may change a body's speed by: more throws it back faster than it came.
const BOUNCE: f64 = 2.0;
/// Part of the step of first touch that is left at the touch, on average.
const LEFT: f64 = 0.5;
/// How much stiffer than its force over its depth a contact is that has a stiffness of its own: ½kV² of a ball's cap, the steepest there is.
const STEEPEST: f64 = 3.0;

/// A rigid mesh as its contacts see it.
struct Faller<'a> {
    x: &'a [DVec3],
    areas: &'a [f64],
    mass: f64,
    inverse_inertia: DMat3,
    /// Against gravity, in body axes.
    up: DVec3,
    weight: f64,
}

impl Simulation {
    /// Bodies that will tremble where they should stick, or that an impact will throw, under the response in place: a sentence each, with the
    /// number and the remedy; to be asked before the first step. For rigid meshes that start above a plane or a rigid mesh, which is taken as level and still.
    #[must_use]
    pub fn coarse(&self) -> Vec<String> {
        self.parts().flat_map(|part| self.coarse_under(part)).collect()
    }

    fn coarse_under(&self, part: Part<'_>) -> Vec<String> {
        let (dofs, shapes) = (self.column::<Dofs>(), self.column::<Shapes>());
        let (laws, gravity) = (self.column::<Laws>(), self.column::<Forces>().0.gravity);
        let response = part.response();
        let limit = response.stability_limit(self.recipe.scheme);
        if !(limit.is_finite() && limit > 0.0 && gravity.mag() > 0.0) {
            return Vec::new();
        }
        // What cannot even rest is told of already.
        let alike = |b: usize| (identity(&shapes.0[b], b), dofs.bodies.mass[b].to_bits());
        let known: Vec<(usize, u64)> = (self.warnings().iter())
            .filter_map(|w| self.names().iter().position(|n| *n == w.body))
            .map(alike)
            .collect();
        let sticks_below = response.sticking_limit(self.recipe.scheme);
        let falls = Falls::of(&dofs, &shapes, gravity.normalized());
        let mut told: Vec<Told<(usize, u64, u32)>> = Vec::new();
        for (b, shape) in shapes.0.iter().enumerate() {
            let Shape::Mesh(m) = shape else { continue };
            if dofs.bodies.kind[b] != BodyKind::Rigid {
                continue;
            }
            let mass = dofs.bodies.mass[b];
            let pose = &dofs.bodies.pose[b];
            let faller = Faller {
                x: m.mesh.positions(),
                areas: &m.areas,
                mass,
                inverse_inertia: *dofs.bodies.mobility[b].inverse_inertia(),
                up: pose.vector_to_body(-gravity.normalized()),
                weight: mass * gravity.mag(),
            };
            if known.contains(&alike(b)) {
                continue;
            }
            let lawful = |o: u32| part.law(&laws, b as u32, o);
            let below = falls.onto(b, &dofs, &shapes, |o| lawful(o).is_some());
            let Some((way, number)) = below.and_then(|(way, o)| Some((way, lawful(o as u32)?))) else {
                continue;
            };
            let already = dofs.bodies.velocity[b].dot(falls.down).max(0.0);
            let speed = (already * already + 2.0 * gravity.mag() * way).sqrt();
            let law = &laws.laws[number as usize];
            let of = (identity(shape, b), mass.to_bits(), number);
            // The remedy takes a search; one for those that are alike.
            let tell = told.iter().all(|t| t.of != of);
            let (dt, name) = (self.dt(), response.name());
            let thrown = || faller.thrown(law, dt, speed, response.first_step(), name, tell);
            let said = match response.own_stiffness() {
                None if falls.lies(b, way) => {
                    faller.sticks(law, dt, [limit, sticks_below], name, tell).or_else(thrown)
                }
                None => thrown(),
                Some(own) => {
                    let at = |force: f64| own(part, b, shape, force, &ways_up()).1;
                    thrown_by_itself(at, mass, dt, speed, name, tell)
                }
            };
            if let Some(rest) = said {
                Told::add(&mut told, of, &self.names()[b], rest);
            }
        }
        told.iter().map(Told::sentence).collect()
    }
}

/// About the largest number between 0 and `most` at which `holds`, which it does below some number.
fn largest(most: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, most);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    TOLD * low
}

impl Faller<'_> {
    /// Stiffness and damper of a vertex along the normal.
    fn of(&self, law: &PairLaw, i: usize) -> (f64, f64) {
        let (k, per_point) = law.point_stiffness(self.areas[i], 1.0);
        (k, if let Damping::KelvinVoigt(c) = law.damping.plain() { c * per_point } else { 0.0 })
    }

    /// What there is to say where friction is too stiff for the step and the contacts alone are not; nothing in words unless `tell`.
    fn sticks(&self, law: &PairLaw, dt: f64, limits: [f64; 2], response: &str, tell: bool) -> Option<String> {
        let friction = law.friction.as_ref().filter(|f| f.mu_s > 0.0)?;
        let (rest, on) = carrying(self.x, |i| self.of(law, i), self.weight, self.up);
        let n = on.len() as f64;
        let shared = if law.damping.restitution().is_some() { n.sqrt() } else { 1.0 };
        // Σ k δ is the weight.
        let crossley =
            if let Damping::HuntCrossley(chi) = law.damping.plain() { chi * self.weight / n } else { 0.0 };
        let load = |dt: f64, part: f64| {
            let sticks: Vec<Stick> = (on.iter())
                .map(|&i| {
                    let ((k, c), per_point) = (self.of(law, i), law.point_stiffness(self.areas[i], 1.0).1);
                    let of = |k: f64, c: f64, limit: f64| k * dt * dt / limit + 0.5 * c * dt;
                    Stick {
                        arm: self.x[i],
                        along: of(k, c / shared + crossley, limits[0]),
                        across: part * per_point * of(friction.k_fp, friction.k_fd, limits[1]),
                    }
                })
                .collect();
            sticking(&sticks, self.up, self.mass, &self.inverse_inertia)
        };
        let (number, alone) = (load(dt, 1.0), load(dt, 0.0));
        if number <= 1.0 || alone > 1.0 {
            return None;
        }
        if !tell {
            return Some(String::new());
        }
        let per_point: f64 = on.iter().map(|&i| law.point_stiffness(self.areas[i], 1.0).1).sum();
        Some(format!(
            "stability number {} while friction holds it, must be below 1 under '{response}' (about {} contacts at once, their friction {:.3e} N/m \
             and {:.3e} N·s/m together, on a lever): it trembles where it should stick: use dt < {:.2e} s, or less than {:.2e} times \
             `friction_stiffness` and `friction_damping`",
            places(number, 3),
            rest.contacts,
            per_point * friction.k_fp,
            per_point * friction.k_fd,
            largest(dt, |dt| load(dt, 1.0) < 1.0),
            largest(1.0, |part| load(dt, part) < 1.0),
        ))
    }

    /// What there is to say where the step of first touch, in which a part of the force of its end acts, throws the body; nothing in words
    /// unless `tell`.
    fn thrown(
        &self,
        law: &PairLaw,
        dt: f64,
        speed: f64,
        acts: f64,
        response: &str,
        tell: bool,
    ) -> Option<String> {
        if law.damping.restitution().is_some() || speed <= 0.0 {
            return None;
        }
        let heights: Vec<f64> = self.x.iter().map(|p| p.dot(self.up)).collect();
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        // Speed from the step of first touch over the speed before, and how many vertices have it.
        let step = |dt: f64, part: f64| {
            let (mut force, mut count) = (0.0, 0u32);
            for (i, h) in heights.iter().enumerate() {
                // All of the step may be left at the touch.
                let depth = speed * dt - (h - low);
                if depth > 0.0 {
                    let (k, c) = self.of(law, i);
                    let chi = if let Damping::HuntCrossley(chi) = law.damping.plain() { chi } else { 0.0 };
                    force += part * acts * (k * depth * (1.0 + chi * speed) + c * speed);
                    count += 1;
                }
            }
            (force * dt / (self.mass * speed), count)
        };
        let (changed, count) = step(dt, 1.0);
        (changed > BOUNCE).then(|| {
            if !tell {
                return String::new();
            }
            format!(
                "it falls on something at {} m/s, and about {count} vertices that are pressed in within the step of first touch throw it back at \
                 {} times that speed under '{response}': use dt < {:.2e} s, or less than {:.2e} times the stiffness and the damping",
                places(speed, 3),
                places(changed - 1.0, 1),
                largest(dt, |dt| step(dt, 1.0).0 <= BOUNCE),
                largest(1.0, |part| step(dt, part).0 <= BOUNCE),
            )
        })
    }
}

/// As `thrown`, of contacts that have a stiffness (N/m) of their own at a force (N).
fn thrown_by_itself(
    at: impl Fn(f64) -> f64,
    mass: f64,
    dt: f64,
    speed: f64,
    response: &str,
    tell: bool,
) -> Option<String> {
    // Deep enough for the force that turns the speed round within the step: not before the middle of the step.
    let least = STEEPEST * BOUNCE / LEFT;
    let number = |dt: f64| at(BOUNCE * mass * speed / dt) * dt * dt / mass;
    (speed > 0.0 && number(dt) > least).then(|| {
        if !tell {
            return String::new();
        }
        format!(
            "it falls on something at {} m/s, and the step of first touch throws it back faster than it came under '{response}': k Δt²/m of that impact \
             is {:.1e}, must be below {least}: use dt < {:.2e} s, or less stiffness",
            places(speed, 3),
            number(dt),
            largest(dt, |dt| number(dt) < least),
        )
    })
}
