//! Boxes of every feature, cluster by cluster, in the layout the kernel reads: faces, then vertices, then edges,
//! each padded to whole blocks.
//!
//! Takes vertex boxes by rank, gives blocks. They are made when a list is asked for and not at every update: a
//! body that meets nobody needs none, and for two bodies only the leaves that meet are packed.

use crate::clusters::Clusters;
use crate::lane_block::{LANES, LaneBlock};
use crate::lane_box::LaneBox;

/// Blocks of the clusters that were asked for; those of others are stale.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    blocks: Vec<LaneBlock>,
    done: Vec<bool>,
}

/// One cluster's blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'a> {
    pub faces: &'a [LaneBlock],
    pub vertices: &'a [LaneBlock],
    pub edges: &'a [LaneBlock],
}

impl Packed {
    /// Makes room; no cluster is packed after it.
    pub fn clear(&mut self, clusters: &Clusters) {
        self.done.clear();
        self.done.resize(clusters.len(), false);
        if self.blocks.len() < clusters.block_count() {
            self.blocks.resize(clusters.block_count(), LaneBlock::EMPTY);
        }
    }

    /// `true` the first time it is asked for a cluster.
    pub fn is_new(&mut self, cluster: usize) -> bool {
        !std::mem::replace(&mut self.done[cluster], true)
    }

    /// Packs one cluster, its faces alone or everything; `boxes` by vertex rank.
    pub fn pack<const ONLY_FACES: bool>(&mut self, clusters: &Clusters, cluster: usize, boxes: &[LaneBox]) {
        let at = |v: u32| &boxes[v as usize];
        let mut out = &mut self.blocks[clusters.blocks(cluster)];
        out = fill(out, clusters.faces(cluster).len(), clusters.faces(cluster).start, |f| {
            let [a, b, c] = clusters.face_vertices[f];
            at(a).join(at(b)).join(at(c))
        });
        if ONLY_FACES {
            return;
        }
        out = fill(out, clusters.vertices(cluster).len(), clusters.vertices(cluster).start, |v| boxes[v]);
        fill(out, clusters.edges(cluster).len(), clusters.edges(cluster).start, |e| {
            let [a, b] = clusters.edge_vertices[e];
            at(a).join(at(b))
        });
    }

    /// The blocks of one cluster.
    #[inline]
    pub fn of(&self, clusters: &Clusters, cluster: usize) -> Blocks<'_> {
        let all = &self.blocks[clusters.blocks(cluster)];
        let (faces, rest) = all.split_at(clusters.faces(cluster).len().div_ceil(LANES));
        let (vertices, edges) = rest.split_at(clusters.vertices(cluster).len().div_ceil(LANES));
        Blocks { faces, vertices, edges }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        size_of::<LaneBlock>() * self.blocks.capacity() + self.done.capacity()
    }
}

/// Writes `count` boxes from rank `first` on, the last block filled up with nothing; returns what is left.
#[inline]
fn fill(
    out: &mut [LaneBlock],
    count: usize,
    first: usize,
    box_of: impl Fn(usize) -> LaneBox,
) -> &mut [LaneBlock] {
    let (mine, rest) = out.split_at_mut(count.div_ceil(LANES));
    for (k, block) in mine.iter_mut().enumerate() {
        *block = LaneBlock::new(std::array::from_fn(|lane| {
            let i = k * LANES + lane;
            if i < count { box_of(first + i) } else { LaneBox::EMPTY }
        }));
    }
    rest
}
