//! Bodies whose springs would carry them only once they are through what they stand on.

use super::joint::Standing;
use crate::alike::{Told, identity};
use crate::response::StillForce;
use impinge_bodies::stability::carrying;
use impinge_bodies::{Shape, places};

/// Part of the thinner body that a contact is deep at most when the advice is followed.
const ADVISED: f64 = 0.1;

impl Standing<'_> {
    /// A sentence for each rigid mesh that would rest deeper than twice what it, or what it stands or falls on, is thick. It counts springs at
    /// its own vertices; those of the other body and of edges carry as much again at most.
    pub fn sinking(&self) -> Vec<String> {
        let response = self.part.response();
        let mut told: Vec<Told<(usize, u64, usize, u64)>> = Vec::new();
        if response.own_stiffness().is_some() {
            return Vec::new();
        }
        for b in 0..self.shapes.0.len() {
            let Some((_, on)) = self.below[b] else { continue };
            let (Some(law), Shape::Mesh(mesh)) =
                (self.part.law(&self.laws, b as u32, on as u32), &self.shapes.0[b])
            else {
                continue;
            };
            let (law, weight) = (&self.laws.laws[law as usize], self.weight[b]);
            if weight <= 0.0 || !self.dofs.bodies.mobility[b].locked().is_empty() {
                continue;
            }
            let (Some(x), Some(own)) = (self.vertices(b), self.tall(b)) else { continue };
            let thin = self.tall(on).map_or(own, |other| other.min(own));
            let spring = |i: usize| law.point_stiffness(mesh.areas[i], 1.0).0;
            let (rest, held) = carrying(&x, |i| (spring(i), 0.0), weight, self.up);
            let lowest = x.iter().map(|p| p.dot(self.up)).fold(f64::INFINITY, f64::min);
            let lifted: f64 = held.iter().map(|&i| spring(i) * (x[i].dot(self.up) - lowest)).sum();
            let depth = (weight + lifted) / rest.stiffness;
            if !(depth.is_finite() && depth > 2.0 * thin) {
                continue;
            }
            let times = depth / (ADVISED * thin);
            let like = |body: usize| identity(&self.shapes.0[body], body);
            let of = (like(b), weight.to_bits(), like(on), depth.to_bits());
            // What is followed from where it came in is held farther in, too, and there is nothing behind a plane.
            let is_plane = matches!(self.shapes.0[on], Shape::Plane { .. });
            let through = !is_plane && response.still_force() == StillForce::Vertices;
            let end = if through { "It sinks through" } else { "It sinks in whole" };
            let rest = format!(
                "too soft for what it carries under '{}': its contacts on '{}' would be {depth:.2e} m deep at rest, and the thinner of the two is \
                 {thin:.2e} m across. {end}. Use {} times the stiffness, with steps {} times shorter where springs limit them, or a response of \
                 constraints (qp, volume)",
                response.name(),
                self.part.names()[on],
                places(times, 1),
                places(times.sqrt(), 1),
            );
            Told::add(&mut told, of, &self.part.names()[b], rest);
        }
        told.iter().map(Told::sentence).collect()
    }

    /// Along the vertical (m); of a rigid mesh.
    fn tall(&self, b: usize) -> Option<f64> {
        let heights = self.vertices(b)?.into_iter().map(|p| p.dot(self.up));
        let [low, high] = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], d| [l.min(d), h.max(d)]);
        Some(high - low)
    }
}
