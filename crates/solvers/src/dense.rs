//! Cholesky of a small dense matrix: systems below about a hundred unknowns, and the coarse level of `TwoLevel`.
//!
//! Row by row, inner products in eight fixed lanes: the same bits on every machine.

use crate::matrix::{Block, BlockMatrix, product};
use crate::{Filter, MatrixError, System};
use impinge_geometry::DVec3;

/// The factor of a symmetric positive definite matrix.
#[derive(Clone, Debug, Default)]
pub struct DenseCholesky {
    n: usize,
    /// Row-major; the lower half holds the factor.
    l: Vec<f64>,
    scratch: Vec<f64>,
}

#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut s = [0.0; 8];
    let (ca, cb) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = ca.remainder().iter().zip(cb.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in ca.zip(cb) {
        for l in 0..8 {
            s[l] += a[l] * b[l];
        }
    }
    (((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))) + rest
}

impl DenseCholesky {
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
        self.l.clear();
        self.l.resize(n * n, 0.0);
        &mut self.l
    }

    /// Factors what was filled in.
    ///
    /// # Errors
    /// [`MatrixError::Breakdown`] with the column whose pivot is not positive (below 10⁻¹⁴ of its entry), or not finite.
    pub fn factor(&mut self) -> Result<(), MatrixError> {
        self.factor_with(|column, _| Err(MatrixError::Breakdown { column }))
    }

    /// As [`DenseCholesky::factor`], but dependent columns are left out of the solve: for a basis that may repeat itself.
    pub(crate) fn factor_semidefinite(&mut self) -> Result<usize, MatrixError> {
        let mut dropped = 0;
        self.factor_with(|column, finite| {
            dropped += 1;
            if finite { Ok(()) } else { Err(MatrixError::Breakdown { column }) }
        })?;
        Ok(dropped)
    }

    fn factor_with(
        &mut self,
        mut on_bad: impl FnMut(usize, bool) -> Result<(), MatrixError>,
    ) -> Result<(), MatrixError> {
        let n = self.n;
        for i in 0..n {
            let (above, row) = self.l.split_at_mut(i * n);
            let row = &mut row[..n];
            for j in 0..i {
                let other = &above[j * n..j * n + n];
                let pivot = other[j];
                let v = row[j] - dot(&row[..j], &other[..j]);
                row[j] = if pivot.is_finite() { v / pivot } else { 0.0 };
            }
            let entry = row[i];
            let p = entry - dot(&row[..i], &row[..i]);
            let bound = if entry > 0.0 { 1e-14 * entry } else { 0.0 };
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

    /// Solves in place.
    ///
    /// # Panics
    /// When `b` is not [`DenseCholesky::len`] long.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        assert_eq!(b.len(), n, "a right-hand side of {} for {n} rows", b.len());
        for i in 0..n {
            let row = &self.l[i * n..i * n + i + 1];
            b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
        }
        for i in (0..n).rev() {
            let row = &self.l[i * n..i * n + i + 1];
            b[i] /= row[i];
            let s = b[i];
            for (b, l) in b[..i].iter_mut().zip(row) {
                *b -= l * s;
            }
        }
    }

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
