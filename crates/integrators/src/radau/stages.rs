//! The stages of one step by the simplified Newton iteration.

use super::number::Complex;
use super::tableau::Tableau;
use impinge_solvers::{DenseLu, Number};

/// Factors of λ/h − J for the modes of a tableau, and of `filter`/h − J for the error.
#[derive(Clone, Debug)]
pub struct Factors {
    real: DenseLu,
    pairs: Vec<DenseLu<Complex>>,
}

/// How Newton's method went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Newton {
    /// With the contraction of the last iterations, `None` when one was enough.
    Converged { theta: Option<f64>, iterations: usize },
    /// The step should become `shorter` times as long.
    Failed { shorter: f64, iterations: usize },
}

/// Tolerances of the iteration, in units of the scale.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// Estimated distance to go.
    pub distance: f64,
    /// A way that is rounding.
    pub rounding: f64,
    /// A shorter step is no way out: iterate for longer.
    pub patient: bool,
}

/// Newton iterations of s stages after which a shorter step is cheaper.
#[must_use]
pub fn most_iterations(s: usize) -> usize {
    7 + 5 * s.saturating_sub(3) / 2
}

impl Factors {
    /// Factors everything; `None` when a matrix is singular.
    #[must_use]
    pub fn new(tableau: &Tableau, h: f64, jacobian: &[f64], n: usize) -> Option<Self> {
        fn matrix<T: Number>(shift: T, jacobian: &[f64], n: usize) -> Vec<T> {
            let mut a: Vec<T> = jacobian.iter().map(|&v| T::real(-v)).collect();
            (0..n).for_each(|i| a[i * n + i] = a[i * n + i] + shift);
            a
        }
        let over = |z: Complex| Complex::new(z.re / h, z.im / h);
        let pairs = tableau.pairs.iter().map(|m| DenseLu::of(n, matrix(over(m.value), jacobian, n)).ok());
        Some(Self {
            real: DenseLu::of(n, matrix(tableau.filter / h, jacobian, n)).ok()?,
            pairs: pairs.collect::<Option<_>>()?,
        })
    }

    /// The estimated error: (filter/h − J)⁻¹ (f + Σ eⱼ Zⱼ / h), f at the start of the step; into `f`.
    pub fn error(&self, tableau: &Tableau, h: f64, ways: &[f64], f: &mut [f64]) {
        let n = f.len();
        for (e, z) in tableau.error.iter().zip(ways.chunks_exact(n)) {
            f.iter_mut().zip(z).for_each(|(f, z)| *f += e / h * z);
        }
        let right = f.to_vec();
        self.real.solve(&right, f);
    }

    /// Solves for the ways Z of the stages from the guess they come with. `rate(stage, way, out)` is f at a stage. `slowness` is
    /// η = Θ/(1 − Θ) of the step before, and is renewed.
    pub fn iterate(
        &self,
        tableau: &Tableau,
        h: f64,
        scale: &[f64],
        goal: Goal,
        slowness: &mut f64,
        ways: &mut [f64],
        mut rate: impl FnMut(usize, &[f64], &mut [f64]) -> bool,
    ) -> Newton {
        let (s, n) = (tableau.s, scale.len());
        let most = if goal.patient { 100 } else { most_iterations(s) };
        let mut left = vec![0.0; s * n];
        let mut step = vec![0.0; s * n];
        let (mut real, mut complex) = (vec![0.0; n], vec![Complex::default(); n]);
        let (mut on_real, mut on_complex) = (real.clone(), complex.clone());
        let (mut before, mut ratio, mut theta) = (0.0, 0.0, None);
        *slowness = libm::pow(slowness.max(f64::EPSILON), 0.8);
        for it in 0..most {
            let fail = |shorter| Newton::Failed { shorter, iterations: it + 1 };
            for (i, out) in left.chunks_exact_mut(n).enumerate() {
                if !rate(i, &ways[i * n..(i + 1) * n], out) {
                    return fail(0.5);
                }
                for j in 0..s {
                    let a = tableau.inverse[i * s + j] / h;
                    out.iter_mut().zip(&ways[j * n..(j + 1) * n]).for_each(|(o, z)| *o -= a * z);
                }
            }
            step.fill(0.0);
            if let Some(mode) = &tableau.real {
                on_real.fill(0.0);
                for (w, r) in mode.row.iter().zip(left.chunks_exact(n)) {
                    on_real.iter_mut().zip(r).for_each(|(o, r)| *o += w * r);
                }
                self.real.solve(&on_real, &mut real);
                for (v, z) in mode.column.iter().zip(step.chunks_exact_mut(n)) {
                    z.iter_mut().zip(&real).for_each(|(z, w)| *z += v * w);
                }
            }
            for (mode, lu) in tableau.pairs.iter().zip(&self.pairs) {
                on_complex.fill(Complex::default());
                for (w, r) in mode.row.iter().zip(left.chunks_exact(n)) {
                    on_complex.iter_mut().zip(r).for_each(|(o, &r)| *o = *o + *w * Complex::real(r));
                }
                lu.solve(&on_complex, &mut complex);
                for (v, z) in mode.column.iter().zip(step.chunks_exact_mut(n)) {
                    z.iter_mut().zip(&complex).for_each(|(z, w)| *z += 2.0 * (*v * *w).re);
                }
            }
            let size = norm(&step, scale);
            if !size.is_finite() {
                return fail(0.5);
            }
            if it > 0 {
                let last = size / before;
                let contraction = if it == 1 { last } else { (last * ratio).sqrt() };
                ratio = last;
                theta = Some(contraction);
                if size > goal.rounding {
                    if contraction >= 0.99 {
                        return fail(0.5);
                    }
                    *slowness = contraction / (1.0 - contraction);
                    let left = (most - 1 - it) as f64;
                    let end = *slowness * size * libm::pow(contraction, left) / goal.distance;
                    if end >= 1.0 {
                        let q = end.clamp(1e-4, 20.0);
                        return fail(0.8 * libm::pow(q, -1.0 / (4.0 + left)));
                    }
                }
            }
            before = size;
            ways.iter_mut().zip(&step).for_each(|(z, d)| *z += d);
            if size <= goal.rounding || *slowness * size <= goal.distance {
                return Newton::Converged { theta, iterations: it + 1 };
            }
        }
        Newton::Failed { shorter: 0.5, iterations: most }
    }
}

/// Root mean square of `v` over the scale, which repeats.
#[must_use]
pub fn norm(v: &[f64], scale: &[f64]) -> f64 {
    let sum: f64 = v.iter().zip(scale.iter().cycle()).map(|(v, s)| (v / s) * (v / s)).sum();
    (sum / v.len().max(1) as f64).sqrt()
}
