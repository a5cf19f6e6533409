//! Pairs of blocks whose boxes meet, from two rest-pose trees under a relative pose.
//!
//! The taller tree is walked down against the other's bounds until the levels agree; then both go down in step, each
//! child box of one node against the eight of the other in one pass.

use super::relative::Relative;
use super::screen::boxes;
use crate::simd::{Lanes, W};
use crate::tree::Tree;

/// Children boxes of guest nodes in the host's frame, made when first looked at.
#[derive(Clone, Debug, Default)]
pub struct TurnedNodes {
    nodes: Vec<Turned>,
    stamp: Vec<u32>,
    now: u32,
}

#[repr(C, align(64))]
#[derive(Clone, Debug)]
struct Turned {
    lo: [Lanes; 3],
    hi: [Lanes; 3],
}

impl TurnedNodes {
    fn start(&mut self, nodes: usize) {
        if self.stamp.len() < nodes {
            self.stamp.resize(nodes, 0);
            self.nodes.resize(nodes, Turned { lo: [[0.0; W]; 3], hi: [[0.0; W]; 3] });
        }
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.stamp.fill(0);
            self.now = 1;
        }
    }

    #[inline(always)]
    fn get(&mut self, relative: &Relative, tree: &Tree, node: u32, margin: f64) -> &Turned {
        let i = node as usize;
        if self.stamp[i] != self.now {
            self.stamp[i] = self.now;
            let t = &mut self.nodes[i];
            relative.of_node(&tree.nodes[i], margin, &mut t.lo, &mut t.hi);
        }
        &self.nodes[i]
    }
}

/// Every pair of blocks (guest, host) whose boxes, the guest's widened by `margin`, meet; returns the node pairs seen.
#[inline(always)]
pub fn blocks(
    relative: &Relative,
    guest: &Tree,
    host: &Tree,
    margin: f64,
    turned: &mut TurnedNodes,
    stack: &mut Vec<[u32; 2]>,
    out: &mut Vec<[u32; 2]>,
) -> u32 {
    out.clear();
    stack.clear();
    let mut whole = relative.of_box(&guest.bounds);
    whole.lo -= impinge_geometry::DVec3::broadcast(margin);
    whole.hi += impinge_geometry::DVec3::broadcast(margin);
    let (lo, hi) = (whole.lo, whole.hi);
    let b = &host.bounds;
    let apart = (0..3).any(|k| lo[k] > b.hi[k] || b.lo[k] > hi[k]);
    if apart {
        return 1;
    }
    turned.start(guest.nodes.len());
    stack.push([guest.root(), host.root()]);
    let (mut seen, mut low) = (1, 0);
    // Levels to go down on one side only; runs of the stack are whole levels then.
    for _ in host.levels..guest.levels {
        let end = stack.len();
        for i in low..end {
            let [a, h] = stack[i];
            let t = turned.get(relative, guest, a, margin);
            let m = boxes(&[b.lo.x, b.lo.y, b.lo.z], &[b.hi.x, b.hi.y, b.hi.z], &t.lo, &t.hi);
            seen += 1;
            for l in bits(m) {
                stack.push([guest.nodes[a as usize].child[l], h]);
            }
        }
        low = end;
    }
    for _ in guest.levels..host.levels {
        let end = stack.len();
        for i in low..end {
            let [a, h] = stack[i];
            let node = &host.nodes[h as usize];
            let m = boxes(&[lo.x, lo.y, lo.z], &[hi.x, hi.y, hi.z], &node.lo, &node.hi);
            seen += 1;
            for l in bits(m) {
                stack.push([a, node.child[l]]);
            }
        }
        low = end;
    }
    stack.drain(..low);
    for level in (1..=guest.levels.min(host.levels)).rev() {
        // A level at a time: memory is walked in order, and the output comes sorted by guest.
        let end = stack.len();
        let mut i = 0;
        while i < end {
            // The run of one guest node: its children in turn against all of it keeps the output sorted.
            let a = stack[i][0];
            let mut stop = i + 1;
            while stop < end && stack[stop][0] == a {
                stop += 1;
            }
            seen += (stop - i) as u32;
            let t = turned.get(relative, guest, a, margin);
            let children = &guest.nodes[a as usize];
            for la in 0..children.len as usize {
                let (lo, hi) =
                    ([t.lo[0][la], t.lo[1][la], t.lo[2][la]], [t.hi[0][la], t.hi[1][la], t.hi[2][la]]);
                for k in i..stop {
                    let node = &host.nodes[stack[k][1] as usize];
                    let m = boxes(&lo, &hi, &node.lo, &node.hi);
                    let to = if level == 1 { &mut *out } else { &mut *stack };
                    for l in bits(m) {
                        to.push([children.child[la], node.child[l]]);
                    }
                }
            }
            i = stop;
        }
        stack.drain(..end);
    }
    seen
}

/// The lanes whose byte is set, lowest first.
#[inline(always)]
pub fn bits(mut m: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (m != 0).then(|| {
            let l = (m.trailing_zeros() / 8) as usize;
            m &= m - 1;
            l
        })
    })
}

/// Runs of pairs with the same first number.
pub struct Runs<'a> {
    rest: &'a [[u32; 2]],
}

impl<'a> Runs<'a> {
    #[must_use]
    pub fn new(pairs: &'a [[u32; 2]]) -> Self {
        Self { rest: pairs }
    }
}

impl<'a> Iterator for Runs<'a> {
    type Item = &'a [[u32; 2]];

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let first = self.rest.first()?[0];
        let n = self.rest.iter().position(|p| p[0] != first).unwrap_or(self.rest.len());
        let (run, rest) = self.rest.split_at(n);
        self.rest = rest;
        Some(run)
    }
}
