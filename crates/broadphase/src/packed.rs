//! Boxes of every feature, cluster by cluster, in the layout the kernel reads: faces, then vertices, then edges,
//! each padded to whole blocks.
//!
//! Takes vertex boxes by rank, gives blocks. They are made when a list is asked for and not at every update: a
//! body that meets nobody needs none, and for two bodies only the leaves that meet are packed.

use crate::clusters::Clusters;
use crate::lane_block::{LANES, LaneBlock};
use crate::lane_box::LaneBox;
use crate::lane_group::{self, BoxGroup};
use crate::wide_pair::{Sides, Wide};

/// Blocks of the clusters that were asked for; those of others are stale.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    blocks: Vec<LaneBlock>,
    /// In their place, but for faces alone, where the wide kernel runs.
    groups: Vec<BoxGroup>,
    pub wide: Option<Wide>,
    done: Vec<bool>,
}

impl Default for Packed {
    fn default() -> Self {
        Self { blocks: Vec::new(), groups: Vec::new(), wide: Wide::new(), done: Vec::new() }
    }
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
        if self.wide.is_some() && self.groups.len() < clusters.names().len() {
            self.groups.resize(clusters.names().len(), BoxGroup::EMPTY);
        }
    }

    /// `true` the first time it is asked for a cluster.
    pub fn is_new(&mut self, cluster: usize) -> bool {
        !std::mem::replace(&mut self.done[cluster], true)
    }

    /// Packs one cluster, its faces alone or everything; `boxes` by vertex rank.
    pub fn pack<const ONLY_FACES: bool>(&mut self, clusters: &Clusters, cluster: usize, boxes: &[LaneBox]) {
        let at = |v: u32| &boxes[v as usize];
        let (faces, vertices, edges) =
            (clusters.faces(cluster), clusters.vertices(cluster), clusters.edges(cluster));
        let face = |f: usize| {
            let [a, b, c] = clusters.face_vertices[f];
            at(a).join(at(b)).join(at(c))
        };
        let edge = |e: usize| {
            let [a, b] = clusters.edge_vertices[e];
            at(a).join(at(b))
        };
        if self.wide.is_some() && !ONLY_FACES {
            let [first, _, last] = clusters.groups(cluster);
            let out = &mut self.groups[first.start..last.end];
            let out = lane_group::fill(out, faces.len(), faces.start, face);
            let out = lane_group::fill(out, vertices.len(), vertices.start, |v| boxes[v]);
            lane_group::fill(out, edges.len(), edges.start, edge);
            return;
        }
        let mut out = &mut self.blocks[clusters.blocks(cluster)];
        out = fill(out, faces.len(), faces.start, face);
        if ONLY_FACES {
            return;
        }
        out = fill(out, vertices.len(), vertices.start, |v| boxes[v]);
        fill(out, edges.len(), edges.start, edge);
    }

    /// The groups of one cluster, where the wide kernel runs.
    #[inline]
    #[must_use]
    pub fn sides<'a>(&'a self, clusters: &'a Clusters, cluster: usize) -> Sides<'a> {
        Sides::of(clusters, &self.groups, cluster)
    }

    /// The blocks of one cluster.
    #[inline]
    #[must_use]
    pub fn of(&self, clusters: &Clusters, cluster: usize) -> Blocks<'_> {
        let all = &self.blocks[clusters.blocks(cluster)];
        let (faces, rest) = all.split_at(clusters.faces(cluster).len().div_ceil(LANES));
        let (vertices, edges) = rest.split_at(clusters.vertices(cluster).len().div_ceil(LANES));
        Blocks { faces, vertices, edges }
    }

    /// Bytes held.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<LaneBlock>() * self.blocks.capacity()
            + size_of::<BoxGroup>() * self.groups.capacity()
            + self.done.capacity()
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
