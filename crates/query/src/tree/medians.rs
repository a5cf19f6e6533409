//! Splits at the median along the axis in which the centres spread most: no crate needed, a balanced tree for any mesh.

use super::order::{Order, Split, Unit};
use impinge_geometry::DVec3;

/// Halves the boxes until one is left; equal centres go by number.
pub(super) fn split(boxes: &[Unit]) -> Order {
    let centre = |i: u32| boxes[i as usize].lo + boxes[i as usize].hi;
    let mut ids: Vec<u32> = (0..boxes.len() as u32).collect();
    let mut nodes = vec![Split::Leaf(0)];
    let mut open = vec![(0, 0..ids.len())];
    while let Some((node, range)) = open.pop() {
        let part = &mut ids[range.clone()];
        let [first, _, ..] = part else {
            nodes[node] = Split::Leaf(part[0]);
            continue;
        };
        let start = centre(*first);
        let (lo, hi): (DVec3, DVec3) = part
            .iter()
            .map(|&i| centre(i))
            .fold((start, start), |(lo, hi), c| (lo.min_by_component(c), hi.max_by_component(c)));
        let spread: [f64; 3] = (hi - lo).into();
        let axis = if spread[0] >= spread[1] && spread[0] >= spread[2] {
            0
        } else if spread[1] >= spread[2] {
            1
        } else {
            2
        };
        let half = part.len() / 2;
        part.select_nth_unstable_by(half, |&a, &b| {
            centre(a)[axis].total_cmp(&centre(b)[axis]).then(a.cmp(&b))
        });
        let children = [nodes.len(), nodes.len() + 1];
        nodes[node] = Split::Inner(children);
        nodes.extend([Split::Leaf(0); 2]);
        let middle = range.start + half;
        open.push((children[0], range.start..middle));
        open.push((children[1], middle..range.end));
    }
    Order::new(nodes)
}
