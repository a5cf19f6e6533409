//! Preconditioners: what stands for the inverse of A. The plain ones; see `Ssor`, `IncompleteCholesky` and `TwoLevel`.

use crate::filter::Filter;
use crate::matrix::{Block, mul};
use crate::operator::Operator;
use crate::outcome::MatrixError;
use impinge_geometry::DVec3;

/// A symmetric positive definite map `z = M⁻¹ r`. `&mut` for scratch: equal input gives equal output.
pub trait Preconditioner {
    /// `z = M⁻¹ r`.
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]);

    /// The map is linear only up to rounding that matters (f32 inside); the solver then takes care.
    fn varies(&self) -> bool {
        false
    }
}

/// M = I.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

impl Preconditioner for Identity {
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        z.copy_from_slice(r);
    }
}

/// M = the diagonal blocks.
#[derive(Clone, Debug, Default)]
pub struct BlockJacobi {
    inverse: Vec<Block>,
}

impl BlockJacobi {
    /// Nothing yet: call [`BlockJacobi::update`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Inverts the diagonal blocks of the filtered operator; keeps its memory.
    ///
    /// # Errors
    /// [`MatrixError::NotPositive`] or [`MatrixError::NotFinite`] with the node; then the preconditioner is empty.
    pub fn update<A: Operator + ?Sized>(&mut self, a: &A, filter: &Filter) -> Result<(), MatrixError> {
        self.inverse.clear();
        self.inverse.resize(a.nodes(), [0.0; 9]);
        a.add_diagonal(&mut self.inverse);
        for node in 0..self.inverse.len() {
            let d = filter.diagonal(node, &self.inverse[node]);
            match cholesky_inverse(&d, node) {
                Ok(c) => self.inverse[node] = gram(&c),
                Err(e) => {
                    self.inverse.clear();
                    return Err(e);
                }
            }
        }
        Ok(())
    }
}

impl Preconditioner for BlockJacobi {
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        assert_eq!(r.len(), self.inverse.len(), "update the preconditioner first");
        for ((z, r), d) in z.iter_mut().zip(r).zip(&self.inverse) {
            *z = mul(d, *r);
        }
    }
}

/// `C⁻¹` of the Cholesky factor `C Cᵀ` of a block, lower triangular; the lower half is read.
pub(crate) fn cholesky_inverse(d: &Block, node: usize) -> Result<Block, MatrixError> {
    if !d.iter().all(|v| v.is_finite()) {
        return Err(MatrixError::NotFinite { node });
    }
    let bad = Err(MatrixError::NotPositive { node });
    // A pivot that is rounding of the entry it came from says the block is singular.
    let usable = |pivot: f64, entry: f64| pivot > 1e-14 * entry && pivot >= f64::MIN_POSITIVE;
    if !usable(d[0], d[0]) {
        return bad;
    }
    let c00 = d[0].sqrt();
    let c10 = d[3] / c00;
    let c20 = d[6] / c00;
    let p1 = d[4] - c10 * c10;
    if !usable(p1, d[4]) {
        return bad;
    }
    let c11 = p1.sqrt();
    let c21 = (d[7] - c20 * c10) / c11;
    let p2 = d[8] - c20 * c20 - c21 * c21;
    if !usable(p2, d[8]) {
        return bad;
    }
    let c22 = p2.sqrt();
    let (i0, i1, i2) = (1.0 / c00, 1.0 / c11, 1.0 / c22);
    let i10 = -c10 * i0 * i1;
    let i21 = -c21 * i1 * i2;
    let i20 = -(c20 * i0 + c21 * i10) * i2;
    let out = [i0, 0.0, 0.0, i10, i1, 0.0, i20, i21, i2];
    if out.iter().all(|v| v.is_finite()) { Ok(out) } else { bad }
}

/// `C⁻ᵀ C⁻¹`.
pub(crate) fn gram(c: &Block) -> Block {
    crate::matrix::product(&crate::matrix::transposed(c), c)
}
