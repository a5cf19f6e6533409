//! Forms made of known roots: multiple ones, and ones closer together than doubles can tell.

use crate::exact::int::Int;
use crate::exact::isolate::{Alpha, Place, roots_inside};
use crate::exact::poly::{Form, Point, sign_at_root, value_at};
use crate::exact::separate::halvings;
use proptest::prelude::*;
use smallvec::smallvec;

fn times(a: &[Int], b: &[Int]) -> Form {
    let mut out: Form = smallvec![Int::zero(); a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] = &out[i + j] + &(x * y);
        }
    }
    out
}

/// The linear form with its root at `p`.
fn factor(p: &Point) -> Form {
    smallvec![p.t.clone(), -p.s.clone()]
}

fn product(roots: &[Point], sign: i64) -> Form {
    roots.iter().fold(smallvec![Int::from(sign)], |f: Form, p| times(&f, &factor(p)))
}

fn check(roots: &[Point], form: &Form) {
    let mut roots = roots.to_vec();
    roots.sort_by(Point::cmp);
    let mut want: Vec<(Point, u8)> = vec![];
    for p in roots {
        match want.last_mut() {
            Some((q, m)) if q.cmp(&p).is_eq() => *m += 1,
            _ => want.push((p, 1)),
        }
    }
    let got = roots_inside(form);
    assert_eq!(got.len(), want.len(), "{got:?}");
    for (alpha, (p, m)) in got.iter().zip(&want) {
        assert_eq!(alpha.multiplicity, *m);
        let (lo, hi) = (Point::from_f64(alpha.lo), Point::from_f64(alpha.hi));
        let exact = alpha.lo == alpha.hi;
        assert_eq!((lo.cmp(p).is_eq(), hi.cmp(p).is_eq()), (exact, exact), "{alpha:?}");
        assert!(exact || lo.cmp(p).is_lt() && p.cmp(&hi).is_lt() && alpha.lo.next_up() == alpha.hi);
        sign_near(alpha, p, form);
    }
}

/// Signs of linear forms with roots just left of, at and just right of a root.
fn sign_near(alpha: &Alpha, p: &Point, form: &Form) {
    let ends = match &alpha.place {
        Place::Simple => [Point::from_f64(alpha.lo), Point::from_f64(alpha.hi)],
        Place::Between(ends) => (**ends).clone(),
        _ => return,
    };
    assert_eq!(sign_at_root(form, &ends[0], &ends[1], &factor(p)), 0);
    let by = |d: i64| Point { s: p.s.shl(3000), t: &p.t.shl(3000) + &Int::from(d) };
    for d in [-1, 1] {
        let other = by(d);
        assert_eq!(sign_at_root(form, &ends[0], &ends[1], &factor(&other)), d as i8);
        assert_eq!(sign_at_root(form, &ends[0], &ends[1], &times(&factor(&other), &factor(p))), 0);
        assert_eq!(sign_at_root(form, &ends[0], &ends[1], &times(&factor(&other), &factor(&other))), 1);
    }
}

fn point(above: u64, below: u64) -> Point {
    Point { t: Int::from(above), s: Int::from(below - above) }
}

/// `p` moved by `by` · 2^-`bits`.
fn moved(p: &Point, by: i64, bits: u32) -> Point {
    let whole = &p.s + &p.t;
    let t = &p.t.shl(bits) + &whole.mul_small(by);
    Point { s: &whole.shl(bits) - &t, t }
}

fn any_point() -> impl Strategy<Value = Point> {
    prop_oneof![
        (1u64..8).prop_map(|k| point(k, 8)),
        (2u64..50).prop_flat_map(|n| (1..n).prop_map(move |k| point(k, n))),
        (1u64..u64::MAX).prop_map(|k| point(k, u64::MAX)),
    ]
}

