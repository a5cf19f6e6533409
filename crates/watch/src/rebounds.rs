//! Rigid bodies that come apart with another speed than the restitution of their law asks for.
//!
//! A hit is what happens between two bodies from the step that first presses them together to the one that no longer does. Its restitution is that of Newton:
//! the speed at which their surfaces part along the normal, over that at which they met, both at the contact. It is compared where it says something of the law:
//! the two touch nothing else, at one place with one normal, faster than what rests, and friction has no hold on the motion along the normal. Of who
//! stays together nothing is said.

use crate::bodies::{Bodies, radius};
use crate::pushes::pushes;
use impinge_bodies::places;
use impinge_contact::{BodyKind, Damper, FrictionLaw, Restitution, Wrench};
use impinge_geometry::DVec3;
use impinge_world::{Dofs, Forces, Laws, Shapes, Simulation, Twist};
use std::collections::BTreeMap;

/// The restitution may be off by so much.
const OFF: f64 = 0.02;
/// Part of the pushes along one normal, at least.
const ONE_NORMAL: f64 = 0.9;
/// Way of the place of contact as seen from one of the bodies, over the size of the smaller, at most.
const ONE_PLACE: f64 = 0.1;
/// A law with a speed is compared where that of the hit differs by this part at most.
const OTHER_SPEED: f64 = 0.25;

/// Two bodies from when they met.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Hit {
    /// Velocities (m/s) and angular velocities (rad/s) of both before.
    before: [[DVec3; 2]; 2],
    /// Sum of the impulses along the normals on the first (N·s), of their sizes, and of the arms from both centres by those (N·s·m).
    pushed: DVec3,
    size: f64,
    arm: [DVec3; 2],
    /// The arms of the first step (m), and how far from them they were since.
    from: [DVec3; 2],
    way: [f64; 2],
    /// All that contacts gave each: impulses (N·s) and moments about its centre (N·m·s).
    contact: [[DVec3; 2]; 2],
    /// Nothing else touched.
    alone: bool,
    since: f64,
}

/// What is told.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Rebound {
    bodies: [u32; 2],
    e: f64,
    asked: f64,
    speed: f64,
    time: f64,
}

/// Follows hits.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Rebounds {
    /// By the numbers of both.
    hits: BTreeMap<[u32; 2], Hit>,
    /// The farthest off, and how many there were.
    worst: Option<Rebound>,
    count: usize,
}

impl Rebounds {
    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) {
        let before = std::mem::take(&mut self.hits);
        if !sim.column::<Laws>().ask_restitution() {
            return;
        }
        let pairs = pushes(sim);
        let mut partners = vec![0u32; sim.names().len()];
        pairs.iter().flat_map(|pair| pair.0).for_each(|slot| partners[slot as usize] += 1);
        let dofs = sim.column::<Dofs>();
        let at_start = |slot: u32| {
            let b = &dofs.bodies;
            [b.velocity[slot as usize], b.angular_velocity[slot as usize]]
        };
        for &(slots, pushes) in pairs.iter().filter(|(slots, _)| is_asked(sim, *slots)) {
            let bodies = who.of(slots);
            let arm = slots.map(|slot| pushes.place - sim.position(slot));
            let mut hit = before.get(&bodies).copied().unwrap_or_else(|| Hit {
                before: slots.map(at_start),
                pushed: DVec3::zero(),
                size: 0.0,
                arm: [DVec3::zero(); 2],
                from: arm,
                way: [0.0; 2],
                contact: [[DVec3::zero(); 2]; 2],
                alone: true,
                since: sim.time(),
            });
            hit.pushed += pushes.pushed;
            hit.size += pushes.size;
            hit.alone &= slots.iter().all(|&slot| !is_free(sim, slot) || partners[slot as usize] == 1);
            for (i, slot) in slots.into_iter().enumerate() {
                let Wrench { impulse, moment } = sim.ledger().contact[slot as usize];
                hit.contact[i] = [hit.contact[i][0] + impulse, hit.contact[i][1] + moment];
                hit.arm[i] += arm[i] * pushes.size;
                hit.way[i] = hit.way[i].max((arm[i] - hit.from[i]).mag());
            }
            self.hits.insert(bodies, hit);
        }
        for (bodies, hit) in before.into_iter().filter(|(bodies, _)| !self.hits.contains_key(bodies)) {
            let Some(slots) = who.slots(bodies) else { continue };
            if let Some((asked, e, speed)) = restitution(sim, slots, &hit) {
                self.count += 1;
                if self.worst.is_none_or(|w| (w.e - w.asked).abs() < (e - asked).abs()) {
                    self.worst = Some(Rebound { bodies, e, asked, speed, time: hit.since });
                }
            }
        }
    }

    /// What there is to say of the hit that is farthest off.
    pub fn warning(&self, who: &Bodies) -> Option<String> {
        let Rebound { bodies, e, asked, speed, time } = self.worst?;
        let [a, b] = who.names(bodies);
        let more = match self.count - 1 {
            0 => String::new(),
            n => format!(" ({n} more hits are off, none by more)"),
        };
        Some(format!(
            "'{a}' and '{b}' met at {} m/s at t = {time:.3} s and came apart with {} of that, where a restitution of {asked} is asked for{more}; use a smaller dt, \
             meshes whose triangles are small beside the depth of the contact, or a response of constraints",
            places(speed, 3),
            places(e, 3)
        ))
    }
}

