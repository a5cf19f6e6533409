//! Bodies deep in each other: contacts deeper than the bodies are thick, springs too soft for what they carry, and bodies that contacts have let go of.

use crate::bodies::Bodies;
use crate::sizes::Sizes;
use crate::through::Through;
use impinge_contact::BodyKind;
use impinge_world::{Dofs, InitialOverlap, Simulation};
use std::collections::{BTreeMap, BTreeSet};

/// Part of the thinner body's size from which on a contact that is there at the end is too soft for what it carries.
const DEEP: f64 = 0.25;

/// Part of that size from which on a contact that stays is too soft.
const RESTS: f64 = 0.05;
/// Part of the time since it first was so deep that it is. What bounces is that deep for less.
const STAYS: f64 = 0.5;
/// Part of the whole run that it is.
const OF_RUN: f64 = 0.1;

/// Steps between two notes of what touches, and between two looks at what is inside what; the part of the narrower body from which on it is.
const NOTES: u64 = 8;
const LOOKS: u64 = 48;
const INSIDE: f64 = 0.05;
/// Part of how deep bodies are in each other that their contacts are at least, and part of what presses that pushes one way: the pushes of a corner that
/// is past the middle cancel.
const HELD: f64 = 0.5;

/// Two bodies in each other whose contacts know nothing of it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct LetGo {
    pair: [u32; 2],
    time: f64,
    /// Of a vertex, and of the deepest contact (m).
    depth: f64,
    held: f64,
}

/// How long a contact was deep.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Resting {
    /// Numbers of the first and the last step in which it was, and how many there were.
    first: u64,
    last: u64,
    steps: u64,
    /// In the last of them (m).
    depth: f64,
}

impl Resting {
    /// It is deep at a step for good.
    fn rests(&self, step: u64) -> bool {
        let of = |part: f64, steps: u64| self.steps as f64 >= part * steps as f64;
        self.last + LOOKS > step
            && self.steps >= LOOKS
            && of(STAYS, step.saturating_sub(self.first))
            && of(OF_RUN, step)
    }
}

/// Follows the deepest contact of each pair of bodies.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Sunk {
    sizes: Sizes,
    /// Depth of pairs (m).
    deepest: BTreeMap<[u32; 2], f64>,
    /// Springs alone: what constraints keep is no load.
    resting: BTreeMap<[u32; 2], Resting>,
    /// Pairs that were deep in each other in the first step of either: an initial overlap, which no load pressed in. `None` before any.
    overlapped: Option<Vec<[u32; 2]>>,
    /// Pairs that were inside each other before it, or at the end of it where a body came later.
    began: Vec<[u32; 2]>,
    /// Pairs that contacts held: of others they cannot let go.
    touched: BTreeSet<[u32; 2]>,
    /// What contacts did not hold at the last look: at the next one it may be out again.
    loose: Vec<[u32; 2]>,
    /// First of each pair.
    let_go: Vec<LetGo>,
    through: Through,
}

/// Pairs in the ledger of the last step whose bodies are still there, and how deep they are in each other (m).
fn touching(sim: &Simulation, who: &Bodies) -> Vec<([u32; 2], f64)> {
    let p = &sim.ledger().pairs;
    let pairs = (0..p.depth_max.len()).map(|i| ([p.a[i], p.b[i]], p.depth_max[i]));
    let known = pairs.filter(|(slots, _)| who.knows(sim, *slots));
    known.map(|(slots, depth)| (who.of(slots), depth)).collect()
}

impl Sunk {
    pub fn new(sim: &Simulation, who: &Bodies) -> Self {
        let mut sunk = Self::default();
        sunk.know(sim, who);
        sunk.through = Through::new(sim, who, &sunk.sizes);
        sunk
    }

