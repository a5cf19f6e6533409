//! Cholesky of a small dense matrix: systems below about a hundred unknowns, and the coarse level of `TwoLevel`.
//!
//! Row by row, inner products in fixed lanes: the same bits on every machine.

use crate::matrix::{Block, BlockMatrix, product};
use crate::{Filter, MatrixError, System};
use impinge_geometry::DVec3;

/// The factor of a symmetric positive definite matrix. Inner products have `LANES` lanes, a power of two.
#[derive(Clone, Debug, Default)]
pub struct DenseCholesky<const LANES: usize = 8> {
    n: usize,
    /// Row-major; the lower half holds the factor.
    l: Vec<f64>,
    /// What stands before these columns of the rows is zero and passed over.
    start: Vec<usize>,
    /// Instead of `l`, the factors of the blocks of three of a matrix that has nothing beside them: l₀₀, l₁₀, l₁₁, l₂₀, l₂₁, l₂₂.
    apart: Vec<[f64; 6]>,
    scratch: Vec<f64>,
}

/// `a · b` in fixed lanes, summed in pairs.
#[inline(always)]
pub fn dot<const LANES: usize>(a: &[f64], b: &[f64]) -> f64 {
    // Rows of a rigid body are as short as this: what lanes would add is zero.
    if a.len().min(b.len()) < LANES {
        return 0.0 + a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    }
    let mut s = [0.0; LANES];
    let ((ca, a), (cb, b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let rest: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    for (a, b) in ca.iter().zip(cb) {
        for l in 0..LANES {
            s[l] += a[l] * b[l];
        }
    }
    let mut lanes = LANES;
    while lanes > 1 {
        lanes /= 2;
        for l in 0..lanes {
            s[l] = s[2 * l] + s[2 * l + 1];
        }
    }
    s[0] + rest
}

/// The first lane of the first entry that is not zero: sums from there on are those over everything.
pub fn start_of<const LANES: usize>(v: &[f64]) -> usize {
    v.iter().position(|v| *v != 0.0).unwrap_or(v.len()) / LANES * LANES
}

impl<const LANES: usize> DenseCholesky<LANES> {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Rows of the factor.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Nothing has been factored, or a matrix without rows.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Room for an `n × n` matrix, zeroed, row-major: fill its lower half, then call [`DenseCholesky::factor`].
    pub fn matrix_mut(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.apart.clear();
        self.l.clear();
        self.l.resize(n * n, 0.0);
        &mut self.l
    }

    /// Factors what was filled in.
    ///
    /// # Errors
    /// [`MatrixError::Breakdown`] with the column whose pivot is not positive (below 10⁻¹⁴ of its entry), or not finite.
    pub fn factor(&mut self) -> Result<(), MatrixError> {
        self.factor_with(1e-14, |_| 0, |column, _| Err(MatrixError::Breakdown { column }))
    }

    /// As [`DenseCholesky::factor`] of `a` (n rows of n), for pivots down to 10⁻¹⁵ of their entries. What stands before a row's first
    /// entry is passed over, so a chain of bodies costs what its band does.
    ///
    /// # Errors
    /// The first column without a pivot.
    pub fn factor_band(&mut self, n: usize, a: &[f64]) -> Result<(), usize> {
        self.n = n;
        self.apart.clear();
        self.l.clear();
        self.l.extend_from_slice(a);
        let mut bad = None;
        let factored = self.factor_with(1e-15, start_of::<LANES>, |column, _| {
            bad = Some(column);
            Err(MatrixError::Breakdown { column })
        });
        factored.map_err(|_| bad.unwrap_or(0))
    }

    /// As [`DenseCholesky::factor_band`] of a matrix of blocks of three on its diagonal (row-major) and nothing beside them, as of bodies that no
    /// element joins: the same numbers without the zeros.
    ///
    /// # Errors
    /// The first column without a pivot.
    pub fn factor_blocks(&mut self, blocks: &[Block]) -> Result<(), usize> {
        self.n = 3 * blocks.len();
        self.l.clear();
        self.start.clear();
        self.apart.clear();
        let pivot = |entry: f64, p: f64| {
            let bound = if entry > 0.0 { 1e-15 * entry } else { 0.0 };
            (p > bound && p.is_finite() && p.sqrt() >= f64::MIN_POSITIVE).then(|| p.sqrt())
        };
        for (k, a) in blocks.iter().enumerate() {
            let factor = || {
                let l00 = pivot(a[0], a[0]).ok_or(0usize)?;
                let l10 = a[3] / l00;
                let l11 = pivot(a[4], a[4] - l10 * l10).ok_or(1usize)?;
                let l20 = a[6] / l00;
                let l21 = (a[7] - l20 * l10) / l11;
                let l22 = pivot(a[8], a[8] - (l20 * l20 + l21 * l21)).ok_or(2usize)?;
                Ok([l00, l10, l11, l20, l21, l22])
            };
            match factor() {
                Ok(l) => self.apart.push(l),
                Err(column) => {
                    let column: usize = column;
                    self.n = 0;
                    self.apart.clear();
                    return Err(3 * k + column);
                }
            }
        }
        Ok(())
    }

    /// As [`DenseCholesky::factor`], but dependent columns are left out of the solve: for a basis that may repeat itself.
    pub(crate) fn factor_semidefinite(&mut self) -> Result<usize, MatrixError> {
        let mut dropped = 0;
        self.factor_with(
            1e-14,
            |_| 0,
            |column, finite| {
                dropped += 1;
                if finite { Ok(()) } else { Err(MatrixError::Breakdown { column }) }
            },
        )?;
        Ok(dropped)
    }

    /// `part` of its entry is what a pivot must exceed, `first` where a row begins.
    fn factor_with(
        &mut self,
        part: f64,
        first: impl Fn(&[f64]) -> usize,
        mut on_bad: impl FnMut(usize, bool) -> Result<(), MatrixError>,
    ) -> Result<(), MatrixError> {
        let n = self.n;
        self.start.clear();
        for i in 0..n {
            let (above, row) = self.l.split_at_mut(i * n);
            let row = &mut row[..n];
            let begin = first(&row[..=i]);
            self.start.push(begin);
            for j in begin..i {
                let other = &above[j * n..j * n + n];
                let pivot = other[j];
                let from = begin.max(self.start[j]).min(j);
                let v = row[j] - dot::<LANES>(&row[from..j], &other[from..j]);
                row[j] = if pivot.is_finite() { v / pivot } else { 0.0 };
            }
            let entry = row[i];
            let from = begin.min(i);
            let p = entry - dot::<LANES>(&row[from..i], &row[from..i]);
            let bound = if entry > 0.0 { part * entry } else { 0.0 };
            if p > bound && p.is_finite() && p.sqrt() >= f64::MIN_POSITIVE {
                row[i] = p.sqrt();
            } else {
                if let Err(e) = on_bad(i, p.is_finite()) {
                    self.n = 0;
                    return Err(e);
                }
                // An infinite pivot solves to zero, forward and back.
                row[..i].fill(0.0);
                row[i] = f64::INFINITY;
            }
        }
        Ok(())
    }

    /// `b ← L⁻¹ b`.
    ///
    /// # Panics
    /// When `b` is not [`DenseCholesky::len`] long.
    pub fn forward(&self, b: &mut [f64]) {
        let n = self.n;
        assert_eq!(b.len(), n, "a right-hand side of {} for {n} rows", b.len());
        if !self.apart.is_empty() {
            let (b, _) = b.as_chunks_mut::<3>();
            for (b, l) in b.iter_mut().zip(&self.apart) {
                b[0] /= l[0];
                b[1] = (b[1] - l[1] * b[0]) / l[2];
                b[2] = (b[2] - (l[3] * b[0] + l[4] * b[1])) / l[5];
            }
            return;
        }
        for i in start_of::<LANES>(b)..n {
            let row = &self.l[i * n..i * n + i + 1];
            let from = self.start[i];
            b[i] = (b[i] - dot::<LANES>(&row[from..i], &b[from..i])) / row[i];
        }
    }

    /// `b ← L⁻ᵀ b`.
    ///
    /// # Panics
    /// When `b` is not [`DenseCholesky::len`] long.
    pub fn backward(&self, b: &mut [f64]) {
        let n = self.n;
        assert_eq!(b.len(), n, "a right-hand side of {} for {n} rows", b.len());
        if !self.apart.is_empty() {
            let (b, _) = b.as_chunks_mut::<3>();
            for (b, l) in b.iter_mut().zip(&self.apart) {
                b[2] /= l[5];
                b[1] = (b[1] - l[4] * b[2]) / l[2];
                b[0] = (b[0] - l[3] * b[2] - l[1] * b[1]) / l[0];
            }
            return;
        }
        for i in (0..n).rev() {
            let row = &self.l[i * n..i * n + i + 1];
            b[i] /= row[i];
            let s = b[i];
            let from = self.start[i];
            for (b, l) in b[from..i].iter_mut().zip(&row[from..i]) {
                *b -= l * s;
            }
        }
    }

    /// Solves in place.
    ///
    /// # Panics
    /// When `b` is not [`DenseCholesky::len`] long.
    pub fn solve(&self, b: &mut [f64]) {
        self.forward(b);
        self.backward(b);
    }
}

impl DenseCholesky {
    /// Assembles and factors `P A P + s (I − P)` of a small system.
    ///
    /// # Errors
    /// As [`DenseCholesky::factor`].
    pub fn factor_system(&mut self, system: &System<'_>, filter: &Filter) -> Result<(), MatrixError> {
        let matrix = system.matrix();
        let n = 3 * matrix.pattern().nodes();
        let put = |l: &mut [f64], i: usize, j: usize, b: &Block| {
            for r in 0..3 {
                for c in 0..3 {
                    l[(3 * i + r) * n + 3 * j + c] += b[r * 3 + c];
                }
            }
        };
        let l = self.matrix_mut(n);
        let mut diagonal = matrix.diagonal().to_vec();
        // Contacts: their diagonal with the diagonal, the rest where it belongs.
        system.contacts().add_diagonal(&mut diagonal);
        for (i, d) in diagonal.iter().enumerate() {
            put(l, i, i, &filter.diagonal(i, d));
        }
        lower_blocks(&matrix, filter, |i, j, b| put(l, i, j, b));
        for row in 0..system.contacts().len() {
            let (k, nodes, g) = system.contacts().row(row);
            let free =
                |a: usize| filter.projector(nodes[a] as usize).map_or(g[a], |p| crate::matrix::mul(p, g[a]));
            for a in 0..nodes.len() {
                for b in 0..nodes.len() {
                    if nodes[a] > nodes[b] {
                        let (u, v): ([f64; 3], [f64; 3]) = (free(a).into(), free(b).into());
                        let block: Block = std::array::from_fn(|q| k * u[q / 3] * v[q % 3]);
                        put(l, nodes[a] as usize, nodes[b] as usize, &block);
                    }
                }
            }
        }
        self.factor()
    }

    /// Solves for blocks of three.
    pub(crate) fn solve_blocks(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        let mut s = std::mem::take(&mut self.scratch);
        s.clear();
        s.extend(b.iter().flat_map(|v| [v.x, v.y, v.z]));
        self.solve(&mut s);
        for (x, s) in x.iter_mut().zip(s.chunks_exact(3)) {
            *x = DVec3::new(s[0], s[1], s[2]);
        }
        self.scratch = s;
    }
}

/// The blocks below the diagonal, `P_i A_ij P_j`, row by row.
pub(crate) fn lower_blocks(
    matrix: &BlockMatrix<'_>,
    filter: &Filter,
    mut f: impl FnMut(usize, usize, &Block),
) {
    let pattern = matrix.pattern();
    for i in 0..pattern.nodes() {
        let pi = filter.projector(i);
        for (v, &j) in matrix.lower_row(i).iter().zip(pattern.row(i)) {
            let j = j as usize;
            let mut v = *v;
            if let Some(p) = pi {
                v = product(p, &v);
            }
            if let Some(p) = filter.projector(j) {
                v = product(&v, p);
            }
            f(i, j, &v);
        }
    }
}
