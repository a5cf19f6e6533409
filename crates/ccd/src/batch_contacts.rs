//! Many pairs at once: contacts and penetration intervals of the candidates that touch.
//!
//! The decision goes over the whole list ([`crate::touching`]); roots, weights and normals are computed for the few per
//! cent that touch or that were open when the step began. Rows come in the order of the list. Chunks have a fixed
//! length and write to slots of their own that are joined in order: the same rows for any number of threads, and no
//! allocation once the slots have grown.

use crate::batch::{Found, Workspace, gather, not_finite, pack, touching};
use crate::contact::{contact_normal, contact_weights, first_of_touching, weights_and_normal};
use crate::filter::screen::{Block, W};
use crate::filter::steady;
use crate::filter::weigh::{Weighed, trust, weigh};
use crate::intervals::{Carried, Entry, Opens, of_pair, only};
use crate::{BatchError, Candidates, Contact, Interval, Kind, Root, TierCounts};
use impinge_contact::par;
use impinge_contact::wide::Instructions;
use impinge_geometry::DVec3;
use impinge_geometry::arrays::arrays;

impinge_contact::table! {
    /// First contacts, in the order of the candidates.
    pub struct FirstContacts / FirstContactsView / FirstContactRow {
        /// Place in the candidate list.
        candidate: u32,
        /// Fraction of the step; never late.
        t: f64,
        /// Signed weights of the four vertices.
        weight: [f64; 4],
        /// Unit normal towards the side the first feature came from.
        normal: DVec3,
    }
}

impinge_contact::table! {
    /// Penetration intervals, in the order of the candidates, and of time for one candidate.
    pub struct PenetrationIntervals / PenetrationIntervalsView / PenetrationIntervalRow {
        /// Place in the candidate list.
        candidate: u32,
        /// Start, fraction of the step.
        t_in: f64,
        /// End.
        t_out: f64,
        /// Sign of the coplanarity function on the free side.
        side: i8,
        /// The sign to carry to the next step, see [`crate::Interval::side_end`].
        side_end: i8,
        /// How it began.
        entry: Entry,
        /// Signed weights, fixed at the contact that opened the interval.
        weight: [f64; 4],
        /// Unit normal at the start, towards the free side.
        normal: DVec3,
    }
}

/// Touching pairs per parallel chunk.
const CHUNK: usize = 256;

/// Scratch of the contact batches. Dropping it changes nothing.
#[derive(Default)]
pub struct ContactWorkspace {
    decide: Workspace,
    touching: Vec<u32>,
    /// Candidates to look at, with the row of what was carried over and the place among those that touch.
    work: Vec<(u32, u32, u32)>,
    first: Vec<FirstContacts>,
    intervals: Vec<PenetrationIntervals>,
}

impl ContactWorkspace {
    /// Empty scratch.
    pub fn new() -> Self {
        Self::default()
    }
}

/// First contact of every candidate that touches.
///
/// # Errors
/// As [`crate::touching`]; `out` is then empty.
pub fn first_contacts(
    x0: &[DVec3],
    x1: &[DVec3],
    candidates: Candidates<'_>,
    workspace: &mut ContactWorkspace,
    out: &mut FirstContacts,
) -> Result<TierCounts, BatchError> {
    out.clear();
    let counts = touching(x0, x1, candidates, &mut workspace.decide, &mut workspace.touching)?;
    let kind = candidates.kind();
    let with = workspace.decide.instructions();
    let (list, found) = (&workspace.touching, &workspace.decide.found);
    let slots = list.len().div_ceil(CHUNK);
    if workspace.first.len() < slots {
        workspace.first.resize_with(slots, FirstContacts::default);
    }
    par::for_each_chunk(&mut workspace.first[..slots], 1, |c, slot| {
        let slot = &mut slot[0];
        slot.clear();
        let range = c * CHUNK..((c + 1) * CHUNK).min(list.len());
        let rows = list[range.clone()].iter().zip(&found[range]).map(|(&i, &root)| (i, root, false));
        by_lanes(with, kind, x0, x1, candidates, rows, |lane| {
            let contact = match lane.root {
                Some(Root { t, t_hi, before: side, .. }) => {
                    let (weight, normal) = lane.weigh(0.5 * (t + t_hi), side);
                    Some(Contact { t, t_hi, weight, normal, side })
                }
                None => {
                    let [x0, x1] = lane.points();
                    first_of_touching(kind, &x0, &x1)
                }
            };
            if let Some(Contact { t, weight, normal, .. }) = contact {
                slot.push(FirstContactRow { candidate: lane.candidate, t, weight, normal });
            }
        });
    });
    for slot in &workspace.first[..slots] {
        out.candidate.extend_from_slice(&slot.candidate);
        out.t.extend_from_slice(&slot.t);
        out.weight.extend_from_slice(&slot.weight);
        out.normal.extend_from_slice(&slot.normal);
    }
    Ok(counts)
}

