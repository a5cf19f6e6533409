//! Bodies that went through each other: the centre of one came out of the other at its back.
//!
//! A vertex deeper than the middle of a closed body is pushed on, out at its back, and behind an open mesh nothing is pushed at all. The depth of a
//! contact says nothing of either, so where a pair is once pressed in too far its way is followed. What comes out again where it went in gave way,
//! and what stays inside is deep.

use crate::bodies::Bodies;
use impinge_contact::BodyKind;
use impinge_geometry::DVec3;
use impinge_world::{Dofs, Shape, Shapes, Simulation};
use std::collections::BTreeMap;

/// A face that a centre went in by, in the frame of its body: a point of it (m) and its normal, on the side the centre came from.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Entry {
    point: [f64; 3],
    normal: [f64; 3],
    time: f64,
}

impl Entry {
    fn is_behind(&self, at: [f64; 3]) -> bool {
        (DVec3::from(at) - DVec3::from(self.point)).dot(self.normal.into()) < 0.0
    }
}

/// A centre in the frame of another body.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Followed {
    /// m.
    at: [f64; 3],
    /// Where it is behind a face.
    entry: Option<Entry>,
}

/// Follows pairs of bodies.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Through {
    /// The centre of the first in the frame of the second, by their numbers.
    followed: BTreeMap<[u32; 2], Followed>,
    /// Whose centre went through whom, and when; the first of each pair.
    passed: Vec<([u32; 2], f64)>,
}

impl Through {
    /// Follows a pair from now on, in both directions.
    pub fn follow(&mut self, sim: &Simulation, who: &Bodies, [a, b]: [u32; 2]) {
        for pair in [[a, b], [b, a]] {
            if !self.followed.contains_key(&pair)
                && self.passed.iter().all(|p| p.0 != pair)
                && let Some(at) = who.slots(pair).and_then(|slots| centre(sim, slots))
            {
                self.followed.insert(pair, Followed { at, entry: None });
            }
        }
    }

    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) {
        if self.followed.is_empty() {
            return;
        }
        let shapes = sim.column::<Shapes>();
        let passed = &mut self.passed;
        self.followed.retain(|&pair, f| {
            let Some(slots) = who.slots(pair) else { return false };
            let (Shape::Mesh(other), Some(to)) = (&shapes.0[slots[1] as usize], centre(sim, slots)) else {
                return false;
            };
            let from = std::mem::replace(&mut f.at, to);
            if f.entry.is_none() {
                let way = DVec3::from(to) - DVec3::from(from);
                let length = way.mag();
                let hit = (length > 0.0).then(|| other.index.ray(from, way / length, length)).flatten();
                f.entry = hit.map(|hit| {
                    let [a, b, c] = other.mesh.triangles()[hit.triangle as usize]
                        .map(|v| other.mesh.positions()[v as usize]);
                    let across = (b - a).cross(c - a);
                    let normal = if across.dot(way) > 0.0 { -across } else { across };
                    Entry { point: a.into(), normal: normal.into(), time: sim.time() }
                });
            }
            let Some(entry) = f.entry else { return true };
            // An open mesh has no inside: it is in front again or behind.
            if entry.is_behind(to) && (other.open || other.index.inside(to)) {
                return true;
            }
            f.entry = None;
            let through = entry.is_behind(to);
            if through {
                passed.push((pair, entry.time));
            }
            !through
        });
    }

    /// Pairs that went through, and those that are behind an open mesh now, by the time of it.
    fn all(&self, sim: &Simulation, who: &Bodies) -> Vec<([u32; 2], f64)> {
        let behind = self.followed.iter().filter(|(pair, _)| is_open(sim, who, pair[1]));
        let behind = behind.filter_map(|(pair, f)| Some((*pair, f.entry?.time)));
        let mut all: Vec<([u32; 2], f64)> = self.passed.iter().copied().chain(behind).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        all
    }

    /// Whether any pair did.
    pub fn any(&self, sim: &Simulation, who: &Bodies) -> bool {
        !self.all(sim, who).is_empty()
    }

    /// What there is to say.
    pub fn warning(&self, sim: &Simulation, who: &Bodies) -> Option<String> {
        let all = self.all(sim, who);
        let (pair, time) = *all.first()?;
        let [a, b] = who.names(pair);
        let others = all.len() - 1;
        let more = if others == 0 { String::new() } else { format!(" (and {others} pairs like it)") };
        Some(format!(
            "the centre of '{a}' went through the surface of '{b}'{more} at t = {time:.3} s: the stiffness is too low for the load; raise it{}",
            if is_open(sim, who, pair[1]) { "" } else { ", or make the other thicker" }
        ))
    }
}

/// A body is there and is an open mesh.
fn is_open(sim: &Simulation, who: &Bodies, body: u32) -> bool {
    let open = |slot: u32| matches!(&sim.column::<Shapes>().0[slot as usize], Shape::Mesh(m) if m.open);
    who.slots([body]).is_some_and(|[slot]| who.knows(sim, [slot]) && open(slot))
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
