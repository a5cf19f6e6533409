//! Polynomials with big-integer coefficients in the power basis, up to positive factors.

use super::dyadic::Dyadic;
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, Zero};

/// Coefficients from the constant one up; the last is not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poly(pub Vec<BigInt>);

pub fn sign(x: &BigInt) -> i8 {
    match x.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

impl Poly {
    pub fn new(mut c: Vec<BigInt>) -> Self {
        while c.last().is_some_and(Zero::is_zero) {
            c.pop();
        }
        Self(c)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Degree; 0 for constants and for zero.
    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    fn leading(&self) -> &BigInt {
        self.0.last().expect("not the zero polynomial")
    }

    pub fn sub(&self, o: &Self) -> Self {
        let n = self.0.len().max(o.0.len());
        let c = (0..n).map(|i| match (self.0.get(i), o.0.get(i)) {
            (Some(a), Some(b)) => a - b,
            (Some(a), None) => a.clone(),
            (None, Some(b)) => -b,
            (None, None) => BigInt::zero(),
        });
        Self::new(c.collect())
    }

    pub fn add(&self, o: &Self) -> Self {
        self.sub(&o.neg())
    }

    pub fn neg(&self) -> Self {
        Self(self.0.iter().map(|c| -c).collect())
    }

    pub fn mul(&self, o: &Self) -> Self {
        if self.is_zero() || o.is_zero() {
            return Self(Vec::new());
        }
        let mut c = vec![BigInt::zero(); self.0.len() + o.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in o.0.iter().enumerate() {
                c[i + j] += a * b;
            }
        }
        Self::new(c)
    }

    pub fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(i, c)| c * i).collect())
    }

    /// Sign of the value at `t`.
    pub fn sign_at(&self, t: &Dyadic) -> i8 {
        let Some(mut acc) = self.0.last().cloned() else { return 0 };
        // p(n/2^k) 2^(kd) = Σ c_i n^i 2^(k(d−i)).
        let mut shift = 0;
        for c in self.0.iter().rev().skip(1) {
            shift += t.k;
            acc *= &t.n;
            acc += c << shift;
        }
        sign(&acc)
    }

    /// The remainder on division by `d`, times a positive number, without its powers of two.
    pub fn remainder(&self, d: &Self) -> Self {
        let mut r = self.clone();
        let lead = d.leading();
        while !r.is_zero() && r.0.len() >= d.0.len() {
            let shift = r.0.len() - d.0.len();
            let top = r.0.pop().expect("not zero");
            // r·|lead| − top·sign(lead)·d·x^shift: the leading terms cancel and the factor is positive.
            let factor = if lead.is_negative() { -top } else { top };
            for (i, c) in r.0.iter_mut().enumerate() {
                *c *= lead.abs();
                if i >= shift {
                    *c -= &d.0[i - shift] * &factor;
                }
            }
            r = Self::new(r.0);
        }
        r.without_twos()
    }

    /// The quotient by a divisor that divides exactly, times a number that is not zero.
    pub fn quotient(&self, d: &Self) -> Self {
        let mut r = self.clone();
        let mut q = vec![BigInt::zero(); self.0.len() + 1 - d.0.len()];
        for at in (0..q.len()).rev() {
            let top = r.0.get(at + d.degree()).cloned().unwrap_or_default();
            for c in r.0.iter_mut().chain(q.iter_mut()) {
                *c *= d.leading();
            }
            for (i, c) in d.0.iter().enumerate() {
                if let Some(x) = r.0.get_mut(at + i) {
                    *x -= c * &top;
                }
            }
            q[at] += &top;
        }
        debug_assert!(Self::new(r.0).is_zero(), "the division leaves a remainder");
        Self::new(q).without_twos()
    }

    fn without_twos(mut self) -> Self {
        let z = self.0.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        if z > 0 {
            self.0.iter_mut().for_each(|c| *c >>= z);
        }
        self
    }

    /// A greatest common divisor over the rationals.
    pub fn gcd(&self, o: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), o.clone());
        while !b.is_zero() {
            let r = a.remainder(&b);
            a = std::mem::replace(&mut b, r);
        }
        a
    }
}

/// A Sturm chain: counts distinct roots between two points that are no roots themselves.
pub struct Sturm(Vec<Poly>);

impl Sturm {
    pub fn new(p: &Poly) -> Self {
        let mut chain = vec![p.clone(), p.derivative()];
        while let [.., a, b] = &chain[..] {
            if b.is_zero() {
                chain.pop();
                break;
            }
            let r = a.remainder(b).neg();
            chain.push(r);
        }
        Self(chain)
    }

    /// Greatest common divisor of the polynomial and its derivative.
    pub fn repeated(&self) -> &Poly {
        self.0.last().expect("a chain holds its polynomial")
    }

    fn variations(&self, t: &Dyadic) -> usize {
        let (mut n, mut last) = (0, 0);
        for p in &self.0 {
            let s = p.sign_at(t);
            n += usize::from(s * last < 0);
            if s != 0 {
                last = s;
            }
        }
        n
    }

    /// Number of distinct roots in `(lo, hi)`; neither end may be a root.
    pub fn count(&self, lo: &Dyadic, hi: &Dyadic) -> usize {
        self.variations(lo) - self.variations(hi)
    }
}
