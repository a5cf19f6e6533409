//! Roots of polynomials as exact numbers: a square-free polynomial and an interval that holds one root of it.

use super::dyadic::Dyadic;
use super::poly::{Poly, Sturm};
use std::cmp::Ordering;

/// One root. `lo == hi` when it is known to be that dyadic number; else `p` has opposite signs at the ends and one
/// root between them.
#[derive(Clone, Debug)]
pub struct Algebraic {
    p: Poly,
    pub lo: Dyadic,
    pub hi: Dyadic,
    at_lo: i8,
}

/// All distinct roots of `f` in [0,1], ascending. `f` must not be zero.
pub fn roots_in_unit(f: &Poly) -> Vec<Algebraic> {
    assert!(!f.is_zero());
    let (zero, one) = (Dyadic::integer(0), Dyadic::integer(1));
    let t = Poly::new(vec![0.into(), 1.into()]);
    let to_one = Poly::new(vec![1.into(), (-1).into()]);
    let mut inner = f.clone();
    let mut found = Vec::new();
    if inner.sign_at(&zero) == 0 {
        found.push(Algebraic::exact(&t, zero.clone()));
        while inner.sign_at(&zero) == 0 {
            inner = inner.quotient(&t);
        }
    }
    let at_one = inner.sign_at(&one) == 0;
    while inner.sign_at(&one) == 0 {
        inner = inner.quotient(&to_one);
    }
    if inner.degree() > 0 {
        let chain = Sturm::new(&inner);
        let n = chain.count(&zero, &one);
        if n > 0 {
            let repeated = chain.repeated();
            let simple = if repeated.degree() > 0 { inner.quotient(repeated) } else { inner };
            isolate(&simple, &chain, zero, one.clone(), n, &mut found);
        }
    }
    if at_one {
        found.push(Algebraic::exact(&to_one, one));
    }
    found
}

/// Halves `(lo, hi)` until each piece holds one of the `n` roots; no cut lands on a root.
fn isolate(p: &Poly, chain: &Sturm, lo: Dyadic, hi: Dyadic, n: usize, found: &mut Vec<Algebraic>) {
    if n == 0 {
        return;
    }
    if n == 1 {
        let at_lo = p.sign_at(&lo);
        debug_assert_eq!(at_lo * p.sign_at(&hi), -1);
        found.push(Algebraic { p: p.clone(), lo, hi, at_lo });
        return;
    }
    let cut = [4, 3, 5, 2, 6, 1, 7].into_iter().map(|e| lo.towards(&hi, e)).find(|c| p.sign_at(c) != 0);
    let cut = cut.expect("a polynomial of low degree is zero at seven points");
    let left = chain.count(&lo, &cut);
    isolate(p, chain, lo, cut.clone(), left, found);
    isolate(p, chain, cut, hi, n - left, found);
}

impl Algebraic {
    fn exact(p: &Poly, at: Dyadic) -> Self {
        Self { p: p.clone(), lo: at.clone(), hi: at, at_lo: 0 }
    }

    pub fn is_exact(&self) -> bool {
        self.lo == self.hi
    }

    /// Halves the interval.
    pub fn refine(&mut self) {
        if self.is_exact() {
            return;
        }
        let mid = self.lo.towards(&self.hi, 4);
        match self.p.sign_at(&mid) {
            0 => (self.lo, self.hi) = (mid.clone(), mid),
            s if s == self.at_lo => self.lo = mid,
            _ => self.hi = mid,
        }
    }

    /// Halves until the interval is no longer than 2⁻ᵇⁱᵗˢ of its upper end.
    pub fn refine_to(&mut self, bits: u64) {
        let short = |s: &Self| {
            let k = s.lo.k.max(s.hi.k);
            let (a, b) = (&s.lo.n << (k - s.lo.k), &s.hi.n << (k - s.hi.k));
            ((&b - a) << bits) <= b
        };
        while !self.is_exact() && !short(self) {
            self.refine();
        }
    }

    /// Sign of `g` at this root.
    pub fn sign_of(&mut self, g: &Poly) -> i8 {
        if g.degree() == 0 {
            return g.sign_at(&self.lo);
        }
        let mut common = None;
        let mut chain = None;
        loop {
            if self.is_exact() {
                return g.sign_at(&self.lo);
            }
            let (a, b) = (g.sign_at(&self.lo), g.sign_at(&self.hi));
            if a != 0 && a == b {
                if g.degree() == 1 {
                    return a;
                }
                let chain = chain.get_or_insert_with(|| Sturm::new(g));
                if chain.count(&self.lo, &self.hi) == 0 {
                    return a;
                }
            }
            // A common divisor divides the square-free polynomial, which has one root here, a simple one.
            let common = common.get_or_insert_with(|| self.p.gcd(g));
            if common.degree() > 0 && common.sign_at(&self.lo) != common.sign_at(&self.hi) {
                return 0;
            }
            self.refine();
        }
    }

    /// How often `g`, not zero, vanishes here, and its sign just before and just after.
    pub fn order_of(&mut self, g: &Poly) -> (u8, i8, i8) {
        let mut d = g.clone();
        let mut order = 0;
        loop {
            assert!(!d.is_zero(), "a polynomial that is not zero vanishes finitely often");
            let s = self.sign_of(&d);
            if s != 0 {
                return (order, if order % 2 == 0 { s } else { -s }, s);
            }
            d = d.derivative();
            order += 1;
        }
    }

    /// Compares with a time.
    pub fn cmp_dyadic(&self, t: &Dyadic) -> Ordering {
        if self.is_exact() || t <= &self.lo || t >= &self.hi {
            return match (self.lo.cmp(t), self.hi.cmp(t)) {
                (Ordering::Equal, Ordering::Equal) => Ordering::Equal,
                (Ordering::Less, _) => Ordering::Less,
                _ => Ordering::Greater,
            };
        }
        match self.p.sign_at(t) {
            0 => Ordering::Equal,
            s if s == self.at_lo => Ordering::Greater,
            _ => Ordering::Less,
        }
    }

    /// Compares with another root; the intervals are apart afterwards unless the two are the same.
    pub fn cmp(&mut self, o: &mut Self) -> Ordering {
        let mut common = None;
        loop {
            if self.hi < o.lo || (self.hi == o.lo && !(self.is_exact() && o.is_exact())) {
                return Ordering::Less;
            }
            if o.hi < self.lo || (o.hi == self.lo && !(self.is_exact() && o.is_exact())) {
                return Ordering::Greater;
            }
            match (self.is_exact(), o.is_exact()) {
                (true, _) => return o.cmp_dyadic(&self.lo).reverse(),
                (_, true) => return self.cmp_dyadic(&o.lo),
                _ => {}
            }
            let common = common.get_or_insert_with(|| self.p.gcd(&o.p));
            if common.degree() > 0 {
                let lo = (&self.lo).max(&o.lo);
                let hi = (&self.hi).min(&o.hi);
                if common.sign_at(lo) * common.sign_at(hi) < 0 {
                    return Ordering::Equal;
                }
            }
            self.refine();
            o.refine();
        }
    }
}