fn is_free(sim: &Simulation, slot: u32) -> bool {
    sim.column::<Dofs>().bodies.kind[slot as usize] == BodyKind::Rigid
}

/// One of the two is free, both are rigid, and their law asks for a rebound.
fn is_asked(sim: &Simulation, [a, b]: [u32; 2]) -> bool {
    let dofs = sim.column::<Dofs>();
    let kind = [a, b].map(|slot| dofs.bodies.kind[slot as usize]);
    let laws = sim.column::<Laws>();
    a != b
        && kind.contains(&BodyKind::Rigid)
        && kind.into_iter().all(|k| !k.has_nodes())
        && laws.of(a, b).is_some_and(|(law, _)| laws.laws[law as usize].damping.restitution().is_some())
}

/// What was asked for, what came, and the speed of approach (m/s), where the hit says something of the law and is off.
fn restitution(sim: &Simulation, slots: [u32; 2], hit: &Hit) -> Option<(f64, f64, f64)> {
    let (laws, shapes, dofs) = (sim.column::<Laws>(), sim.column::<Shapes>(), sim.column::<Dofs>());
    let law = &laws.laws[laws.of(slots[0], slots[1])?.0 as usize];
    let normal = hit.pushed / hit.pushed.mag();
    let sizes = slots.map(|slot| radius(&shapes.0[slot as usize])).into_iter().filter(|r| *r > 0.0);
    let one_place = hit.way[0].min(hit.way[1]) < ONE_PLACE * sizes.fold(f64::INFINITY, f64::min);
    if !(hit.alone && one_place && hit.pushed.mag() > ONE_NORMAL * hit.size) {
        return None;
    }
    let arm = hit.arm.map(|sum| sum / hit.size);
    let at = |[v, w]: [DVec3; 2], i: usize| (v + w.cross(arm[i])).dot(normal);
    let meet = at(hit.before[1], 1) - at(hit.before[0], 0);
    let after = slots.map(|slot| {
        let Twist { velocity, angular_velocity, .. } = sim.twist(slot);
        [velocity, angular_velocity]
    });
    let part = at(after[0], 0) - at(after[1], 1);
    let gravity = sim.column::<Forces>().0.gravity.mag();
    law.damping.rebound(meet, gravity * sim.dt())?;
    let Restitution { e: asked, damper } = law.damping.restitution()?;
    let other_speed = match damper {
        Damper::HuntCrossley { speed, .. } => (meet / speed - 1.0).abs(),
        Damper::KelvinVoigt(_) => 0.0,
    };
    let rubs = |friction: &FrictionLaw| (0..2).any(|i| rubs(&dofs, slots[i], arm[i], normal, friction));
    if other_speed > OTHER_SPEED || law.turning.is_some() || law.friction.as_ref().is_some_and(rubs) {
        return None;
    }
    // What gravity, pushes and torques gave meanwhile.
    let b = &dofs.bodies;
    let given = |i: usize| {
        let slot = slots[i] as usize;
        let [impulse, moment] = hit.contact[i];
        let [mut linear, mut angular] = [0, 1].map(|k| after[i][k] - hit.before[i][k]);
        if b.kind[slot] == BodyKind::Rigid {
            linear -= b.mobility[slot].linear(impulse) / b.mass[slot];
            angular -= b.mobility[slot].inverse_at(&b.pose[slot]) * moment;
        }
        (linear.mag() + angular.mag() * arm[i].mag()) / meet
    };
    // The place is known to what the bodies move by in a step.
    let blurred = |i: usize| {
        let [[v0, w0], [v1, w1]] = [hit.before[i], after[i]];
        (w0.mag() + w1.mag()) * v0.mag().max(v1.mag()) * sim.dt() / meet
    };
    let e = part / meet;
    let slack =
        OFF + (1.0 - asked) * other_speed + [0, 1].into_iter().map(|i| given(i) + blurred(i)).sum::<f64>();
    ((e - asked).abs() > slack).then_some((asked, e, meet))
}

/// Friction at `arm` (m) from the centre of a body changes the velocity along the normal by more than what the restitution may be off by.
fn rubs(dofs: &Dofs, slot: u32, arm: DVec3, normal: DVec3, friction: &FrictionLaw) -> bool {
    let b = &dofs.bodies;
    let slot = slot as usize;
    if b.kind[slot] != BodyKind::Rigid {
        return false;
    }
    let turned = b.mobility[slot].inverse_at(&b.pose[slot]) * arm.cross(normal);
    let along = b.mobility[slot].linear(normal) / b.mass[slot] + turned.cross(arm);
    let across = along - normal * along.dot(normal);
    friction.mu_s * across.mag() > OFF * along.dot(normal)
}
