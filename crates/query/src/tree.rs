//! The search tree of a mesh: split (`order.rs`), packed for queries, refitted when the mesh deforms.
//!
//! The bvh crate chooses the splits (surface-area heuristic) where the feature `bvh` is on, medians do where it is off; no answer
//! depends on it. Its nodes hold one triangle per leaf and 256 bytes per triangle; a query on them waits for memory. Here subtrees of up to four triangles become one leaf,
//! both halves of a node fill exactly one cache line, and corners lie in tree order. Boxes are f32 around the
//! mesh's centre, rounded outward: they only say where to look, corners and answers are f64.
//!
//! ```text
//!   nodes    [ lo lo hi hi  first first  count count | … ]   64 bytes, two boxes
//!   a box with count = INNER: node `first`;   else: triangles first .. first + count
//!   corners  [ [a b c] [a b c] … ]   ids [ t t … ]           in tree order
//! ```

use impinge_geometry::{DVec3, TriMesh};
use std::sync::OnceLock;

#[cfg(any(test, not(feature = "bvh")))]
mod medians;
mod order;
mod parts;
mod refit;
#[cfg(feature = "bvh")]
mod sah;

pub(crate) use order::{Order, Split, split};
pub use refit::UpdateError;

/// Subtrees of at most this many triangles are searched linearly. 2 measured alike, 8 slower for rays; one
/// triangle per leaf doubles the memory.
const LEAF: usize = 4;

/// Pending boxes kept on the call stack; deeper trees recurse, so no depth is too deep.
const PENDING: usize = 32;

/// Marks a box that holds another node.
pub(crate) const INNER: u32 = u32::MAX;

/// Two boxes, interleaved so that both are tested in one go.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// `lo[axis][half]`, relative to the centre (m), rounded down.
    pub lo: [[f32; 2]; 3],
    /// `hi[axis][half]`, rounded up.
    pub hi: [[f32; 2]; 3],
    /// Where it begins: a node, or a place in tree order.
    pub first: [u32; 2],
    /// How many triangles, or [`INNER`].
    pub count: [u32; 2],
}

impl Node {
    /// Two boxes around nothing.
    const EMPTY: Self =
        Self { lo: [[f32::INFINITY; 2]; 3], hi: [[f32::NEG_INFINITY; 2]; 3], first: [0; 2], count: [0; 2] };
}

/// Answers questions about one triangle mesh, in the mesh's own frame (m).
///
/// Built once for a rigid body, which asks in its body frame; a surface that deforms is followed by
/// [`MeshIndex::update`]. It keeps its own copy of the corners
/// and needs the mesh no more. No query allocates. Triangles of any shape are welcome, collapsed ones too.
///
/// Sizes and distances from about 1e-60 to 1e60 m are measured to rounding; outside, squares under- or
/// overflow, and the answers are merely finite.
#[derive(Clone, Debug)]
#[doc(alias("BVH", "AABB tree", "bounding volume hierarchy"))]
pub struct MeshIndex {
    pub(crate) nodes: Vec<Node>,
    pub(crate) corners: Vec<[DVec3; 3]>,
    pub(crate) ids: Vec<u32>,
    /// The vertices of each triangle, in tree order: where an update finds the corners.
    pub(crate) vertices: Vec<[u32; 3]>,
    /// How many positions an update takes.
    pub(crate) vertex_count: usize,
    pub(crate) bounds: (DVec3, DVec3),
    /// The origin of the f32 boxes (m).
    pub(crate) centre: DVec3,
    /// Sum of the extents of the bounding box: the length against which rounding is judged (m).
    pub(crate) size: f64,
    /// Girth of the boxes over the girth of the triangles, now and when the tree was built.
    spread: f64,
    spread_when_built: f64,
    whole: OnceLock<parts::Whole>,
}

