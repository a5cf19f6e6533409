//! A sweep forward and one back over a block matrix, in f64: symmetric Gauss–Seidel with diagonal blocks of the caller's.
//!
//! `z = (D+U)⁻¹ D (D+L)⁻¹ r`, with L and U the matrix off its diagonal. D need be no part of the matrix, symmetric or definite: contacts
//! that are not assembled enter by it. So it serves GMRES, where [`Ssor`](crate::Ssor), which factors D and runs in f32, serves conjugate
//! gradients. Both sweeps together read the blocks twice, as one product does.

use crate::matrix::{BlockMatrix, mul, mul_transposed};
use crate::vector::reset;
use impinge_geometry::{DMat3, DVec3};

/// `z = M⁻¹ r` for the matrix `share · a` off the diagonal and, on it, blocks whose inverses are given. Where an inverse is zero `z` is too.
///
/// # Panics
/// When `inverse`, `r` or `z` is not as long as the matrix has rows.
pub fn symmetric_sweeps(
    a: &BlockMatrix<'_>,
    share: f64,
    inverse: &[DMat3],
    r: &[DVec3],
    z: &mut [DVec3],
    later: &mut Vec<DVec3>,
) {
    let n = a.pattern().nodes();
    assert!(
        inverse.len() == n && r.len() == n && z.len() == n,
        "{}, {} and {} blocks for {n} rows",
        inverse.len(),
        r.len(),
        z.len()
    );
    for i in 0..n {
        let earlier = a.pattern().row(i).iter().zip(a.lower_row(i));
        let sum = earlier.fold(DVec3::zero(), |s, (j, block)| s + mul(block, z[*j as usize]));
        z[i] = inverse[i] * (r[i] - sum * share);
    }
    // Σ A_ij z_j over the rows j after i.
    reset(later, n);
    for i in (0..n).rev() {
        z[i] -= inverse[i] * (later[i] * share);
        for (j, block) in a.pattern().row(i).iter().zip(a.lower_row(i)) {
            later[*j as usize] += mul_transposed(block, z[i]);
        }
    }
}
