//! Polynomials with integer coefficients, of any degree.
//!
//! Takes and gives coefficients of 1, t, t², … ; what is asked of them is signs: at dyadic numbers, at roots (in
//! `algebraic.rs`), and how many roots an interval can have. Everything is defined up to a positive factor, so common
//! powers of two are dropped whenever a polynomial is made.

use crate::exact::int::Int;

/// Lowest power first, the last coefficient not zero; empty is the zero polynomial.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Poly(Vec<Int>);

/// The number `c` / 2^`k`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Dyadic {
    pub c: Int,
    pub k: u32,
}

impl Dyadic {
    #[must_use]
    pub fn whole(c: u64) -> Self {
        Self { c: Int::from(c), k: 0 }
    }

    /// The middle of two of them.
    #[must_use]
    pub fn middle(a: &Self, b: &Self) -> Self {
        let k = a.k.max(b.k);
        Self { c: &a.c.shl(k - a.k) + &b.c.shl(k - b.k), k: k + 1 }
    }
}

impl Poly {
    /// Drops zeros at the top and the common power of two.
    #[must_use]
    pub fn new(mut c: Vec<Int>) -> Self {
        while c.last().is_some_and(Int::is_zero) {
            c.pop();
        }
        let two = c.iter().filter(|c| !c.is_zero()).map(Int::trailing_zeros).min().unwrap_or(0);
        if two > 0 {
            for c in &mut c {
                *c = c.shr(two);
            }
        }
        Self(c)
    }

    /// As it is, for polynomials that are going to be combined with others.
    #[must_use]
    pub fn exactly(mut c: Vec<Int>) -> Self {
        while c.last().is_some_and(Int::is_zero) {
            c.pop();
        }
        Self(c)
    }

    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// 0 for constants, and for zero.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    fn lead(&self) -> Int {
        self.0.last().cloned().unwrap_or_default()
    }

    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a + b)
    }

    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a - b)
    }

    fn combine(&self, other: &Self, op: impl Fn(&Int, &Int) -> Int) -> Self {
        let zero = Int::zero();
        let n = self.0.len().max(other.0.len());
        Self::exactly(
            (0..n).map(|i| op(self.0.get(i).unwrap_or(&zero), other.0.get(i).unwrap_or(&zero))).collect(),
        )
    }

    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::default();
        }
        let mut out = vec![Int::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                out[i + j] = &out[i + j] + &(a * b);
            }
        }
        Self::exactly(out)
    }

    #[must_use]
    pub fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(i, c)| c.mul_small(i as i64)).collect())
    }

    /// Sign of the value at a dyadic number: Horner's rule with the denominators multiplied out.
    #[must_use]
    pub fn sign_at(&self, at: &Dyadic) -> i8 {
        let Some((last, rest)) = self.0.split_last() else { return 0 };
        let mut sum = last.clone();
        for (i, c) in rest.iter().rev().enumerate() {
            sum = &(&sum * &at.c) + &c.shl(at.k * (i as u32 + 1));
        }
        sum.sign()
    }

    /// Coefficients as doubles, up to one common positive factor; each is short by less than 2⁻⁵² of itself.
    pub fn approximately(&self, out: &mut Vec<f64>) {
        out.clear();
        let scaled: Vec<(f64, i64)> = self.0.iter().map(Int::to_f64_scaled).collect();
        let top = scaled.iter().filter(|c| c.0 != 0.0).map(|c| c.1).max().unwrap_or(0);
        // What is 2^1000 times smaller than the largest is dropped; sign tests allow for far more.
        out.extend(
            scaled
                .iter()
                .map(|&(m, e)| if e - top < -1000 { 0.0 } else { m * 2.0f64.powi((e - top) as i32) }),
        );
    }

    /// p(x + c), Horner's rule for polynomials.
    fn shifted(mut self, c: &Int) -> Self {
        let n = self.0.len();
        for i in 0..n {
            for j in (i..n.saturating_sub(1)).rev() {
                self.0[j] = &self.0[j] + &(&self.0[j + 1] * c);
            }
        }
        self
    }

    /// p(x + 1).
    #[must_use]
    pub fn shifted_by_one(mut self) -> Self {
        let n = self.0.len();
        for i in 0..n {
            for j in (i..n.saturating_sub(1)).rev() {
                self.0[j] = &self.0[j] + &self.0[j + 1];
            }
        }
        self
    }

    /// 2^(kd) p(x / 2^k).
    #[must_use]
    pub fn stretched(&self, k: u32) -> Self {
        let d = self.degree();
        Self(self.0.iter().enumerate().map(|(i, c)| c.shl(k * (d - i) as u32)).collect())
    }

    /// The polynomial that does on (0,1) what this one does on (c/2^k, (c+1)/2^k).
    #[must_use]
    pub fn on_piece(&self, at: &Dyadic) -> Self {
        Self::new(self.stretched(at.k).shifted(&at.c).0)
    }

    /// Descartes' bound for the roots in the open interval (0,1): sign variations of (1+u)^d p(1/(1+u)). Equal to the
    /// number of roots when it is 0 or 1; the parity is always right.
    #[must_use]
    pub fn variations(&self) -> usize {
        let mut turned = self.clone();
        turned.0.reverse();
        let mut last = 0;
        let mut count = 0;
        for c in &turned.shifted_by_one().0 {
            let s = c.sign();
            if s != 0 {
                count += usize::from(last * s < 0);
                last = s;
            }
        }
        count
    }

    /// lead(by)^(deg − deg by + 1) · self mod by.
    fn pseudo_remainder(&self, by: &Self) -> Self {
        let lead = by.lead();
        let mut r = self.0.clone();
        let steps = (self.0.len() + 1).saturating_sub(by.0.len());
        for _ in 0..steps {
            let top = r.pop().unwrap_or_default();
            let offset = r.len() + 1 - by.0.len();
            for (i, c) in r.iter_mut().enumerate() {
                *c = &*c * &lead;
                if i >= offset {
                    *c = &*c - &(&top * &by.0[i - offset]);
                }
            }
        }
        Self::exactly(r)
    }

    fn divided_by(mut self, by: &Int) -> Self {
        for c in &mut self.0 {
            *c = c.div_exact(by);
        }
        self
    }

    /// A greatest common divisor (up to a constant factor) by the subresultant sequence (Brown 1978): every division in
    /// it is exact, and coefficients grow linearly.
    #[must_use]
    pub fn gcd(&self, other: &Self) -> Self {
        let (mut a, mut b) = (Self::new(self.0.clone()), Self::new(other.0.clone()));
        if a.0.len() < b.0.len() {
            std::mem::swap(&mut a, &mut b);
        }
        let (mut g, mut h) = (Int::from(1u64), Int::from(1u64));
        while !b.is_zero() {
            if b.degree() == 0 {
                return Self(vec![Int::from(1u64)]);
            }
            let gap = (a.degree() - b.degree()) as u32;
            let r = a.pseudo_remainder(&b);
            let by = &g * &power(&h, gap);
            a = b;
            b = r.divided_by(&by);
            g = a.lead();
            // h = g^gap / h^(gap−1)
            h = match gap {
                0 => h,
                1 => g.clone(),
                _ => power(&g, gap).div_exact(&power(&h, gap - 1)),
            };
        }
        Self::new(a.0)
    }

    /// self / by up to a constant factor, where `by` divides it over the rationals.
    #[must_use]
    pub fn quotient(&self, by: &Self) -> Self {
        if by.degree() == 0 || self.0.len() < by.0.len() {
            return self.clone();
        }
        let lead = by.lead();
        let mut r = self.0.clone();
        let mut q = vec![Int::zero(); self.0.len() + 1 - by.0.len()];
        for i in (0..q.len()).rev() {
            let top = r.pop().unwrap_or_default();
            for (j, c) in r.iter_mut().enumerate() {
                *c = &*c * &lead;
                if j >= i {
                    *c = &*c - &(&top * &by.0[j - i]);
                }
            }
            for c in &mut q[i + 1..] {
                *c = &*c * &lead;
            }
            q[i] = top;
        }
        Self::new(q)
    }

    /// The polynomial with the same roots, all simple, and the greatest common divisor with the derivative.
    #[must_use]
    pub fn square_free(&self) -> (Self, Self) {
        let g = self.gcd(&self.derivative());
        (self.quotient(&g), g)
    }
}

