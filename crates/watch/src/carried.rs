//! Bodies that lie still while what carries them is not their weight, or comes and goes from step to step.

use crate::bodies::Bodies;
use impinge_bodies::places;
use impinge_contact::Applied;
use impinge_world::{Dofs, Elastic, Forces, Simulation};

/// Steps looked at together.
const WINDOW: u32 = 100;
/// Free falls of one step that a body at rest moves at, at most.
const STILL: f64 = 0.5;
/// Part of the weight that may be missing on average.
const MISSING: f64 = 0.01;
/// Deviation of the force from its mean, over the weight: more comes and goes.
const COMES_AND_GOES: f64 = 0.5;

/// What carried a body in a window.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Load {
    sum: f64,
    squares: f64,
    least: f64,
    most: f64,
    /// It moved, or something else than contacts acted on it.
    other: bool,
}

/// What is wrong with what carried a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Missing,
    Flickers,
}

impl Load {
    fn begin() -> Self {
        Self { least: f64::INFINITY, most: f64::NEG_INFINITY, ..Self::default() }
    }

    /// A force against gravity, over the weight.
    fn add(&mut self, force: f64) {
        self.sum += force;
        self.squares += force * force;
        self.least = self.least.min(force);
        self.most = self.most.max(force);
    }

    fn mean(&self) -> f64 {
        self.sum / f64::from(WINDOW)
    }

    fn wrong(&self) -> Option<Wrong> {
        let mean = self.mean();
        let deviation = (self.squares / f64::from(WINDOW) - mean * mean).max(0.0).sqrt();
        // What its velocity changed by in a window is a part of a step's fall.
        let missing = (mean - 1.0).abs() > MISSING + 2.0 * STILL / f64::from(WINDOW);
        let flickers = deviation > COMES_AND_GOES;
        if missing { Some(Wrong::Missing) } else { flickers.then_some(Wrong::Flickers) }
    }
}

/// What was found of a body.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Found {
    body: u32,
    time: f64,
    /// Mean, least and most of the force against gravity, over the weight.
    mean: f64,
    least: f64,
    most: f64,
}

/// Slots of bodies that are held by springs to places, pinned, or attached to others.
pub(crate) fn held(sim: &Simulation) -> Vec<u32> {
    let (dofs, elastic) = (sim.column::<Dofs>(), sim.column::<Elastic>());
    let mut held: Vec<u32> = sim.column::<Forces>().0.anchors.iter().map(|a| a.body).collect();
    for (a, b) in elastic.attached(&dofs.nodes.body) {
        held.extend([a, b]);
    }
    let pins = elastic.system.pins().iter().map(|p| p.node);
    let pinned = pins.chain(elastic.system.ties().iter().map(|t| t.node));
    held.extend(pinned.map(|n| dofs.nodes.body[elastic.nodes[n as usize] as usize]));
    held
}

/// Follows the bodies of a run that move, of what deforms its middle.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Carried {
    steps: u32,
    bodies: Vec<Load>,
    missing: Vec<Found>,
    flickers: Vec<Found>,
}

impl Carried {
    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) {
        let count = sim.names().len();
        // What appears within a window was not looked at in all of it.
        let appears = || Load { other: true, ..Load::begin() };
        self.bodies.resize_with(count, appears);
        who.changed().iter().for_each(|&slot| self.bodies[slot as usize] = appears());
        let gravity = sim.column::<Forces>().0.gravity;
        let g = gravity.mag();
        if g <= 0.0 {
            return;
        }
        self.steps += 1;
        let (begins, ends) = (self.steps % WINDOW == 1, self.steps.is_multiple_of(WINDOW));
        let (dofs, ledger) = (sim.column::<Dofs>(), sim.ledger());
        let held = if ends { held(sim) } else { Vec::new() };
        let acts = |rows: &[Applied], b: usize| rows.iter().any(|r| r.body as usize == b && r.is_some());
        for b in (0..count).filter(|&b| dofs.bodies.kind[b].is_dynamic()) {
            let middle = who.middle(b as u32);
            let load = &mut self.bodies[b];
            if begins {
                *load = Load::begin();
            }
            let (mass, velocity) =
                middle.map_or((dofs.bodies.mass[b], dofs.bodies.velocity[b]), |m| (m.mass, m.velocity));
            let weight = mass * g;
            let force = -sim.contact_force(b as u32).dot(gravity) / (g * weight);
            load.add(force);
            load.other |=
                velocity.mag() > STILL * g * sim.dt() || acts(&ledger.applied, b) || acts(&ledger.locks, b);
            if !ends || load.other || held.contains(&(b as u32)) {
                continue;
            }
            let Some(wrong) = load.wrong() else { continue };
            let found = Found {
                body: who.of([b as u32])[0],
                time: sim.time(),
                mean: load.mean(),
                least: load.least,
                most: load.most,
            };
            let list = match wrong {
                Wrong::Missing => &mut self.missing,
                Wrong::Flickers => &mut self.flickers,
            };
            if list.iter().all(|f| f.body != found.body) {
                list.push(found);
            }
        }
    }

    /// What there is to say.
    pub fn warnings(&self, who: &Bodies) -> Vec<String> {
        let first = |list: &[Found]| {
            let found = *list.first()?;
            let more = if list.len() > 1 { format!(" (and {} more)", list.len() - 1) } else { String::new() };
            Some((format!("body '{}'{more}", who.names([found.body])[0]), found))
        };
        let missing = first(&self.missing).map(|(who, f)| {
            format!(
                "{who} lies still until t = {:.3} s and contacts carry {} of its weight: something that is no force holds it, or moves it in their place; do not trust \
                 the forces on it, and use a smaller dt, or another response",
                f.time,
                places(f.mean, 4)
            )
        });
        let flickers = first(&self.flickers).map(|(who, f)| {
            format!(
                "what carries {who} comes and goes while it lies still: between {} and {} of its weight in the {WINDOW} steps before t = {:.3} s, {} \
                 on average; trust means alone, and use a smaller dt, less stiffness or more damping",
                places(f.least, 2),
                places(f.most, 2),
                f.time,
                places(f.mean, 4)
            )
        });
        missing.into_iter().chain(flickers).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(force: impl Fn(u32) -> f64) -> Option<Wrong> {
        let mut load = Load::begin();
        (0..WINDOW).for_each(|n| load.add(force(n)));
        load.wrong()
    }

    #[test]
    fn a_weight_that_is_missing_or_comes_and_goes_is_seen() {
        assert_eq!(wrong(|_| 1.0), None);
        assert_eq!(wrong(|n| if n == 0 { 1.9 } else { 1.0 }), None, "it landed slowly");
        assert_eq!(wrong(|_| 0.9), Some(Wrong::Missing));
        assert_eq!(wrong(|n| f64::from(n % 2) * 2.0), Some(Wrong::Flickers));
    }
}
