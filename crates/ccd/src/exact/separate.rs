//! Rational points between roots that are closer together than neighbouring doubles.
//!
//! Takes a form with only real, simple roots, gives points that put at most one root between two neighbours. Reached only
//! when exact signs at doubles did not separate the roots: coordinates of very different exponents.

use super::int::Int;
use super::poly::{Form, Point, value_at, variations};
use super::width::exp2;
use smallvec::smallvec;

/// Points that separate the roots of `g` in ]0,∞[, which are all simple and `count` in number; `g` has only real roots.
///
/// First what needs no iteration: for a cubic the inflection, the double root it would have if its discriminant were
/// zero (within O(δ²) of the extremum between two roots 2δ apart), and both extrema to 50 bits. One of them always
/// falls between two roots, except where the exponents make up an intermediate case: then halve, counting by Descartes'
/// rule, which is exact for polynomials with only real roots.
pub(super) fn separate(g: &[Int], count: u8) -> Vec<Point> {
    let mut cuts: Vec<Point> = candidates(g).into_iter().flatten().collect();
    cuts.retain(|p| !value_at(g, p).is_zero());
    cuts.sort_by(Point::cmp);
    let signs = |cuts: &[Point]| {
        let ends = [g[0].sign(), g[g.len() - 1].sign()];
        let mut signs = vec![ends[0]];
        signs.extend(cuts.iter().map(|p| value_at(g, p).sign()));
        signs.push(ends[1]);
        signs
    };
    let mut seen = signs(&cuts);
    if variations(seen.iter().copied()) < count {
        cuts = halvings(g);
        seen = signs(&cuts);
    }
    // One cut for every change of sign but the first: the cut just before it.
    let mut out = Vec::new();
    let mut changes = 0;
    for i in 1..seen.len() {
        if seen[i - 1] * seen[i] < 0 {
            if changes > 0 {
                out.push(cuts[i - 2].clone());
            }
            changes += 1;
        }
    }
    debug_assert!(changes == count, "{changes} of {count} roots apart");
    out
}

fn candidates(g: &[Int]) -> [Option<Point>; 4] {
    let [d, c, b, a] = match g {
        [_, c, b] => return [Point::from_ratio(-c.clone(), b.mul_small(2)), None, None, None],
        [d, c, b, a] => [d, c, b, a],
        _ => return [const { None }; 4],
    };
    // p = b² − 3ac > 0: (a/…)² times the squared distance of the extrema from the inflection.
    let p = &b.square() - &(a * c).mul_small(3);
    let double = &(a * d).mul_small(9) - &(b * c);
    let a3 = a.mul_small(3);
    let (m, e) = p.to_f64_scaled();
    // An even exponent, then 50 bits of the root.
    let (m, e) = if e % 2 == 0 { (m, e) } else { (m * 2.0, e - 1) };
    let digits = Int::from((m.max(0.0).sqrt() * exp2(50)) as u64);
    let shift = (e / 2 - 50) as i32;
    let root = digits.shl(shift.max(0) as u32);
    let (b, a3) = (&b.shl((-shift).max(0) as u32), a3.shl((-shift).max(0) as u32));
    [
        Point::from_ratio(-b.clone(), a3.clone()),
        Point::from_ratio(double, p.mul_small(2)),
        Point::from_ratio(&root - b, a3.clone()),
        Point::from_ratio(-(&root + b), a3),
    ]
}

/// Coefficients of `g` on the halves [0,½] and [½,1] of its interval, times 2^degree.
pub(super) fn halves(g: &[Int]) -> [Form; 2] {
    // On the left t = t'/2 and s = s' + t'/2; on the right the same with s and t exchanged.
    let left = shifted(g);
    let mirrored: Form = g.iter().rev().cloned().collect();
    let mut right = shifted(&mirrored);
    right.reverse();
    [left, right]
}

/// Coefficients of g(2s + t, t).
fn shifted(g: &[Int]) -> Form {
    let n = g.len();
    let mut out: Form = smallvec![Int::zero(); n];
    // Horner in t with (2s + t)^k by repeated products.
    let mut power: Form = smallvec![Int::from(1u64)];
    for i in (0..n).rev() {
        for (k, p) in power.iter().enumerate() {
            // t^i · t^k
            out[i + k] = &out[i + k] + &(&g[i] * p);
        }
        let mut next: Form = smallvec![Int::zero(); power.len() + 1];
        for (k, p) in power.iter().enumerate() {
            next[k] = &next[k] + &p.shl(1);
            next[k + 1] = &next[k + 1] + p;
        }
        power = next;
    }
    out
}

/// Dyadic cuts between the roots of `g` in ]0,∞[ found by halving; none falls on a root of even one.
pub(super) fn halvings(g: &[Int]) -> Vec<Point> {
    let mut cuts = Vec::new();
    // (form on the piece, its left end and its depth): the piece is [left, left + 1] · 2^−depth.
    let mut pieces = vec![(Form::from_iter(g.iter().cloned()), Int::zero(), 0u32)];
    while let Some((form, left, depth)) = pieces.pop() {
        // Roots in the closed piece: a cut that is a root must be left out, with room on both sides.
        let at_ends = u8::from(form[0].is_zero()) + u8::from(form[form.len() - 1].is_zero());
        if variations(form.iter().map(Int::sign)) + at_ends < 2 {
            if !form[0].is_zero() && !left.is_zero() {
                cuts.push(Point { s: &Int::power_of_two(depth) - &left, t: left });
            }
            continue;
        }
        let [a, b] = halves(&form);
        let doubled = left.shl(1);
        pieces.push((b, &doubled + &Int::from(1u64), depth + 1));
        pieces.push((a, doubled, depth + 1));
    }
    cuts
}
