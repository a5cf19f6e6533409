//! Complex numbers: the transformed stage systems are over them.

use impinge_solvers::Number;
use std::ops::{Add, Div, Mul, Sub};

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    #[must_use]
    pub fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.re + o.re, self.im + o.im)
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.re - o.re, self.im - o.im)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    }
}

impl Div for Complex {
    type Output = Self;
    /// Smith's way: squares of the parts do not overflow.
    fn div(self, o: Self) -> Self {
        if o.re.abs() >= o.im.abs() {
            let (r, d) = (o.im / o.re, o.re + o.im * (o.im / o.re));
            Self::new((self.re + self.im * r) / d, (self.im - self.re * r) / d)
        } else {
            let (r, d) = (o.re / o.im, o.re * (o.re / o.im) + o.im);
            Self::new((self.re * r + self.im) / d, (self.im * r - self.re) / d)
        }
    }
}

impl Number for Complex {
    fn real(v: f64) -> Self {
        Self::new(v, 0.0)
    }
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_solvers::DenseLu;

    #[test]
    fn complex_systems_are_solved() {
        let n = 5;
        let a: Vec<Complex> = (0..n * n)
            .map(|k| Complex::new(((k * k) as f64 * 1.7).sin(), ((k * k) as f64 * 0.9 + 1.0).cos()))
            .collect();
        let x: Vec<Complex> = (0..n).map(|k| Complex::new(k as f64, 1.0 - k as f64)).collect();
        let b: Vec<Complex> =
            (0..n).map(|i| (0..n).fold(Complex::default(), |s, j| s + a[i * n + j] * x[j])).collect();
        let mut y = vec![Complex::default(); n];
        DenseLu::of(n, a).unwrap().solve(&b, &mut y);
        assert!(y.iter().zip(&x).all(|(y, x)| (*y - *x).size() < 1e-13));
        assert!(DenseLu::of(2, [1.0, 2.0, 2.0, 4.0].map(Complex::real).to_vec()).is_err());
    }
}
