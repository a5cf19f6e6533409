//! A tree of boxes over the few triangles of one body that reach the other, built anew for every question.
//!
//! Halves at the median of the longest axis: whatever the triangles' sizes, a query stays logarithmic.

use crate::bounds::Bounds;
use crate::closed::along;
use impinge_contact::for_each_set;
use impinge_contact::wide::Instructions;
use impinge_geometry::DVec3;

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
    /// The same, eight at a time.
    wide: Vec<Wide>,
    order: Vec<u32>,
    keys: Vec<(f64, u32)>,
    /// Twice the middle of each box.
    middles: Vec<DVec3>,
}

impl Tree {
    pub fn build(&mut self, boxes: &[Bounds]) {
        self.nodes.clear();
        self.wide.clear();
        self.order.clear();
        self.order.extend(0..boxes.len() as u32);
        if !boxes.is_empty() {
            self.middles.clear();
            self.middles.extend(boxes.iter().map(|b| b.lo + b.hi));
            self.split(boxes, 0, boxes.len());
            self.widen(boxes, 0, boxes.len());
        }
    }

    fn split(&mut self, boxes: &[Bounds], first: usize, end: usize) {
        let list = &mut self.order[first..end];
        let head = boxes[list[0] as usize];
        let node = self.nodes.len();
        let count = list.len();
        if count <= LEAF {
            let bounds = list.iter().fold(head, |b, &i| b.merged(&boxes[i as usize]));
            self.nodes.push(Node { bounds, first: first as u32, count: count as u32 });
            return;
        }
        // What is below says how large it is.
        self.nodes.push(Node { bounds: head, first: 0, count: 0 });
        let middle = |i: u32| self.middles[i as usize];
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
        let other = self.nodes.len();
        self.split(boxes, first + half, end);
        let bounds = self.nodes[node + 1].bounds.merged(&self.nodes[other].bounds);
        self.nodes[node] = Node { bounds, first: other as u32, count: 0 };
    }

    /// Widens the node `n` and all below it; where it is then.
    fn widen(&mut self, boxes: &[Bounds], n: u32, count: usize) -> u32 {
        let at = self.wide.len();
        self.wide.push(Wide::default());
        if count <= LANES {
            let first = self.first_of(n) as usize;
            let list = &self.order[first..first + count];
            let wide = &mut self.wide[at];
            wide.leaf = true;
            for (l, &i) in list.iter().enumerate() {
                wide.put(l, &boxes[i as usize], i);
            }
            return at as u32;
        }
        // Three generations on, left before right.
        let mut below = [(n, count); LANES];
        let mut known = 1;
        for _ in 0..LANES.trailing_zeros() {
            let before = below;
            let mut k = 0;
            for &(n, count) in &before[..known] {
                let node = &self.nodes[n as usize];
                if node.count > 0 {
                    below[k] = (n, count);
                    k += 1;
                } else {
                    below[k] = (n + 1, count / 2);
                    below[k + 1] = (node.first, count - count / 2);
                    k += 2;
                }
            }
            known = k;
        }
        for (l, &(n, count)) in below[..known].iter().enumerate() {
            let bounds = self.nodes[n as usize].bounds;
            let child = self.widen(boxes, n, count);
            self.wide[at].put(l, &bounds, child);
        }
        at as u32
    }

    /// Where the boxes below a node begin.
    fn first_of(&self, mut n: u32) -> u32 {
        while self.nodes[n as usize].count == 0 {
            n += 1;
        }
        self.nodes[n as usize].first
    }

    /// Calls `f` with every box that shares a point with `q`, in the order of the tree.
    pub fn query(&self, with: Instructions, q: &Bounds, scratch: &mut Scratch, f: impl FnMut(u32)) {
        scratch.found.clear();
        find(with, &self.wide, q, &mut scratch.apart, &mut scratch.stack, &mut scratch.found);
        scratch.found.iter().copied().for_each(f);
    }
}

/// What a query works with.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    apart: [f64; LANES],
    stack: Vec<u32>,
    found: Vec<u32>,
}

/// Boxes compared at a time.
const LANES: usize = 8;

