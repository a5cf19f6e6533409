//! Many pairs at once: contacts and penetration intervals of the candidates that touch.
//!
//! The decision goes over the whole list ([`crate::touching`]); roots, weights and normals are computed for the few per
//! cent that touch or that were open when the step began. Rows come in the order of the list. Chunks have a fixed
//! length and write to slots of their own that are joined in order: the same rows for any number of threads, and no
//! allocation once the slots have grown.

use crate::batch::{Found, Workspace, gather, not_finite, touching};
use crate::contact::first_of_touching;
use crate::eights::by_lanes;
use crate::intervals::{Carried, Entry, Opens};
use crate::{BatchError, Candidates, Contact, Interval, Root, TierCounts};
use impinge_geometry::DVec3;
use impinge_geometry::par;
use impinge_geometry::wide::Instructions;

impinge_geometry::table! {
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

impinge_geometry::table! {
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
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// First contact of every candidate that touches.
///
/// # Errors
/// As [`crate::touching`]; `out` is then empty.
#[doc(alias("time of impact", "toi", "tunnelling"))]
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
        let rows = list[range.clone()].iter().zip(&found[range]);
        let rows = rows.map(|(&i, &root)| (i, stencil(candidates, i), root, false));
        by_lanes(with, kind, x0, x1, false, rows, |group| {
            for lane in group.lanes() {
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
            }
        });
    });
    for slot in &workspace.first[..slots] {
        out.append_rows(slot);
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
#[doc(alias("penetration interval"))]
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

/// Stencil of a pair; the decision, or [`check_positions`], has looked at every one.
#[inline]
fn stencil(candidates: Candidates<'_>, i: u32) -> [u32; 4] {
    candidates.stencil(i as usize).unwrap_or_default()
}

/// Every pair has four vertices, and they are somewhere.
fn check_positions(x0: &[DVec3], x1: &[DVec3], candidates: Candidates<'_>) -> Result<(), BatchError> {
    Candidates::check_length(candidates.len())?;
    check_pairs(x0, x1, (0..candidates.len()).map(|i| (i, candidates.stencil(i))))
}

/// Checks that pairs have four vertices, and that these are somewhere. A pair is a place, which errors name, and its stencil if it has
/// one.
///
/// # Errors
/// [`BatchError`] for arrays of different lengths, names that do not exist and positions that are not finite.
pub fn check_pairs(
    x0: &[DVec3],
    x1: &[DVec3],
    pairs: impl Iterator<Item = (usize, Option<[u32; 4]>)>,
) -> Result<(), BatchError> {
    if x0.len() != x1.len() {
        return Err(BatchError::Lengths { x0: x0.len(), x1: x1.len() });
    }
    // Turns NaN as soon as one coordinate is not finite, or a sum overflows: looked into then.
    let mut zero = DVec3::zero();
    for (i, s) in pairs {
        let there = s.filter(|s| s.iter().all(|&v| (v as usize) < x0.len()));
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
        let rows = work.iter().map(|w| {
            let found = found.get(w.2 as usize).copied().flatten();
            (w.0, stencil(candidates, w.0), found, w.1 != u32::MAX)
        });
        by_lanes(with, kind, x0, x1, false, rows, |group| {
            for lane in group.lanes() {
                let (candidate, row, _) = work[lane.at];
                let known = carried.get(row as usize).map(|c| &c.1);
                lane.intervals(known, opens, |i| {
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
                });
            }
        });
    });
    for slot in &parts[..slots] {
        out.append_rows(slot);
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
