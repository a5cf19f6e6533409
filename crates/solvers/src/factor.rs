//! Sparse Cholesky LLᵀ and LDLᵀ of the faer crate, behind the feature `factor`.
//!
//! The order of elimination and the shape of the factor are found once per pattern; numbers go into a buffer that is kept.
//! One thread always, because faer's bits depend on the number of threads; and they depend on the processor (it picks
//! its instructions at run time): nothing that goes through here is the same bit for bit from machine to machine.
//! Answers are checked by their residual and refined by conjugate gradients with the factor as preconditioner, which is
//! also how contacts, that are not in the pattern, get in: m rows of low rank take at most m + 1 iterations.

use crate::matrix::{Block, BlockMatrix, WrongLength};
use crate::outcome::MatrixError;
use crate::pattern::BlockPattern;
use crate::precondition::Preconditioner;
use crate::{CgWorkspace, Filter, Outcome, Settings, System, pcg};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use impinge_geometry::DVec3;

/// Right-hand sides that go through the factor together.
const SIDE_BY_SIDE: usize = 8;

/// Which factorisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FactorKind {
    /// L Lᵀ: positive definite matrices only, and says so.
    #[default]
    Llt,
    /// L D Lᵀ without pivoting: also quasi-definite matrices.
    Ldlt,
}

/// The factor of one pattern.
pub struct Factor {
    kind: FactorKind,
    pattern: BlockPattern,
    symbolic: SymbolicCholesky<u32>,
    column_start: Vec<u32>,
    row: Vec<u32>,
    upper: Vec<f64>,
    l: Vec<f64>,
    memory: MemBuffer,
    ready: bool,
    rhs: Vec<f64>,
}

impl std::fmt::Debug for Factor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Factor")
            .field("kind", &self.kind)
            .field("numbers", &self.l.len())
            .finish_non_exhaustive()
    }
}