proptest! {
    #[test]
    fn roots_apart_or_together(a in any_point(), b in any_point(), c in any_point(), sign in prop_oneof![Just(1i64), Just(-3)], same in 0u8..4, n in 1usize..4) {
        let roots = match same {
            0 => [a, b, c],
            1 => [a.clone(), a, c],
            2 => [a, c.clone(), c],
            _ => [a.clone(), a.clone(), a],
        };
        check(&roots[..n], &product(&roots[..n], sign));
    }

    #[test]
    fn roots_closer_than_doubles(p in any_point(), other in any_point(), by in [-5i64..5, -5i64..5], bits in [45u32..1500, 45u32..1500], three in any::<bool>()) {
        let roots = [p.clone(), moved(&p, by[0], bits[0]), if three { moved(&p, by[1], bits[1]) } else { other }];
        check(&roots, &product(&roots, 1));
        check(&roots[..2], &product(&roots[..2], -1));
    }

    #[test]
    fn one_real_root_among_complex_ones(p in any_point(), q in any_point(), bits in 1u32..300) {
        // (q's factor)² + 2^-bits (s + t)²
        let square = times(&factor(&q), &factor(&q)).iter().map(|x| x.shl(bits)).collect::<Form>();
        let whole: Form = smallvec![Int::from(1u64), Int::from(2u64), Int::from(1u64)];
        let lifted: Form = square.iter().zip(&whole).map(|(a, b)| a + b).collect();
        check(&[], &lifted);
        check(std::slice::from_ref(&p), &times(&lifted, &factor(&p)));
    }

    #[test]
    fn signs_between_the_ends_of_the_step(p in any_point(), q in any_point(), end in 0u64..3, twice in any::<bool>()) {
        // The interval is all of it; the form asked for may be zero at 0 or at 1.
        let g = factor(&p);
        let ends = [point(0, 1), point(1, 1)];
        let other: Form = if end == 2 { smallvec![Int::from(1u64)] } else { factor(&ends[end as usize]) };
        let h = times(&factor(&q), &if twice { times(&other, &other) } else { other.clone() });
        let want = value_at(&h, &p).sign();
        prop_assert_eq!(sign_at_root(&g, &ends[0], &ends[1], &h), want);
        // A second root outside.
        let g = times(&g, &[Int::from(3u64), Int::from(2u64)]);
        prop_assert_eq!(sign_at_root(&g, &ends[0], &ends[1], &h), want);
        prop_assert_eq!(sign_at_root(&times(&g, &g[..1]), &ends[0], &ends[1], &other), value_at(&other, &p).sign());
    }

    #[test]
    fn halving_separates_too(p in any_point(), by in [1i64..5, 1i64..5], bits in [2u32..200, 2u32..200]) {
        let roots = [p.clone(), moved(&p, by[0], bits[0]), moved(&p, -by[1], bits[1])];
        prop_assume!(roots.iter().all(|r| r.t.sign() > 0 && r.s.sign() > 0));
        let form = product(&roots, 1);
        let cuts = halvings(&form);
        let mut signs = vec![form[0].sign()];
        signs.extend(cuts.iter().map(|c| value_at(&form, c).sign()));
        signs.push(form[3].sign());
        prop_assert!(signs.windows(2).filter(|w| w[0] != w[1]).count() == 3 && !signs.contains(&0));
    }
}

#[test]
fn roots_too_small_for_doubles() {
    // Below the smallest subnormal number, and three around it.
    let tiny = Point { s: Int::power_of_two(1200), t: Int::from(3u64) };
    let small = Point { s: Int::power_of_two(1074), t: Int::from(1u64) };
    let big = Point { s: Int::from(1u64), t: Int::power_of_two(80) };
    check(std::slice::from_ref(&tiny), &product(std::slice::from_ref(&tiny), 1));
    let all = [tiny, small, big];
    check(&all, &product(&all, 1));
    assert_eq!(roots_inside(&product(&all[..1], 1))[0].hi, f64::from_bits(1));
}
