//! Candidate lists from feature trees: within one surface and between two.
//!
//! Takes trees, gives sorted index pairs of features whose f64 boxes share a point, each exactly once. The
//! lists equal those of the `*_brute_force` twins and do not depend on the shape of a tree, on what it saw
//! before, or on the number of threads.

use crate::cluster_pair::{ClusterPair, RawLists, View};
use crate::feature_tree::FeatureTree;
use crate::ordered::merge_sorted;
use crate::other_view::{NodeMap, OtherView};
use crate::packed::Packed;
use crate::tree_error::TreeError;
use impinge_geometry::{Pose, par};
use parry3d::partitioning::BvhWorkspace;

/// Candidates within one surface. Features with a common vertex are not candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SelfCandidates {
    /// `(vertex, face)`, sorted.
    pub vertex_face: Vec<(u32, u32)>,
    /// `(edge, edge)`, lower first, sorted.
    pub edge_edge: Vec<(u32, u32)>,
}

/// Candidates between two surfaces; the first surface's index comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CrossCandidates {
    /// `(vertex of the first, face of the second)`, sorted.
    pub vertex_face: Vec<(u32, u32)>,
    /// `(face of the first, vertex of the second)`, sorted.
    pub face_vertex: Vec<(u32, u32)>,
    /// `(edge of the first, edge of the second)`, sorted.
    pub edge_edge: Vec<(u32, u32)>,
}

/// Some of the candidates, each pair in one of the parts.
#[derive(Clone, Copy, Debug)]
pub struct Unordered<'a> {
    /// `(vertex, face)`; of the first surface and of the second, where there are two.
    pub vertex_face: &'a [(u32, u32)],
    /// `(face of the first, vertex of the second)`; empty within one surface.
    pub face_vertex: &'a [(u32, u32)],
    /// `(edge, edge)`; within one surface the lower first.
    pub edge_edge: &'a [(u32, u32)],
}

impl<'a> Unordered<'a> {
    fn new(raw: &'a RawLists) -> Self {
        Self { vertex_face: &raw.vertex_face, face_vertex: &raw.face_vertex, edge_edge: &raw.edge_edge }
    }
}

/// Pairs of leaves that a search keeps unless told otherwise: two surfaces that near each other in more places are thrown through each
/// other, and their candidates would fill the memory. 2²³ pairs take 64 MiB, and the candidates in them some gigabytes at most.
pub const MOST_LEAF_PAIRS: usize = 1 << 23;

/// Scratch for candidate lists. Dropping it changes no result; keeping it saves every allocation.
pub struct CandidateWorkspace {
    traversal: BvhWorkspace,
    most: usize,
    left_out: u64,
    /// Leaves that may touch.
    pub(crate) leaves: Vec<(u32, u32)>,
    /// One per chunk of leaf pairs.
    pub(crate) parts: Vec<RawLists>,
    counts: Vec<u32>,
    pub(crate) packed: Packed,
    pub(crate) other: OtherView,
}

impl Default for CandidateWorkspace {
    fn default() -> Self {
        Self::with_limit(MOST_LEAF_PAIRS)
    }
}

impl std::fmt::Debug for CandidateWorkspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CandidateWorkspace").field("bytes", &self.memory_bytes()).finish()
    }
}

impl CandidateWorkspace {
    /// Empty scratch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Empty scratch for searches that keep at most `leaf_pairs` pairs of leaves.
    #[must_use]
    pub fn with_limit(leaf_pairs: usize) -> Self {
        Self {
            traversal: BvhWorkspace::default(),
            most: leaf_pairs,
            left_out: 0,
            leaves: Vec::new(),
            parts: Vec::new(),
            counts: Vec::new(),
            packed: Packed::default(),
            other: OtherView::default(),
        }
    }

    /// Pairs of leaves that the last search left out, its limit being reached: above 0 its lists are not whole.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Bytes held, without parry3d's small stack.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        8 * self.leaves.capacity()
            + self.parts.iter().map(RawLists::memory_bytes).sum::<usize>()
            + 4 * self.counts.capacity()
            + self.packed.memory_bytes()
            + self.other.memory_bytes()
    }
}

/// Leaf pairs per task, fixed so that nothing depends on the number of threads.
pub(crate) const CHUNK: usize = 8192;

