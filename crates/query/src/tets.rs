//! Which tet of a rest-pose tet mesh holds a point, and where in it: the embedding of a fine surface in a coarse
//! body, the value of a field at a point.

use crate::tree::{Order, Split, split};
use impinge_geometry::{DVec3, TetMesh, tet_orientation, tet_volume};
use std::cmp::Ordering;

/// A box of the tree, in depth-first order: a point outside it goes on at `skip`.
#[derive(Clone, Copy, Debug)]
struct Step {
    lo: DVec3,
    hi: DVec3,
    skip: u32,
    /// The tet of a leaf, or [`INNER`].
    tet: u32,
}

const INNER: u32 = u32::MAX;

/// A point in a tet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Located {
    /// The tet.
    pub tet: u32,
    /// Barycentric weights on its corners: not negative, their sum is 1.
    pub weights: [f64; 4],
}

/// Finds the tet that holds a point. Built once in the rest pose; no query allocates or recurses.
///
/// Flat tets hold nothing, inverted ones what they enclose. Where tets share the point, on a common face or
/// where they overlap, the lowest index is named.
#[derive(Clone, Debug)]
pub struct TetIndex {
    steps: Vec<Step>,
    corners: Vec<[DVec3; 4]>,
}

impl TetIndex {
    /// Builds the tree.
    #[must_use]
    pub fn new(mesh: &TetMesh) -> Self {
        let n = mesh.tets().len();
        let order = split(n, mesh.bounds(), |t| mesh.corners(t));
        let corners: Vec<[DVec3; 4]> = (0..n).map(|t| mesh.corners(t)).collect();
        let mut index = Self { steps: Vec::with_capacity(2 * n), corners };
        index.lay_out(&order);
        index.set_boxes();
        index
    }

    /// Writes the nodes depth first. The subtree of a node ends where the next one outside it begins.
    fn lay_out(&mut self, order: &Order) {
        let mut open = vec![0usize];
        while let Some(node) = open.pop() {
            // A tree with `k` leaves has `2k − 1` nodes.
            let skip = self.steps.len() as u32 + 2 * order.leaves[node] - 1;
            let empty = DVec3::broadcast(f64::INFINITY);
            let tet = match order.nodes[node] {
                Split::Leaf(tet) => tet,
                Split::Inner([left, right]) => {
                    open.extend([right, left]);
                    INNER
                }
            };
            self.steps.push(Step { lo: empty, hi: -empty, skip, tet });
        }
    }

    /// Children stand behind their parents: one pass from the back.
    fn set_boxes(&mut self) {
        for at in (0..self.steps.len()).rev() {
            let step = self.steps[at];
            let (lo, hi) = if step.tet == INNER {
                let left = self.steps[at + 1];
                let right = self.steps[left.skip as usize];
                (left.lo.min_by_component(right.lo), left.hi.max_by_component(right.hi))
            } else {
                let c = &self.corners[step.tet as usize];
                let lo = c.iter().fold(c[0], |a, &b| a.min_by_component(b));
                (lo, c.iter().fold(c[0], |a, &b| a.max_by_component(b)))
            };
            (self.steps[at].lo, self.steps[at].hi) = (lo, hi);
        }
    }

    /// The tet that holds `p` (m, rest frame), decided exactly: faces, sides and corners belong to their tets, so
    /// a point inside the mesh is never lost between two of them. `None` outside, and for a point that is not
    /// finite.
    #[must_use]
    pub fn locate(&self, p: impl Into<DVec3>) -> Option<Located> {
        self.locate_if(p, |_| true)
    }

    /// The same among the tets that `accept` names.
    #[must_use]
    pub fn locate_if(&self, p: impl Into<DVec3>, accept: impl Fn(u32) -> bool) -> Option<Located> {
        let p = p.into();
        let mut best = INNER;
        let mut at = 0;
        while at < self.steps.len() {
            let s = &self.steps[at];
            let outside = !(p.x >= s.lo.x
                && p.y >= s.lo.y
                && p.z >= s.lo.z
                && p.x <= s.hi.x
                && p.y <= s.hi.y
                && p.z <= s.hi.z);
            if outside {
                at = s.skip as usize;
                continue;
            }
            if s.tet < best && accept(s.tet) && holds(&self.corners[s.tet as usize], p) {
                best = s.tet;
            }
            at += 1;
        }
        (best != INNER).then(|| Located { tet: best, weights: weights(&self.corners[best as usize], p) })
    }

    /// Bytes held.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Step>() * self.steps.capacity() + size_of::<[DVec3; 4]>() * self.corners.capacity()
    }
}

/// The tet with corner `i` moved to `p`.
fn replaced(tet: &[DVec3; 4], i: usize, p: DVec3) -> [DVec3; 4] {
    let mut t = *tet;
    t[i] = p;
    t
}

/// On no outer side of any face, exactly; a flat tet holds nothing.
fn holds(tet: &[DVec3; 4], p: DVec3) -> bool {
    let side = tet_orientation(*tet);
    side != Ordering::Equal
        && (0..4).all(|i| {
            let s = tet_orientation(replaced(tet, i, p));
            s == Ordering::Equal || s == side
        })
}

/// Volumes over the whole; rounding below zero is cut, and the sum set to 1.
fn weights(tet: &[DVec3; 4], p: DVec3) -> [f64; 4] {
    let whole = tet_volume(*tet);
    let mut w = [0, 1, 2, 3].map(|i| (tet_volume(replaced(tet, i, p)) / whole).max(0.0));
    let sum: f64 = w.iter().sum();
    if sum > 0.0 && sum.is_finite() {
        w = w.map(|x| x / sum);
        return w;
    }
    // A sliver whose volume is lost to rounding: the nearest corner has it all.
    let nearest =
        (0..4).min_by(|&a, &b| (tet[a] - p).mag_sq().total_cmp(&(tet[b] - p).mag_sq())).unwrap_or(0);
    let mut w = [0.0; 4];
    w[nearest] = 1.0;
    w
}
