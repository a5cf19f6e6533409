//! Radau IIA with s stages, computed: nodes, collocation matrix, what diagonalises its inverse, error weights.
//!
//! Nodes on [0, 1] are the zeros of P_s − P_{s−1} (shifted Legendre polynomials); the last is 1. With q any polynomial of
//! degree below s,
//!
//! ```text
//! Σⱼ aᵢⱼ q(cⱼ) = ∫₀^{cᵢ} q        Σⱼ dⱼ q(cⱼ) = −q(0)
//! ```
//!
//! which is solved in the Legendre basis, where it is well conditioned. d makes the embedded formula of order s that also looks at the
//! start of the step (Hairer & Wanner, Solving Ordinary Differential Equations II, IV.8).

use super::number::Complex;
use impinge_solvers::{DenseLu, Number};

/// Coefficients of s stages.
#[derive(Clone, Debug)]
pub struct Tableau {
    /// Stages.
    pub s: usize,
    /// Nodes c; the last is 1.
    pub c: Vec<f64>,
    /// Inverse of the collocation matrix, row-major.
    pub inverse: Vec<f64>,
    /// b: weights of the stages in an integral over the step.
    pub weights: Vec<f64>,
    /// Aᵀ⁻¹ d: weights of the stages' ways in the error.
    pub error: Vec<f64>,
    /// The real eigenvalue of A⁻¹; for two stages, which have none, the size of the pair: what the error is filtered with.
    pub filter: f64,
    /// Real eigenvalue and its eigenvector and row of the inverse: none for two stages.
    pub real: Option<Mode<f64>>,
    /// One of each pair of complex eigenvalues.
    pub pairs: Vec<Mode<Complex>>,
}

/// An eigenvalue of A⁻¹ with its column of V and row of V⁻¹.
#[derive(Clone, Debug)]
pub struct Mode<T> {
    pub value: T,
    pub column: Vec<T>,
    pub row: Vec<T>,
}

/// P₀ … P_n at x ∈ [−1, 1].
fn legendre(n: usize, x: f64) -> Vec<f64> {
    let mut p = vec![1.0, x];
    for k in 1..n {
        let f = k as f64;
        p.push(((2.0 * f + 1.0) * x * p[k] - f * p[k - 1]) / (f + 1.0));
    }
    p.truncate(n + 1);
    p
}

