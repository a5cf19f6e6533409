//! The scaled triangular halves that symmetric over-relaxation sweeps over, in f32.
//!
//! With ω the over-relaxation and D = diag A, D/ω = C Cᵀ block by block, the scaled matrix is
//!
//! ```text
//! S = C⁻¹ A C⁻ᵀ = ω I + L + Lᵀ + X        M = C (I + L)(I + Lᵀ) Cᵀ
//! ```
//! L holds the blocks below the diagonal whose two rows lie in one part, X all others (empty with one part). Both L and
//! its mirror are stored, so that either sweep gathers. |S_ij| ≤ ω for a positive definite A: f32 neither overflows
//! nor loses more than rounding, and halves the bytes, which is what a sweep costs (0.13 ms for 69 k blocks, 22 GB/s).
//!
//! Tried and left: rows gone through by levels of dependence, and a block's three columns as one product of AVX-512 (the same bits). Over and over
//! on one matrix a sweep takes 0.7 of the time, between the other passes of an iteration on `large/cloth-cpf` (tori of 31.6 kg) 0.93 to 0.97, and putting values in
//! their scattered places takes twice as long: nothing is left of it.

mod sweep;

use crate::filter::Filter;
use crate::matrix::{Block, BlockMatrix, product, transposed};
use crate::operator::LowRank;
use crate::outcome::MatrixError;
use crate::pattern::BlockPattern;
use crate::precondition::cholesky_inverse;
use crate::simd::dispatched;
use impinge_contact::par;
use sweep::{backward_fast, cross_fast, forward_fast, forward_fused_fast};

/// Three components and a spare lane, so that a block's column is one load. What stands in the spare lane means nothing and
/// goes nowhere: cleared, it would be dead, and the compiler would split every load in two (twice the instructions).
pub(crate) type Lane = [f32; 4];

/// Rows of column-major f32 blocks: nine floats each, and one more at the end for the last block's fourth lane.
#[derive(Clone, Debug, Default)]
struct Rows {
    start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f32>,
}

impl Rows {
    fn from_counts(counts: &[u32]) -> Self {
        let mut start = vec![0u32; counts.len() + 1];
        for (i, c) in counts.iter().enumerate() {
            start[i + 1] = start[i] + c;
        }
        let blocks = start[counts.len()] as usize;
        Self { start, column: vec![0; blocks], value: vec![0.0; 9 * blocks + 1] }
    }

    /// Takes nine numbers, column by column.
    #[inline(always)]
    fn set(&mut self, place: u32, columns: &[f32; 9]) {
        let at = 9 * place as usize;
        self.value[at..at + 9].copy_from_slice(columns);
    }
}

/// L, Lᵀ, X and C⁻¹ of one matrix; see the file's head.
#[derive(Clone, Debug, Default)]
pub(crate) struct Split {
    nodes: usize,
    pattern: BlockPattern,
    part_rows: usize,
    lower: Rows,
    upper: Rows,
    cross: Rows,
    /// For each stored block below the diagonal its place in (lower, upper), or in cross twice.
    place: Vec<[u32; 2]>,
    is_cross: Vec<bool>,
    scale: Vec<Block>,
    omega: f64,
}

