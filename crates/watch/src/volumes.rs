//! What the pairs of the volume responses cannot show by themselves: images that are less sure than asked, contacts that flicker, and bodies whose
//! pushes cancel, so that nothing moves them apart.

use crate::bodies::{Bodies, radius};
use impinge_bodies::{places, world_plane};
use impinge_broadphase::Aabb;
use impinge_contact::SurfaceMap;
use impinge_geometry::DVec3;
use impinge_volume::{CANCELLED, Flicker};
use impinge_world::{
    MeasuredPair, Measurement, NodeState, Overlaps, Part, Shape, Shapes, Simulation, VolumePenaltySettings,
    VolumeReport, VolumeSettings,
};

/// Part of the volume from which on a step left places uncorrected, and part of the steps that do from which on it is told.
/// What lands may take two steps.
const TOO_MUCH: f64 = 0.01;
const OFTEN: f64 = 0.05;
/// Part of the size of a body, and of its cube, by which a way out and a volume are rounding.
const ROUNDING: f64 = 1e-9;

/// A pair whose pushes cancel.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Stuck {
    bodies: [u32; 2],
    /// First and last time seen (s).
    from: f64,
    to: f64,
    /// Volume when first seen (m³).
    volume: f64,
    /// Least way along an axis that takes the boxes apart, when first seen (m): at least the shortest way out.
    way: DVec3,
}

/// A pair that driven bodies press, with no way to go.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Pressed {
    bodies: [u32; 2],
    /// First and last time seen (s), and in how many steps.
    from: f64,
    to: f64,
    steps: u64,
}

/// Steps that ended with too much volume above the depth that the response keeps, and the one with most of it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Uncorrected {
    steps: u64,
    bodies: [u32; 2],
    /// s.
    time: f64,
    /// Part of the volume that was too much, and the passes of that step.
    part: f64,
    passes: u32,
}

/// Steps whose solve for velocities ended short of its tolerance, and the one that ended farthest from it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Unfinished {
    steps: u64,
    bodies: [u32; 2],
    /// s.
    time: f64,
    residual: f64,
}

/// How sure the images of a run were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Images {
    found: Option<f64>,
    bound: Option<f64>,
}

/// What was seen of one response: its settings say what it means.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct OfPart {
    /// Contacts that do not come to rest.
    flicker: Flicker,
    /// Pairs and steps whose images were less sure than asked.
    uncertified: u64,
    uncorrected: Option<Uncorrected>,
    unfinished: Option<Unfinished>,
    /// Steps seen.
    steps: u64,
}

/// Counts them over a run.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Volumes {
    /// In the order of the responses.
    parts: Vec<OfPart>,
    images: Images,
    stuck: Vec<Stuck>,
    pressed: Vec<Pressed>,
}

/// The pushes on either body cancel: one is inside the other, or pierces it.
fn cancels(pair: &MeasuredPair) -> bool {
    let (mut sum, mut size) = (DVec3::zero(), 0.0);
    for cell in 0..pair.overlap.cells().len() {
        for g in pair.overlap.gradient(cell, 0).1 {
            sum += *g;
            size += g.mag();
        }
    }
    pair.overlap.volume() > 0.0 && sum.mag() <= CANCELLED * size
}

/// Where a body's vertices are (m).
fn vertices(sim: &Simulation, slot: u32) -> Vec<DVec3> {
    let (map, nodes, pose) = (sim.column::<SurfaceMap>(), sim.column::<NodeState>(), sim.pose(slot));
    let slot = slot as usize;
    let at = |(v, &arm): (usize, &DVec3)| {
        map.at_nodes(v as u32, &nodes.x).unwrap_or_else(|| pose.position + pose.matrix() * arm)
    };
    map.range(slot).zip(map.arms(slot)).map(at).collect()
}

/// A way of the second body that takes it out of the first (m): up from a plane, and of two meshes the least along an axis that takes their
/// boxes apart.
fn way_out(sim: &Simulation, pair: &MeasuredPair) -> DVec3 {
    let shapes = sim.column::<Shapes>();
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        let slot = pair.bodies[side];
        if let Shape::Plane { normal, offset } = &shapes.0[slot as usize] {
            let (n, top) = world_plane(&sim.pose(slot), *normal, *offset);
            let other = vertices(sim, pair.bodies[1 - side]);
            let lowest = other.iter().fold(top, |m, p| m.min(p.dot(n)));
            return n * (sign * (top - lowest));
        }
    }
    let [a, b] = pair.bodies.map(|slot| Aabb::from_points(&vertices(sim, slot)));
    let axes = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()];
    let (up, down) = (a.hi - b.lo, b.hi - a.lo);
    let ways = axes.into_iter().zip([(up.x, down.x), (up.y, down.y), (up.z, down.z)]);
    let both = ways.flat_map(|(n, (u, d))| [n * u, n * -d]);
    both.reduce(|p, q| if q.mag() < p.mag() { q } else { p }).unwrap_or_else(DVec3::zero)
}

