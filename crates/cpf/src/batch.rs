//! Literal CPF of a whole step: candidates and what was carried over in, impulses by contact and what to carry on out.
//!
//! The work list is the candidates that touch and the pairs in contact from the step before, each once, ascending by key; a
//! pair in contact that is no candidate any more is looked at all the same, for it stays a contact until its depth is zero.
//! Rows come out in the order of the work list, two for a pair with two intervals. Chunks have a fixed length and write to
//! places of their own: the same bits for any number of threads, no allocation once the buffers have grown.

use crate::follow::beside;
use crate::pair::PairImpulse;
use crate::rows::{Part, Work, carried, rows};
use crate::step_error::{StepError, same_pair, usable};
use crate::ways::{CurvedWays, OfPair};
use crate::{Force, Params, Tracked, TrackedRow, Used, at_end};
use impinge_ccd::{
    Candidates, Carried, ContactWorkspace, Entry, Interval, Kind, Opens, PenetrationIntervals, Root,
    TierCounts, check_pairs, intervals_of_touching, touching,
};
use impinge_contact::par;
use impinge_contact::wide::Instructions;
use impinge_geometry::DVec3;
use impinge_swept::{crossing, edges_of};

impinge_contact::table! {
    /// Impulses of one step, ascending by key and then by time.
    pub struct Impulses / ImpulsesView / ImpulseRow {
        /// Stable name of the pair.
        key: u64,
        /// The four vertices.
        stencil: [u32; 4],
        /// Signed weights: vertex i receives `weight[i]·impulse`.
        weight: [f64; 4],
        /// Place in the candidate list; `u32::MAX` for a pair that was carried over and touches no more in this step.
        candidate: u32,
        /// Start, fraction of the step.
        t_in: f64,
        /// End.
        t_out: f64,
        /// How the interval began.
        entry: Entry,
        /// Part of the force that acts, already in the impulse: below 1 while a contact is handed over.
        share: f64,
        /// On the first feature (N·s).
        impulse: DVec3,
        /// Its unit direction, or the contact's normal where it is zero.
        normal: DVec3,
        /// Depth at the predicted end of the step (m).
        depth: f64,
        /// ½ k δ² there (J).
        energy: f64,
        /// How the normal was normalised.
        used: Used,
        /// Bound of the impulse's error (N·s).
        error: f64,
        /// Moment the impulse leaves in the system (N·m·s), see [`PairImpulse::couple`].
        couple: DVec3,
    }
}

impl Impulses {
    /// Only a part of what row `i` does acts.
    pub(crate) fn weaken(&mut self, i: usize, part: f64) {
        self.share[i] *= part;
        self.impulse[i] *= part;
        self.energy[i] *= part;
        self.error[i] *= part;
        self.couple[i] *= part;
    }
}

/// The candidates of one kind of pair.
#[derive(Clone, Copy)]
pub struct StepPairs<'a> {
    /// The pairs, in any order.
    pub candidates: Candidates<'a>,
    /// Stable name and stiffness (N/m, finite and not negative) of a candidate, by its place. Only those that touch are asked for; a
    /// pair that was carried over keeps the stiffness it was carried over with. A pair may be listed more than once, under its one
    /// name: its first place counts.
    pub named: &'a dyn Fn(usize) -> (u64, f64),
    /// Which contacts may open: [`Opens::From`]`(1)` for vertices against closed, outward oriented meshes.
    pub opens: Opens,
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Which tier decided how many candidates.
    pub tiers: TierCounts,
    /// Impulses normalised by L_k.
    pub constant: usize,
    /// Impulses normalised by |m(t)|.
    pub exact: usize,
}

/// A candidate that touches.
#[derive(Clone, Copy)]
struct Named {
    key: u64,
    place: u32,
    /// Place among those that touch.
    at: u32,
    stiffness: f64,
}

/// Scratch of a step. Dropping it changes nothing.
#[derive(Default)]
pub struct Workspace {
    decide: impinge_ccd::Workspace,
    touching: Vec<u32>,
    /// Whether a candidate touches, on ways that are not straight.
    touches: Vec<Result<bool, u8>>,
    /// The candidates that touch.
    order: Vec<Named>,
    pub(crate) stencils: Vec<[u32; 4]>,
    pub(crate) keys: Vec<u64>,
    pub(crate) stiffness: Vec<f64>,
    pub(crate) candidate: Vec<u32>,
    /// Row of `tracked`, or `u32::MAX`.
    pub(crate) row: Vec<u32>,
    pub(crate) carried: Vec<(u32, Carried)>,
    /// Of the work list, as the decision left them.
    roots: Vec<Option<Root>>,
    /// The work list is the candidates that touch, one for one: what the decision left is of it as it stands.
    same: bool,
    ccd: ContactWorkspace,
    pub(crate) intervals: PenetrationIntervals,
    impulses: Vec<Option<PairImpulse>>,
    /// On ways that are not straight, of each pair of the work list.
    pub(crate) on_ways: Vec<OfPair>,
    parts: Vec<Part>,
    pub(crate) instructions: Option<Instructions>,
    /// Edges from this number on are segments of cables.
    pub(crate) segments_from: Option<u32>,
}

