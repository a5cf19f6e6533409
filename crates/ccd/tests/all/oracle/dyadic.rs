//! Exact times: whole numbers over powers of two. Every finite `f64` is one, and so is every halving point.

use num_bigint::BigInt;
use std::cmp::Ordering;

/// `n / 2^k`.
#[derive(Clone, Debug)]
pub struct Dyadic {
    pub n: BigInt,
    pub k: u64,
}

/// Mantissa and exponent of a finite number: `x = m · 2^e`.
pub fn decompose(x: f64) -> (i64, i64) {
    assert!(x.is_finite());
    let bits = x.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i64;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (m, e) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    let m = if x.is_sign_negative() { -m } else { m };
    if m == 0 {
        return (0, 0);
    }
    let z = m.trailing_zeros();
    (m >> z, e + i64::from(z))
}

impl Dyadic {
    pub fn integer(n: i64) -> Self {
        Self { n: n.into(), k: 0 }
    }

    pub fn from_f64(x: f64) -> Self {
        let (m, e) = decompose(x);
        match u64::try_from(e) {
            Ok(up) => Self { n: BigInt::from(m) << up, k: 0 },
            Err(_) => Self { n: m.into(), k: e.unsigned_abs() },
        }
    }

    /// The point at `eighths`/8 of the way from `self` to `other`.
    pub fn towards(&self, other: &Self, eighths: u32) -> Self {
        let k = self.k.max(other.k);
        let (a, b) = (&self.n << (k - self.k), &other.n << (k - other.k));
        let mut n: BigInt = a * (8 - eighths) + b * eighths;
        let mut k = k + 3;
        let z = n.trailing_zeros().unwrap_or(k).min(k);
        n >>= z;
        k -= z;
        Self { n, k }
    }

    /// The nearest number below or at it, for printing and comparing loosely.
    pub fn approx(&self) -> f64 {
        let bits = self.n.bits();
        if bits == 0 {
            return 0.0;
        }
        let drop = bits.saturating_sub(60);
        let top: BigInt = &self.n >> drop;
        let top = i64::try_from(top).expect("60 bits") as f64;
        let e = drop as i64 - self.k as i64;
        // Two steps, so that the scale itself stays a normal number.
        let half = (e / 2) as i32;
        top * 2f64.powi(half) * 2f64.powi(e as i32 - half)
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Dyadic {}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.k.cmp(&other.k) {
            Ordering::Equal => self.n.cmp(&other.n),
            Ordering::Less => (&self.n << (other.k - self.k)).cmp(&other.n),
            Ordering::Greater => self.n.cmp(&(&other.n << (self.k - other.k))),
        }
    }
}