/// Runs the kernel over `0..count` in chunks of fixed size, each into a part of its own.
fn run<'a>(
    count: usize,
    views: [View<'a>; 2],
    parts: &mut Vec<RawLists>,
    kernel: impl Fn(&mut ClusterPair<'a>, usize, &mut RawLists) + Sync + Send,
) {
    let chunks = count.div_ceil(CHUNK).max(1);
    if parts.len() < chunks {
        parts.resize_with(chunks, RawLists::default);
    }
    par::fill(parts, 1, |i, part| {
        part.clear();
        let mut pair = ClusterPair::new(views[0], views[1]);
        for k in (i * CHUNK).min(count)..((i + 1) * CHUNK).min(count) {
            kernel(&mut pair, k, part);
        }
    });
}

fn view<'a>(tree: &'a FeatureTree, packed: &'a Packed) -> View<'a> {
    View {
        clusters: &tree.clusters,
        cluster_boxes: &tree.cluster_boxes,
        packed,
        exact: &tree.exact,
        inflation: tree.inflation,
    }
}

impl FeatureTree {
    /// Writes all vertex–face and edge–edge candidates within this surface to `out`, which is cleared first.
    ///
    /// A candidate is a pair of features with no common vertex whose inflated boxes share a point.
    pub fn self_candidates(&self, workspace: &mut CandidateWorkspace, out: &mut SelfCandidates) {
        self.find_within(workspace);
        let CandidateWorkspace { parts, counts, .. } = workspace;
        merge_sorted(
            parts.iter().map(|p| &p.vertex_face[..]),
            self.vertex_count(),
            counts,
            &mut out.vertex_face,
        );
        merge_sorted(parts.iter().map(|p| &p.edge_edge[..]), self.edge_count(), counts, &mut out.edge_edge);
    }

    /// The pairs of [`FeatureTree::self_candidates`] in no particular order, in parts: for callers that keep few of them and sort
    /// those. The order is that of the tree, the same for any number of threads.
    pub fn unordered_self_candidates<'w>(
        &self,
        workspace: &'w mut CandidateWorkspace,
    ) -> impl Iterator<Item = Unordered<'w>> {
        self.find_within(workspace);
        workspace.parts.iter().map(Unordered::new)
    }

    fn find_within(&self, workspace: &mut CandidateWorkspace) {
        self.touching_leaves::<false>(workspace);
        let CandidateWorkspace { leaves, parts, packed, .. } = workspace;
        let clusters = self.clusters.len();
        run(clusters + leaves.len(), [view(self, packed); 2], parts, |pair, k, raw| {
            if k < clusters {
                pair.features_within(k, raw);
            } else {
                let (a, b) = leaves[k - clusters];
                pair.features::<true>(a as usize, b as usize, raw);
            }
        });
    }

    /// Writes all pairs of triangles whose inflated boxes share a point to `out`, which is cleared first:
    /// lower triangle first, sorted, neighbours included.
    pub fn self_triangle_pairs(&self, workspace: &mut CandidateWorkspace, out: &mut Vec<(u32, u32)>) {
        self.touching_leaves::<true>(workspace);
        let CandidateWorkspace { leaves, parts, counts, packed, .. } = workspace;
        let clusters = self.clusters.len();
        run(clusters + leaves.len(), [view(self, packed); 2], parts, |pair, k, raw| {
            if k < clusters {
                pair.faces_within(k, &mut raw.face_face);
            } else {
                let (a, b) = leaves[k - clusters];
                pair.faces::<true>(a as usize, b as usize, &mut raw.face_face);
            }
        });
        merge_sorted(parts.iter().map(|p| &p.face_face[..]), self.triangle_count(), counts, out);
    }

    /// Writes all candidates between this surface and `other` to `out`, which is cleared first. Both trees are
    /// in the same frame, usually the world; nothing counts as adjacent.
    pub fn candidates(&self, other: &Self, workspace: &mut CandidateWorkspace, out: &mut CrossCandidates) {
        self.cross_candidates(other, None, workspace, out);
    }

    /// The pairs of [`FeatureTree::candidates`] in no particular order, in parts, as
    /// [`FeatureTree::unordered_self_candidates`].
    pub fn unordered_candidates<'w>(
        &self,
        other: &Self,
        workspace: &'w mut CandidateWorkspace,
    ) -> impl Iterator<Item = Unordered<'w>> {
        self.find_between(other, None, workspace);
        workspace.parts.iter().map(Unordered::new)
    }

    /// The same as [`FeatureTree::candidates`] for trees in frames of their own, usually at rest: `relative` leads from `other`'s frame to
    /// this one's (m), where boxes are compared.
    ///
    /// The box of a vertex of `other` is [`Aabb::transformed`](crate::Aabb::transformed) and then inflated by
    /// `other`'s distance.
    ///
    /// # Errors
    /// [`TreeError::Pose`] when the pose is not finite; `out` is then empty.
    pub fn candidates_under(
        &self,
        other: &Self,
        relative: &Pose,
        workspace: &mut CandidateWorkspace,
        out: &mut CrossCandidates,
    ) -> Result<(), TreeError> {
        out.vertex_face.clear();
        out.face_vertex.clear();
        out.edge_edge.clear();
        if !relative.is_finite() {
            return Err(TreeError::Pose);
        }
        self.cross_candidates(other, Some(relative), workspace, out);
        Ok(())
    }

    /// Writes all pairs `(triangle of this, triangle of other)` whose inflated boxes share a point to `out`,
    /// sorted; cleared first. `relative` as in [`FeatureTree::candidates_under`], `None` for the same frame.
    ///
    /// # Errors
    /// [`TreeError::Pose`] when the pose is not finite; `out` is then empty.
    pub fn triangle_pairs(
        &self,
        other: &Self,
        relative: Option<&Pose>,
        workspace: &mut CandidateWorkspace,
        out: &mut Vec<(u32, u32)>,
    ) -> Result<(), TreeError> {
        out.clear();
        if relative.is_some_and(|p| !p.is_finite()) {
            return Err(TreeError::Pose);
        }
        self.meeting_leaves::<true>(other, relative, workspace);
        let CandidateWorkspace { leaves, parts, counts, packed, other: seen, .. } = workspace;
        run(leaves.len(), [view(self, packed), seen.view(other)], parts, |pair, k, raw| {
            let (a, b) = leaves[k];
            pair.faces::<false>(a as usize, b as usize, &mut raw.face_face);
        });
        merge_sorted(parts.iter().map(|p| &p.face_face[..]), self.triangle_count(), counts, out);
        Ok(())
    }

    fn cross_candidates(
        &self,
        other: &Self,
        relative: Option<&Pose>,
        workspace: &mut CandidateWorkspace,
        out: &mut CrossCandidates,
    ) {
        self.find_between(other, relative, workspace);
        let CandidateWorkspace { parts, counts, .. } = workspace;
        let (v, f, e) = (self.vertex_count(), self.triangle_count(), self.edge_count());
        merge_sorted(parts.iter().map(|p| &p.vertex_face[..]), v, counts, &mut out.vertex_face);
        merge_sorted(parts.iter().map(|p| &p.face_vertex[..]), f, counts, &mut out.face_vertex);
        merge_sorted(parts.iter().map(|p| &p.edge_edge[..]), e, counts, &mut out.edge_edge);
    }

    fn find_between(&self, other: &Self, relative: Option<&Pose>, workspace: &mut CandidateWorkspace) {
        self.meeting_leaves::<false>(other, relative, workspace);
        let CandidateWorkspace { leaves, parts, packed, other: seen, .. } = workspace;
        run(leaves.len(), [view(self, packed), seen.view(other)], parts, |pair, k, raw| {
            let (a, b) = leaves[k];
            pair.features::<false>(a as usize, b as usize, raw);
        });
    }

    /// Pairs of different leaves of this tree whose boxes touch; packs all leaves.
    pub(crate) fn touching_leaves<const ONLY_FACES: bool>(&self, workspace: &mut CandidateWorkspace) {
        let CandidateWorkspace { traversal, leaves, most, left_out, .. } = workspace;
        leaves.clear();
        *left_out = 0;
        // Change detection stays off: parry3d sets no change flag for updates without a margin.
        self.bvh.traverse_bvtt_single_tree::<false>(traversal, &mut |a, b| match leaves.len() < *most {
            true => leaves.push((a, b)),
            false => *left_out += 1,
        });
        workspace.packed.clear(&self.clusters);
        for c in 0..self.clusters.len() {
            workspace.packed.pack::<ONLY_FACES>(&self.clusters, c, &self.boxes);
        }
    }

    /// Leaf pairs of two trees that may touch, and the other tree's boxes in this one's frame.
    fn meeting_leaves<const ONLY_FACES: bool>(
        &self,
        other: &Self,
        relative: Option<&Pose>,
        workspace: &mut CandidateWorkspace,
    ) {
        workspace.leaves.clear();
        let map = NodeMap::new(other, &self.frame, relative);
        // Pairs at the root come unchecked from parry3d; the kernel checks every pair of leaves again.
        let mut meeting = self.bvh.leaf_pairs(&other.bvh, |a, b| map.may_touch(a, b));
        workspace.leaves.extend(meeting.by_ref().take(workspace.most));
        workspace.left_out = meeting.count() as u64;
        workspace.packed.clear(&self.clusters);
        for &(c, _) in &workspace.leaves {
            if workspace.packed.is_new(c as usize) {
                workspace.packed.pack::<ONLY_FACES>(&self.clusters, c as usize, &self.boxes);
            }
        }
        workspace.other.prepare::<ONLY_FACES>(other, &self.frame, relative, &workspace.leaves);
    }
}
