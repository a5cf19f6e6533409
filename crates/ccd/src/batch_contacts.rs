//! Many pairs at once: contacts and penetration intervals of the candidates that touch.
//!
//! The decision goes over the whole list ([`crate::touching`]); roots, weights and normals are computed for the few per
//! cent that touch or that were open when the step began. Rows come in the order of the list. Chunks have a fixed
//! length and write to slots of their own that are joined in order: the same rows for any number of threads, and no
//! allocation once the slots have grown.

use crate::batch::{Workspace, gather, touching};
use crate::contact::first_of_touching;
use crate::intervals::{Carried, Entry, Opens, of_pair};
use crate::{BatchError, Candidates, TierCounts};
use impinge_contact::par;
use impinge_geometry::DVec3;

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
    /// Candidates to look at, with the row of what was carried over.
    work: Vec<(u32, u32)>,
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
    let list = &workspace.touching;
    let slots = list.len().div_ceil(CHUNK);
    if workspace.first.len() < slots {
        workspace.first.resize_with(slots, FirstContacts::default);
    }
    par::for_each_chunk(&mut workspace.first[..slots], 1, |c, slot| {
        let slot = &mut slot[0];
        slot.clear();
        for &candidate in &list[c * CHUNK..((c + 1) * CHUNK).min(list.len())] {
            let Some(s) = candidates.stencil(candidate as usize) else { continue };
            if let Some(found) = first_of_touching(kind, &gather(x0, s), &gather(x1, s)) {
                let crate::Contact { t, weight, normal, .. } = found;
                slot.push(FirstContactRow { candidate, t, weight, normal });
            }
        }
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
    let list = &workspace.work;
    let slots = list.len().div_ceil(CHUNK);
    if workspace.intervals.len() < slots {
        workspace.intervals.resize_with(slots, PenetrationIntervals::default);
    }
    par::for_each_chunk(&mut workspace.intervals[..slots], 1, |c, slot| {
        let slot = &mut slot[0];
        slot.clear();
        for &(candidate, row) in &list[c * CHUNK..((c + 1) * CHUNK).min(list.len())] {
            let Some(s) = candidates.stencil(candidate as usize) else { continue };
            let known = carried.get(row as usize).map(|c| &c.1);
            for i in of_pair(kind, &gather(x0, s), &gather(x1, s), known, opens) {
                let crate::Interval { t_in, t_out, side, side_end, entry, weight, normal } = i;
                let row =
                    PenetrationIntervalRow { candidate, t_in, t_out, side, side_end, entry, weight, normal };
                slot.push(row);
            }
        }
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

/// Both ascending lists in one, each candidate once; `u32::MAX` where nothing was carried over.
fn merge(touching: &[u32], carried: &[(u32, Carried)], out: &mut Vec<(u32, u32)>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < touching.len() || j < carried.len() {
        let t = touching.get(i).copied().unwrap_or(u32::MAX);
        let c = carried.get(j).map_or(u32::MAX, |c| c.0);
        // Two lists of places below u32::MAX; MAX stands for the end of a list.
        out.push((t.min(c), if c <= t { j as u32 } else { u32::MAX }));
        i += usize::from(t <= c);
        j += usize::from(c <= t);
    }
}
