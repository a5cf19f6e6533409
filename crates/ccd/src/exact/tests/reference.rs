//! A slow answer by other formulas: 256-bit fixed point on pairs with small integer coordinates.
//!
//! For such coordinates a polynomial of the degrees used here is either zero at a root of another or larger than
//! 2^-100 (their resultants are integers), so 256 bits and a threshold decide exactly. Contact is tested with dot
//! products and the normal, degree 4, instead of one axis.

use crate::Kind;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// Bits after the point of a time.
const BITS: usize = 256;
/// Values below 2^-ZERO are zero.
const ZERO: usize = 120;

/// Coefficients of the powers of t.
#[derive(Clone)]
struct Poly(Vec<BigInt>);

impl Poly {
    fn line(from: i64, to: i64) -> Self {
        Self(vec![BigInt::from(from), BigInt::from(to - from)])
    }

    fn combine(&self, other: &Self, sign: i64) -> Self {
        let at = |p: &Self, i: usize| p.0.get(i).cloned().unwrap_or_default();
        Self((0..self.0.len().max(other.0.len())).map(|i| at(self, i) + at(other, i) * sign).collect())
    }

    fn times(&self, other: &Self) -> Self {
        let mut out = vec![BigInt::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                out[i + j] += a * b;
            }
        }
        Self(out)
    }

    fn derivative(&self) -> Self {
        Self(self.0.iter().enumerate().skip(1).map(|(i, c)| c * i).collect())
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(Zero::is_zero)
    }

    /// Value at a time in units of 2^-BITS, times 2^(BITS · degree).
    fn value(&self, t: &BigInt) -> BigInt {
        let scaled = self.0.iter().rev().enumerate().map(|(i, c)| c << (i * BITS));
        scaled.fold(BigInt::zero(), |sum, c| sum * t + c)
    }

    /// Sign, with what is too small called zero.
    fn sign(&self, t: &BigInt) -> i8 {
        let value = self.value(t);
        let degree = self.0.len().saturating_sub(1);
        if (value.abs() >> (degree * BITS).saturating_sub(ZERO)).is_zero() { 0 } else { strict_sign(&value) }
    }

    /// Distinct roots in [0, 1], ascending: between the roots of the derivative, and at them.
    fn roots(&self) -> Vec<BigInt> {
        if self.is_zero() || self.0.len() < 2 {
            return vec![];
        }
        let one = BigInt::from(1) << BITS;
        let mut stops = vec![BigInt::zero()];
        stops.extend(self.derivative().roots());
        stops.push(one);
        let mut out: Vec<BigInt> = vec![];
        let mut add = |t: BigInt| {
            if out.last().is_none_or(|last| !same(last, &t)) {
                out.push(t);
            }
        };
        for (i, stop) in stops.iter().enumerate() {
            if self.sign(stop) == 0 {
                add(stop.clone());
            }
            let Some(end) = stops.get(i + 1) else { continue };
            if self.sign(stop) * self.sign(end) < 0 {
                let (mut lo, mut hi) = (stop.clone(), end.clone());
                while &hi - &lo > BigInt::from(1) {
                    let mid = (&lo + &hi) >> 1;
                    if strict_sign(&self.value(&mid)) == self.sign(end) { hi = mid } else { lo = mid }
                }
                add(hi);
            }
        }
        out
    }

    fn multiplicity(&self, t: &BigInt) -> u8 {
        if self.is_zero() || self.sign(t) != 0 { 0 } else { 1 + self.derivative().multiplicity(t) }
    }
}

/// Without a threshold: next to a triple root a polynomial may be very small.
fn strict_sign(value: &BigInt) -> i8 {
    i8::from(value.is_positive()) - i8::from(value.is_negative())
}

fn same(a: &BigInt, b: &BigInt) -> bool {
    ((a - b).abs() >> (BITS - 2 * ZERO / 3)).is_zero()
}

type Vector = [Poly; 3];

fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| a[k].combine(&b[k], -1))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].times(&b[j]).combine(&a[j].times(&b[i]), -1)
    })
}

fn dot(a: &Vector, b: &Vector) -> Poly {
    a[0].times(&b[0]).combine(&a[1].times(&b[1]), 1).combine(&a[2].times(&b[2]), 1)
}

/// Small integer positions, `[end][point][axis]`.
pub(super) type Grid = [[[i64; 3]; 4]; 2];

pub(super) struct Reference {
    kind: Kind,
    x: [Vector; 4],
    normal: Vector,
    cubic: Poly,
}

/// What the tier reports about a root, the time rounded to a double.
#[derive(Debug, PartialEq)]
pub(super) struct ReferenceRoot {
    pub t: f64,
    pub multiplicity: u8,
    pub vanishing: u8,
    pub inside: bool,
    pub before: i8,
    pub after: i8,
}

