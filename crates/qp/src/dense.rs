//! Dense Cholesky over scalars, for systems of a few hundred unknowns and the Schur complements of their rows.
//!
//! Row by row, with inner products in four fixed lanes: the same bits on every machine. What stands before a row's first entry stays
//! zero in its factor and is passed over, so a chain of bodies costs what its band does.

/// L of A = L Lᵀ; rows one after the other, the upper half unused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cholesky {
    n: usize,
    l: Vec<f64>,
    /// Where each row begins, see [`start_of`].
    start: Vec<usize>,
}

/// The first lane of the first entry that is not zero: sums from there on are those over everything.
pub(crate) fn start_of(v: &[f64]) -> usize {
    v.iter().position(|v| *v != 0.0).unwrap_or(v.len()) / 4 * 4
}

/// `a · b` in four lanes.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut s = [0.0; 4];
    let (ca, cb) = (a.chunks_exact(4), b.chunks_exact(4));
    let (ra, rb) = (ca.remainder(), cb.remainder());
    for (x, y) in ca.zip(cb) {
        for k in 0..4 {
            s[k] += x[k] * y[k];
        }
    }
    let tail: f64 = ra.iter().zip(rb).map(|(x, y)| x * y).sum();
    ((s[0] + s[1]) + (s[2] + s[3])) + tail
}

impl Cholesky {
    /// Factors the lower half of `a` (n rows of n).
    ///
    /// # Errors
    /// The first column without a positive pivot (a pivot that is rounding of its diagonal entry counts as none).
    pub(crate) fn factor(&mut self, n: usize, a: &[f64]) -> Result<(), usize> {
        self.n = n;
        self.l.clear();
        self.l.extend_from_slice(a);
        self.start.clear();
        for i in 0..n {
            let (above, rest) = self.l.split_at_mut(i * n);
            let row = &mut rest[..n];
            let first = start_of(&row[..=i]);
            self.start.push(first);
            for j in first..i {
                let rj = &above[j * n..j * n + n];
                let from = first.max(self.start[j]).min(j);
                row[j] = (row[j] - dot(&row[from..j], &rj[from..j])) / rj[j];
            }
            let from = first.min(i);
            let pivot = row[i] - dot(&row[from..i], &row[from..i]);
            if !(pivot > 1e-15 * row[i].abs() && pivot >= f64::MIN_POSITIVE && pivot.is_finite()) {
                return Err(i);
            }
            row[i] = pivot.sqrt();
        }
        Ok(())
    }

    /// `v ← L⁻¹ v`.
    pub(crate) fn forward(&self, v: &mut [f64]) {
        let n = self.n;
        for i in start_of(v)..n {
            let row = &self.l[i * n..i * n + n];
            let from = self.start[i];
            v[i] = (v[i] - dot(&row[from..i], &v[from..i])) / row[i];
        }
    }

    /// `v ← L⁻ᵀ v`.
    pub(crate) fn backward(&self, v: &mut [f64]) {
        let n = self.n;
        for i in (0..n).rev() {
            let row = &self.l[i * n..i * n + n];
            let x = v[i] / row[i];
            v[i] = x;
            for j in self.start[i]..i {
                v[j] -= row[j] * x;
            }
        }
    }

    /// `v ← A⁻¹ v`.
    pub(crate) fn solve(&self, v: &mut [f64]) {
        self.forward(v);
        self.backward(v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_made_matrix() {
        // [4 2; 2 10] = [2 0; 1 3][2 1; 0 3].
        let mut c = Cholesky::default();
        c.factor(2, &[4.0, 0.0, 2.0, 10.0]).unwrap();
        let mut v = [8.0, 22.0];
        c.solve(&mut v);
        assert_eq!(v, [1.0, 2.0]);
        let mut w = [8.0, 22.0];
        c.forward(&mut w);
        assert_eq!(w, [4.0, 6.0]);
        assert_eq!(c.factor(2, &[1.0, 0.0, 2.0, 4.0]), Err(1));
        assert_eq!(c.factor(1, &[f64::NAN]), Err(0));
    }

    #[test]
    fn lanes_and_tail() {
        let a: Vec<f64> = (0..11).map(f64::from).collect();
        assert_eq!(dot(&a, &a), 385.0);
    }
}