impl Workspace {
    /// Empty scratch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Of the work list, the only root of each pair where it is known.
    pub(crate) fn roots(&self) -> &[Option<Root>] {
        if self.same { self.decide.roots() } else { &self.roots }
    }

    /// A pair that is free at `x` (m), and the one point left beside the other feature: what lies there may have taken it over.
    pub(crate) fn ended_beside(&self, kind: Kind, at: usize, x: &[DVec3]) -> bool {
        match kind {
            Kind::VertexFace => beside(&self.stencils[at], x),
            Kind::EdgeEdge => {
                let (first, second) = edges_of(self.keys[at]);
                let off = || crossing(&self.stencils[at].map(|v| x[v as usize]));
                self.segments_from.is_some_and(|from| first.min(second) >= from)
                    && off().is_some_and(|at| at.iter().any(|s| !(0.0..=1.0).contains(s)))
            }
        }
    }

    fn clear(&mut self) {
        self.same = false;
        self.order.clear();
        self.stencils.clear();
        self.keys.clear();
        self.stiffness.clear();
        self.candidate.clear();
        self.row.clear();
        self.carried.clear();
        self.roots.clear();
        self.intervals.clear();
    }
}

/// Pairs per parallel chunk.
const CHUNK: usize = 256;

/// Impulses of all pairs of one kind over the predicted motion `x0` → `x1` (m).
///
/// Fills `out`, and `next` with the pairs to carry on: those in contact at the end of the predicted motion, and for one step
/// those that have just left it — the real motion is the predicted one plus the impulses, and where it ends decides. Where
/// other forces can push a pair together against the prediction, call [`retrack`] with the real motion instead.
///
/// # Errors
/// [`StepError`]; `out` and `next` are then empty.
pub fn accumulate(
    params: &Params,
    x0: &[DVec3],
    x1: &[DVec3],
    pairs: &StepPairs<'_>,
    tracked: &Tracked,
    ws: &mut Workspace,
    out: &mut Impulses,
    next: &mut Tracked,
) -> Result<Counts, StepError> {
    out.clear();
    next.clear();
    let tiers = list(x0, x1, pairs, None, tracked, ws)?;
    let with = *ws.instructions.get_or_insert_with(Instructions::best);
    let (kind, opens) = (pairs.candidates.kind(), pairs.opens);
    match params.force {
        Force::Integrated => {
            let mut parts = std::mem::take(&mut ws.parts);
            let work = Work { with, kind, opens, x0, x1, list: ws, tracked };
            rows(&work, params, &mut parts, out, next);
            ws.parts = parts;
        }
        Force::AtEnd => {
            look(x0, x1, pairs, ws)?;
            let mut impulses = std::mem::take(&mut ws.impulses);
            impulses.clear();
            impulses.resize(ws.intervals.len(), None);
            par::fill(&mut impulses, CHUNK, |i, slot| {
                let interval = interval(&ws.intervals, i);
                // A pair that has come and gone is not seen (Fig. 4 a).
                if interval.t_out >= 1.0 {
                    let at = ws.intervals.candidate[i] as usize;
                    let s = ws.stencils[at].map(|v| v as usize);
                    let (x0, x1) = (s.map(|v| x0[v]), s.map(|v| x1[v]));
                    *slot = Some(at_end(kind, &x0, &x1, &interval, ws.stiffness[at], params.dt));
                }
            });
            let work = Work { with, kind, opens, x0, x1, list: ws, tracked };
            for (i, impulse) in impulses.iter().enumerate() {
                let Some(p) = impulse else { continue };
                let at = ws.intervals.candidate[i] as usize;
                out.push(work.row(at, p, work.share(at, p.entry)));
            }
            carry(ws, tracked, next, |_, _| true);
            ws.impulses = impulses;
        }
    }
    let constant = out.used.iter().filter(|u| **u == Used::Constant).count();
    Ok(Counts { tiers, constant, exact: out.len() - constant })
}

