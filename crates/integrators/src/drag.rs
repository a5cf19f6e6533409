//! Drag within a step: mass that a body has besides its own.
//!
//! Drag is taken at the velocity of the end, so it is unknown as long as contact is. With the impulse I of contact
//!
//! ```text
//! m (v₁ − v₀) = Δt (f − c v₁) + I        or        (m + c Δt) (v₁ − v₀) = Δt (f − c v₀) + I,
//! ```
//! a drag that is known, on a body of the mass m + c Δt. That body is what every response sees, so what rests bears all of its weight. (Taken
//! from the predicted velocity alone, drag took the part c Δt/(m + c Δt) from what contact holds as well.) Of spin the same with J + c Δt. In the end the
//! body turns by its own inertia, so that turning freely does no work.

use crate::euler::{Scheme, moved, world_inertia};
use crate::forces::ExternalForces;
use impinge_contact::{Advanced, BodyDofs, BodyKind, External, Mobility, NodeDofs, Wrench};
use impinge_geometry::{DMat3, DVec3, add, scale};

/// Bodies and loose vertices that drag makes heavier in a step, with what they are without it.
#[derive(Clone, Debug, Default)]
pub struct Dragged {
    bodies: Vec<Light>,
    nodes: Vec<(u32, f64)>,
    /// What turns and drag slows, by how much (kg m²/s).
    braked: Vec<(u32, DVec3)>,
    dt: f64,
}

/// A body without drag.
#[derive(Clone, Copy, Debug)]
struct Light {
    slot: u32,
    mass: f64,
    inertia: DMat3,
    mobility: Mobility,
}

fn of(list: &[f64], body: usize) -> f64 {
    list.get(body).copied().unwrap_or(0.0)
}

impl Dragged {
    /// Makes what has drag heavier for a step of `dt` (s): rigid bodies and loose vertices. Whatever a step that was not made left heavier is made light
    /// first. Between this and [`Dragged::book`] angular momentum (kg m²/s) is that of the heavier body.
    pub fn weigh_down(
        &mut self,
        dt: f64,
        forces: &ExternalForces,
        bodies: &mut BodyDofs,
        nodes: &mut NodeDofs,
    ) {
        self.lighten(bodies, nodes);
        self.dt = dt;
        for b in (0..bodies.len()).filter(|&b| bodies.kind[b] == BodyKind::Rigid) {
            let [linear, angular] = [&forces.linear_drag, &forces.angular_drag].map(|c| dt * of(c, b));
            if linear == 0.0 && angular == 0.0 {
                continue;
            }
            let (mass, inertia, mobility) = (bodies.mass[b], bodies.inertia[b], bodies.mobility[b]);
            self.bodies.push(Light { slot: b as u32, mass, inertia, mobility });
            bodies.mass[b] += linear;
            let heavier = add(&inertia, &scale(&DMat3::identity(), angular));
            if let Some(slower) = Mobility::new(heavier).filter(|_| angular > 0.0) {
                (bodies.inertia[b], bodies.mobility[b]) = (heavier, slower.locked_on(mobility.locked()));
                let turning = bodies.angular_velocity[b];
                bodies.angular_momentum[b] += turning * angular;
            }
        }
        if forces.linear_drag.iter().all(|c| *c == 0.0) {
            return;
        }
        for n in 0..nodes.len() {
            let b = nodes.body[n] as usize;
            let added = dt * of(&forces.linear_drag, b);
            if added > 0.0 && bodies.kind[b] == BodyKind::Particles {
                self.nodes.push((n as u32, nodes.mass[n]));
                nodes.mass[n] += added;
            }
        }
    }

    /// Gives everything its own mass back.
    pub fn lighten(&mut self, bodies: &mut BodyDofs, nodes: &mut NodeDofs) {
        for light in self.bodies.drain(..) {
            let b = light.slot as usize;
            (bodies.mass[b], bodies.inertia[b], bodies.mobility[b]) =
                (light.mass, light.inertia, light.mobility);
            bodies.angular_momentum[b] =
                world_inertia(&bodies.pose[b], &light.inertia) * bodies.angular_velocity[b];
        }
        for (n, mass) in self.nodes.drain(..) {
            nodes.mass[n as usize] = mass;
        }
    }

    /// The step has led to `advanced`: gives everything its own mass back, and books what drag did.
    pub fn book(
        &mut self,
        scheme: Scheme,
        forces: &ExternalForces,
        bodies: &mut BodyDofs,
        nodes: &mut NodeDofs,
        advanced: &mut Advanced,
        external: &mut External,
    ) {
        self.braked.clear();
        for b in self.bodies.iter().map(|light| light.slot as usize) {
            let [linear, angular] = [&forces.linear_drag, &forces.angular_drag].map(|c| self.dt * of(c, b));
            // Through the inertia at the start, as all impulses.
            let turning = bodies.mobility[b].spin(&bodies.pose[b].matrix(), advanced.angular_momentum[b]);
            let moment = turning * -angular;
            external.drag[b] = Wrench { impulse: advanced.velocity[b] * -linear, moment };
            if moment != DVec3::zero() {
                self.braked.push((b as u32, moment));
            }
        }
        if !self.nodes.is_empty() {
            external.node_drag.resize(nodes.len(), DVec3::zero());
        }
        for &(n, _) in &self.nodes {
            let n = n as usize;
            let b = nodes.body[n] as usize;
            let impulse = advanced.node_v[n] * (-self.dt * of(&forces.linear_drag, b));
            external.drag[b] += Wrench { impulse, moment: nodes.x[n].cross(impulse) };
            external.node_drag[n] = impulse;
        }
        self.lighten(bodies, nodes);
        for &(b, moment) in &self.braked {
            let b = b as usize;
            let l1 = advanced.angular_momentum[b] + moment;
            let pose = moved(scheme, bodies.view(), b, (advanced.velocity[b], l1), self.dt);
            let (mobility, r) = (&bodies.mobility[b], pose.matrix());
            let spin = mobility.spin(&r, l1);
            advanced.pose[b] = pose;
            advanced.angular_velocity[b] = spin;
            advanced.angular_momentum[b] = mobility.momentum(&r, spin, l1);
        }
    }
}