impl MeshIndex {
    /// Builds the tree, just under 1 µs per triangle.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        Self::ordered(mesh, split(mesh.triangles().len(), mesh.bounds(), |t| mesh.corners(t)))
    }

    /// The tree with these splits.
    fn ordered(mesh: &TriMesh, order: Order) -> Self {
        let mut nodes = vec![Node::EMPTY];
        let mut ids = Vec::with_capacity(mesh.triangles().len());
        // Depth first, so that a subtree's triangles are neighbours in memory. An entry says: put the node `from` of
        // the order into half `half` of our node `at`.
        let mut open = match order.nodes[0] {
            Split::Inner([left, right]) => vec![(0usize, 1usize, right), (0, 0, left)],
            Split::Leaf(_) => vec![(0, 0, 0)],
        };
        while let Some((at, half, from)) = open.pop() {
            match order.nodes[from] {
                Split::Inner([left, right]) if order.leaves[from] as usize > LEAF => {
                    let node = nodes.len();
                    nodes.push(Node::EMPTY);
                    nodes[at].first[half] = node as u32;
                    nodes[at].count[half] = INNER;
                    open.push((node, 1, right));
                    open.push((node, 0, left));
                }
                _ => {
                    nodes[at].first[half] = ids.len() as u32;
                    nodes[at].count[half] = order.leaves[from];
                    order.collect(from, &mut ids);
                }
            }
        }
        let corners: Vec<[DVec3; 3]> = ids.iter().map(|&t| mesh.corners(t as usize)).collect();
        let vertices = ids.iter().map(|&t| mesh.triangles()[t as usize]).collect();
        let mut index = Self {
            nodes,
            corners,
            ids,
            vertices,
            vertex_count: mesh.positions().len(),
            bounds: mesh.bounds(),
            centre: DVec3::zero(),
            size: 0.0,
            spread: 1.0,
            spread_when_built: 1.0,
            whole: OnceLock::new(),
        };
        index.measure();
        index.set_boxes();
        index.spread_when_built = index.spread;
        index
    }

    /// How many triangles there are.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.ids.len()
    }

    /// Lower and upper corner of the box around the mesh (m).
    #[must_use]
    pub fn bounds(&self) -> (DVec3, DVec3) {
        self.bounds
    }

    /// Bytes held.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + size_of::<Node>() * self.nodes.capacity()
            + size_of::<[DVec3; 3]>() * self.corners.capacity()
            + 4 * self.ids.capacity()
            + 12 * self.vertices.capacity()
    }

    /// Leads `visitor` to every leaf it does not refuse, nearer boxes first.
    pub(crate) fn walk(&self, visitor: &mut impl Visitor) {
        self.walk_from(0, visitor);
    }

    fn walk_from<V: Visitor>(&self, start: u32, visitor: &mut V) {
        let mut pending = [(0.0f64, 0u32, 0u32); PENDING];
        let mut n = 0;
        // (bound, first, count) of the box at hand.
        let mut at = (0.0, start, INNER);
        loop {
            if at.2 == INNER {
                let node = &self.nodes[at.1 as usize];
                let bounds = visitor.bounds(node);
                let near = usize::from(bounds[1] < bounds[0]);
                let far = 1 - near;
                let limit = visitor.limit();
                if bounds[far] <= limit {
                    let b = (bounds[far], node.first[far], node.count[far]);
                    if n < PENDING {
                        pending[n] = b;
                        n += 1;
                    } else if b.2 == INNER {
                        self.walk_from(b.1, visitor);
                    } else {
                        self.leaf(b.1, b.2, visitor);
                    }
                }
                if bounds[near] <= limit {
                    at = (bounds[near], node.first[near], node.count[near]);
                    continue;
                }
            } else {
                self.leaf(at.1, at.2, visitor);
            }
            let limit = visitor.limit();
            loop {
                if n == 0 {
                    return;
                }
                n -= 1;
                if pending[n].0 <= limit {
                    at = pending[n];
                    break;
                }
            }
        }
    }

    #[inline]
    fn leaf<V: Visitor>(&self, first: u32, count: u32, visitor: &mut V) {
        for slot in first as usize..(first + count) as usize {
            visitor.triangle(slot);
        }
    }
}

/// What a query does on its way through the tree.
pub(crate) trait Visitor {
    /// Lower bounds of the query's measure (distance, time, …) in both boxes; ∞ to refuse one.
    fn bounds(&self, node: &Node) -> [f64; 2];
    /// Boxes with a bound above this are of no interest any more.
    fn limit(&self) -> f64;
    /// Looks at one triangle, by its place in tree order.
    fn triangle(&mut self, slot: usize);
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::icosphere;

    struct Everything(Vec<u32>);
    impl Visitor for Everything {
        fn bounds(&self, node: &Node) -> [f64; 2] {
            node.lo[0].map(f64::from)
        }
        fn limit(&self) -> f64 {
            f64::INFINITY
        }
        fn triangle(&mut self, slot: usize) {
            self.0.push(slot as u32);
        }
    }

