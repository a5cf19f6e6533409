//! Signed integers of a width known at compile time: two's complement, on the stack, without branches.
//!
//! Takes and gives exact integers. The widths follow from the degree (a coordinate has one or two limbs, an orientation
//! two coordinates' worth, the cubic three), so no length is looked up while running: a product of two one-limb numbers
//! is one instruction. Nothing here checks for overflow; the bounds are proved where the widths are chosen
//! (`width.rs`).

use super::int::Int;

/// An integer of `N` 64-bit limbs, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fix<const N: usize>(pub [u64; N]);

impl<const N: usize> Default for Fix<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Fix<N> {
    #[inline]
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.0[N - 1] >> 63 == 1
    }

    /// −1, 0 or 1.
    #[inline]
    #[must_use]
    pub fn sign(&self) -> i8 {
        let any = self.0.iter().fold(0, |all, limb| all | limb) != 0;
        i8::from(any) - 2 * i8::from(self.is_negative())
    }

    #[inline]
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mut out = [0; N];
        if N == 2 {
            let sum = double(&self.0).wrapping_add(double(&other.0));
            (out[0], out[N - 1]) = (sum as u64, (sum >> 64) as u64);
            return Self(out);
        }
        let mut carry = false;
        for i in 0..N {
            let (value, over1) = self.0[i].overflowing_add(other.0[i]);
            let (value, over2) = value.overflowing_add(u64::from(carry));
            out[i] = value;
            carry = over1 | over2;
        }
        Self(out)
    }

    #[inline]
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let mut out = [0; N];
        if N == 2 {
            let difference = double(&self.0).wrapping_sub(double(&other.0));
            (out[0], out[N - 1]) = (difference as u64, (difference >> 64) as u64);
            return Self(out);
        }
        let mut borrow = false;
        for i in 0..N {
            let (value, under1) = self.0[i].overflowing_sub(other.0[i]);
            let (value, under2) = value.overflowing_sub(u64::from(borrow));
            out[i] = value;
            borrow = under1 | under2;
        }
        Self(out)
    }

    /// The same number in more limbs.
    #[inline]
    #[must_use]
    pub fn widen<const M: usize>(&self) -> Fix<M> {
        let fill = if self.is_negative() { u64::MAX } else { 0 };
        let mut out = [fill; M];
        out[..N].copy_from_slice(&self.0);
        Fix(out)
    }

    /// `self · by + c · 2^(64·limbs)`, modulo 2^(64 N).
    #[inline]
    #[must_use]
    pub fn horner<const M: usize>(&self, by: u64, c: &Fix<M>, limbs: usize) -> Self {
        let fill = if c.is_negative() { u64::MAX } else { 0 };
        let mut out = [0; N];
        let mut carry = 0u64;
        for i in 0..N {
            let add = match i.checked_sub(limbs) {
                None => 0,
                Some(k) if k < M => c.0[k],
                Some(_) => fill,
            };
            // (2^64 − 1)² + 2 (2^64 − 1) is the largest number of two limbs.
            let wide = u128::from(self.0[i]) * u128::from(by) + u128::from(carry) + u128::from(add);
            out[i] = wide as u64;
            carry = (wide >> 64) as u64;
        }
        Self(out)
    }

    /// The same number times 2^(64·`limbs` + `bits`), `bits` < 64.
    #[inline]
    #[must_use]
    pub fn widen_shl<const M: usize>(&self, limbs: usize, bits: u32) -> Fix<M> {
        let fill = if self.is_negative() { u64::MAX } else { 0 };
        let mut out = [0; M];
        for i in limbs..M {
            out[i] = if i - limbs < N { self.0[i - limbs] } else { fill };
        }
        if bits != 0 {
            for i in (limbs..M).rev() {
                let below = if i > limbs { out[i - 1] } else { 0 };
                out[i] = out[i] << bits | below >> (64 - bits);
            }
        }
        Fix(out)
    }

    /// Product modulo 2^(64 N); right whenever it fits, for both signs.
    #[inline]
    #[must_use]
    pub fn times_limb(&self, by: u64) -> Self {
        let mut out = [0; N];
        let mut carry = 0u64;
        for i in 0..N {
            let wide = u128::from(self.0[i]) * u128::from(by) + u128::from(carry);
            out[i] = wide as u64;
            carry = (wide >> 64) as u64;
        }
        Self(out)
    }

    /// Product in `C` = `N` + `B` limbs.
    #[inline]
    #[must_use]
    pub fn times<const B: usize, const C: usize>(&self, other: &Fix<B>) -> Fix<C> {
        debug_assert!(C == N + B, "width of a product");
        let mut out = [0u64; C];
        if N == 1 && B == 1 {
            let wide = i128::from(self.0[0] as i64) * i128::from(other.0[0] as i64);
            out[0] = wide as u64;
            out[C - 1] = (wide >> 64) as u64;
            return Fix(out);
        }
        if N == 1 && B == 2 {
            // Signed times unsigned below, signed times signed above; both fit.
            let a = i128::from(self.0[0] as i64);
            let low = a.wrapping_mul(i128::from(other.0[0]));
            let high = (low >> 64).wrapping_add(a.wrapping_mul(i128::from(other.0[1] as i64)));
            (out[0], out[C - 2], out[C - 1]) = (low as u64, high as u64, (high >> 64) as u64);
            return Fix(out);
        }
        for i in 0..N {
            let mut carry = 0u64;
            for j in 0..B {
                let wide = u128::from(self.0[i]) * u128::from(other.0[j])
                    + u128::from(out[i + j])
                    + u128::from(carry);
                out[i + j] = wide as u64;
                carry = (wide >> 64) as u64;
            }
            out[i + B] = carry;
        }
        // The limbs read as unsigned are too large by 2^(64 N) where the number is negative.
        subtract_masked(&mut out[N..], &other.0, self.is_negative());
        subtract_masked(&mut out[B..], &self.0, other.is_negative());
        Fix(out)
    }

    #[inline]
    fn magnitude(&self) -> [u64; N] {
        if self.is_negative() { Self::default().minus(self).0 } else { self.0 }
    }

    /// Length of the magnitude in bits.
    #[inline]
    #[must_use]
    pub fn bits(&self) -> u32 {
        let magnitude = self.magnitude();
        let top = (0..N).rev().find(|&i| magnitude[i] != 0);
        top.map_or(0, |i| 64 * (i as u32 + 1) - magnitude[i].leading_zeros())
    }

    /// `(m, e)` with value ≈ m · 2^e, up to four units in the last place of m; |m| < 2^128.
    #[inline]
    #[must_use]
    pub fn to_f64_scaled(self) -> (f64, i64) {
        // Through the magnitude: limb by limb in two's complement, −1 would cancel to 0. Two limbs have at least 65 bits.
        let magnitude = self.magnitude();
        let top = (1..N).rev().find(|&i| magnitude[i] != 0).unwrap_or(0);
        let below = if top > 0 { magnitude[top - 1] as f64 } else { 0.0 };
        let m = magnitude[top] as f64 * TWO_64 + below;
        (if self.is_negative() { -m } else { m }, 64 * top as i64 - 64)
    }

    #[must_use]
    pub fn to_int(self) -> Int {
        Int::from_twos_complement(&self.0)
    }
}

