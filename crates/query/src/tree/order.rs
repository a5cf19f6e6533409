//! How a tree divides the triangles or tets of a mesh, before it is packed: by the bvh crate, or at medians.

use impinge_geometry::DVec3;

/// A node before packing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Split {
    /// One triangle or tet.
    Leaf(u32),
    /// Two nodes that stand behind this one.
    Inner([usize; 2]),
}

/// The nodes, parents first, and the number of triangles (or tets) below each.
pub(crate) struct Order {
    pub nodes: Vec<Split>,
    pub leaves: Vec<u32>,
}

impl Order {
    /// Counts what is below each node; children stand behind their parents.
    #[must_use]
    pub fn new(nodes: Vec<Split>) -> Self {
        let mut leaves = vec![1u32; nodes.len()];
        for (at, node) in nodes.iter().enumerate().rev() {
            if let Split::Inner([left, right]) = *node {
                leaves[at] = leaves[left] + leaves[right];
            }
        }
        Self { nodes, leaves }
    }

    /// Appends the triangles below `node`, left to right.
    pub fn collect(&self, node: usize, ids: &mut Vec<u32>) {
        match self.nodes[node] {
            Split::Leaf(id) => ids.push(id),
            Split::Inner(children) => children.iter().for_each(|&c| self.collect(c, ids)),
        }
    }
}

/// A box in numbers between −1 and 1.
pub(super) struct Unit {
    pub lo: DVec3,
    pub hi: DVec3,
}

/// Splits `n` triangles or tets by their corners.
pub(crate) fn split<const K: usize>(
    n: usize,
    bounds: (DVec3, DVec3),
    corners: impl Fn(usize) -> [DVec3; K],
) -> Order {
    let boxes = boxes(n, bounds, corners);
    #[cfg(feature = "bvh")]
    return super::sah::split(&boxes);
    #[cfg(not(feature = "bvh"))]
    super::medians::split(&boxes)
}

/// Boxes scaled to the size of the mesh and grown a little.
///
/// The bvh crate stops looking for a split where centres lie within one absolute machine epsilon, and its cost is
/// 0/0 for boxes on one line: a mesh of micrometres or of collinear triangles would give a poor tree. Scaled
/// to unit size and grown a little, neither happens. Only the tree's shape depends on these boxes.
pub(super) fn boxes<const K: usize>(
    n: usize,
    (lo, hi): (DVec3, DVec3),
    corners: impl Fn(usize) -> [DVec3; K],
) -> Vec<Unit> {
    const GROW: f64 = 1e-6;
    let centre = lo * 0.5 + hi * 0.5;
    let half = (hi * 0.5 - lo * 0.5).component_max();
    let scaled = |p: DVec3| if half > 0.0 { (p * 0.5 - centre * 0.5) / half } else { DVec3::zero() };
    let grow = DVec3::broadcast(GROW);
    let unit = |t| {
        let corners = corners(t).map(scaled);
        let lo = corners.iter().fold(corners[0], |a, &b| a.min_by_component(b));
        let hi = corners.iter().fold(corners[0], |a, &b| a.max_by_component(b));
        Unit { lo: lo - grow, hi: hi + grow }
    };
    (0..n).map(unit).collect()
}