    fn check(mesh: &TriMesh) -> usize {
        let index = MeshIndex::new(mesh);
        let mut ids = index.ids.clone();
        ids.sort_unstable();
        assert!(ids.iter().copied().eq(0..mesh.triangles().len() as u32));
        let mut all = Everything(vec![]);
        index.walk(&mut all);
        all.0.sort_unstable();
        assert!(all.0.iter().copied().eq(0..mesh.triangles().len() as u32));
        assert_eq!(index.bounds(), mesh.bounds());
        let mut depth = vec![1; index.nodes.len()];
        for (at, n) in index.nodes.iter().enumerate() {
            for half in 0..2 {
                let first = n.first[half] as usize;
                if n.count[half] == INNER {
                    depth[first] = depth[at] + 1;
                    continue;
                }
                for c in index.corners[first..first + n.count[half] as usize].iter().flatten() {
                    for axis in 0..3 {
                        let x = c[axis] - index.centre[axis];
                        assert!(f64::from(n.lo[axis][half]) <= x && x <= f64::from(n.hi[axis][half]));
                    }
                }
            }
        }
        depth.into_iter().max().unwrap()
    }

    #[test]
    fn every_triangle_is_in_one_leaf_whatever_the_mesh() {
        assert_eq!(size_of::<Node>(), 64);
        let sphere = icosphere(1.0, 3).unwrap();
        for scale in [1.0, 1e-200, 1e-20, 1e6, 1e200] {
            for shift in [0.0, 1e6] {
                check(&sphere.mapped(|p| (p + DVec3::broadcast(shift)) * scale).unwrap());
            }
        }
        check(&sphere.mapped(|p| DVec3::new(p.x, 0.0, 0.0)).unwrap());
        check(&sphere.mapped(|_| DVec3::one()).unwrap());
        check(&TriMesh::new(vec![DVec3::zero()], vec![[0; 3]]).unwrap());
        let p = vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
        assert!(check(&TriMesh::new(p, vec![[0, 1, 2]; 10_000]).unwrap()) < 20);
    }

    /// With and without the feature `bvh`: other trees, the same answers.
    #[test]
    fn no_answer_depends_on_the_splits() {
        let ring = impinge_geometry::torus(1.0, 0.25, 24, 12).unwrap();
        // Uneven, so that the trees differ; and flat, so that triangles tie.
        let uneven = ring.mapped(|p| DVec3::new(p.x * p.x * p.x, p.y, p.z)).unwrap();
        let flat = impinge_geometry::grid([1.0, 1.0], [9, 7]).unwrap();
        let collapsed = ring.mapped(|p| DVec3::new(p.x, 0.0, 0.0)).unwrap();
        for mesh in [&ring, &uneven, &flat, &collapsed] {
            let boxes = order::boxes(mesh.triangles().len(), mesh.bounds(), |t| mesh.corners(t));
            let (a, b) = (MeshIndex::new(mesh), MeshIndex::ordered(mesh, medians::split(&boxes)));
            let coordinate =
                |k: u32| f64::from(k.wrapping_mul(2_654_435_761) >> 8) / f64::from(1u32 << 23) - 1.0;
            for k in 0..500 {
                let p = DVec3::new(coordinate(3 * k), coordinate(3 * k + 1), 0.4 * coordinate(3 * k + 2));
                let way = DVec3::new(coordinate(5 * k), coordinate(5 * k + 1), coordinate(5 * k + 2));
                assert_eq!(a.nearest(p), b.nearest(p));
                assert_eq!(a.winding(p), b.winding(p));
                assert_eq!(a.penetration(p), b.penetration(p));
                assert_eq!(a.ray(p, way, 9.0), b.ray(p, way, 9.0));
            }
        }
    }

    #[test]
    #[cfg(feature = "bvh")]
    fn a_tree_deeper_than_the_stack_is_walked() {
        // Each triangle is 0.6 times the size of the one before: every split takes off the outermost few.
        // With the three axes shrinking one after the other, each down to rounding, that goes on for long.
        let size = |k: i32, from: i32| 0.6f64.powi((k - from).clamp(0, 66));
        let positions = (0..200)
            .flat_map(|k| {
                let at = DVec3::new(size(k, 0), 1e-14 * size(k, 66), 1e-28 * size(k, 132));
                [at, at * 1.01, at * 0.99]
            })
            .collect();
        let triangles = (0..200).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let depth = check(&TriMesh::new(positions, triangles).unwrap());
        assert!(depth > 8, "depth {depth}: no test of anything");
    }
}
