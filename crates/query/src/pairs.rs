//! Two trees walked together, what is nearest first: the frame of every question about two meshes.
//!
//! A visitor gives a lower bound of its measure (distance, time) for two boxes. Pairs of boxes wait in a heap; the one with the
//! lowest bound is opened next, until no bound is within the visitor's limit.

use crate::tree::{INNER, MeshIndex};
use impinge_geometry::DVec3;
use std::collections::BinaryHeap;
use std::ops::Range;

/// One box of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(u32);

impl Place {
    /// The box around the whole mesh.
    pub const WHOLE: Self = Self(u32::MAX);

    fn half(node: u32, half: u32) -> Self {
        Self(2 * node + half)
    }

    fn split(self) -> (usize, usize) {
        (self.0 as usize / 2, self.0 as usize % 2)
    }
}

/// A question about two meshes.
pub trait PairVisitor {
    /// What a box becomes before it is compared: placed, swept.
    type Placed: Copy;
    /// A box of the first mesh.
    fn first(&self, at: Place) -> Self::Placed;
    /// A box of the second mesh.
    fn second(&self, at: Place) -> Self::Placed;
    /// A number not above the measure of anything in the two boxes; ∞ to pass over both.
    fn bound(&self, a: &Self::Placed, b: &Self::Placed) -> f64;
    /// Bounds above this are of no interest any more.
    fn limit(&self) -> f64;
    /// Looks at the triangles of two leaves, by their places in tree order.
    fn leaves(&mut self, a: Range<usize>, b: Range<usize>);
}

/// Two boxes that wait.
#[derive(Clone, Copy, PartialEq)]
struct Waiting {
    bound: f64,
    a: Place,
    b: Place,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    /// The lowest bound is the greatest: a heap gives the greatest first.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.bound.total_cmp(&self.bound).then((other.a, other.b).cmp(&(self.a, self.b)))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl MeshIndex {
    /// Leads `visitor` to every pair of leaves of this mesh and `other` that it does not refuse, lowest bounds first.
    pub fn walk_pairs<V: PairVisitor>(&self, other: &Self, visitor: &mut V) {
        let mut heap = BinaryHeap::new();
        let whole = |bound| Waiting { bound, a: Place::WHOLE, b: Place::WHOLE };
        let bound = visitor.bound(&visitor.first(Place::WHOLE), &visitor.second(Place::WHOLE));
        if bound <= visitor.limit() {
            heap.push(whole(bound));
        }
        while let Some(Waiting { bound, a, b }) = heap.pop() {
            if bound > visitor.limit() {
                return;
            }
            let (inner_a, inner_b) = (self.is_inner(a), other.is_inner(b));
            if !inner_a && !inner_b {
                visitor.leaves(self.leaf_slots(a), other.leaf_slots(b));
                continue;
            }
            let (of_a, of_b) = (self.below(a, inner_a), other.below(b, inner_b));
            let placed_b = of_b.map(|p| p.map(|p| visitor.second(p)));
            for a in of_a.into_iter().flatten() {
                let placed_a = visitor.first(a);
                for (b, placed_b) in of_b.iter().zip(&placed_b) {
                    if let (Some(b), Some(placed_b)) = (*b, placed_b) {
                        let bound = visitor.bound(&placed_a, placed_b);
                        if bound <= visitor.limit() {
                            heap.push(Waiting { bound, a, b });
                        }
                    }
                }
            }
        }
    }

    /// Lower and upper corner of a box (m, body frame). It holds every corner of its triangles.
    #[must_use]
    pub fn box_at(&self, at: Place) -> (DVec3, DVec3) {
        let (lo, hi) = self.bounds;
        if at == Place::WHOLE {
            return (lo, hi);
        }
        let (node, half) = at.split();
        let n = &self.nodes[node];
        let of = |v: &[[f32; 2]; 3]| {
            DVec3::new(f64::from(v[0][half]), f64::from(v[1][half]), f64::from(v[2][half])) + self.centre
        };
        // Never outside of the whole, whose corners are finite.
        (of(&n.lo).max_by_component(lo), of(&n.hi).min_by_component(hi))
    }

    /// The corners of a triangle by its place in tree order (m, body frame).
    #[must_use]
    pub fn corners_at(&self, slot: usize) -> &[DVec3; 3] {
        &self.corners[slot]
    }

    /// Its vertices, by their numbers in the mesh.
    #[must_use]
    pub fn vertices_at(&self, slot: usize) -> [u32; 3] {
        self.vertices[slot]
    }

    /// Its number in the mesh.
    #[must_use]
    pub fn triangle_at(&self, slot: usize) -> u32 {
        self.ids[slot]
    }

    /// How many positions [`MeshIndex::update`] takes.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    fn is_inner(&self, at: Place) -> bool {
        let (node, half) = at.split();
        at == Place::WHOLE || self.nodes[node].count[half] == INNER
    }

    /// The boxes in a box; the box itself where it is a leaf.
    fn below(&self, at: Place, inner: bool) -> [Option<Place>; 2] {
        if !inner {
            return [Some(at), None];
        }
        let node = if at == Place::WHOLE {
            0
        } else {
            let (node, half) = at.split();
            self.nodes[node].first[half]
        };
        // A mesh of one leaf leaves the second half of its node empty.
        [0, 1]
            .map(|half| (self.nodes[node as usize].count[half as usize] > 0).then(|| Place::half(node, half)))
    }

    fn leaf_slots(&self, at: Place) -> Range<usize> {
        let (node, half) = at.split();
        let n = &self.nodes[node];
        n.first[half] as usize..(n.first[half] + n.count[half]) as usize
    }
}
