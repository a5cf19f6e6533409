//! A band matrix without symmetry: what a mesh numbered column by column gives.

/// Square, with entries (i, j) for |i − j| ≤ bandwidth; rows one after the other.
#[derive(Clone, Debug)]
pub struct BandMatrix {
    n: usize,
    half: usize,
    a: Vec<f64>,
}

impl BandMatrix {
    /// Zeros.
    #[must_use]
    pub fn zeros(n: usize, bandwidth: usize) -> Self {
        Self { n, half: bandwidth, a: vec![0.0; n * (2 * bandwidth + 1)] }
    }

    /// Rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.n
    }

    /// All entries to zero.
    pub fn clear(&mut self) {
        self.a.fill(0.0);
    }

    /// An entry within the band.
    pub fn entry(&mut self, i: usize, j: usize) -> &mut f64 {
        debug_assert!(i.abs_diff(j) <= self.half);
        &mut self.a[i * (2 * self.half + 1) + j + self.half - i]
    }

    /// Columns of row `i` that lie in the band.
    #[must_use]
    pub fn columns(&self, i: usize) -> std::ops::Range<usize> {
        i.saturating_sub(self.half)..(i + self.half + 1).min(self.n)
    }

    /// Solves A x = b in place of b by elimination without pivoting; the matrix is used up. Stiffness matrices of stable states
    /// need no pivots: their symmetric part is positive definite. `Err` gives the column where that failed.
    pub fn solve(&mut self, b: &mut [f64]) -> Result<(), usize> {
        assert_eq!(b.len(), self.n, "a right-hand side of {} for {} rows", b.len(), self.n);
        let (n, half, width) = (self.n, self.half, 2 * self.half + 1);
        for k in 0..n {
            let (above, below) = self.a.split_at_mut((k + 1) * width);
            let end = (k + half + 1).min(n);
            let row = &above[k * width + half..k * width + half + end - k];
            let pivot = row[0];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(k);
            }
            for i in k + 1..end {
                let at = (i - k - 1) * width + half - (i - k);
                let target = &mut below[at..at + end - k];
                let factor = target[0] / pivot;
                if factor != 0.0 {
                    target.iter_mut().zip(row).for_each(|(t, r)| *t -= factor * r);
                    b[i] -= factor * b[k];
                }
            }
        }
        for k in (0..n).rev() {
            let end = (k + half + 1).min(n);
            let row = &self.a[k * width + half..k * width + half + end - k];
            let sum: f64 = row[1..].iter().zip(&b[k + 1..end]).map(|(r, x)| r * x).sum();
            b[k] = (b[k] - sum) / row[0];
        }
        Ok(())
    }
}