impl Factor {
    /// Orders a pattern (approximate minimum degree) and finds the shape of its factor.
    ///
    /// # Errors
    /// [`MatrixError::TooLarge`] when there is no memory for it.
    pub fn new(pattern: &BlockPattern, kind: FactorKind) -> Result<Self, MatrixError> {
        let n = 3 * pattern.nodes();
        let entries = 9 * (pattern.blocks() - pattern.nodes()) + 6 * pattern.nodes();
        if entries >= u32::MAX as usize {
            return Err(MatrixError::TooLarge);
        }
        // Our lower half by rows is the upper half by columns.
        let mut column_start = vec![0u32];
        let mut row = Vec::with_capacity(entries);
        for i in 0..pattern.nodes() {
            for c in 0..3 {
                for &j in pattern.row(i) {
                    row.extend((0..3).map(|r| 3 * j + r));
                }
                row.extend((0..=c).map(|r| (3 * i) as u32 + r));
                column_start.push(row.len() as u32);
            }
        }
        let shape = SymbolicSparseColMatRef::new_checked(n, n, &column_start, None, &row);
        let symbolic = factorize_symbolic_cholesky(
            shape,
            Side::Upper,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .map_err(|_| MatrixError::TooLarge)?;
        let numeric = match kind {
            FactorKind::Llt => symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default()),
            FactorKind::Ldlt => symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default()),
        };
        let scratch = StackReq::or(numeric, symbolic.solve_in_place_scratch::<f64>(SIDE_BY_SIDE, Par::Seq));
        let memory = MemBuffer::try_new(scratch).map_err(|_| MatrixError::TooLarge)?;
        let l = vec![0.0; symbolic.len_val()];
        let upper = vec![0.0; row.len()];
        let pattern = pattern.clone();
        Ok(Self {
            kind,
            pattern,
            symbolic,
            column_start,
            row,
            upper,
            l,
            memory,
            ready: false,
            rhs: vec![0.0; n],
        })
    }

    /// Which factorisation.
    #[must_use]
    pub fn kind(&self) -> FactorKind {
        self.kind
    }

    /// Numbers of the factor.
    #[must_use]
    pub fn len(&self) -> usize {
        self.l.len()
    }

    /// A factor without numbers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.l.is_empty()
    }

    /// Factors new values of the same pattern, `P A P + s (I − P)`. Contacts are not part of it.
    ///
    /// # Errors
    /// [`MatrixError::WrongLength`] for another pattern, [`MatrixError::NotFinite`], [`MatrixError::Breakdown`] without a
    /// usable pivot; then there is no factor.
    pub fn refactor(&mut self, matrix: &BlockMatrix<'_>, filter: &Filter) -> Result<(), MatrixError> {
        self.ready = false;
        if matrix.pattern() != &self.pattern {
            let given = matrix.pattern().blocks();
            return Err(WrongLength { wanted: self.pattern.blocks(), given }.into());
        }
        let finite = |b: &Block| b.iter().all(|v| v.is_finite());
        let sound = |i: usize| finite(&matrix.diagonal()[i]) && matrix.lower_row(i).iter().all(finite);
        if let Some(node) = (0..self.pattern.nodes()).find(|i| !sound(*i)) {
            return Err(MatrixError::NotFinite { node });
        }
        let at = &self.column_start;
        for (i, d) in matrix.diagonal().iter().enumerate() {
            let d = filter.diagonal(i, d);
            for c in 0..3 {
                let end = at[3 * i + c + 1] as usize;
                for r in 0..=c {
                    self.upper[end - 1 - c + r] = d[3 * c + r];
                }
            }
        }
        let (mut row, mut place) = (usize::MAX, 0);
        let upper = &mut self.upper;
        crate::dense::lower_blocks(matrix, filter, |i, _, b| {
            place = if i == row { place + 3 } else { 0 };
            row = i;
            for c in 0..3 {
                let k = at[3 * i + c] as usize + place;
                upper[k..k + 3].copy_from_slice(&b[3 * c..3 * c + 3]);
            }
        });
        let n = self.rhs.len();
        let shape = SymbolicSparseColMatRef::new_checked(n, n, &self.column_start, None, &self.row);
        let a = SparseColMatRef::new(shape, &self.upper[..]);
        let stack = MemStack::new(&mut self.memory);
        let (regular_llt, regular_ldlt) = (Default::default(), Default::default());
        let bad = match self.kind {
            FactorKind::Llt => self
                .symbolic
                .factorize_numeric_llt(
                    &mut self.l,
                    a,
                    Side::Upper,
                    regular_llt,
                    Par::Seq,
                    stack,
                    Default::default(),
                )
                .err()
                .map(|e| match e {
                    faer::linalg::cholesky::llt::factor::LltError::NonPositivePivot { index } => index,
                }),
            FactorKind::Ldlt => self
                .symbolic
                .factorize_numeric_ldlt(
                    &mut self.l,
                    a,
                    Side::Upper,
                    regular_ldlt,
                    Par::Seq,
                    stack,
                    Default::default(),
                )
                .err()
                .map(|e| match e {
                    faer::linalg::cholesky::ldlt::factor::LdltError::ZeroPivot { index } => index,
                }),
        };
        if let Some(column) = bad {
            return Err(MatrixError::Breakdown { column });
        }
        // Without pivoting a tiny pivot is let through and leaves infinities.
        if let Some(k) = self.l.iter().position(|v| !v.is_finite()) {
            return Err(MatrixError::Breakdown { column: k.min(n.saturating_sub(1)) });
        }
        self.ready = true;
        Ok(())
    }

    /// `x = A⁻¹ b` by the two triangular solves, unchecked; see [`Factor::solve`].
    ///
    /// # Panics
    /// When [`Factor::refactor`] has not succeeded or a length differs.
    pub fn solve_once(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        assert!(self.ready, "factor the matrix first");
        let n = self.rhs.len();
        assert!(3 * b.len() == n && 3 * x.len() == n, "vectors of {} and {} blocks", b.len(), x.len());
        if n == 0 {
            return;
        }
        for (s, b) in self.rhs.chunks_exact_mut(3).zip(b) {
            s.copy_from_slice(&[b.x, b.y, b.z]);
        }
        let mut rhs = std::mem::take(&mut self.rhs);
        self.solve_columns(&mut rhs);
        self.rhs = rhs;
        for (x, s) in x.iter_mut().zip(self.rhs.chunks_exact(3)) {
            *x = DVec3::new(s[0], s[1], s[2]);
        }
    }

    /// Replaces columns (scalars, one column after the other) by A⁻¹ times them, unchecked. Several share one pass over the factor, whose
    /// numbers are what a single one waits for.
    ///
    /// # Panics
    /// When [`Factor::refactor`] has not succeeded or the length is no multiple of that of a column.
    pub fn solve_columns(&mut self, columns: &mut [f64]) {
        assert!(self.ready, "factor the matrix first");
        let n = 3 * self.pattern.nodes();
        if n == 0 {
            return;
        }
        assert!(columns.len().is_multiple_of(n), "{} numbers in columns of {n}", columns.len());
        let stack = MemStack::new(&mut self.memory);
        for some in columns.chunks_mut(SIDE_BY_SIDE * n) {
            let count = some.len() / n;
            let rhs = MatMut::from_column_major_slice_mut(some, n, count);
            match self.kind {
                FactorKind::Llt => {
                    let l = LltRef::new(&self.symbolic, &self.l);
                    l.solve_in_place_with_conj(Conj::No, rhs, Par::Seq, stack);
                }
                FactorKind::Ldlt => {
                    let l = LdltRef::new(&self.symbolic, &self.l);
                    l.solve_in_place_with_conj(Conj::No, rhs, Par::Seq, stack);
                }
            }
        }
    }

    /// Solves a positive definite system, contacts and prescribed values included, and measures the residual.
    pub fn solve(
        &mut self,
        system: &System<'_>,
        filter: &Filter,
        b: &[DVec3],
        x: &mut [DVec3],
        settings: &Settings,
        ws: &mut CgWorkspace,
    ) -> Outcome {
        pcg(system, self, filter, b, x, settings, ws)
    }
}

impl Preconditioner for Factor {
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        self.solve_once(r, z);
    }
}
