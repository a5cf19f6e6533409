//! The band matrix solves what it multiplied.

use impinge_elasticity::plane_strain::BandMatrix;

#[test]
fn solves_what_it_multiplied() {
    let (n, half) = (17, 3);
    let mut a = BandMatrix::zeros(n, half);
    let mut b = vec![0.0; n];
    let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
    for i in 0..n {
        for j in a.columns(i) {
            let v = if i == j { 5.0 } else { 1.0 / (1.0 + i as f64 + 2.0 * j as f64) - 0.3 };
            *a.entry(i, j) = v;
            b[i] += v * x[j];
        }
    }
    a.solve(&mut b).unwrap();
    assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-14));
    let mut flat = BandMatrix::zeros(2, 1);
    *flat.entry(0, 0) = 1.0;
    assert_eq!(flat.solve(&mut [1.0, 1.0]), Err(1));
}