/// Zeros of P_s − P_{s−1} on [0, 1], ascending.
fn nodes(s: usize) -> Vec<f64> {
    let mut c: Vec<f64> = (1..s)
        .map(|j| {
            // Chebyshev's Radau points are near enough.
            let mut x = libm::cos(std::f64::consts::TAU * j as f64 / (2 * s - 1) as f64);
            for _ in 0..50 {
                let p = legendre(s, x);
                // (1 − x²) Pₙ' = n (Pₙ₋₁ − x Pₙ)
                let slope = |n: usize| {
                    if n == 0 { 0.0 } else { n as f64 * (p[n - 1] - x * p[n]) / (1.0 - x * x) }
                };
                let step = (p[s] - p[s - 1]) / (slope(s) - slope(s - 1));
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            0.5 * (1.0 + x)
        })
        .collect();
    c.reverse();
    c.push(1.0);
    c
}

/// Coefficients of det(I − z A), the denominator of the Padé approximant (s − 1, s) of eᶻ, from z⁰ up.
fn denominator(s: usize) -> Vec<f64> {
    let mut q = vec![1.0];
    for k in 1..=s {
        // C(s, k)/C(s, k−1) = (s − k + 1)/k, and (2s − 1 − k)!/(2s − k)! = 1/(2s − k).
        let last = q[k - 1];
        q.push(-last * (s - k + 1) as f64 / (k * (2 * s - k)) as f64);
    }
    q
}

/// All zeros of a polynomial, by Durand and Kerner.
fn zeros(q: &[f64]) -> Vec<Complex> {
    let n = q.len() - 1;
    let lead = q[n];
    // Zeros of these grow like s.
    let mut z: Vec<Complex> = (0..n)
        .map(|k| {
            let angle = 0.4 + std::f64::consts::TAU * k as f64 / n as f64;
            Complex::new(n as f64 * libm::cos(angle), n as f64 * libm::sin(angle))
        })
        .collect();
    for _ in 0..200 {
        for i in 0..n {
            let value = q.iter().rev().fold(Complex::default(), |v, &a| v * z[i] + Complex::real(a / lead));
            let others = (0..n).filter(|&j| j != i).fold(Complex::real(1.0), |v, j| v * (z[i] - z[j]));
            z[i] = z[i] - value / others;
        }
    }
    z
}

fn solved<T: Number>(lu: &DenseLu<T>, b: &[T]) -> Vec<T> {
    let mut x = vec![T::real(0.0); b.len()];
    lu.solve(b, &mut x);
    x
}

/// The null vector of A⁻¹ − λ whose last number is one.
fn eigenvector<T: Number>(inverse: &[f64], s: usize, value: T) -> Option<Vec<T>> {
    let n = s - 1;
    let entry = |i: usize, j: usize| {
        let a = T::real(inverse[i * s + j]);
        if i == j { a - value } else { a }
    };
    let a = (0..n * n).map(|k| entry(k / n.max(1), k % n.max(1))).collect();
    let b: Vec<T> = (0..n).map(|i| T::real(0.0) - entry(i, n)).collect();
    let mut v = solved(&DenseLu::of(n, a).ok()?, &b);
    v.push(T::real(1.0));
    Some(v)
}

impl Tableau {
    /// The method of s stages and order 2s − 1, for s from 1 to about 9.
    #[must_use]
    pub fn new(s: usize) -> Option<Self> {
        let c = nodes(s);
        let at: Vec<Vec<f64>> = c.iter().map(|c| legendre(s, 2.0 * c - 1.0)).collect();
        // Row k: the values of the k-th polynomial at the nodes.
        let values: Vec<f64> = (0..s * s).map(|k| at[k % s][k / s]).collect();
        let moments = DenseLu::of(s, values).ok()?;
        let mut a = Vec::with_capacity(s * s);
        for p in &at {
            let row: Vec<f64> = (0..s)
                .map(|k| {
                    let below = if k == 0 { -1.0 } else { p[k - 1] };
                    0.5 * (p[k + 1] - below) / (2 * k + 1) as f64
                })
                .collect();
            a.extend(solved(&moments, &row));
        }
        let lu = DenseLu::of(s, a.clone()).ok()?;
        let mut inverse = vec![0.0; s * s];
        for j in 0..s {
            let mut column = vec![0.0; s];
            column[j] = 1.0;
            let column = solved(&lu, &column);
            (0..s).for_each(|i| inverse[i * s + j] = column[i]);
        }
        let d: Vec<f64> = (0..s).map(|k| if k % 2 == 0 { -1.0 } else { 1.0 }).collect();
        let d = solved(&moments, &d);
        let error = (0..s).map(|j| (0..s).map(|i| d[i] * inverse[i * s + j]).sum()).collect();

        let all = zeros(&denominator(s));
        let mut upper: Vec<Complex> = all.iter().copied().filter(|z| z.im > 1e-6).collect();
        upper.sort_by(|a, b| a.im.total_cmp(&b.im));
        let real = all.iter().find(|z| z.im.abs() <= 1e-6).map(|z| z.re);
        let mut columns = Vec::new();
        let mut values = Vec::new();
        if let Some(value) = real {
            values.push(Complex::real(value));
            columns.push(eigenvector(&inverse, s, Complex::real(value))?);
        }
        for &value in &upper {
            let v = eigenvector(&inverse, s, value)?;
            let mirrored = v.iter().map(|z| Complex::new(z.re, -z.im)).collect();
            values.extend([value, Complex::new(value.re, -value.im)]);
            columns.extend([v, mirrored]);
        }
        if columns.len() != s {
            return None;
        }
        // Rows of V⁻¹ are the solutions of Vᵀ x = eₖ.
        let transposed = columns.iter().flatten().copied().collect();
        let lu = DenseLu::of(s, transposed).ok()?;
        let row = |k: usize| {
            let mut r = vec![Complex::default(); s];
            r[k] = Complex::real(1.0);
            solved(&lu, &r)
        };
        let first = usize::from(real.is_some());
        let pairs: Vec<Mode<Complex>> = (0..upper.len())
            .map(|p| first + 2 * p)
            .map(|k| Mode { value: values[k], column: columns[k].clone(), row: row(k) })
            .collect();
        let parts = |v: &[Complex]| v.iter().map(|z| z.re).collect::<Vec<f64>>();
        let real = real.map(|value| Mode { value, column: parts(&columns[0]), row: parts(&row(0)) });
        let filter = match (&real, pairs.first()) {
            (Some(m), _) => m.value,
            (None, Some(m)) => libm::hypot(m.value.re, m.value.im),
            (None, None) => return None,
        };
        // b is the last row of A = (A⁻¹)⁻¹.
        let mut weights = vec![0.0; s];
        weights[s - 1] = 1.0;
        let transposed = (0..s * s).map(|k| inverse[(k % s) * s + k / s]).collect();
        let weights = solved(&DenseLu::of(s, transposed).ok()?, &weights);
        Some(Self { s, c, inverse, weights, error, filter, real, pairs })
    }

    /// The polynomial through 0 at 0 and `ways` (s rows of n) at the nodes, at `theta`, added to `out`.
    pub fn add_polynomial(&self, ways: &[f64], theta: f64, out: &mut [f64]) {
        let n = out.len();
        for i in 0..self.s {
            let ci = self.c[i];
            let others = self.c.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, c)| *c);
            let weight = others.fold(theta / ci, |w, cj| w * (theta - cj) / (ci - cj));
            out.iter_mut().zip(&ways[i * n..(i + 1) * n]).for_each(|(o, z)| *o += weight * z);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGES: [usize; 5] = [1, 2, 3, 5, 7];

    #[test]
    fn three_stages_have_the_nodes_of_the_books() {
        let t = Tableau::new(3).unwrap();
        let r = 6.0_f64.sqrt();
        for (c, want) in t.c.iter().zip([(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0]) {
            assert!((c - want).abs() < 1e-15, "{c} {want}");
        }
        let two = Tableau::new(2).unwrap().pairs[0].value;
        assert!((two.re - 2.0).abs() < 1e-14 && (two.im - 2.0_f64.sqrt()).abs() < 1e-14, "{two:?}");
    }

    #[test]
    fn quadrature_at_the_nodes_is_exact_to_the_order() {
        for s in STAGES {
            let t = Tableau::new(s).unwrap();
            for power in 0..2 * s - 1 {
                let sum: f64 = t.weights.iter().zip(&t.c).map(|(b, c)| b * c.powi(power as i32)).sum();
                assert!((sum * (power + 1) as f64 - 1.0).abs() < 1e-13, "{s} {power} {sum}");
            }
        }
    }

    #[test]
    fn modes_make_up_the_inverse() {
        for s in STAGES {
            let t = Tableau::new(s).unwrap();
            for i in 0..s {
                for j in 0..s {
                    let real = t.real.as_ref().map_or(0.0, |m| m.value * m.column[i] * m.row[j]);
                    let pairs = t.pairs.iter().map(|m| 2.0 * (m.value * m.column[i] * m.row[j]).re);
                    let sum = real + pairs.sum::<f64>();
                    assert!((sum - t.inverse[i * s + j]).abs() < 1e-9, "{s}: {sum} {}", t.inverse[i * s + j]);
                }
            }
        }
    }

    #[test]
    fn polynomials_pass_through_the_nodes() {
        let t = Tableau::new(5).unwrap();
        let ways: Vec<f64> = t.c.iter().map(|c| c * c * c - 2.0 * c).collect();
        for x in [0.0, 0.3, 1.0, 1.7] {
            let mut out = [0.0];
            t.add_polynomial(&ways, x, &mut out);
            assert!((out[0] - (x * x * x - 2.0 * x)).abs() < 1e-12);
        }
    }
}
