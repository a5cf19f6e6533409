//! Cholesky of a symmetric matrix within its envelope: each row is kept from its first entry to the diagonal.
//!
//! Contacts couple where they share a body. Ordered along the chains of bodies (reverse Cuthill–McKee), each knows only of
//! contacts near it, and elimination fills nothing in beyond that: a tower of n contacts costs O(n), not O(n³).

use super::ContactProblem;
use crate::dense::dot;
use crate::simd::dispatched;

/// A pivot below this part of its entry is rounding, as in [`crate::DenseCholesky`].
const PIVOT: f64 = 1e-14;

/// Contacts in the order of Cuthill and McKee, reversed: breadth first from an end of each group that hangs together.
pub(super) fn order(problem: &ContactProblem) -> Vec<usize> {
    let n = problem.len();
    let degree: Vec<usize> = (0..n).map(|i| problem.blocks(i).count()).collect();
    // Which search a contact was last seen by.
    let mut seen = vec![usize::MAX; n];
    let mut search = 0;
    let mut level = vec![0usize; n];
    let mut near = Vec::new();
    let mut breadth = |from: usize, level: &mut [usize], out: &mut Vec<usize>| {
        search += 1;
        let mut head = out.len();
        (seen[from], level[from]) = (search, 0);
        out.push(from);
        while head < out.len() {
            let i = out[head];
            head += 1;
            near.clear();
            near.extend(problem.blocks(i).map(|b| b.0).filter(|&j| seen[j] != search));
            near.sort_unstable_by_key(|&j| (degree[j], j));
            for &j in &near {
                (seen[j], level[j]) = (search, level[i] + 1);
                out.push(j);
            }
        }
    };
    let mut starts: Vec<usize> = (0..n).collect();
    starts.sort_unstable_by_key(|&i| (degree[i], i));
    let mut placed = vec![false; n];
    let (mut out, mut group) = (Vec::with_capacity(n), Vec::new());
    for start in starts {
        if placed[start] {
            continue;
        }
        // An end: one of the farthest from one of the farthest.
        let mut end = start;
        for _ in 0..2 {
            group.clear();
            breadth(end, &mut level, &mut group);
            let most = group.iter().map(|&i| level[i]).max().unwrap_or(0);
            let far = group.iter().copied().filter(|&i| level[i] == most);
            end = far.min_by_key(|&i| (degree[i], i)).unwrap_or(end);
        }
        let first = out.len();
        breadth(end, &mut level, &mut out);
        out[first..].iter().for_each(|&i| placed[i] = true);
    }
    out.reverse();
    out
}

/// Rows of the lower half, each from its first entry to its diagonal; after [`Envelope::factor`] those of the factor.
pub(super) struct Envelope<'a> {
    first: &'a [usize],
    start: Vec<usize>,
    value: Vec<f64>,
}

impl<'a> Envelope<'a> {
    /// Zeros; `first[i]` is the first column of row i, at most i.
    #[must_use]
    pub fn new(first: &'a [usize]) -> Self {
        let mut start = vec![0];
        for (i, f) in first.iter().enumerate() {
            start.push(start[i] + i + 1 - f);
        }
        let value = vec![0.0; start[first.len()]];
        Self { first, start, value }
    }

    /// Multiplications of a factorisation, about.
    #[must_use]
    pub fn work(first: &[usize]) -> f64 {
        first.iter().enumerate().map(|(i, f)| ((i + 1 - f) * (i + 1 - f)) as f64 / 2.0).sum()
    }

    /// Zeros again.
    pub fn clear(&mut self) {
        self.value.fill(0.0);
    }

    /// Adds to an entry of the lower half.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.value[self.start[row] + column - self.first[row]] += value;
    }

    /// Factors what was added. An unknown without a pivot is left out of the solves: it stays as it is.
    pub fn factor(&mut self) {
        factor_rows(self.first, &self.start, &mut self.value);
    }

    /// Solves in place.
    pub fn solve(&self, x: &mut [f64]) {
        solve_rows(self.first, &self.start, &self.value, x);
    }
}

