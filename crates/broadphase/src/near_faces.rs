//! The short way to triangle pairs: rounded boxes decide, nothing is sorted.
//!
//! Takes the packed leaves of one surface, gives pairs of faces whose rounded boxes touch, in the order of the
//! leaves asked for. Rounding is outward, so no pair is missed; a pair whose boxes are within rounding of each
//! other may come though they miss.

use crate::candidates::{CHUNK, CandidateWorkspace};
use crate::clusters::{CLUSTER, Clusters};
use crate::feature_tree::FeatureTree;
use crate::lane_block::{LANES, LaneBlock, SpreadBox, touching_maybe};
use crate::lane_box::LaneBox;
use crate::packed::Packed;
use impinge_geometry::par;

/// Bits per row of a table of touching faces; a word of 64 holds `ROWS` of them.
const ROW: usize = 16;
const ROWS: usize = 64 / ROW;
const _: () = assert!(CLUSTER <= ROW && CLUSTER.is_multiple_of(LANES));

/// Pairs are written this many at a time, as a loop of unforeseeable length mispredicts its end. Measured: 2, 4 and 8
/// are alike.
const STRIDE: usize = 4;

/// What two leaves can add at most.
const MOST: usize = CLUSTER * CLUSTER + STRIDE;

/// Pairs that are handed over at once.
const ROOM: usize = 1024;

/// Pairs found and not yet handed over.
struct Buffer {
    count: usize,
    pairs: [(u32, u32); ROOM],
}

impl Buffer {
    /// Adds the pairs of a word: bit `ROW · k + j` says that face `row[k]` is near face `column[j]`.
    #[inline(always)]
    fn add(&mut self, mut word: u64, row: &[u32; ROWS], column: &[u32; ROW]) {
        let (mut at, end) = (self.count, self.count + word.count_ones() as usize);
        while at < end {
            for pair in &mut self.pairs[at..at + STRIDE] {
                // Past the last bit this writes what the next call overwrites.
                let bit = word.trailing_zeros() as usize;
                let (f, g) = (row[bit / ROW % ROWS], column[bit % ROW]);
                *pair = (f.min(g), f.max(g));
                word &= word.wrapping_sub(1);
            }
            at += STRIDE;
        }
        self.count = end;
    }

    #[inline(always)]
    fn flush_above(&mut self, limit: usize, out: &mut Vec<(u32, u32)>) {
        if self.count > limit {
            out.extend_from_slice(&self.pairs[..self.count]);
            self.count = 0;
        }
    }
}

/// What the kernel reads.
#[derive(Clone, Copy)]
struct Leaves<'a> {
    clusters: &'a Clusters,
    boxes: &'a [LaneBox],
    packed: &'a Packed,
}

impl<'a> Leaves<'a> {
    /// Boxes and numbers of a leaf's faces; a short leaf is filled up with numbers that no bit names.
    #[inline(always)]
    fn of(&self, leaf: usize) -> (&'a [LaneBlock], [u32; ROW]) {
        let range = self.clusters.faces(leaf);
        let mut ids = [0; ROW];
        match self.clusters.face_id[range.clone()].first_chunk::<CLUSTER>() {
            Some(full) => ids[..CLUSTER].copy_from_slice(full),
            None => ids[..range.len()].copy_from_slice(&self.clusters.face_id[range]),
        }
        (self.packed.of(self.clusters, leaf).faces, ids)
    }

    /// Face pairs of leaf `a` and another leaf.
    #[inline(always)]
    fn between(&self, a: usize, b: usize, found: &mut Buffer) {
        let ((p, p_ids), (q, q_ids)) = (self.of(a), self.of(b));
        let mut near = touching_maybe(p, &SpreadBox::new(&self.boxes[b]));
        while near != 0 {
            let (mut word, mut row) = (0, [0; ROWS]);
            for (k, id) in row.iter_mut().enumerate() {
                if near == 0 {
                    break;
                }
                let i = near.trailing_zeros() as usize;
                near &= near - 1;
                *id = p_ids[i % ROW];
                word |= touching_maybe(q, &p[i / LANES].spread(i % LANES)) << (ROW * k);
            }
            found.add(word, &row, &q_ids);
        }
    }

    /// The same among the faces of one leaf.
    #[inline(always)]
    fn within(&self, a: usize, found: &mut Buffer) {
        let (p, ids) = self.of(a);
        for (k, block) in p.iter().enumerate() {
            let (mut word, mut row) = (0, [0; ROWS]);
            for lane in 0..LANES {
                let i = LANES * k + lane;
                row[lane] = ids[i % ROW];
                // Faces after this one only; blocks before this one hold none.
                let after = touching_maybe(&p[k..], &block.spread(lane)) >> (lane + 1) << (i + 1);
                word |= after << (ROW * lane);
            }
            found.add(word, &row, &ids);
        }
    }

    /// Leaves by themselves first, then pairs of them; a range of both counted through.
    fn run(&self, pairs: &[(u32, u32)], range: std::ops::Range<usize>, out: &mut Vec<(u32, u32)>) {
        out.clear();
        let mut found = Buffer { count: 0, pairs: [(0, 0); ROOM] };
        let leaves = self.clusters.len();
        for a in range.start.min(leaves)..range.end.min(leaves) {
            self.within(a, &mut found);
            found.flush_above(ROOM - MOST, out);
        }
        for &(a, b) in &pairs[range.start.max(leaves) - leaves..range.end.max(leaves) - leaves] {
            self.between(a as usize, b as usize, &mut found);
            found.flush_above(ROOM - MOST, out);
        }
        found.flush_above(0, out);
    }
}

impl FeatureTree {
    /// The quick form of [`FeatureTree::self_triangle_pairs`]: the same pairs and perhaps a few more, lower triangle
    /// first, each once, neighbours included, in no particular order. `out` is cleared first.
    ///
    /// Boxes rounded outward to f32 decide, so no pair is missed; a pair whose boxes miss by less than about 10⁻⁶ of
    /// the surface's half width may be listed as well. The order is that of the walk through the tree: the same on
    /// every machine and for any number of threads after the same sequence of updates, but it depends on that
    /// sequence. A tree built afresh, as in a run resumed from a file, may list the pairs in another order.
    /// Where the order matters, sort the list or ask [`FeatureTree::self_triangle_pairs`].
    pub fn self_triangle_pairs_unsorted(
        &self,
        workspace: &mut CandidateWorkspace,
        out: &mut Vec<(u32, u32)>,
    ) {
        self.touching_leaves::<true>(workspace);
        let CandidateWorkspace { leaves: pairs, parts, packed, .. } = workspace;
        let leaves = Leaves { clusters: &self.clusters, boxes: &self.cluster_boxes, packed };
        let count = self.clusters.len() + pairs.len();
        let chunks = count.div_ceil(CHUNK);
        if parts.len() < chunks {
            parts.resize_with(chunks, Default::default);
        }
        par::fill(&mut parts[..chunks], 1, |i, part| {
            leaves.run(pairs, i * CHUNK..((i + 1) * CHUNK).min(count), &mut part.face_face);
        });
        out.clear();
        out.reserve(parts[..chunks].iter().map(|p| p.face_face.len()).sum());
        parts[..chunks].iter().for_each(|p| out.extend_from_slice(&p.face_face));
    }
}
