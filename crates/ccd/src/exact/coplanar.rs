//! Contact times of a pair whose four points share a plane for all time (f ≡ 0).
//!
//! Takes such a pair, gives the maximal closed intervals in which the features touch. On an axis where the orientations are
//! not all zero for all time, the rule of `motion.rs` depends on the signs of three or four quadratics; they
//! change only at their own roots. So the roots are sorted and the signs carried along: a sweep evaluates
//! nothing. Only roots that share a spacing of doubles are compared by remainders, and only instants at which all forms
//! vanish ask the other axes. Where all orientations vanish for all time the points stay on a moving line, and the same
//! sweep runs over the linear forms of all three axes.

use super::decide::{At, touch};
use super::isolate::{Alpha, Place, roots_inside};
use super::motion::{Motion, Quadratic};
use super::poly::{Form, Point, sign_at_root, value_at};
use super::width::{Num, Width};
use crate::Class;
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;

/// A root of one of the forms.
struct Event {
    alpha: Alpha,
    form: usize,
}

/// Class and contact intervals; with `any` no more than the first.
pub(super) fn touching<W: Width>(motion: &Motion<W>, any: bool) -> (Class, SmallVec<[[f64; 2]; 2]>) {
    let zero = |form: &Quadratic<W::Q>| form.iter().all(Num::is_zero);
    let flat = (0..3).all(|k| zero(&motion.normal(k)));
    let class = if flat { Class::DegenerateAlways } else { Class::CoplanarAlways };
    let n = motion.rule_len();
    for k in 0..3 {
        let rules = motion.rules(k);
        let forms = &rules[..n];
        if !forms.iter().all(zero) {
            // Two forms of opposite signs throughout: no need to look for roots.
            let all = |sign: i8| {
                forms.iter().any(|q| q[0].sign() == sign && q[1].sign() != -sign && q[2].sign() == sign)
            };
            if all(1) && all(-1) {
                return (class, smallvec![]);
            }
            let sweep = Sweep { forms, any };
            return (class, sweep.run(|signs, at| touch_in_plane(motion, signs, at)));
        }
    }
    let forms: SmallVec<[Quadratic<W::Q>; 12]> = (0..3 * n).map(|i| motion.line_rule(i / n, i % n)).collect();
    let sweep = Sweep { forms: &forms, any };
    (class, sweep.run(|signs, _| !signs.chunks(n).any(|s| s[0] != 0 && s.iter().all(|&x| x == s[0]))))
}

/// The rule on one axis; `at` is given for instants and `None` for the time between two of them.
fn touch_in_plane<W: Width>(motion: &Motion<W>, signs: &[i8], at: Option<&At>) -> bool {
    match (signs.contains(&1), signs.contains(&-1), at) {
        (false, false, Some(at)) => touch(motion, at),
        (plus, minus, _) => plus != minus,
    }
}

struct Sweep<'a, N> {
    forms: &'a [Quadratic<N>],
    any: bool,
}