/// Penetration intervals of every candidate that touches or was open when the step began.
///
/// `carried` names candidates of this list, ascending, with what the last step knows of them.
///
/// # Errors
/// As [`crate::touching`], and when `carried` is not ascending or names a candidate that is not there; `out` is then
/// empty.
pub fn penetration_intervals(
    x0: &[DVec3],
    x1: &[DVec3],
    candidates: Candidates<'_>,
    carried: &[(u32, Carried)],
    opens: Opens,
    workspace: &mut ContactWorkspace,
    out: &mut PenetrationIntervals,
) -> Result<TierCounts, BatchError> {
    out.clear();
    check_carried(candidates, carried)?;
    let counts = touching(x0, x1, candidates, &mut workspace.decide, &mut workspace.touching)?;
    merge(&workspace.touching, carried, &mut workspace.work);
    let with = workspace.decide.instructions();
    let ContactWorkspace { decide, work, intervals, .. } = workspace;
    look_closely(with, x0, x1, candidates, (work, &decide.found), carried, opens, intervals, out);
    Ok(counts)
}

/// As [`penetration_intervals`] for a list that holds only pairs that touch and pairs that were open, without deciding again which touch.
///
/// `roots` are what [`Workspace::roots`] says of the pairs that touch, by place in the list; `None`, also where the slice ends early, is
/// right for any pair.
///
/// # Errors
/// As [`penetration_intervals`].
pub fn intervals_of_touching(
    x0: &[DVec3],
    x1: &[DVec3],
    candidates: Candidates<'_>,
    roots: &[Option<Root>],
    carried: &[(u32, Carried)],
    opens: Opens,
    workspace: &mut ContactWorkspace,
    out: &mut PenetrationIntervals,
) -> Result<(), BatchError> {
    out.clear();
    check_carried(candidates, carried)?;
    check_positions(x0, x1, candidates)?;
    workspace.touching.clear();
    workspace.touching.extend(0..candidates.len() as u32);
    merge(&workspace.touching, carried, &mut workspace.work);
    let with = workspace.decide.instructions();
    let ContactWorkspace { work, intervals, .. } = workspace;
    look_closely(with, x0, x1, candidates, (work, roots), carried, opens, intervals, out);
    Ok(())
}

fn check_carried(candidates: Candidates<'_>, carried: &[(u32, Carried)]) -> Result<(), BatchError> {
    if let Some(i) = (1..carried.len()).find(|&i| carried[i - 1].0 >= carried[i].0) {
        return Err(BatchError::Carried { row: i });
    }
    match carried.iter().position(|c| c.0 as usize >= candidates.len()) {
        Some(row) => Err(BatchError::Carried { row }),
        None => Ok(()),
    }
}