impl Reference {
    #[must_use]
    pub fn new(kind: Kind, grid: &Grid) -> Self {
        let x: [Vector; 4] =
            std::array::from_fn(|i| std::array::from_fn(|k| Poly::line(grid[0][i][k], grid[1][i][k])));
        let [a, b, c, d] = &x;
        // Seed 000: vertex–face (p, a, b, c) f = m·(p − a), edge–edge f = m·(a − c).
        let (normal, arm) = match kind {
            Kind::VertexFace => (cross(&minus(c, b), &minus(d, b)), minus(a, b)),
            Kind::EdgeEdge => (cross(&minus(b, a), &minus(d, c)), minus(a, c)),
        };
        let cubic = dot(&normal, &arm);
        Self { kind, x, normal, cubic }
    }

    #[must_use]
    pub fn coplanar(&self) -> bool {
        self.cubic.is_zero()
    }

    #[must_use]
    pub fn flat(&self) -> bool {
        self.normal.iter().all(Poly::is_zero)
    }

    #[must_use]
    pub fn roots(&self) -> Vec<ReferenceRoot> {
        let step = BigInt::from(1) << (BITS - 2 * ZERO / 3);
        let one = |t: BigInt| {
            let vanishing = self.normal.iter().filter(|m| !m.is_zero()).map(|m| m.multiplicity(&t)).min();
            ReferenceRoot {
                t: to_f64(&t),
                multiplicity: self.cubic.multiplicity(&t),
                vanishing: vanishing.unwrap_or(0),
                inside: self.touch(&t),
                before: strict_sign(&self.cubic.value(&(&t - &step))),
                after: strict_sign(&self.cubic.value(&(&t + &step))),
            }
        };
        self.cubic.roots().into_iter().map(one).collect()
    }

    fn zero_vector(v: &Vector, t: &BigInt) -> bool {
        v.iter().all(|p| p.sign(t) == 0)
    }

    /// `x` on the closed segment `ab`.
    fn on_segment(x: &Vector, a: &Vector, b: &Vector, t: &BigInt) -> bool {
        let (a, b) = (minus(a, x), minus(b, x));
        Self::zero_vector(&cross(&a, &b), t) && dot(&a, &b).sign(t) <= 0
    }

    /// By definition, degenerate features being segments and points; a time at which the four points share a plane.
    fn touch(&self, t: &BigInt) -> bool {
        let [a, b, c, d] = &self.x;
        let n = &self.normal;
        let flat = Self::zero_vector(n, t);
        match self.kind {
            Kind::VertexFace if flat => {
                [(b, c), (c, d), (d, b)].iter().any(|(u, v)| Self::on_segment(a, u, v, t))
            }
            Kind::VertexFace => {
                let part = |u, v| dot(&cross(&minus(u, a), &minus(v, a)), n).sign(t);
                part(b, c) >= 0 && part(c, d) >= 0 && part(d, b) >= 0
            }
            Kind::EdgeEdge if flat => [(a, c, d), (b, c, d), (c, a, b), (d, a, b)]
                .iter()
                .any(|(x, u, v)| Self::on_segment(x, u, v, t)),
            Kind::EdgeEdge => {
                // Parameters of the crossing times |n|².
                let arm = minus(c, a);
                let whole = dot(n, n);
                [dot(&cross(&arm, &minus(d, c)), n), dot(&cross(&arm, &minus(b, a)), n)]
                    .iter()
                    .all(|s| s.sign(t) >= 0 && whole.combine(s, -1).sign(t) >= 0)
            }
        }
    }

    /// Contact intervals of coplanar motion: every polynomial that `touch` may look at, and the times between their roots.
    #[must_use]
    pub fn touching(&self) -> Vec<[f64; 2]> {
        let [a, b, c, d] = &self.x;
        let mut all: Vec<Poly> = self.normal.to_vec();
        for (x, u, v) in [(a, b, c), (a, c, d), (a, d, b), (b, c, d)] {
            let turned = cross(&minus(u, x), &minus(v, x));
            all.push(dot(&turned, &self.normal));
            all.extend(turned);
        }
        for (x, y, z) in [(a, b, c), (a, c, d), (a, d, b), (b, c, d), (c, a, b), (d, a, b)] {
            all.push(dot(&minus(y, x), &minus(z, x)));
        }
        let one = BigInt::from(1) << BITS;
        let mut stops: Vec<BigInt> = all.iter().flat_map(Poly::roots).collect();
        stops.extend([BigInt::zero(), one]);
        stops.sort();
        stops.dedup_by(|x, y| same(x, y));
        let mut out: Vec<[f64; 2]> = vec![];
        let mut open = false;
        for (i, stop) in stops.iter().enumerate() {
            if self.touch(stop) {
                if !open {
                    out.push([to_f64(stop); 2]);
                }
                out.last_mut().unwrap()[1] = to_f64(stop);
            }
            open = stops.get(i + 1).is_some_and(|next| self.touch(&((stop + next) >> 1)));
        }
        out
    }
}

fn to_f64(t: &BigInt) -> f64 {
    // Bisection ends one unit above; 70 bits are enough for a double.
    let digits: BigInt = (t + (BigInt::from(1) << (BITS - 71))) >> (BITS - 70);
    digits.to_string().parse::<f64>().unwrap() / f64::exp2(70.0)
}
