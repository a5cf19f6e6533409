//! Cells that the grid cuts off too little of are joined to the cell beside them.
//!
//! A body that slides over the wall of a cell has a strip of contact in the next one that is as narrow as it is deep. The grid cuts through
//! that aslant, so its volume over its area is not the depth there: a stabilisation that keeps depths lifts the body off its other cells. Cells of a
//! fluid that a body cuts are treated likewise ("cut-cell merging", Clarke, Salas and Hassan, AIAA J. 24, 1986). Volumes and gradients are only
//! added up: sums over cells, and Newton's third law in each, stay what they are.

use crate::exact::sums::add_up;
use crate::overlap::{Cell, Overlap};
use impinge_geometry::DVec3;

/// Pushes are as large as each other up to this part: rounding does not choose between neighbours.
const EVEN: f64 = 1e-6;
/// Part of its neighbour's push that a sliver has at most.
const SHARE: f64 = 0.25;
/// Width of a sliver at most, in depths of its neighbour: of a cell that is broader, walls are a quarter of the surface at most. By the
/// neighbour's push alone a box on the edge of a cell lost what it stands on.
pub const SLIVER_DEPTHS: f64 = 8.0;
/// Cosine of the angle between its push and its neighbour's at least (60°): a low lip is not part of the floor beside it.
const ALONG: f64 = 0.5;
/// Depths of flat faces up to which what is beside them is no lip.
const LEVEL: f64 = 2.0;
/// Part of its neighbour's push below which a cell all but lacks one, whichever way what is left points. Where walls are carried that is a layer
/// whose column ends in the next.
const LACKS: f64 = 0.01;

/// Part of its neighbour's push that the two sides of a cell may differ by: far above rounding, which must not choose.
const BALANCED: f64 = 1e-7;

/// The cell that others are joined to, by way of any number of them.
fn root(joined: &[usize], mut i: usize) -> usize {
    while joined[i] != i {
        i = joined[i];
    }
    i
}

