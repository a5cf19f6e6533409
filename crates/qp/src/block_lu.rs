//! LU of 3×3 blocks whose pattern is symmetric and whose values need not be: Newton's systems of friction that slips.
//!
//! Blocks are eliminated in the order of least degree: a heap's matrix is as sparse as its contacts. Pivots are sought within a block only; what
//! that costs in digits shows at the residual, which the caller looks at.

/// Row-major.
pub(crate) type Block = [f64; 9];

/// Order, pattern and values; then the factors in their place.
#[derive(Debug, Default)]
pub(crate) struct BlockLu {
    /// Block eliminated at each place, and the place of each block.
    order: Vec<u32>,
    place: Vec<u32>,
    lower: Lists,
    upper: Lists,
    /// By place, then above the diagonal, then below it, row by row.
    values: Vec<Block>,
    row: Vec<Block>,
    /// Who knows whom while the order is found, and whom the block knows that goes.
    bits: Vec<u64>,
    gone: Vec<u64>,
    degree: Vec<u32>,
    y: Vec<[f64; 3]>,
}

/// Places of each row beside the diagonal, ascending.
#[derive(Debug, Default)]
struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.start[row] as usize..self.start[row + 1] as usize
    }
}

impl BlockLu {
    /// Takes the pattern in which the blocks of each of `cliques` know each other.
    pub(crate) fn analyse<'a>(&mut self, n: usize, cliques: impl Iterator<Item = &'a [u32]>) {
        let words = n.div_ceil(64);
        let Self { order, place, lower, upper, bits, gone, degree, .. } = self;
        bits.clear();
        bits.resize(n * words, 0);
        for clique in cliques {
            for &a in clique {
                let row = &mut bits[a as usize * words..][..words];
                clique.iter().for_each(|&b| row[b as usize / 64] |= 1 << (b % 64));
            }
        }
        for i in 0..n {
            bits[i * words + i / 64] &= !(1 << (i % 64));
        }
        let count = |row: &[u64]| row.iter().map(|w| w.count_ones()).sum::<u32>();
        degree.clear();
        degree.extend(bits.chunks_exact(words.max(1)).map(count));
        order.clear();
        place.clear();
        place.resize(n, u32::MAX);
        upper.start.clear();
        upper.start.push(0);
        upper.items.clear();
        for k in 0..n {
            let free = (0..n).filter(|&i| place[i] == u32::MAX);
            let Some(v) = free.min_by_key(|&i| degree[i]) else { break };
            place[v] = k as u32;
            order.push(v as u32);
            let from = upper.items.len();
            gone.clear();
            gone.extend_from_slice(&bits[v * words..][..words]);
            for (w, &word) in gone.iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    upper.items.push(64 * w as u32 + left.trailing_zeros());
                    left &= left - 1;
                }
            }
            upper.start.push(upper.items.len() as u32);
            for &i in &upper.items[from..] {
                let i = i as usize;
                let row = &mut bits[i * words..][..words];
                row.iter_mut().zip(&*gone).for_each(|(r, g)| *r |= g);
                row[i / 64] &= !(1 << (i % 64));
                row[v / 64] &= !(1 << (v % 64));
                degree[i] = count(row);
            }
        }
        lower.start.clear();
        lower.start.resize(n + 2, 0);
        for k in 0..n {
            let row = &mut upper.items[upper.start[k] as usize..upper.start[k + 1] as usize];
            row.iter_mut().for_each(|i| *i = place[*i as usize]);
            row.sort_unstable();
            row.iter().for_each(|&j| lower.start[j as usize + 2] += 1);
        }
        (2..n + 2).for_each(|i| lower.start[i] += lower.start[i - 1]);
        lower.items.clear();
        lower.items.resize(upper.items.len(), 0);
        for k in 0..n {
            for &j in &upper.items[upper.range(k)] {
                let next = &mut lower.start[j as usize + 1];
                lower.items[*next as usize] = k as u32;
                *next += 1;
            }
        }
        self.row.clear();
        self.row.resize(n, [0.0; 9]);
        self.y.clear();
        self.y.resize(n, [0.0; 3]);
        self.clear();
    }

    /// All values zero.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.values.resize(self.order.len() + 2 * self.upper.items.len(), [0.0; 9]);
    }

    /// Where the block of a row and a column lies that the pattern has.
    pub(crate) fn slot(&self, row: u32, column: u32) -> u32 {
        let [i, j] = [row, column].map(|b| self.place[b as usize]);
        let at = |lists: &Lists| {
            let range = lists.range(i as usize);
            range.start + lists.items[range].binary_search(&j).unwrap_or(0)
        };
        let n = self.order.len();
        let slot = match i.cmp(&j) {
            std::cmp::Ordering::Equal => i as usize,
            std::cmp::Ordering::Less => n + at(&self.upper),
            std::cmp::Ordering::Greater => n + self.upper.items.len() + at(&self.lower),
        };
        slot as u32
    }

    /// The block at a slot.
    pub(crate) fn value(&mut self, slot: u32) -> &mut Block {
        &mut self.values[slot as usize]
    }

    /// Factors the values; `false` where a block has no inverse.
    pub(crate) fn factor(&mut self) -> bool {
        let Self { order, lower, upper, values, row, .. } = self;
        let n = order.len();
        let (diagonal, rest) = values.split_at_mut(n);
        let (above, below) = rest.split_at_mut(upper.items.len());
        for i in 0..n {
            let (left, right) = (lower.range(i), upper.range(i));
            lower.items[left.clone()]
                .iter()
                .zip(&below[left.clone()])
                .for_each(|(&k, v)| row[k as usize] = *v);
            row[i] = diagonal[i];
            upper.items[right.clone()]
                .iter()
                .zip(&above[right.clone()])
                .for_each(|(&j, v)| row[j as usize] = *v);
            for s in left {
                let k = lower.items[s] as usize;
                let part = product(&row[k], &diagonal[k]);
                below[s] = part;
                let of = upper.range(k);
                for (&j, v) in upper.items[of.clone()].iter().zip(&above[of]) {
                    subtract(&part, v, &mut row[j as usize]);
                }
            }
            let Some(inverse) = inverse(&row[i]) else { return false };
            diagonal[i] = inverse;
            upper.items[right.clone()].iter().zip(&mut above[right]).for_each(|(&j, v)| *v = row[j as usize]);
        }
        true
    }

    /// `x ← A⁻¹ b`, of blocks as they were numbered.
    pub(crate) fn solve(&mut self, b: &[[f64; 3]], x: &mut [[f64; 3]]) {
        let Self { order, lower, upper, values, y, .. } = self;
        let n = order.len();
        let (diagonal, rest) = values.split_at(n);
        let (above, below) = rest.split_at(upper.items.len());
        for i in 0..n {
            let mut sum = b[order[i] as usize];
            let of = lower.range(i);
            for (&k, l) in lower.items[of.clone()].iter().zip(&below[of]) {
                take(l, &y[k as usize], &mut sum);
            }
            y[i] = sum;
        }
        for i in (0..n).rev() {
            let mut sum = y[i];
            let of = upper.range(i);
            for (&j, u) in upper.items[of.clone()].iter().zip(&above[of]) {
                take(u, &y[j as usize], &mut sum);
            }
            y[i] = times(&diagonal[i], &sum);
            x[order[i] as usize] = y[i];
        }
    }
}

