//! Signs at algebraic numbers without iteration: integer polynomials of any size.
//!
//! Takes forms `Σ b_i s^(d−i) t^i` with integer coefficients (Bernstein coefficients without the binomials' division) and
//! exact points, gives signs. With `s = 1 − t` the form is the polynomial in t; with u = t/s the same coefficients are
//! those of an ordinary polynomial in u ∈ [0,∞], which is what remainder sequences want, so no basis is ever changed.
//!
//! This is the slow path, for what doubles and fixed widths leave open: common roots, multiple roots, and roots closer
//! together than two neighbouring doubles.

use super::int::{Int, decode};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// Coefficients of a form, lowest power of t first.
pub(super) type Form = SmallVec<[Int; 4]>;

/// The time t/(s+t) with s, t ≥ 0, not both 0.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub s: Int,
    pub t: Int,
}

impl Point {
    /// A double in [0, 1].
    #[must_use]
    pub fn from_f64(t: f64) -> Self {
        if t == 0.0 {
            return Self { s: Int::from(1u64), t: Int::zero() };
        }
        let (_, m, exponent) = decode(t);
        let (t, one) = (Int::from(m), Int::power_of_two(exponent.unsigned_abs()));
        // 1.0 has mantissa 1 and exponent 0.
        Self { s: &one - &t, t }
    }

    /// u = `above`/`below`, if that is positive.
    #[must_use]
    pub fn from_ratio(above: Int, below: Int) -> Option<Self> {
        (above.sign() * below.sign() > 0).then(|| Self { s: below.abs(), t: above.abs() })
    }

    /// Nearest double, roughly.
    #[must_use]
    pub fn approx(&self) -> f64 {
        let (sum, e) = (&self.s + &self.t).to_f64_scaled();
        let (t, own) = self.t.to_f64_scaled();
        t * super::width::exp2(own - e) / sum
    }

    #[must_use]
    pub fn cmp(&self, other: &Self) -> Ordering {
        (&self.t * &other.s).cmp(&(&other.t * &self.s))
    }
}

/// Value of the form at a point.
pub(super) fn value_at(form: &[Int], at: &Point) -> Int {
    match form {
        [] => Int::zero(),
        [b0] => b0.clone(),
        [b0, b1] => &(b1 * &at.t) + &(b0 * &at.s),
        [b0, b1, b2] => &(&(&(b2 * &at.t) + &(b1 * &at.s)) * &at.t) + &(b0 * &at.s.square()),
        [rest @ .., last] => {
            let mut sum = last.clone();
            let mut power = Int::from(1u64);
            for b in rest.iter().rev() {
                power = &power * &at.s;
                sum = &(&sum * &at.t) + &(b * &power);
            }
            sum
        }
    }
}

/// Discriminant of a form of degree 2 or 3 (for degree 2 times the square of the leading coefficient).
pub(super) fn discriminant(b: &[Int]) -> Int {
    let bc = &b[1] * &b[2];
    let ac = &b[0] * &b[2];
    let Some(b3) = b.get(3) else {
        return &b[1].square() - &ac.mul_small(4);
    };
    let ad = &b[0] * b3;
    let bd = &b[1] * b3;
    // b1²b2² + 18 b0b1b2b3 − 27 b0²b3² − 4 b0b2³ − 4 b1³b3 = (b1b2)² + 2 b0b3 (9 b1b2) − 27 (b0b3)² − 4 (b0b2·b2² + b1b3·b1²)
    let cubes = &(&ac * &b[2].square()) + &(&bd * &b[1].square());
    &(&bc.square() + &(&ad * &(&bc.mul_small(18) - &ad.mul_small(27)))) - &cubes.mul_small(4)
}

