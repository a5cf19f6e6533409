//! Many pairs at once: which of a list of candidates touch.
//!
//! Takes vertex positions at both ends of the step and a list of pairs, gives the places in the list of the pairs that
//! touch, ascending. Eight pairs at a time go through the screen with the widest instructions the machine has; what it
//! leaves open is decided one by one. The list is cut into chunks of fixed length, so the answer does not depend on the
//! number of threads; a steady caller allocates nothing.

use crate::decide::several;
use crate::filter::axis::{Quad, separated};
use crate::filter::screen::{Block, W, screen, verdict};
use crate::filter::single::{self, Singles};
use crate::kind::check_finite;
use crate::{BatchError, Candidates, Kind, Root, TierCounts};
use impinge_geometry::DVec3;
use impinge_geometry::arrays::arrays;
use impinge_geometry::par;
use impinge_geometry::wide::{Instructions, Set};

/// Pairs per parallel chunk.
pub(crate) const CHUNK: usize = 4096;

/// The root of a pair that touches, as the decision left it: none when there may be several, or less is certain of it.
pub(crate) type Found = Option<Root>;

#[derive(Default)]
struct Slot {
    /// What the screen left open.
    open: Vec<u32>,
    /// Of blocks that were left open whole, while they were packed: place in `open`, and what the lanes have.
    early: Vec<(usize, Singles<W>)>,
    touching: Vec<u32>,
    /// Of each that touches.
    found: Vec<Found>,
    counts: TierCounts,
    /// A pair, counted from the start of the chunk, whose vertices are not there.
    missing: Option<usize>,
    /// Some coordinate may not be finite.
    suspicious: bool,
}

/// Scratch of a batch. Dropping it changes nothing.
#[derive(Default)]
pub struct Workspace {
    slots: Vec<Slot>,
    /// In the order of the pairs that touch.
    pub(crate) found: Vec<Found>,
    instructions: Option<Instructions>,
}

impl Workspace {
    /// Scratch that lets the batch use the widest instructions of the machine.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Scratch with the instructions named: for measurements and tests. The answers are the same.
    #[must_use]
    pub fn with(instructions: Instructions) -> Self {
        Self { instructions: Some(instructions), ..Self::default() }
    }

    /// Of each pair that the last call of [`touching`] named, in its order: the only root of the pair in [0, 1]. `None` where there may
    /// be several. What [`crate::intervals_of_touching`] takes.
    #[must_use]
    pub fn roots(&self) -> &[Option<Root>] {
        &self.found
    }

    pub(crate) fn instructions(&mut self) -> Instructions {
        *self.instructions.get_or_insert_with(Instructions::best)
    }
}

/// Writes the places of the candidates that touch at some t ∈ [0, 1] to `out`, ascending.
///
/// # Errors
/// [`BatchError`] for positions that are not finite and names that do not exist; `out` is then empty.
pub fn touching(
    x0: &[DVec3],
    x1: &[DVec3],
    candidates: Candidates<'_>,
    workspace: &mut Workspace,
    out: &mut Vec<u32>,
) -> Result<TierCounts, BatchError> {
    out.clear();
    workspace.found.clear();
    if x0.len() != x1.len() {
        return Err(BatchError::Lengths { x0: x0.len(), x1: x1.len() });
    }
    let with = workspace.instructions();
    let n = candidates.len();
    Candidates::check_length(n)?;
    let slots = n.div_ceil(CHUNK);
    if workspace.slots.len() < slots {
        workspace.slots.resize_with(slots, Slot::default);
    }
    par::for_each_chunk(&mut workspace.slots[..slots], 1, |c, slot| {
        let range = c * CHUNK..((c + 1) * CHUNK).min(n);
        let slot = &mut slot[0];
        // The list is looked at once per chunk, so that the loop below knows how its stencils are found.
        match candidates {
            Candidates::VertexFace(s) => chunk::<false>(with, x0, x1, range, |i| s.get(i).copied(), slot),
            Candidates::EdgeEdge(s) => chunk::<true>(with, x0, x1, range, |i| s.get(i).copied(), slot),
            Candidates::VertexFacePairs { .. } => {
                chunk::<false>(with, x0, x1, range, |i| candidates.stencil(i), slot);
            }
            Candidates::EdgeEdgePairs { .. } => {
                chunk::<true>(with, x0, x1, range, |i| candidates.stencil(i), slot);
            }
        }
    });
    let mut counts = TierCounts::default();
    for (c, slot) in workspace.slots[..slots].iter().enumerate() {
        if let Some(place) = slot.missing {
            out.clear();
            return Err(BatchError::OutOfRange { candidate: c * CHUNK + place });
        }
        if slot.suspicious
            && let Some(error) = not_finite(x0, x1)
        {
            out.clear();
            return Err(error);
        }
        out.extend_from_slice(&slot.touching);
        workspace.found.extend_from_slice(&slot.found);
        counts.add(&slot.counts);
    }
    Ok(counts)
}