    /// Bodies that are there for the first time, and whom they are in.
    fn know(&mut self, sim: &Simulation, who: &Bodies) {
        let came = who.changed();
        if came.is_empty() {
            return;
        }
        self.sizes.know(sim, who);
        // Slots ascend.
        let new = |slot: u32| came.binary_search(&slot).is_ok();
        let inside = sim.in_each_other(INSIDE, |a, b| new(a) || new(b));
        self.began.extend(inside.into_iter().map(|(slots, _)| who.of(slots)));
    }

    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) {
        self.know(sim, who);
        let now = touching(sim, who);
        let (first, came) = (self.overlapped.is_none(), who.changed());
        if first || !came.is_empty() {
            let new = |body: &u32| first || came.iter().any(|&slot| who.of([slot]) == [*body]);
            let deep = self.deep(&now).into_iter().map(|(pair, _)| pair);
            let deep: Vec<_> = deep.filter(|pair| pair.iter().any(new)).collect();
            self.overlapped.get_or_insert_default().extend(deep);
        }
        if sim.steps().is_multiple_of(NOTES) {
            self.touched.extend(now.iter().filter(|(_, depth)| *depth > 0.0).map(|(pair, _)| *pair));
        }
        if sim.steps().is_multiple_of(LOOKS) {
            self.look(sim, who, &now);
        }
        self.rest(sim, who, &now);
        for (pair, depth) in now {
            let least = self.sizes.solid(pair);
            let overlapped = self.overlapped.as_deref().unwrap_or_default();
            if depth > DEEP * self.through(pair) && !overlapped.contains(&pair) && !self.began.contains(&pair)
            {
                self.through.follow(sim, who, pair);
            }
            if depth > least {
                let known = self.deepest.entry(pair).or_default();
                *known = known.max(depth);
            }
        }
        self.through.see(sim, who, &self.sizes);
    }

    /// Which contacts of springs are deep. What a driver presses is as deep as the driver goes, on its other side too: that is no matter of stiffness.
    fn rest(&mut self, sim: &Simulation, who: &Bodies, now: &[([u32; 2], f64)]) {
        let dofs = sim.column::<Dofs>();
        let driven = |body: &u32| {
            who.slots([*body]).is_some_and(|[b]| dofs.bodies.kind[b as usize] == BodyKind::Kinematic)
        };
        let pressed: BTreeSet<u32> =
            now.iter().filter(|(pair, _)| pair.iter().any(driven)).flat_map(|(pair, _)| *pair).collect();
        for &(pair, depth) in now.iter().filter(|(pair, _)| pair.iter().all(|b| !pressed.contains(b))) {
            let springs = |[a, b]: [u32; 2]| !sim.response_of(a, b).has_multipliers();
            if depth > self.shallow(pair) && who.slots(pair).is_some_and(springs) {
                let step = sim.steps();
                let new = Resting { first: step, last: step, steps: 0, depth };
                let known = self.resting.entry(pair).or_insert(new);
                (known.last, known.depth) = (step, depth);
                known.steps += 1;
            }
        }
    }

    /// Whether contacts hold what is inside each other. Responses that push whatever overlaps cannot let go of it.
    fn look(&mut self, sim: &Simulation, who: &Bodies, now: &[([u32; 2], f64)]) {
        let before = std::mem::take(&mut self.loose);
        let may = |a: u32, b: u32| {
            let pair = who.of([a, b]);
            self.touched.contains(&pair)
                && sim.response_of(a, b).initial_overlap() != InitialOverlap::Pushes
                && !self.began.contains(&pair)
                && self.let_go.iter().all(|l| l.pair != pair)
        };
        let ledger = sim.ledger();
        let p = &ledger.pairs;
        let one_way = |slots: [u32; 2]| {
            (0..p.a.len()).any(|i| [p.a[i], p.b[i]] == slots && p.normal[i].mag() >= HELD * p.pressed[i])
        };
        for (slots, depth) in sim.in_each_other(INSIDE, may) {
            let pair = who.of(slots);
            let held = now.iter().filter(|n| n.0 == pair).map(|n| n.1).fold(0.0, f64::max);
            let cancels = depth > DEEP * self.sizes.solid(pair) && !one_way(slots);
            if held >= HELD * depth && !cancels {
                continue;
            }
            self.loose.push(pair);
            if before.contains(&pair) {
                let held = if cancels { 0.0 } else { held };
                self.let_go.push(LetGo { pair, time: sim.time(), depth, held });
            }
        }
    }

    /// What there is to say of bodies that are inside each other unheld.
    pub fn lost_hold(&self, who: &Bodies) -> Option<String> {
        let first = self.let_go.first()?;
        let [a, b] = who.names(first.pair);
        let others = self.let_go.len() - 1;
        let more = if others == 0 { String::new() } else { format!(" (and {others} pairs more)") };
        Some(format!(
            "'{a}' and '{b}'{more} are {:.2e} m inside each other at t = {:.3} s and their contacts hold {:.2e} m of it: they have lost hold of each other and go through; \
             use a smaller dt, or, of closed bodies, a response that sees volumes (volume, volume-penalty, pressure)",
            first.depth, first.time, first.held
        ))
    }

    /// What a pair may go through (m): the thinner solid of the two, or an open surface by the length of its edges.
    fn through(&self, [a, b]: [u32; 2]) -> f64 {
        self.sizes.across(a).min(self.sizes.across(b))
    }

    /// What the finer is to itself of those of two that have no inside (m).
    fn cell(&self, [a, b]: [u32; 2]) -> f64 {
        self.sizes.cell(a).min(self.sizes.cell(b))
    }

    /// How deep contacts may rest (m): a part of a solid, and the thickness of what has no inside.
    fn shallow(&self, pair: [u32; 2]) -> f64 {
        (RESTS * self.sizes.solid(pair)).min(self.sizes.thick(pair).1)
    }

    /// Whether that is the end of physics: a pair is that deep when the run ends, or was twice as deep on its way. Soft contacts that give way
    /// for a moment are a matter of the scene.
    pub fn for_good(&self, sim: &Simulation, who: &Bodies) -> bool {
        let rests = |pair: &[u32; 2]| self.resting.get(pair).is_some_and(|r| r.rests(sim.steps()));
        let gone = |(pair, depth): ([u32; 2], f64)| {
            depth > self.sizes.solid(pair) || depth > DEEP * self.sizes.long(pair) && rests(&pair)
        };
        touching(sim, who).into_iter().any(gone)
            || self.through.any(sim, who, &self.sizes)
            || self.deepest.iter().any(|(pair, depth)| *depth > 2.0 * self.sizes.solid(*pair))
    }

    /// Of pairs and how deep they are (m), those that are deep.
    fn deep(&self, now: &[([u32; 2], f64)]) -> Vec<([u32; 2], f64)> {
        let deep = |pair: [u32; 2]| (DEEP * self.sizes.solid(pair)).min(self.cell(pair));
        now.iter().copied().filter(|(pair, depth)| *depth > deep(*pair)).collect()
    }

    /// What there is to say where a contact stays deep.
    fn too_soft(&self, sim: &Simulation, who: &Bodies) -> Option<String> {
        let overlapped = self.overlapped.as_deref().unwrap_or_default();
        let from_start: Vec<[u32; 2]> = overlapped.iter().chain(&self.began).copied().collect();
        let told = |pair: &[u32; 2]| self.let_go.iter().any(|l| l.pair == *pair);
        let mut deep = self.deep(&touching(sim, who));
        // What lies in each other with contacts at its rims alone.
        let may = |a: u32, b: u32| who.knows(sim, [a, b]) && !told(&who.of([a, b]));
        for (slots, depth) in sim.in_each_other(DEEP, may) {
            let pair = who.of(slots);
            match deep.iter_mut().find(|d| d.0 == pair) {
                Some(known) => known.1 = known.1.max(depth),
                None => deep.push((pair, depth)),
            }
        }
        let rests = self.resting.iter().filter(|(_, r)| r.rests(sim.steps()));
        for (pair, resting) in rests {
            if deep.iter().all(|d| d.0 != *pair) {
                deep.push((*pair, resting.depth));
            }
        }
        deep.retain(|(pair, _)| !from_start.contains(pair) && !told(pair));
        deep.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (pair, depth) = *deep.first()?;
        let [a, b] = who.names(pair);
        let more =
            if deep.len() > 1 { format!(" (and {} pairs more)", deep.len() - 1) } else { String::new() };
        let least = self.sizes.solid(pair);
        if depth <= RESTS * least {
            return Some(self.sunk_in(sim, who, (pair, depth), &more));
        }
        let how = if depth > DEEP * least { "the stiffness is too low" } else { "that is soft" };
        Some(format!(
            "'{a}' and '{b}'{more} end {depth:.2e} m deep in each other, and the thinner is {least:.2e} m across: {how} for what they carry. If they should not \
             give way so far, raise the stiffness (of pressure fields the modulus), with a smaller dt where the step allows no more"
        ))
    }

    /// What there is to say of cloth, cables and points that lie deeper than they are thick.
    fn sunk_in(&self, sim: &Simulation, who: &Bodies, (pair, depth): ([u32; 2], f64), more: &str) -> String {
        /// Part of the thickness that is no more than it looks.
        const SHOWS: f64 = 0.1;
        let (body, thick) = self.sizes.thick(pair);
        let ([a, b], [thin]) = (who.names(pair), who.names([body]));
        let size = match self.sizes.is_stated(body) {
            true => format!("'{thin}' is {thick:.2e} m thick"),
            false => format!("the nodes of '{thin}' are {:.2e} m apart", self.sizes.apart(body)),
        };
        let part = if self.sizes.is_stated(body) { "tenth of that thickness" } else { "fortieth of that" };
        let how =
            if depth > DEEP * self.sizes.cell(body) { "the stiffness is too low" } else { "that is soft" };
        let factor = depth / (SHOWS * thick);
        let dt = sim.dt() / factor.sqrt();
        format!(
            "'{a}' and '{b}'{more} end {depth:.2e} m deep in each other, and {size}: {how} for what they carry. A {part} takes about \
             {factor:.1e} times the stiffness: state one (`stiffness`), or use a dt of {dt:.1e} s where the program chooses it"
        )
    }

    /// What there is to say of the deepest.
    pub fn warning(&self, sim: &Simulation, who: &Bodies) -> Option<String> {
        let through = || self.through.warning(sim, who, &self.sizes);
        self.passed(who).or_else(through).or_else(|| self.too_soft(sim, who))
    }

    fn passed(&self, who: &Bodies) -> Option<String> {
        let (pair, depth) = self.deepest.iter().max_by(|a, b| a.1.total_cmp(b.1))?;
        let [a, b] = who.names(*pair);
        let others = self.deepest.len() - 1;
        let more = if others == 0 { String::new() } else { format!(" (and {others} pairs like it)") };
        Some(format!(
            "penetration of {depth:.2e} m between '{a}' and '{b}'{more}, more than the {:.2e} m that the thinner is across: the stiffness is too \
             low for the load, or the body moves farther than that in a step; raise the stiffness, or use a smaller dt",
            self.sizes.solid(*pair)
        ))
    }
}
