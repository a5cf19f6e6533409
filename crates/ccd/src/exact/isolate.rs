//! All roots of an integer form of degree ≤ 3 in ]0,1[, each between neighbouring doubles, with its multiplicity.
//!
//! How many there are is known before any is looked for. With only real roots (discriminant ≥ 0) Descartes' count of sign
//! variations is exact with multiplicity, because the map u = t/(1−t) keeps real roots real; a cubic with a negative
//! discriminant has one real root, so its count is the variations modulo 2. A zero discriminant means a multiple
//! root, which is rational and computed as such. Simple roots are separated by doubles near the extrema: the guess comes
//! from f64, its sign is exact.

use super::int::Int;
use super::poly::{Form, Point, discriminant, multiple_roots, value_at, variations};
use super::separate::separate;
use super::tighten::{Search, Side, guess, tighten};
use super::width::Num;
use smallvec::{SmallVec, smallvec};

/// A root of a form.
#[derive(Clone, Debug)]
pub(super) struct Alpha {
    /// Largest double ≤ the root.
    pub lo: f64,
    /// Smallest double ≥ the root.
    pub hi: f64,
    pub multiplicity: u8,
    /// Sign of the form just before a simple root.
    pub before: i8,
    pub place: Place,
}

/// What is known about a root besides its enclosure.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// It is the double `lo` = `hi`.
    Exact,
    /// A rational number, not a double.
    Rational(Box<Point>),
    /// The only root of its form in ]lo, hi[.
    Simple,
    /// The only root of its form between these points; ]lo, hi[ holds others.
    Between(Box<[Point; 2]>),
}

impl Alpha {
    #[must_use]
    pub fn exact(t: f64, multiplicity: u8) -> Self {
        Self { lo: t, hi: t, multiplicity, before: 0, place: Place::Exact }
    }

    fn simple([lo, hi]: [f64; 2], before: i8) -> Self {
        Self { lo, hi, multiplicity: 1, before, place: if lo == hi { Place::Exact } else { Place::Simple } }
    }

    fn rational(point: Point, multiplicity: u8) -> Self {
        // The form itself need not change sign; the linear one with this root does.
        let side = |x: f64, _: &Search| {
            let x = Point::from_f64(x);
            Side::of((&(&point.t * &x.s) - &(&x.t * &point.s)).sign())
        };
        let [lo, hi] = tighten(side, 0.0, 1.0, point.approx());
        let place = if lo == hi { Place::Exact } else { Place::Rational(Box::new(point)) };
        Self { lo, hi, multiplicity, before: 0, place }
    }

    /// The only root of `g` between two points, where `g` has the sign `before` at the first.
    fn between(g: &[Int], ends: [Point; 2], before: i8) -> Self {
        let side = |x: f64, _: &Search| {
            let x = Point::from_f64(x);
            if x.cmp(&ends[0]).is_le() {
                return Side::of(1);
            }
            if x.cmp(&ends[1]).is_ge() {
                return Side::of(-1);
            }
            Side::of(before * value_at(g, &x).sign())
        };
        // The end that is a cut is next to the root.
        let cut = if ends[0].t.is_zero() { &ends[1] } else { &ends[0] };
        let [lo, hi] = tighten(side, 0.0, 1.0, cut.approx());
        let place = if lo == hi { Place::Exact } else { Place::Between(Box::new(ends)) };
        Self { lo, hi, multiplicity: 1, before, place }
    }
}

/// A form of degree ≤ 3, its power basis, and both in doubles.
pub(super) struct Curve<'a, N> {
    /// Coefficients of `Σ b_i s^(d−i) t^i`.
    b: &'a [N],
    /// Of `Σ c_i t^i`, then zeros.
    c: [N; 4],
    /// Doubles stand for multiples of 2^e.
    e: i64,
    near_c: [f64; 4],
}

/// From the form's coefficients to those of the powers of t, then zeros.
pub(super) fn power_basis<N: Num>(b: &[N]) -> [N; 4] {
    let zero = N::default;
    match b {
        [b0] => [b0.clone(), zero(), zero(), zero()],
        [b0, b1] => [b0.clone(), b1.minus(b0), zero(), zero()],
        [b0, b1, b2] => [b0.clone(), b1.minus(&b0.doubled()), b2.minus(b1).plus(b0), zero()],
        [b0, b1, b2, b3] => {
            let thrice = b0.doubled().plus(b0);
            let c2 = b2.minus(&b1.doubled()).plus(&thrice);
            [b0.clone(), b1.minus(&thrice), c2, b3.minus(b2).plus(b1).minus(b0)]
        }
        _ => Default::default(),
    }
}

