//! Twice the precision: a number as the unevaluated sum of two doubles (Dekker 1971; Knuth's two-sum), about 106 bits.
//!
//! For truths only. Coordinates must stay in the range where products neither overflow nor lose their low half
//! (roughly 1e−100 to 1e100).

use crate::solid::Number;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// hi + lo with |lo| ≤ ulp(hi)/2.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Double {
    hi: f64,
    lo: f64,
}

/// a + b exactly, as two doubles (Knuth).
fn two_sum(a: f64, b: f64) -> Double {
    let hi = a + b;
    let v = hi - a;
    Double { hi, lo: (a - (hi - v)) + (b - v) }
}

/// a + b exactly when |a| ≥ |b| (Dekker).
fn quick(a: f64, b: f64) -> Double {
    let hi = a + b;
    Double { hi, lo: b - (hi - a) }
}

/// The two halves of a double, each of 26 bits (Veltkamp).
fn halves(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a;
    let high = c - (c - a);
    (high, a - high)
}

/// a b exactly, as two doubles. Without a fused multiply–add: it is a library call on a baseline processor.
fn two_product(a: f64, b: f64) -> Double {
    let hi = a * b;
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    Double { hi, lo: ((ah * bh - hi) + ah * bl + al * bh) + al * bl }
}

impl Double {
    /// Rounded to one double.
    pub fn value(self) -> f64 {
        self.hi + self.lo
    }
}

impl From<f64> for Double {
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let (s, t) = (two_sum(self.hi, o.hi), two_sum(self.lo, o.lo));
        let s = quick(s.hi, s.lo + t.hi);
        quick(s.hi, s.lo + t.lo)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let p = two_product(self.hi, o.hi);
        quick(p.hi, p.lo + (self.hi * o.lo + self.lo * o.hi))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let first = self.hi / o.hi;
        let rest = self - o * first.into();
        let second = rest.hi / o.hi;
        let rest = rest - o * second.into();
        quick(first, second) + (rest.hi / o.hi).into()
    }
}

impl Number for Double {
    fn of(x: f64) -> Self {
        x.into()
    }
    fn value(&self) -> f64 {
        Self::value(*self)
    }
    fn is_at_least_zero(&self) -> bool {
        self.hi >= 0.0
    }
    fn is_zero(&self) -> bool {
        self.hi == 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_bits() {
        let (third, three) = (Double::from(1.0) / 3.0.into(), Double::from(3.0));
        assert!((third * three - 1.0.into()).value().abs() < 1e-31);
        let tiny = Double::from(1.0) + 1e-25.into();
        assert!(((tiny - 1.0.into()).value() / 1e-25 - 1.0).abs() < 1e-6);
    }
}