impl Overlap {
    /// Joins a cell to the neighbour with the largest push, if it has less than a quarter of that, about the same way, and is narrower than eight of the
    /// neighbour's depths; and one without a push to what is beside it. `size` is the edge of the cells (m). Cells stay in order.
    pub fn join_slivers(&mut self, size: f64) {
        let n = self.cells.len();
        if n < 2 {
            return;
        }
        let sum = |from: usize, to: usize| self.gradient[from..to].iter().fold(DVec3::zero(), |s, &g| s + g);
        let push: Vec<DVec3> = self.cells.iter().map(|c| sum(c.start[0], c.start[1])).collect();
        // Cells are in order.
        let place = |at: &([i32; 3], u32)| self.cells.binary_search_by_key(at, |c| (c.index, c.part)).ok();
        let beside = |c: &Cell| {
            let steps = [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)];
            steps.map(|(axis, step)| {
                let mut at = c.index;
                at[axis] += step;
                place(&(at, c.part))
            })
        };
        let beside: Vec<[Option<usize>; 6]> = self.cells.iter().map(beside).collect();
        // Mostly there is none.
        let large = |i: usize, j: usize| push[i].mag() >= SHARE * push[j].mag();
        if (0..n).all(|i| beside[i].into_iter().flatten().all(|j| large(i, j))) {
            return;
        }
        // What one side is pushed more than the other: of a sliver so small that nothing faces its walls. It would be passed on.
        let lack: Vec<f64> = self.cells.iter().map(|c| sum(c.start[0], c.start[2]).mag()).collect();
        // With what was joined to it. What it is joined to is measured alone: a heap that grows would swallow more and more.
        let mut together = push.clone();
        let largest = |joined: &[usize], i: usize, of: &dyn Fn(usize) -> f64| {
            let mut best: Option<(usize, f64)> = None;
            for j in beside[i].into_iter().flatten().filter(|&j| root(joined, j) != i) {
                if best.is_none_or(|(_, most)| of(j) > most * (1.0 + EVEN)) {
                    best = Some((j, of(j)));
                }
            }
            best
        };
        let mut joined: Vec<usize> = (0..n).collect();
        // The smallest first, so that a corner goes with its strip.
        let mut order = joined.clone();
        order.sort_by(|&a, &b| push[a].mag_sq().total_cmp(&push[b].mag_sq()).then(a.cmp(&b)));
        for &i in &order {
            // Beside flat faces, what is no deeper across them than they are goes with them whole, rim and all.
            let across = |j: usize| {
                let n = self.cells[j].flat?;
                let (mine, theirs) = (push[i].dot(n), push[j].dot(n));
                let depth = self.cells[j].volume / theirs.abs();
                (mine * theirs > 0.0 && self.cells[i].volume <= LEVEL * mine.abs() * depth).then_some(n)
            };
            let along = |j: usize| {
                across(j).is_some() || push[i].dot(push[j]) > ALONG * push[i].mag() * push[j].mag()
            };
            let of = |j: usize| if along(j) { push[j].mag() } else { 0.0 };
            let Some((to, theirs)) = largest(&joined, i, &of).filter(|b| b.1 > 0.0) else { continue };
            let mine = across(to).map_or(together[i].mag(), |n| together[i].dot(n).abs());
            let depth = self.cells[to].volume / theirs;
            let even = lack[i] <= BALANCED * theirs;
            if even && mine < SLIVER_DEPTHS * size * depth && mine < SHARE * theirs {
                let (to, more) = (root(&joined, to), together[i]);
                joined[i] = to;
                together[to] += more;
            }
        }
        // Layer by layer, as the next may lack a push as well.
        loop {
            let before = joined.clone();
            for &i in order.iter().filter(|&&i| before[i] == i) {
                let of = |j: usize| push[root(&before, j)].mag();
                if let Some((to, theirs)) = largest(&joined, i, &of)
                    && together[i].mag() < LACKS * theirs
                    && lack[i] <= BALANCED * theirs
                {
                    joined[i] = root(&joined, to);
                }
            }
            if joined == before {
                break;
            }
        }
        if (0..n).any(|i| joined[i] != i) {
            self.add_up(&(0..n).map(|i| root(&joined, i)).collect::<Vec<_>>());
        }
    }

    /// Every cell to that of its root.
    fn add_up(&mut self, root: &[usize]) {
        let mut out = Overlap::new();
        let mut by_root: Vec<usize> = (0..root.len()).collect();
        by_root.sort_by_key(|&i| root[i]);
        let mut rows: Vec<(u32, DVec3)> = Vec::new();
        for cells in by_root.chunk_by(|&i, &j| root[i] == root[j]) {
            let mut cell = self.cells[root[cells[0]]];
            cell.volume = cells.iter().map(|&c| self.cells[c].volume).sum();
            for axis in 0..3 {
                cell.along[axis] = cells.iter().map(|&c| self.cells[c].along[axis]).sum();
            }
            cell.start[0] = out.vertex.len();
            for side in 0..2 {
                rows.clear();
                for &c in cells {
                    let (vertex, gradient) = self.gradient(c, side);
                    rows.extend(vertex.iter().zip(gradient).map(|(&v, &g)| (v, DVec3::zero() + g)));
                }
                // Those of a cell ascend: they are merged, and added up in the order of cells.
                add_up(&mut rows);
                out.vertex.extend(rows.iter().map(|r| r.0));
                out.gradient.extend(rows.iter().map(|r| r.1));
                cell.start[side + 1] = out.vertex.len();
            }
            out.cells.push(cell);
        }
        *self = out;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Index, part, push (m²) and depth along it (m) of each cell.
    fn made(cells: &[([i32; 3], u32, [f64; 3], f64)]) -> Overlap {
        let mut o = Overlap::new();
        for &(index, part, push, depth) in cells {
            let (push, at) = (DVec3::from(push), o.vertex.len());
            o.vertex.extend([0, 0]);
            o.gradient.extend([push, -push]);
            let volume = depth * push.mag();
            o.cells.push(Cell {
                index,
                part,
                volume,
                along: [volume; 3],
                flat: None,
                start: [at, at + 1, at + 2],
            });
        }
        o
    }

    /// What is left of these in cells of 1 m, by index.
    fn left(cells: &[([i32; 3], u32, [f64; 3], f64)]) -> Vec<[i32; 3]> {
        let mut o = made(cells);
        let whole = o.volume();
        o.join_slivers(1.0);
        assert!((o.volume() - whole).abs() <= 1e-15 * whole);
        o.cells().iter().map(|c| c.index).collect()
    }

    #[test]
    fn small_ones_join_what_is_pushed_alike() {
        let (large, at) = (([0, 0, 0], 0, [0.0, 0.0, 1.0], 0.01), [1, 0, 0]);
        // Narrower than eight depths of 0.01 m.
        assert_eq!(left(&[large, (at, 0, [0.0, 0.0, 0.07], 0.01)]), [[0, 0, 0]]);
        assert_eq!(left(&[large, (at, 0, [0.0, 0.0, 0.09], 0.01)]), [[0, 0, 0], at]);
        assert_eq!(left(&[large, (at, 0, [0.02, 0.0, 0.03], 0.01)]), [[0, 0, 0]]);
        // At right angles, against it, in another place of the body, across an edge only.
        assert_eq!(left(&[large, (at, 0, [0.07, 0.0, 0.0], 0.01)]), [[0, 0, 0], at]);
        assert_eq!(left(&[large, (at, 0, [0.0, 0.0, -0.07], 0.01)]), [[0, 0, 0], at]);
        assert_eq!(left(&[large, (at, 1, [0.0, 0.0, 0.07], 0.01)]), [[0, 0, 0], at]);
        assert_eq!(left(&[large, ([1, 1, 0], 0, [0.0, 0.0, 0.07], 0.01)]), [[0, 0, 0], [1, 1, 0]]);
    }

    #[test]
    fn a_corner_goes_with_its_strip_and_a_heap_does_not_grow() {
        let up = |k: f64| [0.0, 0.0, k];
        let cells =
            [([0, 0, 0], 0, up(1.0), 0.01), ([0, 1, 0], 0, up(0.05), 0.01), ([1, 1, 0], 0, up(1e-3), 0.01)];
        assert_eq!(left(&cells), [[0, 0, 0]]);
        // Deep, so that all are narrow: 0.04 goes to 0.2 and both to 1, and 0.3, more than a quarter of 1 and less than one of 1.24, stays.
        let deep = [
            ([0, 0, 0], 0, up(0.2), 1.0),
            ([0, 0, 1], 0, up(0.04), 1.0),
            ([0, 1, 0], 0, up(1.0), 1.0),
            ([1, 1, 0], 0, up(0.3), 1.0),
        ];
        assert_eq!(left(&deep), [[0, 1, 0], [1, 1, 0]]);
        // Between two that are alike up to rounding the first takes it, and the larger gives the name.
        let between = |a: f64, b: f64| {
            let mut o = made(&[
                ([-1, 0, 0], 0, up(a), 0.01),
                ([0, 0, 0], 0, up(0.05), 0.01),
                ([1, 0, 0], 0, up(b), 0.01),
            ]);
            o.join_slivers(1.0);
            [0, 1].map(|c| o.gradient(c, 0).1.iter().map(|g| g.z).sum::<f64>())
        };
        assert_eq!(between(1.0, 1.0 + 1e-12), [1.05, 1.0 + 1e-12]);
        assert_eq!(between(1.0, 1.1), [1.0, 1.1 + 0.05]);
    }

    #[test]
    fn what_pushes_one_body_only_is_not_passed_on() {
        let large = ([0, 0, 0], 0, [0.0, 0.0, 1.0], 0.01);
        let mut o = made(&[large, ([1, 0, 0], 0, [0.0, 0.0, 1e-3], 0.01), ([2, 0, 0], 0, [0.0; 3], 0.01)]);
        o.gradient[3] *= 1.0 + 1e-3;
        o.join_slivers(1.0);
        assert_eq!(o.cells().iter().map(|c| c.index[0]).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn layers_without_a_push_are_taken_together() {
        let layer = |k: i32, push: f64| ([0, 0, k], 0, [push * 0.3, 0.0, push], 0.01);
        let layers = [layer(0, 0.0), layer(1, 1e-18), layer(2, 0.0), layer(3, 1.0)];
        assert_eq!(left(&layers), [[0, 0, 3]]);
        // A body that is inside another has none anywhere: nothing to join.
        assert_eq!(left(&layers[..1]), [[0, 0, 0]]);
        assert_eq!(left(&[layer(0, 0.0), layer(1, 0.0)]).len(), 2);
        assert_eq!(left(&[]), [[0; 3]; 0]);
    }
}