impl Split {
    pub(crate) fn new(pattern: &BlockPattern, parts: usize) -> Self {
        let n = pattern.nodes();
        let part_rows = n.div_ceil(parts.max(1)).max(1);
        let (mut nl, mut nu, mut nx) = (vec![0u32; n], vec![0u32; n], vec![0u32; n]);
        let mut is_cross = Vec::with_capacity(pattern.blocks() - n);
        for i in 0..n {
            for &j in pattern.row(i) {
                let j = j as usize;
                let cross = i / part_rows != j / part_rows;
                is_cross.push(cross);
                if cross {
                    nx[i] += 1;
                    nx[j] += 1;
                } else {
                    nl[i] += 1;
                    nu[j] += 1;
                }
            }
        }
        let (mut lower, mut upper, mut cross) =
            (Rows::from_counts(&nl), Rows::from_counts(&nu), Rows::from_counts(&nx));
        let (mut at_l, mut at_u, mut at_x) = (lower.start.clone(), upper.start.clone(), cross.start.clone());
        let mut place = Vec::with_capacity(is_cross.len());
        let take = |rows: &mut Rows, at: &mut [u32], i: usize, j: usize| {
            let k = at[i];
            at[i] += 1;
            rows.column[k as usize] = j as u32;
            k
        };
        // Rows come in ascending order, so the mirrored rows fill in ascending order too.
        for i in 0..n {
            for &j in pattern.row(i) {
                let j = j as usize;
                place.push(if is_cross[place.len()] {
                    [take(&mut cross, &mut at_x, i, j), take(&mut cross, &mut at_x, j, i)]
                } else {
                    [take(&mut lower, &mut at_l, i, j), take(&mut upper, &mut at_u, j, i)]
                });
            }
        }
        let pattern = pattern.clone();
        Self {
            nodes: n,
            pattern,
            part_rows,
            lower,
            upper,
            cross,
            place,
            is_cross,
            scale: Vec::new(),
            omega: 1.0,
        }
    }

    /// Takes new values. The diagonal is that of matrix and contacts together, so the sweeps know of contact
    /// stiffness as far as one node does.
    pub(crate) fn update(
        &mut self,
        matrix: &BlockMatrix<'_>,
        contacts: &LowRank,
        filter: &Filter,
        omega: f64,
    ) -> Result<(), MatrixError> {
        if matrix.pattern() != &self.pattern {
            self.scale.clear();
            let given = matrix.pattern().blocks();
            return Err(crate::WrongLength { wanted: self.pattern.blocks(), given }.into());
        }
        let n = self.nodes;
        self.omega = omega;
        self.scale.clear();
        self.scale.extend_from_slice(matrix.diagonal());
        contacts.add_diagonal(&mut self.scale);
        for node in 0..n {
            let d = filter.diagonal(node, &self.scale[node]).map(|v| v / omega);
            match cholesky_inverse(&d, node) {
                Ok(c) => self.scale[node] = c,
                Err(e) => {
                    self.scale.clear();
                    return Err(e);
                }
            }
        }
        let bad = if filter.is_empty() {
            fill_free(self, matrix)
        } else {
            self.fill(matrix, |i, j, v, scale| {
                let (p, q) = (filter.projector(i), filter.projector(j));
                if p.is_none() && q.is_none() {
                    return scaled_free(&scale[i], v, &scale[j]);
                }
                // C⁻¹ P: what the blocks of a constrained node are multiplied by.
                let factor = |i: usize, p: Option<&Block>| p.map_or(scale[i], |p| product(&scale[i], p));
                product(&product(&factor(i, p), v), &transposed(&factor(j, q)))
            })
        };
        match bad {
            None => Ok(()),
            Some(node) => {
                self.scale.clear();
                Err(MatrixError::NotFinite { node })
            }
        }
    }

    /// Scales all blocks below the diagonal and puts them in their places; the first row with a value that is not
    /// finite.
    #[inline(always)]
    fn fill(
        &mut self,
        matrix: &BlockMatrix<'_>,
        scaled: impl Fn(usize, usize, &Block, &[Block]) -> Block,
    ) -> Option<usize> {
        let pattern = matrix.pattern();
        let mut k = 0;
        for i in 0..self.nodes {
            let mut sum = 0.0;
            for (v, &j) in matrix.lower_row(i).iter().zip(pattern.row(i)) {
                let s = scaled(i, j as usize, v, &self.scale);
                // Any NaN or infinity, or two of them, leave one here.
                sum += 0.0 * (((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))) + 0.0 * s[8];
                // Row by row is the mirror block column by column.
                let t = s.map(|v| v as f32);
                let s = [t[0], t[3], t[6], t[1], t[4], t[7], t[2], t[5], t[8]];
                let [a, b] = self.place[k];
                if self.is_cross[k] {
                    self.cross.set(a, &s);
                    self.cross.set(b, &t);
                } else {
                    self.lower.set(a, &s);
                    self.upper.set(b, &t);
                }
                k += 1;
            }
            if sum != 0.0 {
                return Some(i);
            }
        }
        None
    }