/// Every pair has four vertices, and they are somewhere.
fn check_positions(x0: &[DVec3], x1: &[DVec3], candidates: Candidates<'_>) -> Result<(), BatchError> {
    if x0.len() != x1.len() {
        return Err(BatchError::Lengths { x0: x0.len(), x1: x1.len() });
    }
    Candidates::check_length(candidates.len())?;
    // Turns NaN as soon as one coordinate is not finite, or a sum overflows: looked into then.
    let mut zero = DVec3::zero();
    for i in 0..candidates.len() {
        let there = candidates.stencil(i).filter(|s| s.iter().all(|&v| (v as usize) < x0.len()));
        let Some(s) = there else { return Err(BatchError::OutOfRange { candidate: i }) };
        let ([a, b, c, d], [e, f, g, h]) = (gather(x0, s), gather(x1, s));
        let sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
        zero += sum * 0.0;
    }
    if zero == DVec3::zero() { Ok(()) } else { not_finite(x0, x1).map_or(Ok(()), Err) }
}

/// The intervals of the pairs of a work list: place among the candidates, row of what was carried over, place in `found`.
fn look_closely(
    with: Instructions,
    x0: &[DVec3],
    x1: &[DVec3],
    candidates: Candidates<'_>,
    (list, found): (&[(u32, u32, u32)], &[Found]),
    carried: &[(u32, Carried)],
    opens: Opens,
    parts: &mut Vec<PenetrationIntervals>,
    out: &mut PenetrationIntervals,
) {
    let kind = candidates.kind();
    let slots = list.len().div_ceil(CHUNK);
    if parts.len() < slots {
        parts.resize_with(slots, PenetrationIntervals::default);
    }
    par::for_each_chunk(&mut parts[..slots], 1, |c, slot| {
        let slot = &mut slot[0];
        slot.clear();
        let work = &list[c * CHUNK..((c + 1) * CHUNK).min(list.len())];
        let rows = work.iter().map(|w| (w.0, found.get(w.2 as usize).copied().flatten(), w.1 != u32::MAX));
        by_lanes(with, kind, x0, x1, candidates, rows, |lane| {
            let (candidate, row, _) = work[lane.at];
            let mut push = |i: Interval| {
                let Interval { t_in, t_out, side, side_end, entry, weight, normal } = i;
                slot.push(PenetrationIntervalRow {
                    candidate,
                    t_in,
                    t_out,
                    side,
                    side_end,
                    entry,
                    weight,
                    normal,
                });
            };
            let known = carried.get(row as usize).map(|c| &c.1);
            match (lane.root, known) {
                (Some(root), None) => {
                    if let Some(i) = only(&root, opens, |t, side| lane.weigh(t, side)) {
                        push(i);
                    }
                }
                (_, Some(c)) if lane.sign != 0 => {
                    if let Some(i) = lane.all_step(c) {
                        push(i);
                    }
                }
                _ => {
                    let [x0, x1] = lane.points();
                    of_pair(kind, &x0, &x1, known, opens).into_iter().for_each(push);
                }
            }
        });
    });
    for slot in &parts[..slots] {
        out.candidate.extend_from_slice(&slot.candidate);
        out.t_in.extend_from_slice(&slot.t_in);
        out.t_out.extend_from_slice(&slot.t_out);
        out.side.extend_from_slice(&slot.side);
        out.side_end.extend_from_slice(&slot.side_end);
        out.entry.extend_from_slice(&slot.entry);
        out.weight.extend_from_slice(&slot.weight);
        out.normal.extend_from_slice(&slot.normal);
    }
}

/// A pair to look at closely.
struct Lane<'a> {
    /// Place among the pairs visited.
    at: usize,
    /// Place in the candidate list.
    candidate: u32,
    kind: Kind,
    stencil: [u32; 4],
    x0: &'a [DVec3],
    x1: &'a [DVec3],
    /// Its only root, if known.
    root: Found,
    /// Of a pair that was carried over: sign of the papers' coplanarity function if it has no root in the step, else 0.
    sign: i8,
    /// With a root: weights and normal there. Of a pair that was carried over: at the start.
    weighed: &'a Weighed<W>,
    lane: usize,
}