/// What to carry on after the *real* motion `x0` → `x1` of a step: pairs that made contact on it, those still in contact, and
/// vertices that left the plane of their triangle beside it: the other wall of a groove may have them, which only
/// [`crate::follow_faces`] knows. The same of segments of cables that have left each other beside one.
/// Candidates should be those of the step with their boxes grown by how far the real motion may stray.
///
/// # Errors
/// [`StepError`]; `next` is then empty.
pub fn retrack(
    x0: &[DVec3],
    x1: &[DVec3],
    pairs: &StepPairs<'_>,
    tracked: &Tracked,
    ws: &mut Workspace,
    next: &mut Tracked,
) -> Result<TierCounts, StepError> {
    next.clear();
    let tiers = list(x0, x1, pairs, None, tracked, ws)?;
    let with = *ws.instructions.get_or_insert_with(Instructions::best);
    let (kind, opens) = (pairs.candidates.kind(), pairs.opens);
    let mut parts = std::mem::take(&mut ws.parts);
    let work = Work { with, kind, opens, x0, x1, list: ws, tracked };
    let keep = |t_out: f64, at: usize| t_out >= 1.0 || ws.ended_beside(kind, at, x1);
    carried(&work, keep, &mut parts, next);
    ws.parts = parts;
    Ok(tiers)
}

/// Decides which candidates touch, and finds the intervals of those and of what was carried over.
pub(crate) fn find(
    x0: &[DVec3],
    x1: &[DVec3],
    pairs: &StepPairs<'_>,
    tracked: &Tracked,
    ws: &mut Workspace,
) -> Result<TierCounts, StepError> {
    let tiers = list(x0, x1, pairs, None, tracked, ws)?;
    look(x0, x1, pairs, ws)?;
    Ok(tiers)
}

/// The work list: the candidates that touch, on these ways or on straight ones, and what was carried over.
///
/// The candidates are looked at in their own order; of the few per cent that touch, and only of these, key and stiffness are
/// looked up and sorted.
pub(crate) fn list(
    x0: &[DVec3],
    x1: &[DVec3],
    pairs: &StepPairs<'_>,
    ways: Option<&CurvedWays<'_>>,
    tracked: &Tracked,
    ws: &mut Workspace,
) -> Result<TierCounts, StepError> {
    if let Some(i) = (1..tracked.len()).find(|&i| tracked.key[i - 1] >= tracked.key[i]) {
        return Err(StepError::Order(i));
    }
    ws.clear();
    let tiers = match ways {
        None => {
            touching(x0, x1, pairs.candidates, &mut ws.decide, &mut ws.touching).map_err(StepError::Pairs)?
        }
        Some(ways) => {
            ways.touching(pairs, &mut ws.touches, &mut ws.touching)?;
            TierCounts::default()
        }
    };
    ws.order.extend((0..).zip(&ws.touching).map(|(at, &place)| {
        let (key, stiffness) = (pairs.named)(place as usize);
        Named { key, place, at, stiffness }
    }));
    if let Some(n) = ws.order.iter().find(|n| !usable(n.stiffness)) {
        return Err(StepError::Stiffness { key: n.key, place: Some(n.place), stiffness: n.stiffness });
    }
    if let Some(i) = tracked.stiffness.iter().position(|k| !usable(*k)) {
        let key = tracked.key.get(i).copied().unwrap_or_default();
        return Err(StepError::Stiffness { key, place: None, stiffness: tracked.stiffness[i] });
    }
    let sorted = ws.order.windows(2).all(|o| o[0].key < o[1].key);
    if !sorted {
        // A pair listed twice is the same pair; the first one counts.
        ws.order.sort_unstable_by_key(|o| (o.key, o.place));
        let stencil = |n: &Named| pairs.candidates.stencil(n.place as usize).unwrap_or_default();
        let kind = pairs.candidates.kind();
        let other = |o: &&[Named]| o[0].key == o[1].key && !same_pair(kind, stencil(&o[0]), stencil(&o[1]));
        if let Some(o) = ws.order.windows(2).find(other) {
            return Err(StepError::SameKey { key: o[0].key, places: [o[0].place, o[1].place] });
        }
        ws.order.dedup_by_key(|o| o.key);
    }
    if tracked.is_empty() {
        let order = &ws.order;
        ws.keys.extend(order.iter().map(|n| n.key));
        let stencil = |n: &Named| pairs.candidates.stencil(n.place as usize).unwrap_or_default();
        // The decision has looked at the stencils.
        ws.stencils.extend(order.iter().map(stencil));
        ws.stiffness.extend(order.iter().map(|n| n.stiffness));
        let roots = ws.decide.roots();
        if !sorted {
            ws.roots.extend(order.iter().map(|n| roots.get(n.at as usize).copied().flatten()));
        }
        ws.same = sorted;
        ws.candidate.extend(order.iter().map(|n| n.place));
        ws.row.resize(order.len(), u32::MAX);
        return Ok(tiers);
    }
    let (mut i, mut j) = (0, 0);
    while i < ws.order.len() || j < tracked.len() {
        let (new, old) = (ws.order.get(i).copied(), tracked.key.get(j).copied());
        let take_old = old.is_some_and(|o| new.is_none_or(|n| o <= n.key));
        let take_new = new.filter(|n| old.is_none_or(|o| n.key <= o));
        if take_old {
            // The order of the vertices is the one that side and weights belong to.
            let known = Carried { side: tracked.side[j], weight: Some(tracked.weight[j]) };
            ws.carried.push((ws.keys.len() as u32, known));
            ws.keys.push(tracked.key[j]);
            ws.stencils.push(tracked.stencil[j]);
            ws.stiffness.push(tracked.stiffness[j]);
            ws.roots.push(None);
        } else if let Some(n) = take_new {
            ws.keys.push(n.key);
            // The decision has looked at its stencil.
            ws.stencils.push(pairs.candidates.stencil(n.place as usize).unwrap_or_default());
            ws.stiffness.push(n.stiffness);
            ws.roots.push(ws.decide.roots().get(n.at as usize).copied().flatten());
        }
        ws.candidate.push(take_new.map_or(u32::MAX, |n| n.place));
        ws.row.push(if take_old { j as u32 } else { u32::MAX });
        i += usize::from(take_new.is_some());
        j += usize::from(take_old);
    }
    // The decision has looked at the others.
    let old = ws.carried.iter().map(|c| (c.0 as usize, ws.stencils.get(c.0 as usize).copied()));
    check_pairs(x0, x1, old).map_err(StepError::Carried)?;
    Ok(tiers)
}