#[inline(always)]
fn factor_plain(first: &[usize], start: &[usize], value: &mut [f64]) {
    for i in 0..first.len() {
        let (done, row) = value.split_at_mut(start[i]);
        let row = &mut row[..start[i + 1] - start[i]];
        let f = first[i];
        for j in f..i {
            let other = &done[start[j]..start[j + 1]];
            let from = f.max(first[j]);
            let s = dot::<8>(&row[from - f..j - f], &other[from - first[j]..j - first[j]]);
            row[j - f] = (row[j - f] - s) / other[j - first[j]];
        }
        let (diagonal, before) = (row[i - f], i - f);
        let pivot = diagonal - dot::<8>(&row[..before], &row[..before]);
        if pivot > PIVOT * diagonal && pivot.is_finite() {
            row[before] = pivot.sqrt();
        } else {
            // An infinite pivot solves to zero, forward and back.
            row[..before].fill(0.0);
            row[before] = f64::INFINITY;
        }
    }
}
dispatched!(fn factor_rows = factor_plain(first: &[usize], start: &[usize], value: &mut [f64]) -> ());

#[inline(always)]
fn solve_plain(first: &[usize], start: &[usize], value: &[f64], x: &mut [f64]) {
    let n = first.len();
    for i in 0..n {
        let row = &value[start[i]..start[i + 1]];
        let before = i - first[i];
        x[i] = (x[i] - dot::<8>(&row[..before], &x[first[i]..i])) / row[before];
    }
    for i in (0..n).rev() {
        let row = &value[start[i]..start[i + 1]];
        let before = i - first[i];
        x[i] /= row[before];
        let s = x[i];
        for (x, l) in x[first[i]..i].iter_mut().zip(row) {
            *x -= l * s;
        }
    }
}
dispatched!(fn solve_rows = solve_plain(first: &[usize], start: &[usize], value: &[f64], x: &mut [f64]) -> ());

#[cfg(test)]
mod tests {
    use super::super::Cone;
    use super::*;

    /// Contacts that know of each other as the pairs say.
    fn graph(n: usize, pairs: &[(usize, usize)]) -> ContactProblem {
        ContactProblem::new(vec![[0.0; 3]; n], vec![Cone::Frictionless; n], |i| {
            let other = pairs.iter().filter_map(|&(a, b)| match i {
                _ if i == a => Some(b),
                _ if i == b => Some(a),
                _ => None,
            });
            other.map(|j| (j as u32, [0.1; 9])).collect()
        })
        .unwrap()
    }

    #[test]
    fn a_shuffled_chain_comes_out_in_a_row_and_every_contact_once() {
        // 0 – 7 – 14 – … modulo 50, then a group of three, then one alone.
        let mut pairs: Vec<(usize, usize)> = (0..49).map(|k| (7 * k % 50, 7 * (k + 1) % 50)).collect();
        pairs.extend([(50, 51), (51, 52), (52, 50)]);
        let p = graph(54, &pairs);
        let order = order(&p);
        let mut place = [usize::MAX; 54];
        order.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        assert!(place.iter().all(|&k| k < 54), "{order:?}");
        for &(a, b) in &pairs {
            let far = if a < 50 { 1 } else { 2 };
            assert!(
                place[a].abs_diff(place[b]) <= far,
                "{a} and {b} are {} apart",
                place[a].abs_diff(place[b])
            );
        }
    }

    #[test]
    fn solves_a_matrix_with_ragged_rows_and_leaves_out_what_has_no_pivot() {
        // L Lᵀ of ragged rows; entry (i, j) of the factor is a number that no pattern hides.
        let first = [0usize, 0, 2, 1, 0, 3, 5, 2];
        let n = first.len();
        let l = |i: usize, j: usize| {
            if i == j {
                2.0 + i as f64 / 8.0
            } else if j < i && j >= first[i] {
                (1 + (5 * i + 3 * j) % 7) as f64 / 7.0
            } else {
                0.0
            }
        };
        let a = |i: usize, j: usize| (0..n).map(|k| l(i, k) * l(j, k)).sum::<f64>();
        let mut e = Envelope::new(&first);
        (0..n).for_each(|i| (first[i]..=i).for_each(|j| e.add(i, j, a(i, j))));
        e.factor();
        let want: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut x: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a(i, j) * want[j]).sum()).collect();
        e.solve(&mut x);
        assert!(x.iter().zip(&want).all(|(x, w)| (x - w).abs() < 1e-13), "{x:?} {want:?}");
        // Two equal rows: the second has no pivot and stays; the rest is solved.
        let mut e = Envelope::new(&[0, 0]);
        [(0, 0), (1, 0), (1, 1)].iter().for_each(|&(i, j)| e.add(i, j, 4.0));
        e.factor();
        let mut x = [8.0, 8.0];
        e.solve(&mut x);
        assert_eq!(x, [2.0, 0.0]);
    }
}
