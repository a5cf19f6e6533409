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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Block;
    use crate::pattern::BlockPattern;

    fn columns(b: &Block) -> DMat3 {
        DMat3::new(DVec3::new(b[0], b[3], b[6]), DVec3::new(b[1], b[4], b[7]), DVec3::new(b[2], b[5], b[8]))
    }

    /// `(D+L) D⁻¹ (D+U) z` is r again, with a D that the matrix does not have; a row without inverse stays zero and tells others nothing.
    #[test]
    fn the_product_of_the_factors_leads_back() {
        let pairs: [[u32; 2]; 5] = [[0, 1], [1, 2], [0, 3], [2, 4], [1, 4]];
        let pattern = BlockPattern::new(5, pairs.iter().map(|p| &p[..])).unwrap();
        let at = |k: usize| ((k * 37 + 11) % 97) as f64 / 97.0 - 0.5;
        let values: Vec<Block> =
            (0..pattern.blocks()).map(|k| std::array::from_fn(|i| at(9 * k + i))).collect();
        let a = BlockMatrix::new(&pattern, &values).unwrap();
        let (share, held) = (0.7, 3);
        let d: Vec<DMat3> = (0..5)
            .map(|i| {
                columns(&std::array::from_fn(|k| at(9 * i + k + 400) + if k % 4 == 0 { 3.0 } else { 0.0 }))
            })
            .collect();
        let mut inverse: Vec<DMat3> = d.iter().map(|d| impinge_geometry::inverse(d).unwrap()).collect();
        let none = DVec3::zero();
        inverse[held] = DMat3::new(none, none, none);
        let r: Vec<DVec3> = (0..5).map(|i| DVec3::new(1.0, at(i), -0.3 * i as f64)).collect();
        let mut z = vec![none; 5];
        symmetric_sweeps(&a, share, &inverse, &r, &mut z, &mut Vec::new());
        assert_eq!(z[held], none);

        let stored = |i: usize, j: usize| columns(&values[pattern.slot(i as u32, j as u32) as usize]) * share;
        let block = |i: usize, j: usize| if i > j { stored(i, j) } else { stored(j, i).transposed() };
        let joined =
            |i: usize, j: usize| pairs.iter().any(|p| p.contains(&(i as u32)) && p.contains(&(j as u32)));
        let free = [0usize, 1, 2, 4];
        // y = D⁻¹ (D+U) z, then (D+L) y.
        let upper = |i: usize| {
            free.iter().filter(|&&j| j > i && joined(i, j)).fold(none, |s, &j| s + block(i, j) * z[j])
        };
        let y: Vec<DVec3> = (0..5).map(|i| z[i] + inverse[i] * upper(i)).collect();
        for &i in &free {
            let lower =
                free.iter().filter(|&&j| j < i && joined(i, j)).fold(none, |s, &j| s + block(i, j) * y[j]);
            let back = d[i] * y[i] + lower;
            assert!((back - r[i]).mag() < 1e-14, "row {i}: {back:?} for {:?}", r[i]);
        }
    }
}
