//! Bodies that went through each other: the centre of one crossed the surface of the other.
//!
//! A vertex deeper than the middle of a closed body is pushed on, out at its back, and behind an open mesh nothing is pushed at all. The depth of a
//! contact says nothing of either, so where a pair is once pressed in too far its way is followed.

use impinge_contact::BodyKind;
use impinge_world::{Dofs, Shape, Shapes, Simulation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where and when.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Passed {
    /// Whose centre, through whom.
    slots: [u32; 2],
    time: f64,
}

/// Follows pairs of bodies.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Through {
    /// Where the centre of the first was in the frame of the second (m), by slots.
    followed: BTreeMap<[u32; 2], [f64; 3]>,
    /// First of each pair.
    passed: Vec<Passed>,
}

impl Through {
    /// Follows a pair from now on, in both directions.
    pub fn follow(&mut self, sim: &Simulation, [a, b]: [u32; 2]) {
        for slots in [[a, b], [b, a]] {
            if !self.followed.contains_key(&slots)
                && self.passed.iter().all(|p| p.slots != slots)
                && let Some(at) = centre(sim, slots)
            {
                self.followed.insert(slots, at);
            }
        }
    }

    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation) {
        if self.followed.is_empty() {
            return;
        }
        let shapes = sim.column::<Shapes>();
        let passed = &mut self.passed;
        self.followed.retain(|&slots, from| {
            let (Shape::Mesh(other), Some(to)) = (&shapes.0[slots[1] as usize], centre(sim, slots)) else {
                return false;
            };
            let way: [f64; 3] = std::array::from_fn(|i| to[i] - from[i]);
            let length = way.iter().map(|w| w * w).sum::<f64>().sqrt();
            let met = length > 0.0 && other.index.ray(*from, way.map(|w| w / length), length).is_some();
            *from = to;
            if met {
                passed.push(Passed { slots, time: sim.time() });
            }
            !met
        });
    }

    /// Whether any pair did.
    pub fn any(&self) -> bool {
        !self.passed.is_empty()
    }

    /// What there is to say.
    pub fn warning(&self, sim: &Simulation) -> Option<String> {
        let first = self.passed.first()?;
        let [a, b] = first.slots.map(|slot| sim.names()[slot as usize].as_str());
        let open = matches!(&sim.column::<Shapes>().0[first.slots[1] as usize], Shape::Mesh(m) if m.open);
        let others = self.passed.len() - 1;
        let more = if others == 0 { String::new() } else { format!(" (and {others} pairs like it)") };
        Some(format!(
            "the centre of '{a}' went through the surface of '{b}'{more} at t = {:.3} s: the stiffness is too low for the load; raise it{}",
            first.time,
            if open { "" } else { ", or make the other thicker" }
        ))
    }
}

/// The centre of mass of a rigid body in the frame of another with a mesh (m). `None` for other bodies, and for one whose centre is not in itself: what
/// goes through a ring goes through no surface of it.
fn centre(sim: &Simulation, [body, other]: [u32; 2]) -> Option<[f64; 3]> {
    let (shapes, dofs) = (sim.column::<Shapes>(), sim.column::<Dofs>());
    let (Shape::Mesh(own), Shape::Mesh(_)) = (&shapes.0[body as usize], &shapes.0[other as usize]) else {
        return None;
    };
    let rigid = dofs.bodies.kind[body as usize] == BodyKind::Rigid;
    (rigid && !own.open && own.index.inside([0.0; 3]))
        .then(|| sim.pose(other).point_to_body(sim.position(body)).into())
}