/// Two limbs as one number.
#[inline]
fn double(limbs: &[u64]) -> u128 {
    u128::from(limbs[0]) | u128::from(limbs[1]) << 64
}

/// 2^64.
pub(super) const TWO_64: f64 = 18_446_744_073_709_551_616.0;

#[inline]
fn subtract_masked(from: &mut [u64], what: &[u64], really: bool) {
    let mask = if really { u64::MAX } else { 0 };
    let mut borrow = false;
    for (out, &limb) in from.iter_mut().zip(what) {
        let (value, under1) = out.overflowing_sub(limb & mask);
        let (value, under2) = value.overflowing_sub(u64::from(borrow));
        *out = value;
        borrow = under1 | under2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limb() -> impl Strategy<Value = u64> {
        prop_oneof![Just(0u64), Just(u64::MAX), Just(1u64 << 63), Just(1u64), any::<u64>()]
    }

    proptest! {
        #[test]
        fn agrees_with_integers_of_any_size(a in [limb(), limb()], b in [limb(), limb(), limb()], m in limb(), k in 0u32..64) {
            let (a, b) = (Fix(a), Fix(b));
            let (x, y) = (a.to_int(), b.to_int());
            prop_assert_eq!(a.times::<3, 5>(&b).to_int(), &x * &y);
            prop_assert_eq!(b.times::<2, 5>(&a).to_int(), &x * &y);
            prop_assert_eq!(Fix([a.0[0]]).times::<1, 2>(&Fix([a.0[1]])).to_int(), &Fix([a.0[0]]).to_int() * &Fix([a.0[1]]).to_int());
            prop_assert_eq!(a.widen::<4>().plus(&b.widen()).to_int(), &x + &y);
            prop_assert_eq!(a.widen::<4>().minus(&b.widen()).to_int(), &x - &y);
            prop_assert_eq!(b.widen::<6>().horner(m, &a, 3).to_int(), &(&y * &Int::from(m)) + &x.shl(192));
            prop_assert_eq!(b.widen_shl::<7>(2, k).to_int(), y.shl(128 + k));
            prop_assert_eq!(a.widen::<4>().times_limb(m).to_int(), &x * &Int::from(m));
            prop_assert_eq!((a.sign(), a.bits()), (x.sign(), x.bits()));
            prop_assert_eq!((b.sign(), b.bits()), (y.sign(), y.bits()));
            let ((m, e), (cut, f)) = (b.to_f64_scaled(), y.to_f64_scaled());
            let near = m * f64::exp2(e as f64);
            prop_assert!((near - cut * f64::exp2(f as f64)).abs() <= 1e-15 * near.abs());
        }
    }
}
