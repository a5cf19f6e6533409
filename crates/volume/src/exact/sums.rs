//! Shares of walls added up by vertex, and rows put in the order of cells: few of them, in bodies of few triangles, and to the bits of a stable sort.

use super::cells::Entry;
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
    keys: Vec<[i32; 3]>,
    /// Where the rows of each cell end in `order`.
    end: Vec<u32>,
    of: Vec<u32>,
    order: Vec<u32>,
}

impl ByCell {
    /// Sorts rows into `cells`, which ascend and hold the cell of every row.
    pub fn sort(&mut self, cells: impl Iterator<Item = [i32; 3]>, entries: &[Entry]) {
        let Self { keys, end, of, order } = self;
        keys.clear();
        keys.extend(cells);
        end.clear();
        end.resize(keys.len(), 0);
        of.clear();
        let mut last = 0;
        for e in entries {
            // Most are of the same cell as the one before.
            if keys[last] != e.cell {
                last = keys.partition_point(|k| *k < e.cell);
            }
            end[last] += 1;
            of.push(last as u32);
        }
        let mut before = 0;
        for end in &mut *end {
            before += std::mem::replace(end, before);
        }
        order.clear();
        order.resize(entries.len(), 0);
        for (i, &c) in (0..).zip(&*of) {
            order[end[c as usize] as usize] = i;
            end[c as usize] += 1;
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
    use impinge_geometry::DVec3;

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
            let entries: Vec<Entry> = (0..count)
                .map(|i| {
                    let cell = [0; 3].map(|_| (number() % 3) as i32 - 1);
                    Entry { cell, side: 0, vertex: i, gradient: DVec3::zero() }
                })
                .collect();
            let mut cells: Vec<[i32; 3]> = entries.iter().map(|e| e.cell).collect();
            cells.sort_unstable();
            cells.dedup();
            by_cell.sort(cells.iter().copied(), &entries);
            let mut sorted = entries.clone();
            sorted.sort_by_key(|e| e.cell);
            let got = (0..cells.len()).flat_map(|c| by_cell.of(c)).map(|&i| &entries[i as usize]);
            let name = |e: &Entry| (e.cell, e.vertex);
            assert!(got.map(name).eq(sorted.iter().map(name)), "{count}");
        }
    }
}