/// The roots u > 0, ascending with their multiplicities, of a form of degree 2 or 3 whose discriminant is zero; they are
/// rational.
pub(super) fn multiple_roots(g: &[Int]) -> SmallVec<[(Point, u8); 2]> {
    let mut roots: SmallVec<[(Point, u8); 2]> = SmallVec::new();
    let mut add = |above, below, multiplicity| {
        roots.extend(Point::from_ratio(above, below).map(|p| (p, multiplicity)));
    };
    match g {
        [_, c, b] => add(-c.clone(), b.mul_small(2), 2),
        [d, c, b, a] => {
            let ac = a * c;
            let p = &b.square() - &ac.mul_small(3);
            if p.is_zero() {
                add(-b.clone(), a.mul_small(3), 3);
            } else {
                let ad9 = (a * d).mul_small(9);
                add(&ad9 - &(b * c), p.mul_small(2), 2);
                // The sum of all three is −b/a.
                add(&(b * &(&ac.mul_small(4) - &b.square())) - &(a * &ad9), a * &p, 1);
            }
        }
        _ => debug_assert!(false, "a linear form has no multiple root"),
    }
    roots.sort_by(|x, y| x.0.cmp(&y.0));
    roots
}

/// Drops leading coefficients that are zero.
fn trim(p: &mut Form) {
    while p.last().is_some_and(Int::is_zero) {
        p.pop();
    }
}

/// −(remainder of `a` by `b`) times a positive number.
fn negated_remainder(a: &[Int], b: &[Int]) -> Form {
    let mut rest: Form = a.iter().cloned().collect();
    let degree = b.len() - 1;
    let lead = &b[degree];
    let mut flips = 0;
    while rest.len() > degree {
        let top = rest.pop().unwrap_or_default();
        let shift = rest.len() - degree;
        for (i, r) in rest.iter_mut().enumerate() {
            *r = lead * r;
            if i >= shift {
                *r = &*r - &(&top * &b[i - shift]);
            }
        }
        flips += 1;
    }
    if lead.sign() > 0 || flips % 2 == 0 {
        for r in &mut rest {
            *r = -std::mem::take(r);
        }
    }
    trim(&mut rest);
    rest
}

/// Number of sign changes, zeros skipped.
pub(super) fn variations(signs: impl Iterator<Item = i8>) -> u8 {
    let (mut count, mut last) = (0, 0);
    for sign in signs {
        if sign != 0 {
            count += u8::from(last * sign < 0);
            last = sign;
        }
    }
    count
}

/// Sign of `h` at the only root of `g` in the open interval `]from, to[`; `g` is not zero at the ends, the root is simple.
pub(super) fn sign_at_root(g: &[Int], from: &Point, to: &Point, h: &[Int]) -> i8 {
    let at_ends = |p: &[Int]| [value_at(p, from).sign(), value_at(p, to).sign()];
    sign_between(g, h, [from, to], [at_ends(g), at_ends(h)])
}

/// The same when the signs of `g` and `h` at both ends are known.
///
/// The Cauchy index of h/g over the interval is sign(g'(α)) sign(h(α)), and equals the loss of sign variations of the
/// remainder sequence g, h, −rem(g,h), … between the ends (Sturm's theorem as Sylvester has it). The sequence of a cubic
/// and a quadratic ends after two remainders, however close the roots are; a common root shows as no loss. Comparing
/// roots of h with roots of g case by case has the same sizes and six times the cases.
pub(super) fn sign_between(g: &[Int], h: &[Int], ends: [&Point; 2], [of_g, mut of_h]: [[i8; 2]; 2]) -> i8 {
    debug_assert!(of_g[0] * of_g[1] < 0, "the interval does not isolate a simple root");
    let mut a: Form = g.iter().cloned().collect();
    let mut b: Form = h.iter().cloned().collect();
    trim(&mut a);
    trim(&mut b);
    if ends[1].s.is_zero() {
        // At u = ∞ the theorem wants the sign of the leading coefficient, also where the form is zero.
        of_h[1] = b.last().map_or(0, Int::sign);
    }
    let mut last = of_g;
    // Variations at the first end less those at the second.
    let mut lost = 0;
    let mut count = |signs: [i8; 2]| {
        for k in 0..2 {
            if signs[k] != 0 {
                lost += if last[k] * signs[k] < 0 { 1 - 2 * k as i8 } else { 0 };
                last[k] = signs[k];
            }
        }
    };
    count(of_h);
    while b.len() > 1 {
        let next = negated_remainder(&a, &b);
        a = std::mem::replace(&mut b, next);
        match &b[..] {
            [] => break,
            [constant] => count([constant.sign(); 2]),
            _ => count(ends.map(|end| value_at(&b, end).sign())),
        }
    }
    of_g[1] * lost
}