impl<'a, N: Num> Curve<'a, N> {
    fn new(b: &'a [N]) -> Self {
        let c = power_basis(b);
        let e = b.iter().map(Num::bits).max().map_or(0, i64::from);
        let mut near_c = [0.0; 4];
        for i in 0..b.len() {
            near_c[i] = c[i].approx(e);
        }
        Self { b, c, e, near_c }
    }

    fn integers(&self) -> Form {
        self.b.iter().map(Num::to_int).collect()
    }

    /// The power basis as long as it is.
    fn c(&self) -> &[N] {
        &self.c[..self.b.len()]
    }

    /// Exact sign at a double in ]0,1[.
    fn sign(&self, t: f64) -> i8 {
        N::value(self.c(), t, self.e).0
    }

    /// Exact sign and nearby value of the derivative.
    fn slope(&self, t: f64) -> (i8, f64) {
        let [_, c1, c2, c3] = &self.c;
        N::value(&[c1.clone(), c2.doubled(), c3.doubled().plus(c3)], t, self.e)
    }

    /// The discriminant's sign where doubles can tell it; never 0.
    fn near_discriminant(&self) -> Option<i8> {
        let mut near_b = [0.0; 4];
        for (near, b) in near_b.iter_mut().zip(self.b) {
            *near = b.approx(self.e);
        }
        let [d, c, b, a] = near_b;
        let (bc, ad) = (b * c, a * d);
        let terms = [bc * bc, 18.0 * bc * ad, -27.0 * ad * ad, -4.0 * d * b * b * b, -4.0 * a * c * c * c];
        let sum: f64 = terms.iter().sum();
        let size: f64 = terms.iter().map(|x| x.abs()).sum();
        // In units of ε/2: a coefficient is good to 4, a term to 4·4 + 6, the sum to 5 more; the bound has 128. Products
        // that underflow weigh less than the absolute term.
        let bound = 64.0 * f64::EPSILON * size + 1e-280;
        (sum.abs() > bound).then_some(if sum > 0.0 { 1 } else { -1 })
    }

    /// Where doubles put the extrema, ascending.
    fn extrema(&self) -> [f64; 2] {
        let [_, c1, c2, c3] = self.near_c;
        stationary(c1, c2, c3)
    }

    /// The same from the exact derivatives at a nearby double: good to a spacing even where all roots are close together.
    fn extrema_about(&self, x: f64) -> [f64; 2] {
        stationary(self.slope(x).1, self.bend(x), self.near_c[3]).map(|step| x + step)
    }

    /// Half the second derivative.
    fn bend(&self, t: f64) -> f64 {
        let [_, _, c2, c3] = &self.c;
        N::value(&[c2.clone(), c3.doubled().plus(c3)], t, self.e).1
    }

    /// The simple root of a piece at whose left end the sign is `before`.
    fn refine(&self, lo: f64, hi: f64, before: i8) -> Alpha {
        let [_, c1, c2, c3] = self.near_c;
        let side = |x: f64, at: &Search| {
            let (sign, value) = N::value(self.c(), x, self.e);
            let to_root = before * sign;
            let next = if at.looks < 2 {
                // A Newton step from the exact residual: what it leaves is the rounding of the slope.
                x - value / (c1 + x * (2.0 * c2 + x * (3.0 * c3)))
            } else {
                // Next to another root the slope is rounding, and Newton would halve the distance for long. In powers
                // of t − x all coefficients are good relative to themselves.
                let centred = [value, self.slope(x).1, self.bend(x), c3];
                let [from, to] = if to_root > 0 { [0.0, at.hi - x] } else { [at.lo - x, 0.0] };
                x + guess(centred, from, to, f64::from(before))
            };
            Side { to_root, next }
        };
        Alpha::simple(tighten(side, lo, hi, guess(self.near_c, lo, hi, f64::from(before))), before)
    }
}

