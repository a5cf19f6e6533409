//! Bodies whose springs would carry them only once they are through what they stand on. Only what gravity alone presses and one thing alone holds is
//! told of: a spring, an actuator or another support may carry the rest.

use super::joint::Standing;
use crate::alike::{Told, identity};
use crate::components::Forces;
use crate::response::StillForce;
use crate::shadow::Point;
use impinge_bodies::stability::carrying;
use impinge_bodies::{Elastic, Shape, places};
use impinge_contact::{BodyKind, Stiffness};
use impinge_geometry::DVec3;

/// Part of the thinner body that a contact is deep at most when the advice is followed.
const ADVISED: f64 = 0.1;
/// Times the thinner body that the depth must come to: edges, and vertices that share an area, carry as much again at most.
const TIMES: f64 = 2.0;

impl Standing<'_> {
    /// A sentence for each rigid mesh that would rest deeper than what it stands or falls on is thick, or than it is tall.
    pub fn sinking(&self) -> Vec<String> {
        let response = self.part.response();
        let forces = self.part.shared::<Forces>();
        let gravity = forces.0.gravity;
        if response.own_stiffness().is_some() || gravity.mag() == 0.0 {
            return Vec::new();
        }
        let held = self.held(&forces);
        let weight = self.weights(&held, gravity.mag());
        let mut told: Vec<Told<(usize, u64, usize, i64)>> = Vec::new();
        for b in 0..self.shapes.0.len() {
            let Some(on) = self.below[b].map(|below| below.1).filter(|_| !held[b]) else { continue };
            let under = self.under[b].iter().any(|&o| o as usize != on);
            let law = self.part.law(&self.laws, b as u32, on as u32);
            let (Some(law), Shape::Mesh(mesh), false) = (law, &self.shapes.0[b], under) else { continue };
            let law = &self.laws.laws[law as usize];
            let (Some(x), Some(own)) = (self.vertices(b), self.tall(b)) else { continue };
            let closed = matches!(&self.shapes.0[on], Shape::Mesh(m) if !m.open);
            let thin = self.tall(on).filter(|_| closed).map_or(own, |other| other.min(own));
            let spring = |i: usize| law.point_stiffness(mesh.areas[i], 1.0).0;
            let (rest, carry) = carrying(&x, |i| (spring(i), 0.0), weight[b], self.up);
            let beside = match law.stiffness {
                Stiffness::PerContact(k) => k * self.beneath(&x, on) as f64,
                Stiffness::PerArea(_) => 0.0,
            };
            let lowest = x.iter().map(|p| p.dot(self.up)).fold(f64::INFINITY, f64::min);
            let lifted: f64 = carry.iter().map(|&i| spring(i) * (x[i].dot(self.up) - lowest)).sum();
            let depth = (weight[b] + lifted) / (rest.stiffness + beside);
            if !(depth.is_finite() && thin > 0.0 && depth > TIMES * thin) {
                continue;
            }
            let times = depth / (ADVISED * thin);
            let like = |body: usize| identity(&self.shapes.0[body], body);
            let of = (like(b), self.dofs.bodies.mass[b].to_bits(), like(on), (100.0 * times).round() as i64);
            // What is followed from where it came in is held farther in, too, and there is nothing behind a plane.
            let through = closed && response.still_force() == StillForce::Vertices;
            let end = if through { "It sinks through" } else { "It rests with part of it beyond" };
            let rest = format!(
                "too soft for what it carries under '{}': its contacts on '{}' would be {depth:.2e} m deep at rest. The thinner of the two is {thin:.2e} m \
                 across. {end}. Use {} times the stiffness, with steps {} times shorter where springs limit them, or a response of constraints (qp)",
                response.name(),
                self.part.names()[on],
                places(times, 1),
                places(times.sqrt(), 1),
            );
            Told::add(&mut told, of, &self.part.names()[b], rest);
        }
        told.iter().map(Told::sentence).collect()
    }

    /// Bodies that something else than what is below may carry, or push.
    fn held(&self, forces: &Forces) -> Vec<bool> {
        let bodies = &self.dofs.bodies;
        let mut held: Vec<bool> = (0..self.shapes.0.len())
            .map(|b| bodies.kind[b] != BodyKind::Rigid || !bodies.mobility[b].locked().is_empty())
            .collect();
        let springs = forces.0.anchors.iter().map(|a| a.body);
        let driven = forces.0.actuators.iter().map(|a| a.key().0);
        let tied = self.part.shared::<Elastic>().attached(&self.dofs.nodes.body);
        let tied = tied.into_iter().flat_map(|(a, b)| [a, b]);
        let pushed = self.part.timed.iter().map(|f| f.body);
        springs.chain(driven).chain(tied).chain(pushed).for_each(|b| held[b as usize] = true);
        // Under another response something may be nearer.
        for b in 0..held.len() {
            let nearest = || self.falls.onto(b, &self.dofs, &self.shapes, |o| self.meets(b as u32, o));
            held[b] = held[b] || self.below[b].is_some() && nearest() != self.below[b];
        }
        held
    }

    fn meets(&self, a: u32, b: u32) -> bool {
        self.laws.of(a.min(b), a.max(b)).is_some()
    }

    /// Of each body and all that stand on it (N), as far as nothing else carries them.
    fn weights(&self, held: &[bool], gravity: f64) -> Vec<f64> {
        let mut weight = vec![0.0; held.len()];
        for b in (0..held.len()).filter(|&b| !held[b]) {
            let mut at = b;
            // Bodies without a height could stand on each other.
            for _ in 0..held.len() {
                weight[at] += self.dofs.bodies.mass[b] * gravity;
                match self.below[at] {
                    Some((_, on)) if !held[on] && self.under[at].iter().all(|&o| o as usize == on) => at = on,
                    _ => break,
                }
            }
        }
        weight
    }

    /// Vertices of a mesh within the bounds of others across the vertical.
    fn beneath(&self, x: &[DVec3], on: usize) -> usize {
        let ends = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
        let [low, high] = x.iter().map(|p| self.across.at(*p)).fold(ends, |[low, high], p| {
            [[0, 1].map(|c| low[c].min(p[c])), [0, 1].map(|c| high[c].max(p[c]))]
        });
        let within = |p: Point| (0..2).all(|c| low[c] <= p[c] && p[c] <= high[c]);
        self.vertices(on).map_or(0, |y| y.into_iter().filter(|p| within(self.across.at(*p))).count())
    }

    /// Along the vertical (m); of a rigid mesh.
    fn tall(&self, b: usize) -> Option<f64> {
        let heights = self.vertices(b)?.into_iter().map(|p| p.dot(self.up));
        let [low, high] = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], d| [l.min(d), h.max(d)]);
        Some(high - low)
    }
}
