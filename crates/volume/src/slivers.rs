//! Cells that the grid cuts off too little of are joined to the cell beside them.
//!
//! A body that slides over the wall of a cell has a strip of contact in the next one that is as narrow as it is deep. The grid cuts through
//! that aslant, so its volume over its area is not the depth there: a stabilisation that keeps depths lifts the body off its other cells. Cells of a
//! fluid that a body cuts are treated likewise ("cut-cell merging", Clarke, Salas and Hassan, AIAA J. 24, 1986). Volumes and gradients are only
//! added up: sums over cells, and Newton's third law in each, stay what they are.

use crate::overlap::{Cell, Overlap};
use impinge_geometry::DVec3;
use std::collections::BTreeMap;

/// Areas are as large as each other up to this part: rounding does not choose between neighbours.
const EVEN: f64 = 1e-6;
/// Part of its neighbour's area that a sliver has at most.
const SHARE: f64 = 0.25;
/// Width of a sliver at most, in depths of its neighbour: of a cell that is broader, walls are a quarter of the surface at most. By the
/// neighbour's area alone a box on the edge of a cell lost what it stands on.
const WIDTH: f64 = 8.0;

/// Part of its neighbour's push that a sliver may push against it and be joined still: the push of a cell that all but lacks one is rounding.
const AGAINST: f64 = 0.01;

/// The cell that others are joined to, by way of any number of them.
fn root(joined: &[usize], mut i: usize) -> usize {
    while joined[i] != i {
        i = joined[i];
    }
    i
}

impl Overlap {
    /// Joins every cell that is narrow beside the depth of the one across a wall that is pushed most, and small beside that, to it. Cells that are
    /// pushed against each other stay apart. `size` is the edge of the cells (m).
    pub fn join_slivers(&mut self, size: f64) {
        let n = self.cells.len();
        let push = |c: &Cell| self.gradient[c.start[0]..c.start[1]].iter().fold(DVec3::zero(), |s, &g| s + g);
        let push: Vec<DVec3> = self.cells.iter().map(push).collect();
        // With what was joined to it. What it is joined to is measured alone: a heap that grows would swallow more and more.
        let mut together = push.clone();
        let place: BTreeMap<([i32; 3], u32), usize> =
            self.cells.iter().enumerate().map(|(i, c)| ((c.index, c.part), i)).collect();
        let mut joined: Vec<usize> = (0..n).collect();
        // The smallest first, so that a corner goes with its strip.
        let mut order = joined.clone();
        order.sort_by(|&a, &b| push[a].mag_sq().total_cmp(&push[b].mag_sq()).then(a.cmp(&b)));
        for i in order {
            let Cell { index, part, .. } = self.cells[i];
            let mut best: Option<usize> = None;
            for (axis, step) in [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)] {
                let mut beside = index;
                beside[axis] += step;
                let Some(&j) = place.get(&(beside, part)) else { continue };
                let larger = best.is_none_or(|b| push[j].mag() > push[b].mag() * (1.0 + EVEN));
                let against = push[i].dot(push[j]) < -AGAINST * push[j].mag_sq();
                if root(&joined, j) != i && !against && larger {
                    best = Some(j);
                }
            }
            let Some(to) = best else { continue };
            let (mine, theirs) = (together[i].mag(), push[to].mag());
            let depth = self.cells[to].volume / theirs;
            if mine < WIDTH * size * depth && mine < SHARE * theirs {
                let to = root(&joined, to);
                joined[i] = to;
                let more = together[i];
                together[to] += more;
            }
        }
        if (0..n).any(|i| joined[i] != i) {
            self.add_up(&(0..n).map(|i| root(&joined, i)).collect::<Vec<_>>());
        }
    }

    /// Every cell to that of its root.
    fn add_up(&mut self, root: &[usize]) {
        let mut out = Overlap::new();
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        root.iter().enumerate().for_each(|(i, &r)| members.entry(r).or_default().push(i));
        for (r, cells) in members {
            let mut cell = self.cells[r];
            cell.volume = cells.iter().map(|&c| self.cells[c].volume).sum();
            for axis in 0..3 {
                cell.along[axis] = cells.iter().map(|&c| self.cells[c].along[axis]).sum();
            }
            cell.start[0] = out.vertex.len();
            for side in 0..2 {
                let mut rows: BTreeMap<u32, DVec3> = BTreeMap::new();
                for &c in &cells {
                    let (vertex, gradient) = self.gradient(c, side);
                    for (&v, &g) in vertex.iter().zip(gradient) {
                        *rows.entry(v).or_insert(DVec3::zero()) += g;
                    }
                }
                out.vertex.extend(rows.keys());
                out.gradient.extend(rows.values());
                cell.start[side + 1] = out.vertex.len();
            }
            out.cells.push(cell);
        }
        *self = out;
    }
}