/// The roots of the form `b` in ]0,1[, ascending. The first and the last coefficient are not zero.
pub(super) fn roots_inside<N: Num>(b: &[N]) -> SmallVec<[Alpha; 3]> {
    let count = variations(b.iter().map(Num::sign));
    if count == 0 {
        return smallvec![];
    }
    let curve = Curve::new(b);
    let before = b[0].sign();
    if count == 1 {
        return smallvec![curve.refine(0.0, 1.0, before)];
    }
    let near = curve.near_discriminant();
    if near == Some(-1) {
        return only_real_root(&curve, count, before);
    }
    if let Some(cuts) = if count == 2 { cut_two(&curve, before) } else { cut_three(&curve, before) } {
        return split(&curve, &cuts, before);
    }
    let g = curve.integers();
    match near.unwrap_or_else(|| discriminant(&g).sign()) {
        -1 => only_real_root(&curve, count, before),
        0 => multiple_roots(&g).into_iter().map(|(p, m)| Alpha::rational(p, m)).collect(),
        _ => {
            let mut points = vec![Point::from_f64(0.0)];
            points.extend(separate(&g, count));
            points.push(Point::from_f64(1.0));
            let mut sign = -before;
            let piece = |ends: &[Point]| {
                sign = -sign;
                Alpha::between(&g, [ends[0].clone(), ends[1].clone()], sign)
            };
            points.windows(2).map(piece).collect()
        }
    }
}

fn only_real_root<N: Num>(curve: &Curve<N>, count: u8, before: i8) -> SmallVec<[Alpha; 3]> {
    if count.is_multiple_of(2) { smallvec![] } else { smallvec![curve.refine(0.0, 1.0, before)] }
}

/// Roots between cuts of alternating sign.
fn split<N: Num>(curve: &Curve<N>, cuts: &[f64], before: i8) -> SmallVec<[Alpha; 3]> {
    // The double at which a double root sits is given as two equal cuts.
    if let [x, y] = cuts
        && x == y
    {
        return smallvec![Alpha::exact(*x, 2)];
    }
    let mut out = smallvec![];
    let (mut lo, mut sign) = (0.0, before);
    for &hi in cuts.iter().chain(&[1.0]) {
        out.push(curve.refine(lo, hi, sign));
        (lo, sign) = (hi, -sign);
    }
    out
}

/// Zeros of c1 + 2 c2 t + 3 c3 t², ascending, without cancellation; where there are none the inflection twice.
fn stationary(c1: f64, c2: f64, c3: f64) -> [f64; 2] {
    let root = (c2 * c2 - 3.0 * c3 * c1).max(0.0).sqrt();
    let q = -(c2 + if c2 < 0.0 { -root } else { root });
    let (x, y) = (q / (3.0 * c3), c1 / q);
    if x <= y { [x, y] } else { [y, x] }
}

fn inside(t: &f64) -> bool {
    *t > 0.0 && *t < 1.0
}

/// A double where the sign is not that at 0: between two roots, or twice the double on which both lie.
fn cut_two<N: Num>(curve: &Curve<N>, before: i8) -> Option<SmallVec<[f64; 2]>> {
    let [c0, c1, c2, c3] = curve.near_c;
    let height = |t: f64| f64::from(before) * (c0 + t * (c1 + t * (c2 + t * c3)));
    let lower = |x: &f64, y: &f64| height(*x).total_cmp(&height(*y));
    let mut x = curve.extrema().into_iter().filter(inside).min_by(lower)?;
    let mut sign = curve.sign(x) * before;
    if sign > 0 {
        let nearest = |a: &f64, b: &f64| (a - x).abs().total_cmp(&(b - x).abs());
        x = curve.extrema_about(x).into_iter().filter(inside).min_by(nearest)?;
        sign = curve.sign(x) * before;
    }
    if sign < 0 {
        return Some(smallvec![x]);
    }
    if sign > 0 {
        return None;
    }
    let slope = curve.slope(x).0 * before;
    if slope == 0 {
        return Some(smallvec![x, x]);
    }
    // One of the two roots is x itself: the cut is next to it.
    let next = if slope < 0 { x.next_up() } else { x.next_down() };
    (inside(&next) && curve.sign(next) * before < 0).then(|| smallvec![next])
}

/// Doubles of alternating sign between three roots.
fn cut_three<N: Num>(curve: &Curve<N>, before: i8) -> Option<SmallVec<[f64; 2]>> {
    let apart = |&[x, y]: &[f64; 2]| {
        0.0 < x && x < y && y < 1.0 && curve.sign(x) * before < 0 && curve.sign(y) * before > 0
    };
    let first = Some(curve.extrema()).filter(apart);
    let [x, y] = first.or_else(|| {
        let [_, _, c2, c3] = curve.near_c;
        let middle = -c2 / (3.0 * c3);
        Some(middle).filter(inside).map(|x| curve.extrema_about(x)).filter(apart)
    })?;
    Some(smallvec![x, y])
}