/// The first position that is not finite.
pub(crate) fn not_finite(x0: &[DVec3], x1: &[DVec3]) -> Option<BatchError> {
    let find = |x: &[DVec3]| x.iter().position(|p| !impinge_geometry::is_finite(*p));
    let (start, end) = (find(x0), find(x1));
    let error = |vertex, at_end| BatchError::NotFinite { vertex, at_end };
    start.map(|v| error(v, false)).or_else(|| end.map(|v| error(v, true)))
}

/// The points of a pair.
#[inline]
pub(crate) fn gather(x: &[DVec3], s: [u32; 4]) -> [DVec3; 4] {
    s.map(|v| x[v as usize])
}

/// Pairs of a stretch: their points stay in the fastest cache from the axis test to the screen.
const STRETCH: usize = 64;

/// One stretch after the other: the axis test pair by pair, the screen for what is left, eight at a time; then the roots
/// of what the screen left open, eight at a time.
///
/// The axis test needs no packing: x, y, z of a point lie side by side. It answers about two thirds of the pairs of a
/// usual list, in no order that a processor could foresee: what is left is written to a list whose length grows or
/// does not, without a branch.
///
/// # Safety
/// As [`Quad`].
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn stretches<const EDGES: bool, Q: Quad>(
    with: Instructions,
    x0: &[f64],
    x1: &[f64],
    range: std::ops::Range<usize>,
    stencil: impl Fn(usize) -> Option<[u32; 4]>,
    slot: &mut Slot,
) {
    let mut block = Block::zero();
    let mut places = [0u32; W];
    let mut lanes = 0;
    let mut near = [(0u32, [0u32; 4]); STRETCH];
    let x1 = &x1[..x0.len()];
    // Vertices whose three numbers are followed by a fourth.
    let followed = (x0.len() / 3).saturating_sub(1);
    let start = range.start;
    // SAFETY: the caller's.
    unsafe {
        // Turns NaN as soon as one coordinate is NaN or infinite (or a sum overflows: looked into later). It rides along
        // for a few cycles a pair; a pass of its own over the positions cost a sixth of the batch.
        let mut zero = Q::load(&[0.0; 4]);
        for from in range.clone().step_by(STRETCH) {
            let mut n = 0;
            for i in from..(from + STRETCH).min(range.end) {
                // No closures around the points: they would not be compiled for the instructions.
                let Some(s) = stencil(i) else {
                    slot.missing = Some(i - start);
                    return;
                };
                let p = if (s[0].max(s[1]).max(s[2].max(s[3])) as usize) < followed {
                    // SAFETY: every vertex of the stencil is below `followed`, so four numbers begin at each of its
                    // places in both arrays, which have the same length.
                    [four::<Q>(x0, s), four::<Q>(x1, s)]
                } else if let (Some(p0), Some(p1)) = (checked::<Q>(x0, s), checked::<Q>(x1, s)) {
                    [p0, p1]
                } else {
                    slot.missing = Some(i - start);
                    return;
                };
                let [[a, b, c, d], [e, f, g, h]] = p;
                let sum = a.add(b).add(c.add(d)).add(e.add(f).add(g.add(h)));
                zero = zero.add(sum.sub(sum));
                near[n] = (i as u32, s);
                n += usize::from(!separated::<EDGES, Q>(&p));
            }
            slot.counts.axis += (from + STRETCH).min(range.end) - from - n;
            for &(i, s) in &near[..n] {
                pack(x0, x1, s, lanes, &mut block);
                places[lanes] = i;
                lanes += 1;
                if lanes == W {
                    finish::<EDGES>(with, &block, &places, slot);
                    lanes = 0;
                }
            }
        }
        slot.suspicious = zero.store() != [0.0; 4];
    }
    finish::<EDGES>(with, &block, &places[..lanes], slot);
}