/// How far the farthest vertex of the smaller of two bodies is from its middle (m); planes have no size.
fn size(sim: &Simulation, pair: &MeasuredPair) -> f64 {
    let shapes = sim.column::<Shapes>();
    let sizes = pair.bodies.map(|slot| radius(&shapes.0[slot as usize]));
    sizes.into_iter().filter(|r| *r > 0.0).fold(f64::INFINITY, f64::min)
}

fn constraints<'a>(part: &Part<'a>) -> Option<&'a VolumeSettings> {
    part.response().settings()
}

/// How a response measures volumes, where it does.
pub(crate) fn measure(part: Part<'_>) -> Option<Measurement> {
    constraints(&part)
        .map(|s| s.measure)
        .or_else(|| part.response().settings::<VolumePenaltySettings>().map(|s| s.measure))
}

impl Volumes {
    /// Takes in the step just made.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) {
        self.parts.iter_mut().for_each(|p| p.flicker.forget(who.changed()));
        for (k, part) in sim.parts().enumerate().filter(|(_, p)| measure(*p).is_some()) {
            if k >= self.parts.len() {
                self.parts.resize_with(k + 1, OfPart::default);
            }
            self.look(sim, who, k, part);
        }
    }

    fn look(&mut self, sim: &Simulation, who: &Bodies, k: usize, part: Part<'_>) {
        let report = *part.column::<VolumeReport>();
        let seen = &mut self.parts[k];
        seen.uncertified += u64::from(report.uncertified);
        seen.steps += 1;
        if let Some(settings) = constraints(&part) {
            seen.flicker.see(&part.column::<Overlaps>(), report.cells, sim.time());
            if let Some(slots) = report.unfinished_by.filter(|_| report.pressed.is_none()) {
                seen.ends_short(who.of(slots), report.residual, sim.time());
            }
            // At a speed of recovery more is left on purpose, and what is pressed has nowhere to go.
            let by = report.left_by.filter(|_| settings.recovery.is_none() && report.pressed.is_none());
            if let Some(slots) = by {
                seen.is_left(who.of(slots), &report, sim.time());
            }
        }
        if let Some(e) = report.image_error {
            self.images.found = Some(self.images.found.unwrap_or(0.0).max(e));
        }
        if let Some(b) = report.image_bound {
            self.images.bound = Some(self.images.bound.unwrap_or(0.0).max(b));
        }
        if let Some(bodies) = report.pressed {
            let (now, bodies) = (sim.time(), who.of(bodies));
            match self.pressed.iter_mut().find(|p| p.bodies == bodies) {
                Some(p) => (p.to, p.steps) = (now, p.steps + 1),
                None => self.pressed.push(Pressed { bodies, from: now, to: now, steps: 1 }),
            }
        }
        for pair in
            part.column::<Overlaps>().pairs.iter().filter(|p| p.bodies[0] != p.bodies[1] && cancels(p))
        {
            let bodies = who.of(pair.bodies);
            match self.stuck.iter_mut().find(|s| s.bodies == bodies) {
                Some(s) => s.to = sim.time(),
                None => {
                    let (way, volume) = (way_out(sim, pair), pair.overlap.volume());
                    // What is flush has a way or a volume of rounding.
                    let size = size(sim, pair);
                    if way.mag() > ROUNDING * size && volume > ROUNDING * size.powi(3) {
                        self.stuck.push(Stuck { bodies, from: sim.time(), to: sim.time(), volume, way });
                    }
                }
            }
        }
    }

    /// How good the images of the run were, in words; `None` for a run without any.
    pub fn note(&self) -> Option<String> {
        let Images { found, bound } = self.images;
        let uncertified: u64 = self.parts.iter().map(|p| p.uncertified).sum();
        let compared =
            found.map(|e| format!("were off by {e:.2e} of the exact ones at most where they were compared"));
        let certified = bound.map(|b| match uncertified {
            0 => format!(
                "are certified to {b:.2e} of themselves at worst, but for what a body has with itself"
            ),
            n => format!(
                "are certified to {b:.2e} of themselves at worst, less than asked in {n} pairs and steps"
            ),
        });
        let said: Vec<String> = compared.into_iter().chain(certified).collect();
        (!said.is_empty()).then(|| format!("volumes by depth images {}", said.join("; they ")))
    }

    /// What is wrong and what to do.
    pub fn warnings(&self, sim: &Simulation, who: &Bodies) -> Vec<String> {
        let parts = || sim.parts().zip(&self.parts);
        let mut out: Vec<String> = parts().filter_map(|(part, seen)| seen.flickers(part)).collect();
        out.extend(parts().filter_map(|(part, seen)| seen.unsure(part)));
        out.extend(parts().filter_map(|(part, seen)| seen.deeper(part, who)));
        out.extend(parts().filter_map(|(part, seen)| seen.unsolved(part, who)));
        let name = |b: u32| who.names([b])[0];
        for p in &self.pressed {
            out.push(format!(
                "'{}' against '{}' is pressed by what is driven and has no way to go, in {} steps from {:.3} s to {:.3} s: no impulses meet all \
                 constraints there, and forces then say nothing; leave them room, or let it give way (a spring instead of a driver, a deformable body, \
                 or a response with a stiffness)",
                name(p.bodies[0]), name(p.bodies[1]), p.steps, p.from, p.to
            ));
        }
        for s in &self.stuck {
            let [a, b] = s.bodies;
            out.push(format!(
                "'{}' and '{}' are in each other, first seen at {:.3} s and last at {:.3} s, and their forces cancel (one is inside the other, or pierces it; {:.3e} m³): \
                 nothing pushes them apart. Moving '{}' by ({:.3e}, {:.3e}, {:.3e}) m, or '{}' the other way, takes their boxes apart; start them \
                 apart, or take shorter steps",
                name(a), name(b), s.from, s.to, s.volume, name(b), s.way.x, s.way.y, s.way.z, name(a)
            ));
        }
        out
    }
}

