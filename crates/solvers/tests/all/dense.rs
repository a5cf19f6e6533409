//! The dense Cholesky factor by hand.

use impinge_solvers::dense::{DenseCholesky, dot};

#[test]
fn a_hand_made_matrix() {
    // [4 2; 2 10] = [2 0; 1 3][2 1; 0 3].
    let mut c = DenseCholesky::<4>::new();
    c.factor_band(2, &[4.0, 0.0, 2.0, 10.0]).unwrap();
    let mut v = [8.0, 22.0];
    c.solve(&mut v);
    assert_eq!(v, [1.0, 2.0]);
    let mut w = [8.0, 22.0];
    c.forward(&mut w);
    assert_eq!(w, [4.0, 6.0]);
    assert_eq!(c.factor_band(2, &[1.0, 0.0, 2.0, 4.0]), Err(1));
    assert_eq!(c.factor_band(1, &[f64::NAN]), Err(0));
}

#[test]
fn lanes_and_tail() {
    let a: Vec<f64> = (0..11).map(f64::from).collect();
    assert_eq!([dot::<4>(&a, &a), dot::<8>(&a, &a)], [385.0; 2]);
}

/// Bodies that no element joins have no entries beside their blocks: what is left out are products with zero.
#[test]
fn blocks_apart_have_the_bits_of_the_whole_matrix() {
    let blocks: Vec<[f64; 9]> = (0..5u32)
        .map(|k| {
            let s = 1.0 + f64::from(k) / 7.0;
            [3.1 * s, 0.3, -0.7, 0.3, 2.3, 0.11 * s, -0.7, 0.11 * s, 1.9]
        })
        .collect();
    let n = 3 * blocks.len();
    let mut whole = vec![0.0; n * n];
    for (k, block) in blocks.iter().enumerate() {
        for (e, v) in block.iter().enumerate() {
            whole[(3 * k + e / 3) * n + 3 * k + e % 3] = *v;
        }
    }
    let (mut band, mut apart) = (DenseCholesky::<4>::new(), DenseCholesky::<4>::new());
    assert_eq!((band.factor_band(n, &whole), apart.factor_blocks(&blocks)), (Ok(()), Ok(())));
    let b: Vec<f64> = (0..n).map(|i| if i % 5 == 0 { 0.0 } else { 1.0 / (i as f64 + 0.3) }).collect();
    let (mut x, mut y) = (b.clone(), b);
    band.forward(&mut x);
    apart.forward(&mut y);
    assert_eq!(x, y);
    band.backward(&mut x);
    apart.backward(&mut y);
    assert_eq!(x, y);
    // The column without a pivot is named.
    let mut bad = blocks;
    bad[3][4] = -1.0;
    whole[10 * n + 10] = -1.0;
    assert_eq!((band.factor_band(n, &whole), apart.factor_blocks(&bad)), (Err(10), Err(10)));
}