/// Coordinates of a pair into a lane. Its vertices exist.
#[inline(always)]
pub(crate) fn pack(x0: &[f64], x1: &[f64], s: [u32; 4], lane: usize, block: &mut Block) {
    for (x, out) in [x0, x1].into_iter().zip(&mut block.x) {
        for (v, out) in s.into_iter().zip(out) {
            if let Some(row) = x.get(3 * v as usize..).and_then(<[f64]>::first_chunk::<3>) {
                for k in 0..3 {
                    out[k][lane] = row[k];
                }
            }
        }
    }
}

/// The points of a pair, four numbers each: x y z and what follows in memory, which only fills the register.
///
/// # Safety
/// As [`Quad`]; four numbers must begin at each vertex.
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn four<Q: Quad>(x: &[f64], [a, b, c, d]: [u32; 4]) -> [Q; 4] {
    // SAFETY: the caller's.
    unsafe {
        let row = |v: u32| &*x.as_ptr().add(3 * v as usize).cast::<[f64; 4]>();
        [Q::load(row(a)), Q::load(row(b)), Q::load(row(c)), Q::load(row(d))]
    }
}

/// As [`four`] where nothing may follow a point; `None` when one does not exist.
///
/// # Safety
/// As [`Quad`].
#[cold]
#[allow(unsafe_code)]
unsafe fn checked<Q: Quad>(x: &[f64], [a, b, c, d]: [u32; 4]) -> Option<[Q; 4]> {
    let row = |v: u32| {
        let p = x.get(3 * v as usize..)?.first_chunk::<3>()?;
        // SAFETY: the caller's.
        Some(unsafe { Q::load(&[p[0], p[1], p[2], 0.0]) })
    };
    Some([row(a)?, row(b)?, row(c)?, row(d)?])
}

