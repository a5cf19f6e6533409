//! The product of the factors of a sweep leads back.

use impinge_geometry::{DMat3, DVec3};
use impinge_solvers::{Block, BlockMatrix, BlockPattern, symmetric_sweeps};

fn columns(b: &Block) -> DMat3 {
    DMat3::new(DVec3::new(b[0], b[3], b[6]), DVec3::new(b[1], b[4], b[7]), DVec3::new(b[2], b[5], b[8]))
}

/// `(D+L) D⁻¹ (D+U) z` is r again, with a D that the matrix does not have; a row without inverse stays zero and tells others nothing.
#[test]
fn the_product_of_the_factors_leads_back() {
    let pairs: [[u32; 2]; 5] = [[0, 1], [1, 2], [0, 3], [2, 4], [1, 4]];
    let pattern = BlockPattern::new(5, pairs.iter().map(|p| &p[..])).unwrap();
    let at = |k: usize| ((k * 37 + 11) % 97) as f64 / 97.0 - 0.5;
    let values: Vec<Block> = (0..pattern.blocks()).map(|k| std::array::from_fn(|i| at(9 * k + i))).collect();
    let a = BlockMatrix::new(&pattern, &values).unwrap();
    let (share, held) = (0.7, 3);
    let d: Vec<DMat3> = (0..5)
        .map(|i| columns(&std::array::from_fn(|k| at(9 * i + k + 400) + if k % 4 == 0 { 3.0 } else { 0.0 })))
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
    let upper =
        |i: usize| free.iter().filter(|&&j| j > i && joined(i, j)).fold(none, |s, &j| s + block(i, j) * z[j]);
    let y: Vec<DVec3> = (0..5).map(|i| z[i] + inverse[i] * upper(i)).collect();
    for &i in &free {
        let lower =
            free.iter().filter(|&&j| j < i && joined(i, j)).fold(none, |s, &j| s + block(i, j) * y[j]);
        let back = d[i] * y[i] + lower;
        assert!((back - r[i]).mag() < 1e-14, "row {i}: {back:?} for {:?}", r[i]);
    }
}
