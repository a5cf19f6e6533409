//! Do the features touch at a root, and does the normal vanish there?
//!
//! Takes a pair and a root of a form (the cubic, or in coplanar motion an orientation), gives both answers without error.
//! Doubles answer first; what they leave open is decided by exact signs, only of the forms that matter.

use super::isolate::{Alpha, Place, power_basis};
use super::motion::{Motion, NEAR, Near, Quadratic, by_whole};
use super::poly::{Form, Point, sign_at_root, sign_between, value_at};
use super::width::{Num, Width};

/// A root and the form it is a root of.
pub(super) struct At<'a> {
    pub alpha: &'a Alpha,
    /// Coefficients of the form, asked for on the slow path only.
    pub form: &'a dyn Fn() -> Form,
}

/// Exact sign of the form `q` at a root.
pub(super) fn sign_at<N: Num>(q: &Quadratic<N>, at: &At) -> i8 {
    let alpha = at.alpha;
    let integers = || -> Form { q.iter().map(Num::to_int).collect() };
    match &alpha.place {
        Place::Exact if alpha.lo == 0.0 => q[0].sign(),
        Place::Exact if alpha.lo == 1.0 => q[2].sign(),
        Place::Exact => N::value(&power_basis(q)[..3], alpha.lo, 0).0,
        Place::Rational(point) => value_at(&integers(), point).sign(),
        Place::Between(ends) => sign_at_root(&(at.form)(), &ends[0], &ends[1], &integers()),
        Place::Simple => {
            let e = q.iter().map(Num::bits).max().map_or(0, i64::from);
            let c = power_basis(q);
            let end = |t: f64| match t {
                0.0 => (q[0].sign(), q[0].approx(e)),
                1.0 => (q[2].sign(), q[2].approx(e)),
                _ => N::value(&c[..3], t, e),
            };
            let (lo, hi) = (end(alpha.lo), end(alpha.hi));
            // With both roots of q between lo and hi, |q(lo)| = |c2| (r1 − lo)(r2 − lo) < |c2| (hi − lo)². Underflow says
            // nothing.
            let gap = alpha.hi - alpha.lo;
            let bend = 2.0 * c[2].approx(e).abs() * gap * gap;
            if lo.0 == hi.0 && lo.1.abs() > bend && (bend.is_normal() || c[2].is_zero()) {
                return lo.0;
            }
            let ends = [Point::from_f64(alpha.lo), Point::from_f64(alpha.hi)];
            let known = [[alpha.before, -alpha.before], [lo.0, hi.0]];
            sign_between(&(at.form)(), &integers(), [&ends[0], &ends[1]], known)
        }
    }
}

/// Do the closed features touch at a root?
pub(super) fn touch<W: Width>(motion: &Motion<W>, at: &At) -> bool {
    touch_near(motion, at, &motion.near(at.alpha.lo))
}

/// Do they touch, and how often does the root divide the normal?
pub(super) fn examine<W: Width>(motion: &Motion<W>, at: &At) -> (bool, u8) {
    let near = motion.near(at.alpha.lo);
    (touch_near(motion, at, &near), vanishing(motion, at, &near))
}

fn touch_near<W: Width>(motion: &Motion<W>, at: &At, near: &Near) -> bool {
    let n = motion.rule_len();
    let size = |k: usize| near.rule[k][..n].iter().fold(0.0, |max: f64, x| max.max(x.abs()));
    // The axis most likely to decide first.
    let [a, b, c] = [size(0), size(1), size(2)];
    let axes = if a >= b && a >= c {
        [0, 1, 2]
    } else if b >= c {
        [1, 2, 0]
    } else {
        [2, 0, 1]
    };
    for k in axes {
        // What doubles know, then exact signs one at a time until two disagree.
        let (mut plus, mut minus) = (false, false);
        let mut note = |sign: i8| {
            plus |= sign > 0;
            minus |= sign < 0;
            plus && minus
        };
        let sure = |x: f64| if x.abs() > NEAR { x.signum() as i8 } else { 0 };
        if near.rule[k][..n].iter().any(|&x| note(sure(x))) {
            return false;
        }
        if (0..n).any(|i| sure(near.rule[k][i]) == 0 && note(sign_at(&motion.rule(k, i), at))) {
            return false;
        }
        if plus || minus {
            return true;
        }
    }
    !(0..3).any(|k| {
        let first = sign_at(&motion.line_rule(k, 0), at);
        first != 0 && (1..n).all(|i| sign_at(&motion.line_rule(k, i), at) == first)
    })
}

fn vanishing<W: Width>(motion: &Motion<W>, at: &At, near: &Near) -> u8 {
    if near.normal.iter().any(|x| x.abs() > NEAR) {
        return 0;
    }
    let normals = [0, 1, 2].map(|k| motion.normal(k));
    if normals.iter().any(|m| sign_at(m, at) != 0) {
        return 0;
    }
    if at.alpha.multiplicity == 1 {
        return 1;
    }
    // A second time where both partial derivatives of every component vanish.
    let twice = normals.iter().all(|m| {
        let by_s = by_whole(&m[0].doubled(), &m[1]);
        let by_t = by_whole(&m[1], &m[2].doubled());
        sign_at(&by_s, at) == 0 && sign_at(&by_t, at) == 0
    });
    1 + u8::from(twice)
}
