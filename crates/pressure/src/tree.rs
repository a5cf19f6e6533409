//! A tree of boxes with eight children per node, over blocks of eight items; built once in the rest pose.
//!
//! Eight-way nodes are tested like blocks: one box against eight in one pass over columns. All leaves lie at the
//! same depth, so a pair of levels says what a pair of nodes is. Items are sorted by halving along the longest
//! axis of their centres, at multiples of 8ᵏ, so that all nodes but the last of a level are full.

use crate::simd::{Lanes, W};
use impinge_geometry::DVec3;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box3 {
    /// Lowest corner (m).
    pub lo: DVec3,
    /// Highest corner (m).
    pub hi: DVec3,
}

impl Box3 {
    pub const NOTHING: Self = Self {
        lo: DVec3 { x: f64::INFINITY, y: f64::INFINITY, z: f64::INFINITY },
        hi: DVec3 { x: f64::NEG_INFINITY, y: f64::NEG_INFINITY, z: f64::NEG_INFINITY },
    };

    #[must_use]
    pub fn around(points: &[DVec3]) -> Self {
        points.iter().fold(Self::NOTHING, |b, &p| b.with(p))
    }

    #[must_use]
    pub fn with(&self, p: DVec3) -> Self {
        Self { lo: self.lo.min_by_component(p), hi: self.hi.max_by_component(p) }
    }

    #[must_use]
    pub fn join(&self, o: &Self) -> Self {
        Self { lo: self.lo.min_by_component(o.lo), hi: self.hi.max_by_component(o.hi) }
    }
}

/// Eight boxes and who they are: blocks at level 1, nodes above.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub struct Node {
    pub lo: [Lanes; 3],
    pub hi: [Lanes; 3],
    pub child: [u32; W],
    pub len: u32,
}

/// The tree. Level 0 are the blocks themselves, `levels()` is the level of the root node.
#[derive(Clone, Debug)]
pub struct Tree {
    pub nodes: Vec<Node>,
    pub levels: u32,
    pub bounds: Box3,
}

/// Sorts `order` so that every run of eight, of 64, … is compact.
pub fn sort(order: &mut [u32], centres: &[DVec3]) {
    let n = order.len();
    if n <= W {
        return;
    }
    // The largest 8ᵏ below n; halves are whole numbers of such runs.
    let mut unit = W;
    while unit * W < n {
        unit *= W;
    }
    let runs = n.div_ceil(unit);
    let left = (runs / 2).max(1) * unit;
    let b = order.iter().fold(Box3::NOTHING, |b, &i| b.with(centres[i as usize]));
    let e = b.hi - b.lo;
    let axis = if e.x >= e.y && e.x >= e.z {
        0
    } else if e.y >= e.z {
        1
    } else {
        2
    };
    // Ties go by number, so that the order is the same on every machine.
    let key =
        |i: &u32, j: &u32| centres[*i as usize][axis].total_cmp(&centres[*j as usize][axis]).then(i.cmp(j));
    order.select_nth_unstable_by(left, key);
    let (a, b) = order.split_at_mut(left);
    sort(a, centres);
    sort(b, centres);
}

impl Tree {
    /// Over the boxes of the blocks, in their order; there is at least one.
    #[must_use]
    pub fn new(blocks: &[Box3]) -> Self {
        let bounds = blocks.iter().fold(Box3::NOTHING, |b, c| b.join(c));
        let mut nodes = Vec::new();
        let mut level: Vec<(u32, Box3)> = blocks.iter().enumerate().map(|(i, &b)| (i as u32, b)).collect();
        let mut levels = 0;
        loop {
            levels += 1;
            let mut above = Vec::with_capacity(level.len().div_ceil(W));
            for run in level.chunks(W) {
                let mut node = Node {
                    lo: [[f64::INFINITY; W]; 3],
                    hi: [[f64::NEG_INFINITY; W]; 3],
                    child: [u32::MAX; W],
                    len: run.len() as u32,
                };
                let mut whole = Box3::NOTHING;
                for (l, (i, b)) in run.iter().enumerate() {
                    for k in 0..3 {
                        node.lo[k][l] = b.lo[k];
                        node.hi[k][l] = b.hi[k];
                    }
                    node.child[l] = *i;
                    whole = whole.join(b);
                }
                above.push((nodes.len() as u32, whole));
                nodes.push(node);
            }
            level = above;
            if level.len() == 1 {
                return Self { nodes, levels, bounds };
            }
        }
    }

    /// The number of the root node.
    #[must_use]
    pub fn root(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }
}