impl<N: Num> Sweep<'_, N> {
    /// A form without its roots at 0 and 1, which isolating intervals may touch; between them it has the same sign.
    fn integers(&self, form: usize) -> Form {
        inner(&self.forms[form]).iter().map(Num::to_int).collect()
    }

    fn run(&self, touches: impl Fn(&[i8], Option<&At>) -> bool) -> SmallVec<[[f64; 2]; 2]> {
        let events = self.events();
        // Signs at the instant and just after it.
        let mut signs: SmallVec<[i8; 12]> = self.forms.iter().map(|q| q[0].sign()).collect();
        let mut after: SmallVec<[i8; 12]> =
            self.forms.iter().map(|q| q.iter().map(Num::sign).find(|&s| s != 0).unwrap_or(0)).collect();
        let mut out: SmallVec<[[f64; 2]; 2]> = SmallVec::new();
        let mut open: Option<f64> = None;
        let mut next = 0;
        let mut alpha = &Alpha::exact(0.0, 1);
        let end = Alpha::exact(1.0, 1);
        let mut form = 0;
        loop {
            let last = std::ptr::eq(alpha, &end);
            if touches(&signs, Some(&At { alpha, form: &|| self.integers(form) })) {
                open = open.or(Some(alpha.lo));
                if self.any {
                    return smallvec![[alpha.lo, alpha.hi]];
                }
            }
            if let Some(start) = open
                && (last || !touches(&after, None))
            {
                close(&mut out, [start, alpha.hi]);
                open = None;
            }
            if last {
                return out;
            }
            signs.copy_from_slice(&after);
            let Some(event) = events.get(next) else {
                alpha = &end;
                for (sign, q) in signs.iter_mut().zip(self.forms) {
                    *sign = q[2].sign();
                }
                continue;
            };
            // Everything that happens at this instant.
            while let Some(same) = events.get(next).filter(|e| self.order(e, event).is_eq()) {
                signs[same.form] = 0;
                if same.alpha.multiplicity % 2 == 1 {
                    after[same.form] = -after[same.form];
                }
                next += 1;
            }
            (alpha, form) = (&event.alpha, event.form);
        }
    }

    /// Roots of all forms in ]0,1[ in order.
    fn events(&self) -> SmallVec<[Event; 8]> {
        let mut events: SmallVec<[Event; 8]> = SmallVec::new();
        for (form, q) in self.forms.iter().enumerate() {
            // Roots at 0 and 1 are the ends of the sweep.
            if !inner(q).is_empty() {
                events.extend(roots_inside(inner(q)).into_iter().map(|alpha| Event { alpha, form }));
            }
        }
        events.sort_by(|a, b| self.order(a, b));
        events
    }

    /// Exact order of two roots. Enclosures are between neighbouring doubles, so different ones are enough.
    fn order(&self, a: &Event, b: &Event) -> Ordering {
        let (x, y) = (&a.alpha, &b.alpha);
        let coarse = x.lo.total_cmp(&y.lo).then(x.hi.total_cmp(&y.hi));
        if coarse.is_ne() || x.lo == x.hi || std::ptr::eq(a, b) {
            return coarse;
        }
        match (&x.place, &y.place) {
            (Place::Rational(p), Place::Rational(q)) => p.cmp(q),
            (Place::Rational(p), _) => self.point_order(p, b),
            (_, Place::Rational(q)) => self.point_order(q, a).reverse(),
            _ => {
                let ends = isolating(y);
                // Outside y's interval its ends decide.
                if self.point_order(&ends[0], a).is_ge() {
                    return Ordering::Less;
                }
                if self.point_order(&ends[1], a).is_le() {
                    return Ordering::Greater;
                }
                let own = isolating(x);
                let g = self.integers(b.form);
                match sign_at_root(&self.integers(a.form), &own[0], &own[1], &g) {
                    0 => Ordering::Equal,
                    sign if sign == value_at(&g, &ends[0]).sign() => Ordering::Less,
                    _ => Ordering::Greater,
                }
            }
        }
    }

    /// A point against a simple root.
    fn point_order(&self, point: &Point, root: &Event) -> Ordering {
        let ends = isolating(&root.alpha);
        if point.cmp(&ends[0]).is_le() {
            return Ordering::Less;
        }
        if point.cmp(&ends[1]).is_ge() {
            return Ordering::Greater;
        }
        let g = self.integers(root.form);
        match value_at(&g, point).sign() {
            0 => Ordering::Equal,
            sign if sign == value_at(&g, &ends[0]).sign() => Ordering::Less,
            _ => Ordering::Greater,
        }
    }
}

/// From the first to the last coefficient that is not zero.
fn inner<N: Num>(q: &[N]) -> &[N] {
    let first = q.iter().position(|b| !b.is_zero()).unwrap_or(q.len());
    let last = q.iter().rposition(|b| !b.is_zero()).map_or(first, |i| i + 1);
    &q[first..last]
}

/// The interval in which a simple root is the only one of its form.
fn isolating(alpha: &Alpha) -> [Point; 2] {
    match &alpha.place {
        Place::Between(ends) => (**ends).clone(),
        _ => [Point::from_f64(alpha.lo), Point::from_f64(alpha.hi)],
    }
}

/// Appends an interval; two that rounding outwards makes overlap become one.
fn close(out: &mut SmallVec<[[f64; 2]; 2]>, interval: [f64; 2]) {
    match out.last_mut() {
        Some(last) if last[1] >= interval[0] => last[1] = interval[1],
        _ => out.push(interval),
    }
}
