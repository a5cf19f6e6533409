//! Incomplete block Cholesky without fill, IC(0).
//!
//! `M = (D + W) D⁻¹ (D + W)ᵀ`, W with the blocks of A below the diagonal,
//! `W_ij = A_ij − Σ W_ik D_k⁻¹ W_jkᵀ`, `D_i = A_ii − Σ W_ij D_j⁻¹ W_ijᵀ` (Meijerink and van der Vorst 1977, by blocks).
//! It need not exist for a positive definite A that is no M-matrix, and elasticity is none: where a D_i is not positive
//! definite the diagonal of A is raised by a factor 1 + shift and all begins anew (Manteuffel 1980).

use crate::dense::lower_blocks;
use crate::matrix::{Block, mul, mul_transposed, product, transposed};
use crate::pattern::BlockPattern;
use crate::precondition::{Preconditioner, cholesky_inverse, gram};
use crate::{Filter, MatrixError, System};
use impinge_geometry::DVec3;

/// IC(0) of a system; contact rows enter by their diagonal blocks.
#[derive(Clone, Debug, Default)]
pub struct IncompleteCholesky {
    pattern: BlockPattern,
    w: Vec<Block>,
    inverse: Vec<Block>,
    diagonal: Vec<Block>,
    shift: f64,
}

impl IncompleteCholesky {
    /// Room for a pattern.
    #[must_use]
    pub fn new(pattern: &BlockPattern) -> Self {
        Self { pattern: pattern.clone(), ..Self::default() }
    }

    /// The shift the last update needed: 0 when none.
    #[must_use]
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// Factors anew.
    ///
    /// # Errors
    /// [`MatrixError`] when a diagonal block of A itself is not positive definite, a value is not finite, or the
    /// pattern is another.
    pub fn update(&mut self, system: &System<'_>, filter: &Filter) -> Result<(), MatrixError> {
        let matrix = system.matrix();
        let n = self.pattern.nodes();
        if matrix.pattern() != &self.pattern {
            let given = matrix.pattern().blocks();
            return Err(crate::WrongLength { wanted: self.pattern.blocks(), given }.into());
        }
        self.diagonal.clear();
        self.diagonal.extend_from_slice(matrix.diagonal());
        system.contacts().add_diagonal(&mut self.diagonal);
        for node in 0..n {
            self.diagonal[node] = filter.diagonal(node, &self.diagonal[node]);
            cholesky_inverse(&self.diagonal[node], node)?;
        }
        self.shift = 0.0;
        loop {
            self.w.clear();
            lower_blocks(&matrix, filter, |_, _, v| self.w.push(*v));
            match self.factor() {
                Ok(()) => return Ok(()),
                Err(e @ MatrixError::NotFinite { .. }) => return Err(e),
                // With a shift this large M is block Jacobi; A had something to hide.
                Err(e) if self.shift > 1e3 => return Err(e),
                Err(_) => self.shift = if self.shift == 0.0 { 1e-2 } else { 2.0 * self.shift },
            }
        }
    }

    fn factor(&mut self) -> Result<(), MatrixError> {
        let (start, column) = self.pattern.lower();
        self.inverse.clear();
        for i in 0..self.pattern.nodes() {
            let mut d = self.diagonal[i].map(|v| v * (1.0 + self.shift));
            let (r0, r1) = (start[i] as usize, start[i + 1] as usize);
            for s in r0..r1 {
                let j = column[s] as usize;
                let mut v = self.w[s];
                // Both rows ascend: walk them together below column j.
                let (mut a, mut b) = (r0, start[j] as usize);
                while a < s && b < start[j + 1] as usize {
                    match column[a].cmp(&column[b]) {
                        std::cmp::Ordering::Less => a += 1,
                        std::cmp::Ordering::Greater => b += 1,
                        std::cmp::Ordering::Equal => {
                            let k = column[a] as usize;
                            let t = product(&product(&self.w[a], &self.inverse[k]), &transposed(&self.w[b]));
                            for q in 0..9 {
                                v[q] -= t[q];
                            }
                            a += 1;
                            b += 1;
                        }
                    }
                }
                self.w[s] = v;
                let t = product(&product(&v, &self.inverse[j]), &transposed(&v));
                for q in 0..9 {
                    d[q] -= t[q];
                }
            }
            self.inverse.push(gram(&cholesky_inverse(&d, i)?));
        }
        Ok(())
    }
}

impl Preconditioner for IncompleteCholesky {
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        let n = self.pattern.nodes();
        assert!(r.len() == n && self.inverse.len() == n, "update the preconditioner first");
        let (start, column) = self.pattern.lower();
        for i in 0..n {
            let mut t = r[i];
            for s in start[i] as usize..start[i + 1] as usize {
                t -= mul(&self.w[s], z[column[s] as usize]);
            }
            z[i] = mul(&self.inverse[i], t);
        }
        // z_j −= D_j⁻¹ Σ W_ijᵀ z_i, handed down row by row: when row i is reached, all of its sum has come.
        for i in (0..n).rev() {
            let zi = z[i];
            for s in start[i] as usize..start[i + 1] as usize {
                let j = column[s] as usize;
                z[j] -= mul(&self.inverse[j], mul_transposed(&self.w[s], zi));
            }
        }
    }
}
