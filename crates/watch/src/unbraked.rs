//! Bodies that turn on each other where friction acts at one point of a wide contact, which brakes a spin too little.

use crate::bodies::Bodies;
use crate::pushes::{Pushes, pushes};
use crate::volumes::measure;
use impinge_bodies::places;
use impinge_contact::BodyKind;
use impinge_geometry::{DVec3, try_normalized};
use impinge_world::{Dofs, Laws, MeasuredPair, Overlaps, Simulation};
use std::collections::BTreeMap;

/// From here on a turn is seen (rad).
const TURN: f64 = 0.05;
/// Part of the spin that friction would have taken, at least.
const TAKEN: f64 = 0.05;

/// Of a pair, since it first touched.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Spin {
    /// How far they turned on each other (rad), one way.
    turned: f64,
    /// What friction over the whole contact would have taken of the spin (rad/s), all of it at most.
    taken: f64,
    told: bool,
}

/// Follows pairs with one force each.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Unbraked {
    spins: BTreeMap<[u32; 2], Spin>,
}

/// Mean distance (m) of what presses from its middle, across the normal: by the gradients of the volume at the vertices, on the side where that is less (a plane
/// is a box around the other).
fn lever(pair: &MeasuredPair, normal: DVec3) -> f64 {
    let of = |side: usize| {
        let mut rows: Vec<(DVec3, f64)> = Vec::new();
        for cell in 0..pair.overlap.cells().len() {
            let (vertex, gradient) = pair.overlap.gradient(cell, side);
            let at = |(&v, g): (&u32, &DVec3)| (pair.x[side][v as usize], g.dot(normal).abs());
            rows.extend(vertex.iter().zip(gradient).map(at));
        }
        let size: f64 = rows.iter().map(|r| r.1).sum();
        let middle = rows.iter().fold(DVec3::zero(), |s, r| s + r.0 * r.1) / size;
        let across = |p: DVec3| ((p - middle) - normal * (p - middle).dot(normal)).mag();
        rows.iter().map(|r| across(r.0) * r.1).sum::<f64>() / size
    };
    of(0).min(of(1))
}

impl Unbraked {
    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) {
        let parts: Vec<_> = sim.parts().filter(|p| measure(*p).is_some_and(|m| m.cell.is_none())).collect();
        if parts.is_empty() {
            return;
        }
        let (pushes, dofs, laws) = (pushes(sim), sim.column::<Dofs>(), sim.column::<Laws>());
        let before = std::mem::take(&mut self.spins);
        for part in parts {
            for pair in &part.column::<Overlaps>().pairs {
                let slots = pair.bodies;
                let Ok(row) = pushes.binary_search_by_key(&slots, |p| p.0) else { continue };
                let Pushes { pushed, size, .. } = pushes[row].1;
                let law = part.law(&laws, slots[0], slots[1]).map(|law| laws.laws[law as usize]);
                let rubs =
                    law.filter(|l| l.turning.is_none_or(|t| t.spinning == 0.0)).and_then(|l| l.friction);
                let (Some(normal), Some(friction)) = (try_normalized(pushed), rubs) else { continue };
                if !turns(sim, slots) {
                    continue;
                }
                let [a, b] = slots.map(|slot| sim.twist(slot).angular_velocity);
                let spin = (a - b).dot(normal);
                let give = |slot: u32| match dofs.bodies.kind[slot as usize] {
                    BodyKind::Rigid => {
                        let b = &dofs.bodies;
                        (b.mobility[slot as usize].inverse_at(&b.pose[slot as usize]) * normal).dot(normal)
                    }
                    _ => 0.0,
                };
                let gives = give(slots[0]) + give(slots[1]);
                let bodies = who.of(slots);
                let mut seen = before.get(&bodies).copied().unwrap_or_default();
                seen.turned += spin * sim.dt();
                seen.taken =
                    (seen.taken + friction.mu_k * size * lever(pair, normal) * gives).min(spin.abs());
                seen.told |= seen.turned.abs() > TURN && seen.taken > TAKEN * spin.abs();
                self.spins.insert(bodies, seen);
            }
        }
        // Who parts begins anew.
        let told = before.into_iter().filter(|(_, seen)| seen.told);
        told.for_each(|(bodies, seen)| {
            self.spins.entry(bodies).or_insert(seen);
        });
    }

    /// What there is to say of the pair that turned farthest.
    pub fn warning(&self, who: &Bodies) -> Option<String> {
        let told = || self.spins.iter().filter(|s| s.1.told);
        let (bodies, spin) = told().max_by(|a, b| a.1.turned.abs().total_cmp(&b.1.turned.abs()))?;
        let [a, b] = who.names(*bodies);
        let more = match told().count() - 1 {
            0 => String::new(),
            n => format!(" (and {n} more such pairs)"),
        };
        Some(format!(
            "'{a}' and '{b}'{more} turned by {} rad on each other, and without cells friction acts at one point, where the whole contact \
             would have taken {} rad/s of the spin by now. Set `cell` in the section of their response, half the width of the smallest contact or less, or give the \
             pair `spinning_friction`",
            places(spin.turned.abs(), 2),
            places(spin.taken, 2)
        ))
    }
}

/// Rigid, and turning on each other at all.
fn turns(sim: &Simulation, slots: [u32; 2]) -> bool {
    let dofs = sim.column::<Dofs>();
    let [a, b] = slots.map(|slot| sim.twist(slot).angular_velocity);
    a != b && slots.iter().all(|&slot| !dofs.bodies.kind[slot as usize].has_nodes())
}
