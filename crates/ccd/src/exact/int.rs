//! Signed integers of any size, in place up to 1024 bits.
//!
//! Takes and gives exact integers; finite doubles enter through [`Int::from_f64`] after scaling by a power of two.
//! Sign and magnitude, because almost every question asked here ends in a sign: `sign` reads one field, and a product
//! of magnitudes needs no correction terms. Sixteen limbs in place hold everything that coordinates of common scale
//! lead to (the last remainder of a cubic by a quadratic is 16 times as long as a coordinate); only coordinates of
//! widely different exponents make the numbers spill to the heap.
//!
//! The magnitude has no zero limb on top and zero is never negative, so equality is equality of the fields.

use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// Limbs held without allocation.
const INLINE: usize = 16;

/// An integer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Int {
    neg: bool,
    /// Little-endian magnitude without leading zeros; empty for zero.
    mag: SmallVec<[u64; INLINE]>,
}

/// Writes a finite nonzero double as `(negative, mantissa, exponent)`, value = ± mantissa · 2^exponent, mantissa odd.
pub(crate) fn decode(x: f64) -> (bool, u64, i32) {
    let bits = x.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    let zeros = mantissa.trailing_zeros();
    (bits >> 63 == 1, mantissa >> zeros, exponent + zeros as i32)
}

impl Int {
    /// Zero.
    #[must_use]
    pub fn zero() -> Self {
        Self::default()
    }

    /// 2^`bit`.
    #[must_use]
    pub fn power_of_two(bit: u32) -> Self {
        Self::from(1u64).shl(bit)
    }

    /// `x · 2^shift`, for finite `x`; the caller makes `shift` large enough that no bit is lost.
    #[must_use]
    pub fn from_f64(x: f64, shift: i32) -> Self {
        if x == 0.0 {
            return Self::zero();
        }
        let (neg, mantissa, exponent) = decode(x);
        debug_assert!(exponent + shift >= 0, "the shift drops bits of {x:e}");
        let mut out = Self::from(mantissa).shl((exponent + shift).max(0) as u32);
        out.neg = neg;
        out
    }

    /// From two's complement limbs, little-endian.
    #[must_use]
    pub fn from_twos_complement(limbs: &[u64]) -> Self {
        let neg = limbs.last().is_some_and(|&top| top >> 63 == 1);
        let mut mag: SmallVec<[u64; INLINE]> = SmallVec::from_slice(limbs);
        if neg {
            let mut carry = true;
            for limb in mag.iter_mut() {
                let (value, over) = (!*limb).overflowing_add(u64::from(carry));
                *limb = value;
                carry = over;
            }
        }
        Self::trimmed(neg, mag)
    }

    fn trimmed(neg: bool, mut mag: SmallVec<[u64; INLINE]>) -> Self {
        while mag.last() == Some(&0) {
            mag.pop();
        }
        Self { neg: neg && !mag.is_empty(), mag }
    }

    /// −1, 0 or 1.
    #[inline]
    #[must_use]
    pub fn sign(&self) -> i8 {
        if self.mag.is_empty() { 0 } else { 1 - 2 * i8::from(self.neg) }
    }

