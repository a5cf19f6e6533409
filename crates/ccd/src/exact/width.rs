//! Which integers to count with: one limb per coordinate difference, two, or as many as it takes.
//!
//! Takes the bit length of the scaled differences (`scale.rs`), gives types for differences (`P`), orientations (`Q`,
//! sums of products of two) and the cubic (`F`, of three). With |P| ≤ 2^b and the unscaled Bernstein forms of this tier
//! (`Q0 s² + Q1 st + Q2 t²` and so on):
//!
//! * an entry of P_i×P_j: |Q0|, |Q2| ≤ 2·2^2b, |Q1| ≤ 4·2^2b; power basis ≤ 8·2^2b; the sum of three ≤ 24·2^2b;
//! * the cubic: |B0|, |B3| ≤ 6·2^3b, |B1|, |B2| ≤ 18·2^3b; power basis ≤ 72·2^3b, its derivative ≤ 3·48·2^3b.
//!
//! So b = 61 leaves 2^126.6 < 2^127 and 2^190.2 < 2^191 (two and three limbs), b = 125 leaves 2^254.6 and 2^382.2 (four
//! and six). Values at t = m·2^−k with 64-bit m take one more limb per degree, and one more for k > 64.

use super::fix::{Fix, TWO_64};
use super::int::{Int, decode};

/// What a coefficient must be able to do.
pub(super) trait Num: Clone + Default {
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn sign(&self) -> i8;
    fn bits(&self) -> u32;
    fn to_int(&self) -> Int;
    /// `self · 2^−e`, but for a few units in the last place; 0 when that underflows.
    fn approx(&self, e: i64) -> f64;
    /// Sign of `Σ c_i t^i` at a double 0 < t < 1, and its value times 2^−e up to a few units in the last place.
    fn value(c: &[Self], t: f64, e: i64) -> (i8, f64);

    fn negated(&self) -> Self {
        Self::default().minus(self)
    }

    fn doubled(&self) -> Self {
        self.plus(self)
    }

    fn is_zero(&self) -> bool {
        self.sign() == 0
    }
}

/// The types that belong together.
pub(super) trait Width {
    type P: Num;
    type Q: Num;
    type F: Num;
    /// `(hi + lo) · unit.0 · unit.1`, an integer; the units' product is 2^−low.
    fn lift(hi: f64, lo: f64, unit: [f64; 2], low: i32) -> Self::P;
    fn pp(a: &Self::P, b: &Self::P) -> Self::Q;
    fn pq(a: &Self::P, b: &Self::Q) -> Self::F;
    fn widen(a: &Self::P) -> Self::Q;
}

/// Differences of at most 61 bits.
pub(super) struct Narrow;
/// Differences of at most 125 bits.
pub(super) struct Middle;
/// No limit.
pub(super) struct Wide;

impl Narrow {
    pub const BITS: i32 = 61;
}

impl Middle {
    pub const BITS: i32 = 125;
}

/// 2^e for any e that gives a normal double, else 0 or infinity.
pub(super) fn exp2(e: i64) -> f64 {
    match e {
        -1022..=1023 => f64::from_bits(((e + 1023) as u64) << 52),
        _ if e < 0 => 0.0,
        _ => f64::INFINITY,
    }
}

macro_rules! fixed_num {
    ($n:literal, $value:literal) => {
        impl Num for Fix<$n> {
            #[inline]
            fn plus(&self, other: &Self) -> Self {
                self.plus(other)
            }
            #[inline]
            fn minus(&self, other: &Self) -> Self {
                self.minus(other)
            }
            #[inline]
            fn sign(&self) -> i8 {
                self.sign()
            }
            #[inline]
            fn bits(&self) -> u32 {
                self.bits()
            }
            #[inline]
            fn to_int(&self) -> Int {
                Fix::to_int(*self)
            }
            #[inline]
            fn approx(&self, e: i64) -> f64 {
                let (m, own) = self.to_f64_scaled();
                m * exp2(own - e)
            }
            #[inline]
            fn value(c: &[Self], t: f64, e: i64) -> (i8, f64) {
                // t = m · 2^−(64+j): below 2^-11 a double may have bits beyond 2^-64.
                let j = (1012 - (t.to_bits() >> 52) as i32).max(0);
                if j > 21 {
                    let c: smallvec::SmallVec<[Int; 4]> = c.iter().map(|c| Fix::to_int(*c)).collect();
                    return Int::value(&c, t, e);
                }
                let m = (t * TWO_64 * exp2(i64::from(j))) as u64;
                let degree = c.len() - 1;
                let sum: Fix<$value> = match c {
                    // The usual cases without a loop.
                    [a, b, c, d] if j == 0 => d.widen().horner(m, c, 1).horner(m, b, 2).horner(m, a, 3),
                    [a, b, c] if j == 0 => c.widen().horner(m, b, 1).horner(m, a, 2),
                    [.., last] => {
                        let mut sum = last.widen::<$value>();
                        for (power, c) in c[..degree].iter().rev().enumerate() {
                            let shift = (power + 1) as u32 * j as u32;
                            let c = c.widen_shl(power + 1 + (shift / 64) as usize, shift % 64);
                            sum = sum.times_limb(m).plus(&c);
                        }
                        sum
                    }
                    [] => return (0, 0.0),
                };
                let (m, own) = sum.to_f64_scaled();
                (sum.sign(), m * exp2(own - e - degree as i64 * i64::from(64 + j)))
            }
        }
    };
}
fixed_num!(1, 4);
fixed_num!(2, 6);
fixed_num!(3, 7);
fixed_num!(4, 8);
fixed_num!(6, 10);

