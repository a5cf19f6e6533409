//! Inverse of a small matrix by elimination with pivots: the preconditioner of one body.

/// The inverse of `a`; `None` for a singular one.
pub(crate) fn inverse(mut a: [[f64; 6]; 6]) -> Option<[[f64; 6]; 6]> {
    let mut out = [[0.0; 6]; 6];
    (0..6).for_each(|i| out[i][i] = 1.0);
    for c in 0..6 {
        let p = (c..6).max_by(|&i, &j| a[i][c].abs().total_cmp(&a[j][c].abs()))?;
        if !(a[p][c].abs() > 0.0 && a[p][c].is_finite()) {
            return None;
        }
        a.swap(c, p);
        out.swap(c, p);
        let pivot = 1.0 / a[c][c];
        for j in 0..6 {
            a[c][j] *= pivot;
            out[c][j] *= pivot;
        }
        for i in (0..6).filter(|&i| i != c) {
            let f = a[i][c];
            for j in 0..6 {
                a[i][j] -= f * a[c][j];
                out[i][j] -= f * out[c][j];
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::inverse;

    #[test]
    fn inverse_times_matrix_is_one_also_where_pivots_must_be_sought() {
        let mut a: [[f64; 6]; 6] =
            std::array::from_fn(|i| std::array::from_fn(|j| libm::sin((7 * i + 3 * j + i * j) as f64)));
        a[0][0] = 0.0;
        let b = inverse(a).unwrap();
        for i in 0..6 {
            for j in 0..6 {
                let x: f64 = (0..6).map(|k| a[i][k] * b[k][j]).sum();
                assert!((x - f64::from(u8::from(i == j))).abs() < 1e-12, "({i}, {j}): {x}");
            }
        }
        assert!(inverse([[1.0; 6]; 6]).is_none());
    }
}