fn power(x: &Int, n: u32) -> Int {
    (0..n).fold(Int::from(1u64), |p, _| &p * x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn poly(c: &[i64]) -> Poly {
        Poly::exactly(c.iter().map(|&c| Int::from(c)).collect())
    }

    fn small() -> impl Strategy<Value = Vec<i64>> {
        proptest::collection::vec(-9i64..10, 1..6)
    }

    fn proportional(a: &Poly, b: &Poly) -> bool {
        a.0.len() == b.0.len() && (0..a.0.len()).all(|i| &a.0[i] * &b.lead() == &b.0[i] * &a.lead())
    }

    proptest! {
        /// gcd(ac, bc) is a multiple of c, divides both, and (ac)/gcd · gcd is ac again.
        #[test]
        fn common_divisors((a, b, c) in (small(), small(), small())) {
            let (a, b, c) = (poly(&a), poly(&b), poly(&c));
            prop_assume!(!a.is_zero() && !b.is_zero() && !c.is_zero());
            let (ac, bc) = (a.times(&c), b.times(&c));
            let g = ac.gcd(&bc);
            prop_assert!(g.degree() >= c.degree());
            for x in [&ac, &bc] {
                prop_assert!(proportional(&x.quotient(&g).times(&g), x));
            }
            prop_assert!(proportional(&g.quotient(&c).times(&c), &g));
            prop_assert!(proportional(&a.times(&b).quotient(&b), &a));
        }

        #[test]
        fn values_and_pieces(a in small(), c in 0u64..16, x in 0u64..8) {
            let p = poly(&a);
            // On the piece (c/16, (c+1)/16), the point x/8 is (8c+x)/128.
            let here = p.on_piece(&Dyadic { c: Int::from(c), k: 4 }).sign_at(&Dyadic { c: Int::from(x), k: 3 });
            prop_assert_eq!(here, p.sign_at(&Dyadic { c: Int::from(8 * c + x), k: 7 }));
            let t = (8 * c + x) as f64 / 128.0;
            // Exact in f64: 7·5 + 4 bits.
            let value: f64 = a.iter().rev().fold(0.0, |s, &c| s * t + c as f64);
            prop_assert_eq!(f64::from(here), if value == 0.0 { 0.0 } else { value.signum() });
        }
    }

    #[test]
    fn descartes_by_hand() {
        // (3t−1)(3t−2) has both roots inside, t² + 1 none, 3t − 1 one, t − 1 only its end.
        for (c, n) in
            [(&[2, -9, 9][..], 2), (&[1, 0, 1], 0), (&[-1, 3], 1), (&[-1, 1], 0), (&[0, 1], 0), (&[], 0)]
        {
            assert_eq!(poly(c).variations(), n, "{c:?}");
        }
        let (s, g) = poly(&[-1, 3, -3, 1]).square_free();
        assert!(proportional(&s, &poly(&[-1, 1])) && proportional(&g, &poly(&[1, -2, 1])));
    }
}