    /// Values have been taken.
    pub(crate) fn is_ready(&self) -> bool {
        self.scale.len() == self.nodes
    }

    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// C⁻¹ per node.
    pub(crate) fn scale(&self) -> &[Block] {
        &self.scale
    }

    /// Bytes both sweeps read.
    pub(crate) fn sweep_bytes(&self) -> usize {
        let rows = |r: &Rows| 4 * (r.value.len() + r.column.len() + r.start.len());
        rows(&self.lower) + rows(&self.upper) + rows(&self.cross) + 6 * 16 * self.nodes
    }

    /// Flops of both sweeps.
    pub(crate) fn sweep_flops(&self) -> usize {
        18 * (self.lower.column.len() + self.upper.column.len() + self.cross.column.len())
    }

    /// `t = (I + Lᵀ)⁻¹ p`.
    pub(crate) fn backward(&self, p: &[Lane], t: &mut [Lane]) {
        par::for_each_chunk(t, self.part_rows, |c, t| {
            backward_fast(self, c * self.part_rows, p, t);
        });
    }

    /// `u = (I + L)⁻¹ f`, in place.
    pub(crate) fn forward(&self, f: &mut [Lane]) {
        par::for_each_chunk(f, self.part_rows, |c, f| {
            forward_fast(self, c * self.part_rows, f);
        });
    }

    /// Ranges of rows that do not see each other.
    pub(crate) fn parts(&self) -> usize {
        self.nodes.div_ceil(self.part_rows.max(1))
    }

    /// `f += p + (ω − 2) t + X t`: the right-hand side of Eisenstat's forward sweep; `f` comes in with what contacts
    /// make of `t`.
    pub(crate) fn middle(&self, p: &[Lane], t: &[Lane], f: &mut [Lane]) {
        let s = (self.omega - 2.0) as f32;
        par::for_each_chunk(f, self.part_rows, |c, f| {
            let first = c * self.part_rows;
            for (k, f) in f.iter_mut().enumerate() {
                let (p, t) = (&p[first + k], &t[first + k]);
                for l in 0..4 {
                    f[l] += p[l] + s * t[l];
                }
            }
            if !self.cross.column.is_empty() {
                cross_fast(self, first, t, f);
            }
        });
    }

    /// Middle, forward sweep, `q = t + u` and `p · q` in one go, for one part without contacts.
    pub(crate) fn forward_fused(&self, p: &[Lane], t: &[Lane], u: &mut [Lane], q: &mut [Lane]) -> f64 {
        forward_fused_fast(self, p, t, u, q)
    }
}

/// `C⁻¹ V D⁻ᵀ` without constraints: both factors are lower triangular, 36 products instead of 54.
#[inline(always)]
fn scaled_free(c: &Block, v: &Block, d: &Block) -> Block {
    let mut m = [0.0; 9];
    for k in 0..3 {
        m[k] = c[0] * v[k];
        m[3 + k] = c[3] * v[k] + c[4] * v[3 + k];
        m[6 + k] = c[6] * v[k] + c[7] * v[3 + k] + c[8] * v[6 + k];
    }
    let mut s = [0.0; 9];
    for r in 0..3 {
        s[3 * r] = m[3 * r] * d[0];
        s[3 * r + 1] = m[3 * r] * d[3] + m[3 * r + 1] * d[4];
        s[3 * r + 2] = m[3 * r] * d[6] + m[3 * r + 1] * d[7] + m[3 * r + 2] * d[8];
    }
    s
}

#[inline(always)]
fn fill_free_plain(split: &mut Split, matrix: &BlockMatrix<'_>) -> Option<usize> {
    split.fill(matrix, |i, j, v, scale| scaled_free(&scale[i], v, &scale[j]))
}
dispatched!(fn fill_free = fill_free_plain(split: &mut Split, matrix: &BlockMatrix<'_>) -> Option<usize>);

#[cfg(test)]
mod tests;
