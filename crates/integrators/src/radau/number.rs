//! Complex numbers and an LU factorisation over real or complex ones: what the transformed stage systems need.

use std::ops::{Add, Div, Mul, Sub};

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
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

/// What the factorisation needs of a number.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn real(v: f64) -> Self;
    /// A size to pick pivots by.
    fn size(self) -> f64;
}

impl Number for f64 {
    fn real(v: f64) -> Self {
        v
    }
    fn size(self) -> f64 {
        self.abs()
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

/// P A = L U of a dense matrix.
#[derive(Clone, Debug)]
pub struct Lu<T> {
    n: usize,
    a: Vec<T>,
    pivots: Vec<usize>,
}

impl<T: Number> Lu<T> {
    /// Factors an n × n matrix, row-major; `None` when it is singular or not finite.
    pub fn new(n: usize, mut a: Vec<T>) -> Option<Self> {
        let mut pivots = Vec::with_capacity(n);
        for k in 0..n {
            let mut p = k;
            for i in k + 1..n {
                if a[i * n + k].size() > a[p * n + k].size() {
                    p = i;
                }
            }
            let size = a[p * n + k].size();
            if !(size > 0.0 && size.is_finite()) {
                return None;
            }
            pivots.push(p);
            if p != k {
                (0..n).for_each(|j| a.swap(k * n + j, p * n + j));
            }
            let (above, below) = a.split_at_mut((k + 1) * n);
            let row = &above[k * n..];
            for other in below.chunks_exact_mut(n) {
                let factor = other[k] / row[k];
                other[k] = factor;
                if factor.size() != 0.0 {
                    other[k + 1..].iter_mut().zip(&row[k + 1..]).for_each(|(o, r)| *o = *o - factor * *r);
                }
            }
        }
        Some(Self { n, a, pivots })
    }

    /// Solves in place.
    pub fn solve(&self, b: &mut [T]) {
        let n = self.n;
        for (k, &p) in self.pivots.iter().enumerate() {
            b.swap(k, p);
        }
        for i in 1..n {
            for j in 0..i {
                b[i] = b[i] - self.a[i * n + j] * b[j];
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                b[i] = b[i] - self.a[i * n + j] * b[j];
            }
            b[i] = b[i] / self.a[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complex_systems_are_solved() {
        let n = 5;
        let a: Vec<Complex> = (0..n * n)
            .map(|k| Complex::new(((k * k) as f64 * 1.7).sin(), ((k * k) as f64 * 0.9 + 1.0).cos()))
            .collect();
        let x: Vec<Complex> = (0..n).map(|k| Complex::new(k as f64, 1.0 - k as f64)).collect();
        let mut b: Vec<Complex> =
            (0..n).map(|i| (0..n).fold(Complex::default(), |s, j| s + a[i * n + j] * x[j])).collect();
        Lu::new(n, a).unwrap().solve(&mut b);
        assert!(b.iter().zip(&x).all(|(b, x)| (*b - *x).size() < 1e-13));
        assert!(Lu::new(2, vec![1.0, 2.0, 2.0, 4.0]).is_none());
    }
}