/// The screen for one block; what it leaves open is noted, with the roots of a block that it leaves open whole: features in contact are
/// neighbours in the list.
#[inline(always)]
fn finish<const EDGES: bool>(with: Instructions, block: &Block, places: &[u32], slot: &mut Slot) {
    let mut verdicts = [0.0; W];
    screen::<EDGES>(with, block, &mut verdicts);
    if places.len() == W && verdicts == [verdict::OPEN; W] {
        slot.early.push((slot.open.len(), Singles::NONE));
        if let Some((_, singles)) = slot.early.last_mut() {
            single::singles::<EDGES>(with, block, singles);
        }
    }
    for (v, i) in verdicts.iter().zip(places) {
        if *v == verdict::OPEN {
            slot.open.push(*i);
        } else {
            slot.counts.signs += 1;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Instructions, Slot, stretches};
    use std::arch::x86_64::__m256d;
    use std::ops::Range;

    #[allow(unsafe_code)]
    #[target_feature(enable = "avx2")]
    pub fn avx2<const EDGES: bool>(
        with: Instructions,
        x0: &[f64],
        x1: &[f64],
        range: Range<usize>,
        stencil: impl Fn(usize) -> Option<[u32; 4]>,
        slot: &mut Slot,
    ) {
        // SAFETY: inside a function compiled for AVX2.
        unsafe { stretches::<EDGES, __m256d>(with, x0, x1, range, stencil, slot) };
    }

    #[allow(unsafe_code)]
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn avx512<const EDGES: bool>(
        with: Instructions,
        x0: &[f64],
        x1: &[f64],
        range: Range<usize>,
        stencil: impl Fn(usize) -> Option<[u32; 4]>,
        slot: &mut Slot,
    ) {
        // SAFETY: inside a function compiled for AVX2.
        unsafe { stretches::<EDGES, __m256d>(with, x0, x1, range, stencil, slot) };
    }
}

#[allow(unsafe_code)]
fn chunk<const EDGES: bool>(
    with: Instructions,
    x0: &[DVec3],
    x1: &[DVec3],
    range: std::ops::Range<usize>,
    stencil: impl Fn(usize) -> Option<[u32; 4]>,
    slot: &mut Slot,
) {
    let kind = if EDGES { Kind::EdgeEdge } else { Kind::VertexFace };
    (slot.missing, slot.suspicious) = (None, false);
    slot.touching.clear();
    slot.found.clear();
    slot.open.clear();
    slot.early.clear();
    slot.counts = TierCounts::default();
    // Arrays: indexing a vector by axis is a call with a branch.
    let (a0, a1) = (arrays(x0).as_flattened(), arrays(x1).as_flattened());
    match with.set() {
        // SAFETY: plain arrays need no instruction of their own.
        Set::Baseline => unsafe { stretches::<EDGES, [f64; 4]>(with, a0, a1, range, &stencil, slot) },
        // SAFETY (both): such a value is only made after the processor said that it has the features the function is
        // compiled for; the function does nothing else that is unsafe. Measured: the screen takes 4 to 7 ns a pair
        // instead of 17.
        #[cfg(target_arch = "x86_64")]
        Set::Avx2 => unsafe { x86::avx2::<EDGES>(with, a0, a1, range, &stencil, slot) },
        #[cfg(target_arch = "x86_64")]
        Set::Avx512 => unsafe { x86::avx512::<EDGES>(with, a0, a1, range, &stencil, slot) },
    }
    if slot.missing.is_some() {
        return;
    }
    let mut block = Block::zero();
    let mut singles = Singles::NONE;
    let open = std::mem::take(&mut slot.open);
    let (mut early, mut at) = (slot.early.iter().peekable(), 0);
    while at < open.len() {
        let next = early.peek().map_or(open.len(), |e| e.0);
        let known = early.next_if(|e| e.0 == at);
        let places = &open[at..if known.is_some() { at + W } else { next.min(at + W) }];
        at += places.len();
        if known.is_none() {
            for (lane, place) in places.iter().enumerate() {
                let Some(s) = stencil(*place as usize) else { continue };
                pack(a0, a1, s, lane, &mut block);
            }
            single::singles::<EDGES>(with, &block, &mut singles);
        }
        let singles = known.map_or(&singles, |e| &e.1);
        for (lane, place) in places.iter().enumerate() {
            if let Some(root) = singles.root(kind, lane) {
                slot.counts.certified += 1;
                if root.inside {
                    slot.touching.push(*place);
                    slot.found.push(Some(root));
                }
                continue;
            }
            let Some(s) = stencil(*place as usize) else { continue };
            let (p0, p1) = (gather(x0, s), gather(x1, s));
            // The batch will be refused; the exact tier must not be asked, it counts on finite numbers.
            if slot.suspicious && check_finite(&p0, &p1).is_err() {
                continue;
            }
            let (touch, tier) = several(kind, &p0, &p1);
            slot.counts.count(tier);
            if touch {
                slot.touching.push(*place);
                slot.found.push(None);
            }
        }
    }
    slot.open = open;
}