    /// Is it zero?
    #[inline]
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.mag.is_empty()
    }

    /// Length of the magnitude in bits; 0 for zero.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.mag.last().map_or(0, |top| 64 * self.mag.len() as u32 - top.leading_zeros())
    }

    /// How often 2 divides it; 0 for zero.
    #[must_use]
    pub fn trailing_zeros(&self) -> u32 {
        let limb = self.mag.iter().position(|&l| l != 0);
        limb.map_or(0, |i| 64 * i as u32 + self.mag[i].trailing_zeros())
    }

    /// Magnitude.
    #[must_use]
    pub fn abs(mut self) -> Self {
        self.neg = false;
        self
    }

    /// Times 2^`by`.
    #[must_use]
    pub fn shl(&self, by: u32) -> Self {
        if self.mag.is_empty() {
            return Self::zero();
        }
        let (whole, part) = ((by / 64) as usize, by % 64);
        let mut mag = SmallVec::with_capacity(self.mag.len() + whole + 1);
        mag.resize(whole, 0);
        if part == 0 {
            mag.extend_from_slice(&self.mag);
        } else {
            let mut low = 0;
            for &limb in &self.mag {
                mag.push(limb << part | low);
                low = limb >> (64 - part);
            }
            if low != 0 {
                mag.push(low);
            }
        }
        Self { neg: self.neg, mag }
    }

    /// Divided by 2^`by`, rounded towards zero.
    #[must_use]
    pub fn shr(&self, by: u32) -> Self {
        let (whole, part) = ((by / 64) as usize, by % 64);
        if whole >= self.mag.len() {
            return Self::zero();
        }
        let mut mag: SmallVec<[u64; INLINE]> = SmallVec::from_slice(&self.mag[whole..]);
        if part != 0 {
            let mut high = 0;
            for limb in mag.iter_mut().rev() {
                let value = *limb;
                *limb = value >> part | high;
                high = value << (64 - part);
            }
        }
        Self::trimmed(self.neg, mag)
    }

    /// Times a small number.
    #[must_use]
    pub fn mul_small(&self, by: i64) -> Self {
        let by_abs = by.unsigned_abs();
        if by_abs == 0 || self.mag.is_empty() {
            return Self::zero();
        }
        let mut mag = SmallVec::with_capacity(self.mag.len() + 1);
        let mut carry = 0u64;
        for &limb in &self.mag {
            let wide = u128::from(limb) * u128::from(by_abs) + u128::from(carry);
            mag.push(wide as u64);
            carry = (wide >> 64) as u64;
        }
        if carry != 0 {
            mag.push(carry);
        }
        Self { neg: self.neg != (by < 0), mag }
    }

    /// Its square.
    #[must_use]
    pub fn square(&self) -> Self {
        self * self
    }

    /// Quotient by a divisor that is known to divide it (pseudo-remainder sequences); not zero.
    ///
    /// Works from the low end with the inverse of the odd divisor modulo 2^64 (Jebelean 1993), so there is no trial
    /// quotient to correct.
    #[must_use]
    pub fn div_exact(&self, by: &Self) -> Self {
        debug_assert!(!by.is_zero(), "division by zero");
        if self.is_zero() || by.is_zero() {
            return Self::zero();
        }
        let zeros = by.trailing_zeros();
        let (mut rest, odd) = (self.shr(zeros).mag, by.shr(zeros).mag);
        // Newton: the bits that are right double from 3.
        let mut inverse = odd[0].wrapping_mul(3) ^ 2;
        for _ in 0..4 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd[0].wrapping_mul(inverse)));
        }
        let length = (rest.len() + 1).saturating_sub(odd.len());
        let mut mag: SmallVec<[u64; INLINE]> = SmallVec::with_capacity(length);
        for i in 0..length {
            let digit = rest[i].wrapping_mul(inverse);
            mag.push(digit);
            // rest −= digit · odd · 2^(64 i)
            let mut borrow = 0u128;
            for j in i..rest.len() {
                let product = match odd.get(j - i) {
                    Some(&limb) => u128::from(digit) * u128::from(limb),
                    None if borrow == 0 => break,
                    None => 0,
                } + borrow;
                let (value, under) = rest[j].overflowing_sub(product as u64);
                rest[j] = value;
                borrow = (product >> 64) + u128::from(under);
            }
        }
        debug_assert!(rest.iter().all(|&l| l == 0), "the division leaves a remainder");
        Self::trimmed(self.neg != by.neg, mag)
    }

    /// `(m, e)` with value ≈ m · 2^e, ½ ≤ |m| < 1 (or 0), cut off: the magnitude of m is never too large, and is short
    /// by less than 2^-52 (one unit in the last place).
    #[must_use]
    pub fn to_f64_scaled(&self) -> (f64, i64) {
        let bits = self.bits();
        let Some(&top) = self.mag.last() else { return (0.0, 0) };
        let zeros = top.leading_zeros();
        let below = if self.mag.len() > 1 { self.mag[self.mag.len() - 2] } else { 0 };
        let lead = if zeros == 0 { top } else { top << zeros | below >> (64 - zeros) };
        // 53 bits convert without rounding.
        let m = (lead >> 11) as f64 / 9_007_199_254_740_992.0;
        (if self.neg { -m } else { m }, i64::from(bits))
    }

    /// |self| against |other|.
    #[must_use]
    pub fn cmp_abs(&self, other: &Self) -> Ordering {
        self.mag.len().cmp(&other.mag.len()).then_with(|| self.mag.iter().rev().cmp(other.mag.iter().rev()))
    }

    /// `self + other`, or `self − other`.
    #[inline]
    fn sum(&self, other: &Self, minus: bool) -> Self {
        let other_neg = other.neg != minus;
        if self.neg == other_neg {
            let (long, short) = if self.mag.len() >= other.mag.len() { (self, other) } else { (other, self) };
            let mut mag = SmallVec::with_capacity(long.mag.len() + 1);
            let mut carry = false;
            for (i, &limb) in long.mag.iter().enumerate() {
                let (value, over1) = limb.overflowing_add(short.mag.get(i).copied().unwrap_or(0));
                let (value, over2) = value.overflowing_add(u64::from(carry));
                carry = over1 | over2;
                mag.push(value);
            }
            if carry {
                mag.push(1);
            }
            return Self { neg: self.neg && !mag.is_empty(), mag };
        }
        let (large, small, neg) = match self.cmp_abs(other) {
            Ordering::Equal => return Self::zero(),
            Ordering::Greater => (self, other, self.neg),
            Ordering::Less => (other, self, other_neg),
        };
        let mut mag = SmallVec::with_capacity(large.mag.len());
        let mut borrow = false;
        for (i, &limb) in large.mag.iter().enumerate() {
            let (value, under1) = limb.overflowing_sub(small.mag.get(i).copied().unwrap_or(0));
            let (value, under2) = value.overflowing_sub(u64::from(borrow));
            borrow = under1 | under2;
            mag.push(value);
        }
        Self::trimmed(neg, mag)
    }
}

