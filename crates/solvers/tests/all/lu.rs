//! Dense LU: answers, and matrices that have none.

use impinge_solvers::{DenseLu, MatrixError};

fn factored(n: usize, at: impl Fn(usize, usize) -> f64) -> (DenseLu, Result<(), MatrixError>) {
    let mut lu = DenseLu::new();
    let a = lu.matrix_mut(n);
    for i in 0..n {
        for j in 0..n {
            a[i * n + j] = at(i, j);
        }
    }
    let done = lu.factor();
    (lu, done)
}

/// Rows and columns of very different sizes, no pivot on the diagonal, blocks that are not there. But for the sizes each row is
/// dominated by one entry, so that the answer is known to many digits.
#[test]
fn answers_fit_the_matrix() {
    let n = 37;
    let at = |i: usize, j: usize| {
        let unit = if i % 6 < 3 { 1.0 } else { 1e-7 };
        let other = if j % 6 < 3 { 1.0 } else { 1e-4 };
        let small = || 0.04 * (((i * 37 + j * 101 + 11) % 97) as f64 / 97.0 - 0.4);
        let gone = i == j || (i / 6 + j / 6) % 3 == 1;
        let entry = if j == (i + 5) % n {
            1.0
        } else if gone {
            0.0
        } else {
            small()
        };
        unit * other * entry
    };
    let (lu, done) = factored(n, at);
    assert_eq!(done, Ok(()));
    assert_eq!(lu.len(), n);
    let known: Vec<f64> = (0..n).map(|j| (1.0 + j as f64) / if j % 6 < 3 { 1.0 } else { 1e-4 }).collect();
    let b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| at(i, j) * known[j]).sum()).collect();
    let mut x = vec![0.0; n];
    lu.solve(&b, &mut x);
    for (j, (x, known)) in x.iter().zip(&known).enumerate() {
        assert!((x - known).abs() <= 1e-9 * known.abs(), "{j}: {x} for {known}");
    }
    for i in 0..n {
        let left: f64 = (0..n).map(|j| at(i, j) * x[j]).sum::<f64>() - b[i];
        let terms: f64 = (0..n).map(|j| (at(i, j) * x[j]).abs()).sum::<f64>() + b[i].abs();
        assert!(left.abs() <= 1e-12 * terms, "{i}: {left:e} of {terms:e}");
    }
}

#[test]
fn what_cannot_be_solved_is_said() {
    assert_eq!(factored(3, |i, j| (i * j) as f64).1, Err(MatrixError::Singular { column: 0 }));
    assert_eq!(factored(3, |_, _| 1.0).1, Err(MatrixError::Singular { column: 1 }));
    // Where its multiplier is 0 a row is not looked at.
    let behind = |i: usize, j: usize| if (i, j) == (0, 1) { f64::NAN } else { f64::from(u8::from(i == j)) };
    assert_eq!(factored(2, behind).1, Err(MatrixError::NotFinite { node: 0 }));
    assert!(factored(0, |_, _| 1.0).0.is_empty());
}
