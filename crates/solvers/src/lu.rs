//! LU of a small dense matrix with pivots: unsymmetric systems below about a hundred unknowns that are solved more than once.
//!
//! Row by row; a pivot is the largest of its column over the size its row had at first, the first of equals. Multipliers of 0 are
//! skipped, so blocks that are not there cost next to nothing. The same bits on every machine.

use crate::MatrixError;

/// The factors of a square matrix.
#[derive(Clone, Debug, Default)]
pub struct DenseLu {
    n: usize,
    /// Row-major: L under the diagonal (its own diagonal is 1), U on and above it, rows in the order of `rows`.
    a: Vec<f64>,
    rows: Vec<u32>,
    scale: Vec<f64>,
    factored: bool,
}

impl DenseLu {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Rows of the factors.
    pub fn len(&self) -> usize {
        self.n
    }

    /// A matrix without rows.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Room for an `n × n` matrix, zeroed, row-major: fill it, then call [`DenseLu::factor`].
    pub fn matrix_mut(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.factored = false;
        self.a.clear();
        self.a.resize(n * n, 0.0);
        &mut self.a
    }

    /// Factors what was filled in.
    ///
    /// # Errors
    /// [`MatrixError::Singular`] with the column that has no pivot; [`MatrixError::NotFinite`] with a row (numbers are counted here, not
    /// blocks). Then there is no factor.
    pub fn factor(&mut self) -> Result<(), MatrixError> {
        let n = self.n;
        self.factored = false;
        if let Some(k) = self.a.iter().position(|x| !x.is_finite()) {
            return Err(MatrixError::NotFinite { node: k / n });
        }
        self.rows.clear();
        self.rows.extend(0..n as u32);
        self.scale.clear();
        // A row of zeros has no size; it has no pivot either.
        let largest = |r: &[f64]| r.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        self.scale.extend(self.a.chunks(n.max(1)).map(|r| largest(r).max(f64::MIN_POSITIVE)));
        for k in 0..n {
            let size = |i: usize| self.a[i * n + k].abs() / self.scale[i];
            let mut best = k;
            for i in k + 1..n {
                if size(i) > size(best) {
                    best = i;
                }
            }
            let pivot = self.a[best * n + k];
            if !(pivot != 0.0 && pivot.is_finite()) {
                return Err(MatrixError::Singular { column: k });
            }
            if best != k {
                let (above, below) = self.a.split_at_mut(best * n);
                above[k * n..(k + 1) * n].swap_with_slice(&mut below[..n]);
                self.rows.swap(k, best);
                self.scale.swap(k, best);
            }
            let (above, below) = self.a.split_at_mut((k + 1) * n);
            let row = &above[k * n + k + 1..];
            for other in below.chunks_exact_mut(n) {
                if other[k] != 0.0 {
                    let f = other[k] / pivot;
                    other[k] = f;
                    other[k + 1..].iter_mut().zip(row).for_each(|(x, y)| *x -= f * y);
                }
            }
        }
        self.factored = true;
        Ok(())
    }

    /// x = A⁻¹ b.
    ///
    /// # Panics
    /// When [`DenseLu::factor`] has not succeeded or a length is not the matrix's.
    pub fn solve(&self, b: &[f64], x: &mut [f64]) {
        let n = self.n;
        assert!(self.factored, "factor the matrix first");
        assert_eq!((b.len(), x.len()), (n, n), "one entry for each row");
        for i in 0..n {
            let row = &self.a[i * n..i * n + i];
            let known: f64 = row.iter().zip(&*x).map(|(a, x)| a * x).sum();
            x[i] = b[self.rows[i] as usize] - known;
        }
        for i in (0..n).rev() {
            let row = &self.a[i * n..(i + 1) * n];
            let known: f64 = row[i + 1..].iter().zip(&x[i + 1..]).map(|(a, x)| a * x).sum();
            x[i] = (x[i] - known) / row[i];
        }
    }
}