impl From<u64> for Int {
    fn from(value: u64) -> Self {
        Self { neg: false, mag: if value == 0 { SmallVec::new() } else { smallvec![value] } }
    }
}

impl From<i64> for Int {
    fn from(value: i64) -> Self {
        let mut out = Self::from(value.unsigned_abs());
        out.neg = value < 0;
        out
    }
}

impl From<i128> for Int {
    fn from(value: i128) -> Self {
        let abs = value.unsigned_abs();
        Self::trimmed(value < 0, smallvec![abs as u64, (abs >> 64) as u64])
    }
}

impl Add for &Int {
    type Output = Int;

    fn add(self, other: Self) -> Int {
        self.sum(other, false)
    }
}

impl Sub for &Int {
    type Output = Int;

    fn sub(self, other: Self) -> Int {
        self.sum(other, true)
    }
}

impl Neg for Int {
    type Output = Self;

    fn neg(mut self) -> Self {
        self.neg = !self.neg && !self.mag.is_empty();
        self
    }
}

impl Mul for &Int {
    type Output = Int;

    fn mul(self, other: Self) -> Int {
        if self.mag.is_empty() || other.mag.is_empty() {
            return Int::zero();
        }
        let (long, short) = if self.mag.len() >= other.mag.len() { (self, other) } else { (other, self) };
        let mut mag: SmallVec<[u64; INLINE]> = smallvec![0; long.mag.len() + short.mag.len()];
        for (i, &digit) in short.mag.iter().enumerate() {
            let mut carry = 0u64;
            let (row, above) = mag[i..].split_at_mut(long.mag.len());
            for (out, &limb) in row.iter_mut().zip(&long.mag) {
                let wide = u128::from(digit) * u128::from(limb) + u128::from(*out) + u128::from(carry);
                *out = wide as u64;
                carry = (wide >> 64) as u64;
            }
            above[0] = carry;
        }
        if mag.last() == Some(&0) {
            mag.pop();
        }
        Int { neg: self.neg != other.neg, mag }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.neg, other.neg) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.cmp_abs(other),
            (true, true) => other.cmp_abs(self),
        }
    }
}

#[cfg(test)]
mod tests;
