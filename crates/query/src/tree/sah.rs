//! Splits by the surface-area heuristic of the bvh crate.

use super::order::{Order, Split, Unit};
use bvh::aabb::{Aabb, Bounded};
use bvh::bounding_hierarchy::BHShape;
use bvh::bvh::{Bvh, BvhNode};

struct Shape {
    lo: [f64; 3],
    hi: [f64; 3],
    node: usize,
}

impl Bounded<f64, 3> for Shape {
    fn aabb(&self) -> Aabb<f64, 3> {
        Aabb::with_bounds(self.lo.into(), self.hi.into())
    }
}

impl BHShape<f64, 3> for Shape {
    fn set_bh_node_index(&mut self, node: usize) {
        self.node = node;
    }
    fn bh_node_index(&self) -> usize {
        self.node
    }
}

/// Lets the bvh crate split these boxes. Children follow their parents in a fresh tree.
pub(super) fn split(boxes: &[Unit]) -> Order {
    let mut shapes: Vec<Shape> =
        boxes.iter().map(|b| Shape { lo: b.lo.into(), hi: b.hi.into(), node: 0 }).collect();
    let tree = Bvh::build(&mut shapes);
    let nodes = tree.nodes.iter().map(|n| match *n {
        BvhNode::Leaf { shape_index, .. } => Split::Leaf(shape_index as u32),
        BvhNode::Node { child_l_index, child_r_index, .. } => Split::Inner([child_l_index, child_r_index]),
    });
    Order::new(nodes.collect())
}