/// Eight boxes, in the tree's order, and the wide nodes or boxes they stand for.
#[derive(Clone, Copy, Debug)]
struct Wide {
    lo: [[f64; LANES]; 3],
    hi: [[f64; LANES]; 3],
    of: [u32; LANES],
    leaf: bool,
}

impl Default for Wide {
    /// Meets nothing.
    fn default() -> Self {
        let (lo, hi) = ([[f64::INFINITY; LANES]; 3], [[f64::NEG_INFINITY; LANES]; 3]);
        Self { lo, hi, of: [0; LANES], leaf: false }
    }
}

impl Wide {
    fn put(&mut self, l: usize, b: &Bounds, of: u32) {
        [self.lo[0][l], self.lo[1][l], self.lo[2][l]] = [b.lo.x, b.lo.y, b.lo.z];
        [self.hi[0][l], self.hi[1][l], self.hi[2][l]] = [b.hi.x, b.hi.y, b.hi.z];
        self.of[l] = of;
    }

    /// A bit for each box: 1 where it shares a point with `q`. `apart` is memory of the caller's: the compiler fills it eight numbers at a
    /// time, which it does not see for numbers that are not stored.
    #[inline(always)]
    fn met(&self, q: &Bounds, apart: &mut [f64; LANES]) -> u32 {
        let (lo, hi) = ([q.lo.x, q.lo.y, q.lo.z], [q.hi.x, q.hi.y, q.hi.z]);
        // How far apart along any axis: the sign of a difference is that of the comparison.
        for l in 0..LANES {
            let mut gap = 0.0;
            for k in 0..3 {
                let (below, above) = (self.lo[k][l] - hi[k], lo[k] - self.hi[k][l]);
                gap = if below > gap { below } else { gap };
                gap = if above > gap { above } else { gap };
            }
            apart[l] = gap;
        }
        let mut met = 0;
        for l in 0..LANES {
            met |= u32::from(apart[l] == 0.0) << l;
        }
        met
    }
}

/// See [`find`].
#[inline(always)]
fn find_lanes(
    wide: &[Wide],
    q: &Bounds,
    apart: &mut [f64; LANES],
    stack: &mut Vec<u32>,
    found: &mut Vec<u32>,
) {
    if !wide.is_empty() {
        stack.push(0);
    }
    while let Some(n) = stack.pop() {
        let node = &wide[n as usize];
        let mut met = node.met(q, apart);
        if node.leaf {
            while met != 0 {
                found.push(node.of[met.trailing_zeros() as usize]);
                met &= met - 1;
            }
        } else {
            // The last first: the first is then the next.
            while met != 0 {
                let l = 31 - met.leading_zeros() as usize;
                stack.push(node.of[l]);
                met &= !(1 << l);
            }
        }
    }
}

for_each_set! {
    /// Adds the boxes that share a point with `q`.
    find = find_lanes(wide: &[Wide], q: &Bounds, apart: &mut [f64; LANES], stack: &mut Vec<u32>, found: &mut Vec<u32>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_box_that_meets_is_found_once_in_one_order() {
        let mut state = 7u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Few values: sides that touch are ordinary.
            f64::from((state >> 56) as u32) / 16.0
        };
        for count in [1, 4, 5, 8, 9, 33, 300] {
            let boxes: Vec<Bounds> = (0..count)
                .map(|_| {
                    let lo = DVec3::new(number(), number(), number());
                    Bounds { lo, hi: lo + DVec3::new(number(), number(), number()) * 0.2 }
                })
                .collect();
            let mut tree = Tree::default();
            tree.build(&boxes);
            let mut found = 0;
            for q in &boxes {
                let want: Vec<u32> =
                    tree.order.iter().copied().filter(|&i| boxes[i as usize].overlaps(q)).collect();
                found += want.len();
                for with in Instructions::available() {
                    let mut got = Vec::new();
                    tree.query(with, q, &mut Scratch::default(), |i| got.push(i));
                    assert_eq!(got, want, "{count} boxes, {}", with.name());
                }
            }
            assert!(found >= count, "each meets itself");
        }
        let mut empty = Tree::default();
        empty.build(&[]);
        empty.query(
            Instructions::best(),
            &Bounds { lo: DVec3::zero(), hi: DVec3::one() },
            &mut Scratch::default(),
            |_| panic!("nothing is there"),
        );
    }
}