/// The intervals of a work list.
fn look(x0: &[DVec3], x1: &[DVec3], pairs: &StepPairs<'_>, ws: &mut Workspace) -> Result<(), StepError> {
    let work = match pairs.candidates.kind() {
        Kind::VertexFace => Candidates::VertexFace(&ws.stencils),
        Kind::EdgeEdge => Candidates::EdgeEdge(&ws.stencils),
    };
    let roots = if ws.same { ws.decide.roots() } else { &ws.roots };
    let (carried, ccd, out) = (&ws.carried, &mut ws.ccd, &mut ws.intervals);
    intervals_of_touching(x0, x1, work, roots, carried, pairs.opens, ccd, out).map_err(StepError::Carried)
}

pub(crate) fn interval(rows: &PenetrationIntervals, i: usize) -> Interval {
    Interval {
        t_in: rows.t_in[i],
        t_out: rows.t_out[i],
        side: rows.side[i],
        side_end: rows.side_end[i],
        entry: rows.entry[i],
        weight: rows.weight[i],
        normal: rows.normal[i],
    }
}

/// The last interval of each pair, if it is to be carried on: its place among the intervals and among the pairs.
pub(crate) fn carry(
    ws: &Workspace,
    tracked: &Tracked,
    next: &mut Tracked,
    keep: impl Fn(usize, usize) -> bool,
) {
    let rows = &ws.intervals;
    for i in 0..rows.len() {
        let at = rows.candidate[i] as usize;
        let last = rows.candidate.get(i + 1) != Some(&rows.candidate[i]);
        if last && keep(i, at) {
            next.push(carried_on(ws, tracked, at, &interval(rows, i)));
        }
    }
}

/// What to carry on of a pair whose last interval this is.
pub(crate) fn carried_on(ws: &Workspace, tracked: &Tracked, at: usize, last: &Interval) -> TrackedRow {
    let before = ws.row[at] as usize;
    // A contact made anew is a whole one, whatever became of an older one of the pair.
    let continued = last.entry == Entry::Initial && before < tracked.len();
    let opened =
        TrackedRow::opened(ws.keys[at], ws.stencils[at], last.side_end, last.weight, ws.stiffness[at]);
    if !continued {
        return opened;
    }
    let TrackedRow { share, fading, height, band, anchor, grip, .. } = tracked.row(before);
    TrackedRow { share, fading, height, band, anchor, grip, ..opened }
}
