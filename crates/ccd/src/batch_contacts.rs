//! Many pairs at once: contacts and penetration intervals of the candidates that touch.
//!
//! The decision goes over the whole list ([`crate::touching`]); roots, weights and normals are computed for the few per
//! cent that touch or that were open when the step began. Rows come in the order of the list. Chunks have a fixed
//! length and write to slots of their own that are joined in order: the same rows for any number of threads, and no
//! allocation once the slots have grown.

use crate::batch::{Found, Workspace, gather, pack, touching};
use crate::contact::{first_of_touching, weights_and_normal};
use crate::filter::screen::{Block, W};
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
        let rows = list[range.clone()].iter().copied().zip(found[range].iter().copied());
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
    if let Some(i) = (1..carried.len()).find(|&i| carried[i - 1].0 >= carried[i].0) {
        return Err(BatchError::Carried { row: i });
    }
    if let Some(i) = carried.iter().position(|c| c.0 as usize >= candidates.len()) {
        return Err(BatchError::Carried { row: i });
    }
    let counts = touching(x0, x1, candidates, &mut workspace.decide, &mut workspace.touching)?;
    merge(&workspace.touching, carried, &mut workspace.work);
    let kind = candidates.kind();
    let with = workspace.decide.instructions();
    let (list, found) = (&workspace.work, &workspace.decide.found);
    let slots = list.len().div_ceil(CHUNK);
    if workspace.intervals.len() < slots {
        workspace.intervals.resize_with(slots, PenetrationIntervals::default);
    }
    par::for_each_chunk(&mut workspace.intervals[..slots], 1, |c, slot| {
        let slot = &mut slot[0];
        slot.clear();
        let work = &list[c * CHUNK..((c + 1) * CHUNK).min(list.len())];
        let rows = work.iter().map(|w| (w.0, found.get(w.2 as usize).copied().flatten()));
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
                _ => {
                    let [x0, x1] = lane.points();
                    of_pair(kind, &x0, &x1, known, opens).into_iter().for_each(push);
                }
            }
        });
    });
    for slot in &workspace.intervals[..slots] {
        out.candidate.extend_from_slice(&slot.candidate);
        out.t_in.extend_from_slice(&slot.t_in);
        out.t_out.extend_from_slice(&slot.t_out);
        out.side.extend_from_slice(&slot.side);
        out.side_end.extend_from_slice(&slot.side_end);
        out.entry.extend_from_slice(&slot.entry);
        out.weight.extend_from_slice(&slot.weight);
        out.normal.extend_from_slice(&slot.normal);
    }
    Ok(counts)
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
    /// With a root: weights and normal there.
    weighed: &'a Weighed<W>,
    lane: usize,
}

impl Lane<'_> {
    #[inline]
    fn points(&self) -> [[DVec3; 4]; 2] {
        [gather(self.x0, self.stencil), gather(self.x1, self.stencil)]
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

/// Visits pairs in order, with weights and normals computed eight at a time for those whose only root is known.
#[inline]
fn by_lanes(
    with: Instructions,
    kind: Kind,
    x0: &[DVec3],
    x1: &[DVec3],
    candidates: Candidates<'_>,
    rows: impl Iterator<Item = (u32, Found)>,
    mut visit: impl FnMut(Lane<'_>),
) {
    let (a0, a1) = (arrays(x0).as_flattened(), arrays(x1).as_flattened());
    let (mut block, mut times, mut weighed) = (Block::zero(), [0.0; W], Weighed::NONE);
    let mut rows = rows.enumerate();
    loop {
        let mut group = [(0, 0u32, None, [0u32; 4]); W];
        let mut n = 0;
        for (at, (candidate, root)) in rows.by_ref().take(W) {
            // The decision has looked at every stencil.
            let Some(s) = candidates.stencil(candidate as usize) else { continue };
            group[n] = (at, candidate, root, s);
            if let Some(Root { t, t_hi, .. }) = root {
                pack(a0, a1, s, n, &mut block);
                times[n] = 0.5 * (t + t_hi);
            }
            n += 1;
        }
        if n == 0 {
            return;
        }
        match kind {
            Kind::VertexFace => weigh::<false>(with, &block, &times, &mut weighed),
            Kind::EdgeEdge => weigh::<true>(with, &block, &times, &mut weighed),
        }
        for (lane, &(at, candidate, root, stencil)) in group[..n].iter().enumerate() {
            visit(Lane { at, candidate, kind, stencil, x0, x1, root, weighed: &weighed, lane });
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
