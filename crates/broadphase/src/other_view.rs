//! A second tree seen from the frame of a first one.
//!
//! Takes leaf pairs, gives boxes of the second tree's vertices in the first one's numbers, for the leaves that
//! occur only: two bodies that graze each other should not cost a pass over all of either.

use crate::aabb::{Aabb, ROUNDING, abs_matrix};
use crate::cluster_pair::View;
use crate::feature_tree::FeatureTree;
use crate::lane_box::LaneBox;
use crate::outward::Frame;
use crate::packed::Packed;
use impinge_geometry::{DMat3, DVec3, Pose};
use parry3d::partitioning::BvhNode;

/// Boxes of the second tree, by its own ranks; those of leaves that do not occur are stale.
#[derive(Clone, Debug, Default)]
pub(crate) struct OtherView {
    cluster_boxes: Vec<LaneBox>,
    boxes: Vec<LaneBox>,
    exact: Vec<Aabb>,
    /// Vertices that have their boxes already.
    placed: Vec<bool>,
    pub(crate) packed: Packed,
}

impl OtherView {
    /// Fills in the leaves that occur as second ones in `leaves`.
    pub fn prepare<const ONLY_FACES: bool>(
        &mut self,
        tree: &FeatureTree,
        frame: &Frame,
        relative: Option<&Pose>,
        leaves: &[(u32, u32)],
    ) {
        self.packed.clear(&tree.clusters);
        let nothing = Aabb::new(DVec3::zero(), DVec3::zero());
        self.cluster_boxes.resize(tree.clusters.len().max(self.cluster_boxes.len()), LaneBox::EMPTY);
        self.boxes.resize(tree.exact.len().max(self.boxes.len()), LaneBox::EMPTY);
        self.exact.resize(tree.exact.len().max(self.exact.len()), nothing);
        self.placed.clear();
        self.placed.resize(tree.exact.len(), false);
        for &(_, c) in leaves {
            let c = c as usize;
            if !self.packed.is_new(c) {
                continue;
            }
            let mut all = LaneBox::EMPTY;
            for f in tree.clusters.faces(c) {
                for v in tree.clusters.face_vertices[f].map(|v| v as usize) {
                    if !std::mem::replace(&mut self.placed[v], true) {
                        let exact = relative.map_or(tree.exact[v], |pose| tree.exact[v].transformed(pose));
                        self.exact[v] = exact;
                        self.boxes[v] = LaneBox::outward(frame, &exact.inflated(tree.inflation));
                    }
                    all = all.join(&self.boxes[v]);
                }
            }
            self.cluster_boxes[c] = all;
            self.packed.pack::<ONLY_FACES>(&tree.clusters, c, &self.boxes);
        }
    }

    #[must_use]
    pub fn view<'a>(&'a self, tree: &'a FeatureTree) -> View<'a> {
        View {
            clusters: &tree.clusters,
            cluster_boxes: &self.cluster_boxes,
            packed: &self.packed,
            exact: &self.exact,
            inflation: tree.inflation,
        }
    }

    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<LaneBox>() * (self.cluster_boxes.capacity() + self.boxes.capacity())
            + size_of::<Aabb>() * self.exact.capacity()
            + self.placed.capacity()
            + self.packed.memory_bytes()
    }
}

/// The map from the second tree's node boxes to the first one's numbers: centre `c` goes to
/// `origin + turn c`, half extent `h` to `turn_abs h + pad`.
pub(crate) struct NodeMap {
    origin: DVec3,
    turn: DMat3,
    turn_abs: DMat3,
    pad: DVec3,
}

impl NodeMap {
    #[must_use]
    pub fn new(tree: &FeatureTree, to: &Frame, relative: Option<&Pose>) -> Self {
        let from = &tree.frame;
        let pose = relative.copied().unwrap_or_default();
        let m = pose.matrix();
        let abs = abs_matrix(&m);
        let scale = |m: &DMat3, s: f64| DMat3::new(m.cols[0] * s, m.cols[1] * s, m.cols[2] * s);
        let reach = from.centre.abs() + DVec3::broadcast(2.0 * from.half);
        // Eight times what one transformed box is widened by: that box, this map, and room.
        let rounding = (pose.position.abs() + abs * reach + to.centre.abs()) * (8.0 * ROUNDING);
        // A node holds its vertices inflated before they turn, the list inflates them after. A rotation makes
        // the first one the larger; a rotor that is not quite unit may not.
        let rows = abs * DVec3::one();
        let lost = (DVec3::one() - rows).max_by_component(DVec3::zero()) * tree.inflation;
        let mut pad = (rounding + lost) * (1.0 / to.half) + DVec3::broadcast(1e-12);
        // Frames end at 1e300 m, and boxes beyond are cut: nothing can be told from them.
        if from.half >= 1e300 || to.half >= 1e300 {
            pad = DVec3::broadcast(f64::INFINITY);
        }
        let turn = scale(&m, from.half / to.half);
        let origin = (pose.position + m * from.centre - to.centre) * (1.0 / to.half);
        Self { origin, turn, turn_abs: abs_matrix(&turn), pad }
    }

    /// `false` only when the boxes certainly miss; a NaN keeps the pair.
    #[inline]
    #[must_use]
    pub fn may_touch(&self, first: &BvhNode, second: &BvhNode) -> bool {
        let (a, b) = (second.mins(), second.maxs());
        let lo = DVec3::new(f64::from(a.x), f64::from(a.y), f64::from(a.z));
        let hi = DVec3::new(f64::from(b.x), f64::from(b.y), f64::from(b.z));
        let centre = self.origin + self.turn * ((lo + hi) * 0.5);
        let half = self.turn_abs * ((hi - lo) * 0.5) + self.pad;
        let (p, q) = (first.mins(), first.maxs());
        let (lo, hi) = (centre - half, centre + half);
        let misses = lo.x > f64::from(q.x)
            || lo.y > f64::from(q.y)
            || lo.z > f64::from(q.z)
            || hi.x < f64::from(p.x)
            || hi.y < f64::from(p.y)
            || hi.z < f64::from(p.z);
        !misses
    }
}