fn times(a: &Block, v: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|r| a[3 * r] * v[0] + a[3 * r + 1] * v[1] + a[3 * r + 2] * v[2])
}

fn take(a: &Block, v: &[f64; 3], from: &mut [f64; 3]) {
    let p = times(a, v);
    from.iter_mut().zip(p).for_each(|(f, p)| *f -= p);
}

fn product(a: &Block, b: &Block) -> Block {
    std::array::from_fn(|e| {
        let (r, c) = (e / 3, e % 3);
        a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c]
    })
}

#[inline]
fn subtract(a: &Block, b: &Block, from: &mut Block) {
    for r in 0..3 {
        for c in 0..3 {
            from[3 * r + c] -= a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
        }
    }
}

/// By elimination in place with pivots of rows; `None` where one is zero or no number.
fn inverse(a: &Block) -> Option<Block> {
    let mut rows: [[f64; 3]; 3] = std::array::from_fn(|r| [a[3 * r], a[3 * r + 1], a[3 * r + 2]]);
    let mut swaps = [0; 3];
    for (k, swap) in swaps.iter_mut().enumerate() {
        let best = (k..3).fold(k, |b, r| if rows[r][k].abs() > rows[b][k].abs() { r } else { b });
        *swap = best;
        rows.swap(k, best);
        let pivot = rows[k][k];
        if !(pivot.abs() >= f64::MIN_POSITIVE && pivot.is_finite()) {
            return None;
        }
        // The column that is done holds that of the unit matrix.
        rows[k][k] = 1.0;
        rows[k].iter_mut().for_each(|v| *v /= pivot);
        let with = rows[k];
        for r in (0..3).filter(|&r| r != k) {
            let f = std::mem::take(&mut rows[r][k]);
            rows[r].iter_mut().zip(with).for_each(|(v, w)| *v -= f * w);
        }
    }
    // Of rows that changed places, columns do.
    for (k, &swap) in swaps.iter().enumerate().rev() {
        rows.iter_mut().for_each(|row| row.swap(k, swap));
    }
    Some(std::array::from_fn(|e| rows[e / 3][e % 3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fixed sequence between −0.5 and 0.5.
    fn numbers() -> impl FnMut() -> f64 {
        let mut state = 7u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        }
    }

    #[test]
    fn factors_solve_what_was_filled_in() {
        // A grid of six by five with one block that knows nobody: fill-in, and orders other than that of the numbers.
        let (wide, high) = (6u32, 5u32);
        let n = (wide * high + 1) as usize;
        let mut cliques: Vec<Vec<u32>> = Vec::new();
        for i in 0..wide * high {
            if i % wide + 1 < wide {
                cliques.push(vec![i, i + 1]);
            }
            if i + wide < wide * high {
                cliques.push(vec![i + wide, i]);
            }
        }
        cliques.push(vec![0, 7, 14]);
        let mut lu = BlockLu::default();
        // Twice: nothing is left of the first.
        for _ in 0..2 {
            lu.analyse(n, cliques.iter().map(|c| &c[..]));
            let mut next = numbers();
            let mut dense = vec![0.0; 9 * n * n];
            let pairs = cliques.iter().flat_map(|c| c.iter().flat_map(|&a| c.iter().map(move |&b| (a, b))));
            for (a, b) in pairs.chain((0..n as u32).map(|i| (i, i))) {
                for e in 0..9 {
                    let v = next() + if a == b && e % 4 == 0 { 6.0 } else { 0.0 };
                    lu.value(lu.slot(a, b))[e] += v;
                    dense[(3 * a as usize + e / 3) * 3 * n + 3 * b as usize + e % 3] += v;
                }
            }
            let want: Vec<[f64; 3]> = (0..n).map(|_| [next(), next(), next()]).collect();
            let of = |i: usize| -> f64 {
                want.as_flattened().iter().zip(&dense[i * 3 * n..]).map(|(x, a)| x * a).sum()
            };
            let b: Vec<[f64; 3]> = (0..n).map(|i| [0, 1, 2].map(|r| of(3 * i + r))).collect();
            assert!(lu.factor());
            let mut x = vec![[0.0; 3]; n];
            lu.solve(&b, &mut x);
            let off = x
                .as_flattened()
                .iter()
                .zip(want.as_flattened())
                .fold(0.0f64, |m, (x, w)| m.max((x - w).abs()));
            assert!(off < 1e-13, "{off:e}");
        }
    }

    #[test]
    fn a_block_has_its_inverse_whichever_rows_hold_the_pivots() {
        let mut next = numbers();
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let a: Block = std::array::from_fn(|e| next() + if order[e / 3] == e % 3 { 3.0 } else { 0.0 });
            let unit = product(&a, &inverse(&a).unwrap());
            let off = (0..9).fold(0.0f64, |m, e| m.max((unit[e] - f64::from(e % 4 == 0)).abs()));
            assert!(off < 1e-15, "{order:?}: {off:e}");
        }
    }

    #[test]
    fn a_block_without_inverse_is_told_of() {
        let mut lu = BlockLu::default();
        lu.analyse(2, [&[0u32, 1][..]].into_iter());
        *lu.value(lu.slot(0, 0)) = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        *lu.value(lu.slot(1, 1)) = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        assert!(!lu.factor());
        // A pivot of zero within a block is none between rows.
        lu.clear();
        *lu.value(lu.slot(0, 0)) = [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0];
        *lu.value(lu.slot(1, 1)) = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        assert!(lu.factor());
        let mut x = vec![[0.0; 3]; 2];
        lu.solve(&[[3.0, 4.0, 6.0], [1.0, 2.0, 3.0]], &mut x);
        assert_eq!(x, [[4.0, 3.0, 3.0], [1.0, 2.0, 3.0]]);
    }
}