impl Lane<'_> {
    #[inline]
    fn points(&self) -> [[DVec3; 4]; 2] {
        [gather(self.x0, self.stencil), gather(self.x1, self.stencil)]
    }

    /// The interval of a pair that was carried over and whose function has no root: all step, or none.
    #[inline]
    fn all_step(&self, c: &Carried) -> Option<Interval> {
        // Any number is a side, by its sign.
        let side = c.side.signum();
        if side == 0 || self.sign != -side {
            return None;
        }
        let [x0, x1] = self.points();
        let weight = c.weight.unwrap_or_else(|| contact_weights(self.kind, &x0, &x1, 0.0));
        let normal = if self.weighed.trust[self.lane] == trust::FLAT {
            contact_normal(self.kind, &x0, &x1, 0.0, side, &weight)
        } else {
            self.weighed.normal(self.lane, side)
        };
        let entry = Entry::Initial;
        Some(Interval { t_in: 0.0, t_out: 1.0, side, side_end: side, entry, weight, normal })
    }

    /// Weights and normal in the middle of the enclosure of the known root.
    #[inline]
    fn weigh(&self, t: f64, side: i8) -> ([f64; 4], DVec3) {
        if side != 0 && self.weighed.trust[self.lane] == trust::GOOD {
            return (self.weighed.weight(self.lane), self.weighed.normal(self.lane, side));
        }
        let [x0, x1] = self.points();
        weights_and_normal(self.kind, &x0, &x1, t, side)
    }
}

/// Visits pairs in order, with weights and normals computed eight at a time for those whose only root is known, and signs for those
/// that were carried over, which a row says last.
#[inline]
fn by_lanes(
    with: Instructions,
    kind: Kind,
    x0: &[DVec3],
    x1: &[DVec3],
    candidates: Candidates<'_>,
    rows: impl Iterator<Item = (u32, Found, bool)>,
    mut visit: impl FnMut(Lane<'_>),
) {
    let (a0, a1) = (arrays(x0).as_flattened(), arrays(x1).as_flattened());
    let (mut block, mut times, mut weighed) = (Block::zero(), [0.0; W], Weighed::NONE);
    let mut signs = [0.0; W];
    let mut rows = rows.enumerate();
    loop {
        let mut group = [(0, 0u32, None, false, [0u32; 4]); W];
        let mut n = 0;
        let (mut roots, mut old) = (false, false);
        for (at, (candidate, root, carried)) in rows.by_ref().take(W) {
            // The decision has looked at every stencil.
            let Some(s) = candidates.stencil(candidate as usize) else { continue };
            group[n] = (at, candidate, root, carried, s);
            if carried {
                pack(a0, a1, s, n, &mut block);
                (times[n], old) = (0.0, true);
            } else if let Some(Root { t, t_hi, .. }) = root {
                pack(a0, a1, s, n, &mut block);
                (times[n], roots) = (0.5 * (t + t_hi), true);
            }
            n += 1;
        }
        if n == 0 {
            return;
        }
        if old {
            steady::signs(with, &block, &mut signs);
        }
        match kind {
            _ if !(old || roots) => {}
            Kind::VertexFace => weigh::<false>(with, &block, &times, &mut weighed),
            Kind::EdgeEdge => weigh::<true>(with, &block, &times, &mut weighed),
        }
        for (lane, &(at, candidate, root, carried, stencil)) in group[..n].iter().enumerate() {
            let sign = if carried { (signs[lane] * kind.sign()) as i8 } else { 0 };
            visit(Lane { at, candidate, kind, stencil, x0, x1, root, sign, weighed: &weighed, lane });
        }
    }
}

/// Both ascending lists in one, each candidate once; `u32::MAX` where nothing was carried over, or where it does not touch.
fn merge(touching: &[u32], carried: &[(u32, Carried)], out: &mut Vec<(u32, u32, u32)>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < touching.len() || j < carried.len() {
        let t = touching.get(i).copied().unwrap_or(u32::MAX);
        let c = carried.get(j).map_or(u32::MAX, |c| c.0);
        // Two lists of places below u32::MAX; MAX stands for the end of a list.
        let place = |here: bool, at: usize| if here { at as u32 } else { u32::MAX };
        out.push((t.min(c), place(c <= t, j), place(t <= c, i)));
        i += usize::from(t <= c);
        j += usize::from(c <= t);
    }
}
