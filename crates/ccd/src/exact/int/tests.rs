//! Integers against a public implementation.

use super::*;
use num_bigint::BigInt;
use num_traits::Signed;
use proptest::prelude::*;

fn big(x: &Int) -> BigInt {
    let mut out = BigInt::from(0);
    for &limb in x.mag.iter().rev() {
        out = (out << 64u32) + limb;
    }
    assert!(x.mag.last() != Some(&0) && !(x.neg && x.mag.is_empty()), "not in normal form: {x:?}");
    if x.neg { -out } else { out }
}

/// Limbs of all ones and all zeros are where carries run far.
fn any_int() -> impl Strategy<Value = Int> {
    let limb = prop_oneof![Just(0u64), Just(u64::MAX), Just(1u64), any::<u64>()];
    (any::<bool>(), proptest::collection::vec(limb, 0..24))
        .prop_map(|(neg, limbs)| Int::trimmed(neg, limbs.into()))
}

proptest! {
    #[test]
    fn arithmetic_agrees_with_a_public_big_integer(a in any_int(), b in any_int(), s in any::<i64>(), k in 0u32..300) {
        let (x, y) = (big(&a), big(&b));
        prop_assert_eq!(big(&(&a + &b)), &x + &y);
        prop_assert_eq!(big(&(&a - &b)), &x - &y);
        prop_assert_eq!(big(&(&a * &b)), &x * &y);
        prop_assert_eq!(big(&a.square()), &x * &x);
        prop_assert_eq!(big(&a.mul_small(s)), &x * s);
        prop_assert_eq!(big(&a.shl(k)), &x << k);
        // BigInt rounds negative shifts down.
        let down = x.abs() >> k;
        prop_assert_eq!(big(&a.shr(k)), if x.is_negative() { -down } else { down });
        prop_assert_eq!(big(&-a.clone()), -&x);
        prop_assert_eq!(big(&a.clone().abs()), x.abs());
        prop_assert_eq!(a.cmp(&b), x.cmp(&y));
        prop_assert_eq!(a.cmp(&a.clone()), Ordering::Equal);
        prop_assert_eq!(u64::from(a.bits()), x.bits());
        prop_assert_eq!(u64::from(a.trailing_zeros()), x.trailing_zeros().unwrap_or(0));
        prop_assert_eq!(i32::from(a.sign()), i32::from(x.is_positive()) - i32::from(x.is_negative()));
        prop_assert_eq!(a.is_zero(), x.bits() == 0);
    }

    #[test]
    fn exact_division_undoes_a_product(a in any_int(), b in any_int()) {
        prop_assume!(!b.is_zero());
        prop_assert_eq!((&a * &b).div_exact(&b), a);
    }

    #[test]
    fn small_values_enter_and_leave(i in any::<i64>(), w in any::<i128>(), x in any::<f64>()) {
        prop_assert_eq!(big(&Int::from(i)), BigInt::from(i));
        prop_assert_eq!(big(&Int::from(w)), BigInt::from(w));
        prop_assert_eq!(big(&Int::from_twos_complement(&[w as u64, (w >> 64) as u64])), BigInt::from(w));
        if x.is_finite() {
            let scaled = Int::from_f64(x, 1074);
            let (m, e) = scaled.to_f64_scaled();
            // Two steps, since 2^1074 is no double. Exact: 53 bits survive.
            let halves = (e - 1074) / 2;
            prop_assert_eq!(m * f64::exp2(halves as f64) * f64::exp2((e - 1074 - halves) as f64), x);
        }
    }

    #[test]
    fn leading_bits_are_cut_not_rounded(a in any_int()) {
        let (m, e) = a.to_f64_scaled();
        prop_assert!(m.abs() < 1.0 && (a.is_zero() || m.abs() >= 0.5));
        let back = Int::from_f64(m, 64).shl(e as u32);
        let gap = (&a.shl(64) - &back).abs();
        prop_assert!(back.cmp_abs(&a.shl(64)) != Ordering::Greater);
        prop_assert!(a.is_zero() || gap.bits() as i64 <= 64 + e - 53);
    }
}

#[test]
fn powers_of_two() {
    assert_eq!(big(&Int::power_of_two(200)), BigInt::from(1) << 200u32);
    assert_eq!(Int::power_of_two(0), Int::from(1u64));
    assert_eq!(decode(5e-324), (false, 1, -1074));
    assert_eq!(decode(-3.0), (true, 3, 0));
}
