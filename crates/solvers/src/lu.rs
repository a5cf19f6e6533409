//! LU of a small dense matrix with pivots: unsymmetric systems below about a hundred unknowns that are solved more than once.
//!
//! Row by row; a pivot is the largest of its column over the size its row had at first, the first of equals. Multipliers of 0 are
//! skipped, so blocks that are not there cost next to nothing. The same bits on every machine.

use crate::MatrixError;
use std::ops::{Add, Div, Mul, Sub};

/// What a factorisation needs of a number: real ones, and a caller's complex ones.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// A real number as one of these.
    fn real(v: f64) -> Self;
    /// A size to choose pivots by: 0 for zero alone, not finite where a part is not.
    fn size(self) -> f64;
}

impl Number for f64 {
    fn real(v: f64) -> Self {
        v
    }
    fn size(self) -> f64 {
        self.abs()
    }
}

/// The factors of a square matrix.
#[derive(Clone, Debug)]
pub struct DenseLu<T = f64> {
    n: usize,
    /// Row-major: L under the diagonal (its own diagonal is 1), U on and above it, rows in the order of `rows`.
    a: Vec<T>,
    rows: Vec<u32>,
    scale: Vec<f64>,
    factored: bool,
}

impl<T> Default for DenseLu<T> {
    fn default() -> Self {
        Self { n: 0, a: Vec::new(), rows: Vec::new(), scale: Vec::new(), factored: false }
    }
}

impl<T: Number> DenseLu<T> {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The factors of an `n × n` matrix, row-major.
    ///
    /// # Errors
    /// As [`DenseLu::factor`].
    ///
    /// # Panics
    /// When `a` has not n² numbers.
    pub fn of(n: usize, a: Vec<T>) -> Result<Self, MatrixError> {
        assert_eq!(a.len(), n * n, "{n} rows of {n}");
        let mut lu = Self { n, a, ..Self::default() };
        lu.factor()?;
        Ok(lu)
    }

    /// Rows of the factors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n
    }

    /// A matrix without rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Room for an `n × n` matrix, zeroed, row-major: fill it, then call [`DenseLu::factor`].
    pub fn matrix_mut(&mut self, n: usize) -> &mut [T] {
        self.n = n;
        self.factored = false;
        self.a.clear();
        self.a.resize(n * n, T::real(0.0));
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
        if let Some(k) = self.a.iter().position(|x| !x.size().is_finite()) {
            return Err(MatrixError::NotFinite { node: k / n });
        }
        self.rows.clear();
        self.rows.extend(0..n as u32);
        self.scale.clear();
        // A row of zeros has no size; it has no pivot either.
        let largest = |r: &[T]| r.iter().fold(0.0f64, |m, x| m.max(x.size()));
        self.scale.extend(self.a.chunks(n.max(1)).map(|r| largest(r).max(f64::MIN_POSITIVE)));
        for k in 0..n {
            let size = |i: usize| self.a[i * n + k].size() / self.scale[i];
            let mut best = k;
            for i in k + 1..n {
                if size(i) > size(best) {
                    best = i;
                }
            }
            let pivot = self.a[best * n + k];
            if !(pivot.size() > 0.0 && pivot.size().is_finite()) {
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
                if other[k].size() != 0.0 {
                    let f = other[k] / pivot;
                    other[k] = f;
                    other[k + 1..].iter_mut().zip(row).for_each(|(x, y)| *x = *x - f * *y);
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
    pub fn solve(&self, b: &[T], x: &mut [T]) {
        let n = self.n;
        assert!(self.factored, "factor the matrix first");
        assert_eq!((b.len(), x.len()), (n, n), "one entry for each row");
        for i in 0..n {
            let row = &self.a[i * n..i * n + i];
            let known = dot(row, &x[..i]);
            x[i] = b[self.rows[i] as usize] - known;
        }
        for i in (0..n).rev() {
            let row = &self.a[i * n..(i + 1) * n];
            let known = dot(&row[i + 1..], &x[i + 1..]);
            x[i] = (x[i] - known) / row[i];
        }
    }
}

fn dot<T: Number>(a: &[T], x: &[T]) -> T {
    a.iter().zip(x).fold(T::real(0.0), |sum, (a, x)| sum + *a * *x)
}
