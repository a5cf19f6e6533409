//! A tree of boxes over the few triangles of one body that reach the other, built anew for every question.
//!
//! Halves at the median of the longest axis: whatever the triangles' sizes, a query stays logarithmic.

use crate::closed::{Bounds, along};

const LEAF: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    first: u32,
    /// Triangles of a leaf; 0 for a node whose children are the next one and `first`.
    count: u32,
}

/// The tree and its scratch.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    keys: Vec<(f64, u32)>,
}

impl Tree {
    pub fn build(&mut self, boxes: &[Bounds]) {
        self.nodes.clear();
        self.order.clear();
        self.order.extend(0..boxes.len() as u32);
        if !boxes.is_empty() {
            self.split(boxes, 0, boxes.len());
        }
    }

    fn split(&mut self, boxes: &[Bounds], first: usize, end: usize) {
        let list = &mut self.order[first..end];
        let head = boxes[list[0] as usize];
        let bounds = list.iter().fold(head, |b, &i| b.merged(&boxes[i as usize]));
        let node = self.nodes.len();
        let count = list.len();
        self.nodes.push(Node { bounds, first: first as u32, count: count as u32 });
        if count <= LEAF {
            return;
        }
        let middle = |i: u32| boxes[i as usize].lo + boxes[i as usize].hi;
        let first_middle = middle(list[0]);
        let (lo, hi) = list.iter().fold((first_middle, first_middle), |(lo, hi), &i| {
            let m = middle(i);
            (lo.min_by_component(m), hi.max_by_component(m))
        });
        let extent = hi - lo;
        let axis = if extent.x >= extent.y && extent.x >= extent.z {
            0
        } else if extent.y >= extent.z {
            1
        } else {
            2
        };
        // Keys beside the indices: the selection then reads memory in order. Ties go by index.
        self.keys.clear();
        self.keys.extend(list.iter().map(|&i| (along(middle(i), axis), i)));
        let half = count / 2;
        self.keys.select_nth_unstable_by(half, |p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        list.iter_mut().zip(&self.keys).for_each(|(o, k)| *o = k.1);
        self.split(boxes, first, first + half);
        self.nodes[node].first = self.nodes.len() as u32;
        self.nodes[node].count = 0;
        self.split(boxes, first + half, end);
    }

    /// Calls `f` with every box that shares a point with `q`, in the order of the tree.
    pub fn query(&self, boxes: &[Bounds], q: &Bounds, stack: &mut Vec<u32>, mut f: impl FnMut(u32)) {
        stack.clear();
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(n) = stack.pop() {
            let node = &self.nodes[n as usize];
            if !node.bounds.overlaps(q) {
                continue;
            }
            if node.count == 0 {
                stack.push(node.first);
                stack.push(n + 1);
                continue;
            }
            let list = &self.order[node.first as usize..(node.first + node.count) as usize];
            list.iter().filter(|&&i| boxes[i as usize].overlaps(q)).for_each(|&i| f(i));
        }
    }
}
