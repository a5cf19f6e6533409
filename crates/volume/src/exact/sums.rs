//! Shares of walls added up by vertex, and rows put in the order of cells: few of them, in bodies of few triangles, and to the bits of a stable sort.

use std::ops::AddAssign;

/// Side, vertex, and what a wall pushes it with (m²).
pub type Share = ((u8, u32), f64);

/// Vertices up to which a search through those that were met is cheaper than to sort all shares.
const MET: usize = 24;

/// Adds up the shares of each vertex in the order in which they came; vertices ascend.
pub fn merge(shares: &mut Vec<Share>) {
    let (mut kept, mut next) = (0, 0);
    while let Some(&(to, amount)) = shares.get(next) {
        match shares[..kept].iter_mut().find(|s| s.0 == to) {
            Some(sum) => sum.1 += amount,
            None if kept == MET => break,
            None => {
                shares[kept] = (to, amount);
                kept += 1;
            }
        }
        next += 1;
    }
    // Where there are more, sums so far come before what is added to them.
    shares.drain(kept..next);
    add_up(shares);
}

/// Adds up what has one key, in the order in which it came; keys ascend.
pub(crate) fn add_up<K: Ord + Copy, V: AddAssign + Copy>(rows: &mut Vec<(K, V)>) {
    rows.sort_by_key(|r| r.0);
    rows.dedup_by(|next, sum| {
        let same = next.0 == sum.0;
        if same {
            sum.1 += next.1;
        }
        same
    });
}

/// Rows by cell, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct ByCell {
    /// Where the rows of each cell end in `order`.
    end: Vec<u32>,
    order: Vec<u32>,
}

impl ByCell {
    /// Sorts rows into so many cells, by the cell of each.
    pub fn sort(&mut self, cells: usize, of: impl Iterator<Item = u32> + Clone) {
        let Self { end, order } = self;
        end.clear();
        end.resize(cells, 0);
        of.clone().for_each(|c| end[c as usize] += 1);
        let mut before = 0;
        for end in &mut *end {
            before += std::mem::replace(end, before);
        }
        order.clear();
        order.resize(before as usize, 0);
        for (i, c) in (0..).zip(of) {
            let end = &mut end[c as usize];
            order[*end as usize] = i;
            *end += 1;
        }
    }

    /// Numbers of the rows of a cell.
    pub fn of(&self, cell: usize) -> &[u32] {
        let first = if cell == 0 { 0 } else { self.end[cell - 1] };
        &self.order[first as usize..self.end[cell] as usize]
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Numbers that repeat little.
    pub fn numbers() -> impl FnMut() -> u32 {
        let mut state = 11u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        }
    }

    #[test]
    fn shares_add_up_to_the_bits_of_a_sorted_list() {
        let mut number = numbers();
        for (count, vertices) in [(0, 1), (1, 1), (40, 12), (200, 24), (200, 25), (3000, 400)] {
            let made = |_| ((number() as u8 % 2, number() % vertices), 1.0 / f64::from(1 + number()) - 1e-9);
            let mut shares: Vec<Share> = (0..count).map(made).collect();
            let mut sorted = shares.clone();
            sorted.sort_by_key(|s| s.0);
            let sum = |of: &[Share]| (of[0].0, of.iter().map(|s| s.1).sum::<f64>().to_bits());
            let want: Vec<_> = sorted.chunk_by(|a, b| a.0 == b.0).map(sum).collect();
            merge(&mut shares);
            let got: Vec<_> = shares.iter().map(|s| (s.0, s.1.to_bits())).collect();
            assert_eq!(got, want, "{count} of {vertices}");
        }
    }

    #[test]
    fn rows_come_by_cell_as_from_a_stable_sort() {
        let mut number = numbers();
        let mut by_cell = ByCell::default();
        // Again with the same memory.
        for count in [0, 1, 7, 500, 60] {
            let cells: Vec<u32> = (0..count).map(|_| number() % 27).collect();
            by_cell.sort(27, cells.iter().copied());
            let mut sorted: Vec<u32> = (0..count).collect();
            sorted.sort_by_key(|&i| cells[i as usize]);
            assert!((0..27).flat_map(|c| by_cell.of(c)).eq(&sorted), "{count}");
        }
    }
}
