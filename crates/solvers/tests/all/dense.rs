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