impl OfPart {
    fn is_left(&mut self, bodies: [u32; 2], report: &VolumeReport, time: f64) {
        let part = report.left / report.volume;
        if part <= TOO_MUCH {
            return;
        }
        let steps = self.uncorrected.as_ref().map_or(0, |u| u.steps) + 1;
        match &mut self.uncorrected {
            Some(u) if u.part >= part => u.steps = steps,
            worst => *worst = Some(Uncorrected { steps, bodies, time, part, passes: report.passes }),
        }
    }

    fn ends_short(&mut self, bodies: [u32; 2], residual: f64, time: f64) {
        let new = Unfinished { steps: 0, bodies, time, residual };
        let known = self.unfinished.get_or_insert(new);
        let steps = known.steps + 1;
        let worst = if residual > known.residual { new } else { *known };
        *known = Unfinished { steps, ..worst };
    }

    /// Where the contact law was not solved as far as asked, and what that means.
    fn unsolved(&self, part: Part<'_>, who: &Bodies) -> Option<String> {
        let (settings, u) = (constraints(&part)?, self.unfinished?);
        let often = u.steps as f64 > OFTEN * self.steps as f64;
        let [a, b] = who.names(u.bodies);
        often.then(|| {
            format!(
                "the contact law of '{}' was not solved to the tolerance of {:e} in {} of {} steps: the worst residual is {:.1e}, of '{a}' and '{b}' at {:.3} s. \
                 Forces are off by about that part of what they are, and each such step costs all iterations: use a smaller dt, a `tolerance` above that \
                 residual, or 'qp'",
                part.response().name(), settings.tolerance, u.steps, self.steps, u.residual, u.time
            )
        })
    }

    /// Where the passes that correct places did not do, and what would.
    fn deeper(&self, part: Part<'_>, who: &Bodies) -> Option<String> {
        let (settings, u) = (constraints(&part)?, self.uncorrected.as_ref()?);
        let often = u.steps as f64 > OFTEN * self.steps as f64;
        let [a, b] = who.names(u.bodies);
        often.then(|| {
            format!(
                "places were not corrected to the depth of {} m in {} of {} steps: at {:.3} s, after {} passes, {} of the volume in each other was more than \
                 that, most of it of '{a}' and '{b}'. Contacts go on deeper than asked, and each such step costs all passes: use a smaller dt, smaller `cell`s, \
                 meshes that fit each other, or a greater `depth`",
                settings.depth, u.steps, self.steps, u.time, u.passes, places(u.part, 2)
            )
        })
    }

    /// What is wrong with the depth and what to do, where contacts flicker.
    fn flickers(&self, part: Part<'_>) -> Option<String> {
        let s = constraints(&part)?;
        let (factor, (since, count)) = (self.flicker.factor()?, self.flicker.since()?);
        let whole =
            if s.measure.tells_places() { "one contact for a place" } else { "one contact for a pair" };
        let cells = s.measure.cell.map_or(whole.to_string(), |c| format!("cells of {c} m"));
        Some(format!(
            "contacts flicker from {since:.3} s on: the area of cells went up and down by {} times from step to step, {count} times in \
             the run. A depth of {} m is too small for {cells} and this step, and what is soft may not come to rest; a depth of about \
             {:.1e} m, or cells smaller than the edges of the soft meshes, may do",
            places(factor, 1),
            s.depth,
            s.depth * factor
        ))
    }

    /// What is wrong with the images and what to do, where they are less sure than asked.
    fn unsure(&self, part: Part<'_>) -> Option<String> {
        let measure = measure(part)?;
        let (1.., Some(error), Some(pixel)) = (self.uncertified, measure.error, measure.pixel) else {
            return None;
        };
        Some(format!(
            "the volume error of {error} asked for is not certified in {} pairs and steps: the finest pixel, {pixel} m, is too coarse \
             for them; lower the pixel or ask for less",
            self.uncertified
        ))
    }
}
