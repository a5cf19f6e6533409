//! Many pairs at once: which of a list of candidates touch.
//!
//! Takes vertex positions at both ends of the step and a list of pairs, gives the places in the list of the pairs that
//! touch, ascending. Eight pairs at a time go through the screen with the widest instructions the machine has; what it
//! leaves open is decided one by one. The list is cut into chunks of fixed length, so the answer does not depend on the
//! number of threads; a steady caller allocates nothing.

use crate::decide::open;
use crate::filter::axis::{Quad, separated};
use crate::filter::instructions::{Instructions, Set};
use crate::filter::screen::{Block, W, screen, verdict};
use crate::kind::check_finite;
use crate::{BatchError, Candidates, Kind, TierCounts};
use impinge_contact::par;
use impinge_geometry::DVec3;
use impinge_geometry::arrays::arrays;

/// Pairs per parallel chunk.
pub(crate) const CHUNK: usize = 4096;

#[derive(Default)]
struct Slot {
    /// What the screen left open.
    open: Vec<u32>,
    touching: Vec<u32>,
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
    instructions: Option<Instructions>,
}

impl Workspace {
    /// Scratch that lets the batch use the widest instructions of the machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Scratch with the instructions named: for measurements and tests. The answers are the same.
    pub fn with(instructions: Instructions) -> Self {
        Self { slots: Vec::new(), instructions: Some(instructions) }
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
    if x0.len() != x1.len() {
        return Err(BatchError::Lengths { x0: x0.len(), x1: x1.len() });
    }
    let with = *workspace.instructions.get_or_insert_with(Instructions::best);
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
        counts.add(&slot.counts);
    }
    Ok(counts)
}

/// The first position that is not finite.
fn not_finite(x0: &[DVec3], x1: &[DVec3]) -> Option<BatchError> {
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

/// One stretch of the list: the axis test pair by pair, the screen for what is left, eight at a time.
///
/// The axis test needs no packing: x, y, z of a point lie side by side. It answers about two thirds of the pairs of a
/// usual list, and only the rest is worth spreading over lanes (tried without it: the spreading was the largest cost).
///
/// # Safety
/// As [`Quad`].
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn stretch<const EDGES: bool, Q: Quad>(
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
    let x1 = &x1[..x0.len()];
    let start = range.start;
    // SAFETY: the caller's.
    unsafe {
        // Turns NaN as soon as one coordinate is NaN or infinite (or a sum overflows: looked into later). It rides along
        // for a few cycles a pair; a pass of its own over the positions cost a sixth of the batch.
        let mut zero = Q::load(&[0.0; 4]);
        for i in range {
            // No closures around the points: they would not be compiled for the instructions.
            let Some(stencil) = stencil(i) else {
                slot.missing = Some(i - start);
                return;
            };
            let (Some(p0), Some(p1)) = (points::<Q>(x0, stencil), points::<Q>(x1, stencil)) else {
                slot.missing = Some(i - start);
                return;
            };
            let p = [p0, p1];
            let [[a, b, c, d], [e, f, g, h]] = p;
            let sum = a.add(b).add(c.add(d)).add(e.add(f).add(g.add(h)));
            zero = zero.add(sum.sub(sum));
            if separated::<EDGES, Q>(&p) {
                slot.counts.axis += 1;
                continue;
            }
            for (e, p) in p.iter().enumerate() {
                for (j, p) in p.iter().enumerate() {
                    let p = p.store();
                    for k in 0..3 {
                        block.x[e][j][k][lanes] = p[k];
                    }
                }
            }
            places[lanes] = i as u32;
            lanes += 1;
            if lanes == W {
                finish::<EDGES>(with, &block, &places, slot);
                lanes = 0;
            }
        }
        finish::<EDGES>(with, &block, &places[..lanes], slot);
        slot.suspicious = zero.store() != [0.0; 4];
    }
}

/// The points of a pair, four numbers each: x y z and what follows in memory, which only fills the register.
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn points<Q: Quad>(x: &[f64], s: [u32; 4]) -> Option<[Q; 4]> {
    let [a, b, c, d] = s;
    // SAFETY: the caller's.
    unsafe { Some([point(x, a)?, point(x, b)?, point(x, c)?, point(x, d)?]) }
}

#[inline(always)]
#[allow(unsafe_code)]
unsafe fn point<Q: Quad>(x: &[f64], v: u32) -> Option<Q> {
    let row = x.get(3 * v as usize..).and_then(<[f64]>::first_chunk::<4>);
    // SAFETY: the caller's.
    unsafe {
        match row {
            Some(row) => Some(Q::load(row)),
            None => last_point(x, v).map(|row| Q::load(&row)),
        }
    }
}

/// Nothing follows the last point.
#[cold]
fn last_point(x: &[f64], v: u32) -> Option<[f64; 4]> {
    let p = x.get(3 * v as usize..)?.first_chunk::<3>()?;
    Some([p[0], p[1], p[2], 0.0])
}

/// The screen for one block; what it leaves open is noted.
#[inline(always)]
fn finish<const EDGES: bool>(with: Instructions, block: &Block, places: &[u32], slot: &mut Slot) {
    let mut verdicts = [0.0; W];
    screen::<EDGES>(with, block, &mut verdicts);
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
    use super::{Instructions, Slot, stretch};
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
        unsafe { stretch::<EDGES, __m256d>(with, x0, x1, range, stencil, slot) };
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
        unsafe { stretch::<EDGES, __m256d>(with, x0, x1, range, stencil, slot) };
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
    slot.open.clear();
    slot.counts = TierCounts::default();
    // Arrays: indexing a vector by axis is a call with a branch.
    let (a0, a1) = (arrays(x0).as_flattened(), arrays(x1).as_flattened());
    match with.set() {
        // SAFETY: plain arrays need no instruction of their own.
        Set::Baseline => unsafe { stretch::<EDGES, [f64; 4]>(with, a0, a1, range, &stencil, slot) },
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
    for i in 0..slot.open.len() {
        let place = slot.open[i];
        let Some(s) = stencil(place as usize) else { continue };
        let (p0, p1) = (gather(x0, s), gather(x1, s));
        // The batch will be refused; the exact tier must not be asked, it counts on finite numbers.
        if slot.suspicious && check_finite(&p0, &p1).is_err() {
            continue;
        }
        let (touch, tier) = open(kind, &p0, &p1);
        slot.counts.count(tier);
        if touch {
            slot.touching.push(place);
        }
    }
}