impl Num for Int {
    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn minus(&self, other: &Self) -> Self {
        self - other
    }

    fn sign(&self) -> i8 {
        self.sign()
    }

    fn bits(&self) -> u32 {
        self.bits()
    }

    fn to_int(&self) -> Int {
        self.clone()
    }

    fn approx(&self, e: i64) -> f64 {
        let (m, own) = self.to_f64_scaled();
        m * exp2(own - e)
    }

    fn value(c: &[Self], t: f64, e: i64) -> (i8, f64) {
        let (_, m, exponent) = decode(t);
        let (m, k) = (Int::from(m), exponent.unsigned_abs());
        let degree = c.len() - 1;
        let mut sum = c[degree].clone();
        for (power, c) in c[..degree].iter().rev().enumerate() {
            sum = &(&sum * &m) + &c.shl((power + 1) as u32 * k);
        }
        (sum.sign(), sum.approx(e + degree as i64 * i64::from(k)))
    }
}

/// A double times 2^−low, an integer.
#[inline]
fn lift_128(x: f64, low: i32) -> i128 {
    if x == 0.0 {
        return 0;
    }
    let bits = x.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    let shift = exponent - low;
    let abs = if shift >= 0 { i128::from(mantissa) << shift } else { i128::from(mantissa >> -shift) };
    if bits >> 63 == 1 { -abs } else { abs }
}

impl Width for Narrow {
    type P = Fix<1>;
    type Q = Fix<2>;
    type F = Fix<3>;

    #[inline]
    fn lift(hi: f64, lo: f64, unit: [f64; 2], _: i32) -> Fix<1> {
        // In two steps no factor leaves the range; each product is exact, its value ending at 1 or higher.
        let integer = |x: f64| (x * unit[0] * unit[1]) as i64;
        Fix([if lo == 0.0 { integer(hi) } else { integer(hi) + integer(lo) } as u64])
    }
    #[inline]
    fn pp(a: &Fix<1>, b: &Fix<1>) -> Fix<2> {
        a.times(b)
    }
    #[inline]
    fn pq(a: &Fix<1>, b: &Fix<2>) -> Fix<3> {
        a.times(b)
    }
    #[inline]
    fn widen(a: &Fix<1>) -> Fix<2> {
        a.widen()
    }
}

impl Width for Middle {
    type P = Fix<2>;
    type Q = Fix<4>;
    type F = Fix<6>;

    #[inline]
    fn lift(hi: f64, lo: f64, _: [f64; 2], low: i32) -> Fix<2> {
        let sum = lift_128(hi, low) + lift_128(lo, low);
        Fix([sum as u64, (sum >> 64) as u64])
    }
    #[inline]
    fn pp(a: &Fix<2>, b: &Fix<2>) -> Fix<4> {
        a.times(b)
    }
    #[inline]
    fn pq(a: &Fix<2>, b: &Fix<4>) -> Fix<6> {
        a.times(b)
    }
    #[inline]
    fn widen(a: &Fix<2>) -> Fix<4> {
        a.widen()
    }
}

impl Width for Wide {
    type P = Int;
    type Q = Int;
    type F = Int;

    fn lift(hi: f64, lo: f64, _: [f64; 2], low: i32) -> Int {
        &Int::from_f64(hi, -low) + &Int::from_f64(lo, -low)
    }
    fn pp(a: &Int, b: &Int) -> Int {
        a * b
    }
    fn pq(a: &Int, b: &Int) -> Int {
        a * b
    }
    fn widen(a: &Int) -> Int {
        a.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fixed_values_agree_with_wide_ones(
            c in [any::<i128>(), any::<i128>(), any::<i128>(), any::<i128>()],
            t in prop_oneof![1e-300..1e-8, 0.0..1.0, 1e-8..1e-3],
            degree in 0usize..4,
        ) {
            prop_assume!(t > 0.0 && t < 1.0);
            let fixed = c.map(|c| Fix([(c >> 2) as u64, (c >> 66) as u64]));
            let wide = fixed.map(|c| c.to_int());
            let (s, v) = Fix::value(&fixed[..=degree], t, 100);
            let (sw, vw) = Int::value(&wide[..=degree], t, 100);
            prop_assert_eq!(s, sw);
            prop_assert!((v - vw).abs() <= 1e-15 * vw.abs());
        }

        #[test]
        fn lifting_is_exact(x in -1i64 << 50..1i64 << 50, y in -100i64..100, low in -1074i32..960) {
            let unit = [exp2(i64::from(-low / 2)), exp2(i64::from(-low + low / 2))];
            let (hi, lo) = (x as f64 / unit[0] / unit[1], y as f64 / unit[0] / unit[1]);
            let want = Int::from(x + y);
            prop_assert_eq!(Narrow::lift(hi, lo, unit, low).to_int(), want.clone());
            prop_assert_eq!(Middle::lift(hi, lo, unit, low).to_int(), want.clone());
            prop_assert_eq!(Wide::lift(hi, lo, unit, low), want);
        }
    }
}
