//! An independent decision for points on quadratic Bézier paths: rational arithmetic and Sturm sequences.
//!
//! Slow and simple on purpose, and by other means than the crate: roots of f are counted and separated by Sturm's theorem;
//! the sign of h at a root is the Tarski query of (f, h) on an interval that holds no other root of f. Polynomials are kept
//! as primitive integer polynomials (positive factors do not matter to signs).

use impinge_ccd::Kind;
use impinge_geometry::DVec3;
use num_bigint::BigInt;
use num_rational::BigRational as Q;
use num_traits::{Signed, ToPrimitive, Zero};

type Poly = Vec<BigInt>;

fn q(x: f64) -> Q {
    Q::from_float(x).unwrap()
}

fn ratio(a: i64, b: i64) -> Q {
    Q::new(BigInt::from(a), BigInt::from(b))
}

fn trim(mut p: Poly) -> Poly {
    while p.last().is_some_and(Zero::is_zero) {
        p.pop();
    }
    p
}

fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (a.abs(), b.abs());
    while !b.is_zero() {
        (a, b) = (b.clone(), a % b);
    }
    a
}

fn primitive(p: Poly) -> Poly {
    let g = p.iter().fold(BigInt::zero(), |g, c| gcd(&g, c));
    if g.is_zero() { p } else { p.iter().map(|c| c / &g).collect() }
}

fn add(a: &Poly, b: &Poly, sign: i64) -> Poly {
    let get = |p: &Poly, i: usize| p.get(i).cloned().unwrap_or_else(BigInt::zero);
    trim((0..a.len().max(b.len())).map(|i| get(a, i) + get(b, i) * sign).collect())
}

fn mul(a: &Poly, b: &Poly) -> Poly {
    let mut out = vec![BigInt::zero(); (a.len() + b.len()).saturating_sub(1)];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] += x * y;
        }
    }
    trim(out)
}

fn derivative(p: &Poly) -> Poly {
    trim(p.iter().enumerate().skip(1).map(|(i, c)| c * BigInt::from(i)).collect())
}

/// A positive multiple of a mod b.
fn remainder(a: &Poly, b: &Poly) -> Poly {
    let mut r = a.clone();
    let lead = b.last().unwrap();
    let (factor, turn) = (lead.abs(), lead.is_negative());
    while r.len() >= b.len() {
        let top = r.last().unwrap().clone() * if turn { -1 } else { 1 };
        let shift = r.len() - b.len();
        for c in &mut r {
            *c *= &factor;
        }
        for (i, c) in b.iter().enumerate() {
            r[shift + i] -= &top * c;
        }
        r = trim(r);
    }
    primitive(r)
}

fn value_sign(p: &Poly, t: &Q) -> i64 {
    // Denominators are positive.
    let mut power = BigInt::from(1);
    let mut sum = BigInt::zero();
    for c in p.iter().rev() {
        sum = sum * t.numer() + c * &power;
        power *= t.denom();
    }
    sum.signum().to_i64().unwrap()
}

/// Σ sign h(r) over the roots r of f in (a, b); f is not zero at a and b.
fn tarski(f: &Poly, h: &Poly, a: &Q, b: &Q) -> i64 {
    let mut sequence = vec![primitive(f.clone()), primitive(mul(&derivative(f), h))];
    while !sequence.last().unwrap().is_empty() {
        let n = sequence.len();
        let r = remainder(&sequence[n - 2], &sequence[n - 1]);
        sequence.push(r.into_iter().map(|c| -c).collect());
    }
    let changes = |t: &Q| {
        let s: Vec<i64> = sequence.iter().map(|p| value_sign(p, t)).filter(|&s| s != 0).collect();
        s.windows(2).filter(|w| w[0] != w[1]).count() as i64
    };
    changes(a) - changes(b)
}

/// One root of f.
pub struct Found {
    f: Poly,
    a: Q,
    b: Q,
    pub inside: bool,
    pub before: i8,
    pub after: i8,
}

impl Found {
    /// Is the root in [t, t_hi]?
    pub fn holds(&self, t: f64, t_hi: f64) -> bool {
        let one = vec![BigInt::from(1)];
        let mut inside = 0;
        let (t, t_hi) = (q(t), q(t_hi));
        for end in [&t, &t_hi] {
            if value_sign(&self.f, end) == 0 && self.a < *end && *end < self.b {
                return true;
            }
        }
        let (lo, hi) = (t.max(self.a.clone()), t_hi.min(self.b.clone()));
        if lo < hi {
            inside = tarski(&self.f, &one, &lo, &hi);
        }
        inside == 1
    }
}

pub struct Decision {
    pub touch: bool,
    /// `None` where f is zero for all time.
    pub roots: Option<Vec<Found>>,
}

struct Pair {
    kind: Kind,
    p: [[Poly; 3]; 3],
    e: [[Poly; 3]; 3],
}

impl Pair {
    /// The touch test at an instant with all points in one plane, from signs there.
    fn touch(&self, sign: &dyn Fn(&Poly) -> i64) -> bool {
        for k in 0..3 {
            let s: Vec<i64> = (0..3).map(|i| sign(&self.e[i][k])).collect();
            if s.iter().all(|&s| s == 0) {
                continue;
            }
            // Corners of the plane problem as orientations: (p_i, p_j) around the origin.
            return match self.kind {
                Kind::VertexFace => !(s.contains(&1) && s.contains(&-1)),
                Kind::EdgeEdge => {
                    // Orientations of 0 P1 with P2 and P3, of P2 P3 with 0 and P1.
                    let sum = sign(&add(&add(&self.e[0][k], &self.e[1][k], 1), &self.e[2][k], 1));
                    let (o2, o3, o0, o1) = (s[2], -s[1], s[0], sum);
                    o2 * o3 <= 0 && o0 * o1 <= 0
                }
            };
        }
        (0..3).all(|k| {
            let s = |i: usize| sign(&self.p[i][k]);
            match self.kind {
                Kind::VertexFace => (0..3).any(|i| s(i) >= 0) && (0..3).any(|i| s(i) <= 0),
                Kind::EdgeEdge => {
                    let d = |i: usize| sign(&add(&self.p[i][k], &self.p[0][k], -1));
                    let all = [s(1), s(2), d(1), d(2)];
                    !(all.iter().all(|&x| x == 1) || all.iter().all(|&x| x == -1))
                }
            }
        })
    }
}

/// Disjoint open intervals with one root of f each, ends no roots, covering the roots in [0,1].
fn separate(f: &Poly) -> Vec<(Q, Q)> {
    let one = vec![BigInt::from(1)];
    // From a little outside of [0,1]; intervals that end up outside are dropped.
    let mut out = Vec::new();
    let mut stack = vec![(ratio(-5, 16), ratio(21, 16))];
    while let Some((a, b)) = stack.pop() {
        let (a, b) = (nudge(f, a, -1), nudge(f, b, 1));
        let n = tarski(f, &one, &a, &b);
        let (zero, unit) = (ratio(0, 1), ratio(1, 1));
        if n == 0 || b < zero || a > unit {
            continue;
        }
        let straddles = (a < zero && b > zero && value_sign(f, &zero) != 0)
            || (a < unit && b > unit && value_sign(f, &unit) != 0);
        if n == 1 && !straddles {
            out.push((a, b));
            continue;
        }
        // Not the middle, so that ends are rarely roots.
        let mut m = &a + (&b - &a) * ratio(7, 16);
        while value_sign(f, &m) == 0 {
            m = (&m + &b) * ratio(1, 2);
        }
        stack.push((m.clone(), b));
        stack.push((a, m));
    }
    out.retain(|(a, b)| {
        // An end straddled although 0 or 1 is the root: keep; outside: gone.
        !(b < &ratio(0, 1) || a > &ratio(1, 1))
    });
    out
}

fn nudge(f: &Poly, mut x: Q, way: i64) -> Q {
    while value_sign(f, &x) == 0 {
        x += ratio(way, 1 << 20);
    }
    x
}

pub fn decide(kind: Kind, b: &[[DVec3; 4]; 3]) -> Decision {
    // All coordinates by one power of two.
    let unit = b
        .iter()
        .flatten()
        .flat_map(|p| [p.x, p.y, p.z])
        .fold(BigInt::from(1), |u, x| u.max(q(x).denom().clone()));
    let path = |i: usize, k: usize| -> Poly {
        let c: Vec<BigInt> =
            (0..3).map(|j| (q([b[j][i].x, b[j][i].y, b[j][i].z][k]) * &unit).to_integer()).collect();
        trim(vec![c[0].clone(), (&c[1] - &c[0]) * 2, &c[0] - &c[1] * 2 + &c[2]])
    };
    let p: [[Poly; 3]; 3] =
        std::array::from_fn(|i| std::array::from_fn(|k| add(&path(i + 1, k), &path(0, k), -1)));
    let cross = |a: &[Poly; 3], b: &[Poly; 3]| -> [Poly; 3] {
        std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            add(&mul(&a[i], &b[j]), &mul(&a[j], &b[i]), -1)
        })
    };
    let pair = Pair { kind, e: [cross(&p[1], &p[2]), cross(&p[2], &p[0]), cross(&p[0], &p[1])], p };
    let f = (0..3).fold(Vec::new(), |f, k| add(&f, &mul(&pair.p[0][k], &pair.e[0][k]), 1));
    if f.is_empty() {
        return Decision { touch: touch_in_plane(&pair), roots: None };
    }
    let paper = if kind == Kind::VertexFace { -1 } else { 1 };
    let found: Vec<Found> = separate(&f)
        .into_iter()
        .map(|(a, b)| {
            let inside = pair.touch(&|h| if h.is_empty() { 0 } else { tarski(&f, h, &a, &b) });
            let (before, after) = (paper * value_sign(&f, &a), paper * value_sign(&f, &b));
            Found { f: f.clone(), a, b, inside, before: before as i8, after: after as i8 }
        })
        .collect();
    Decision { touch: found.iter().any(|r| r.inside), roots: Some(found) }
}

/// f ≡ 0: tries 0, 1, every root of every orientation and difference by itself, and points between all of them.
fn touch_in_plane(pair: &Pair) -> bool {
    let mut events: Vec<Poly> = Vec::new();
    for k in 0..3 {
        for i in 0..3 {
            events.push(pair.e[i][k].clone());
            events.push(pair.p[i][k].clone());
            events.push(add(&pair.p[i][k], &pair.p[(i + 1) % 3][k], -1));
        }
        events.push(add(&add(&pair.e[0][k], &pair.e[1][k], 1), &pair.e[2][k], 1));
    }
    events.retain(|p| p.len() > 1);
    let mut events: Vec<Poly> = events.into_iter().map(primitive).collect();
    events.sort();
    events.dedup();
    let at = |t: &Q| pair.touch(&|h| value_sign(h, t));
    if at(&ratio(0, 1)) || at(&ratio(1, 1)) {
        return true;
    }
    // Where touching starts or ends some event is zero. So it is enough to look at the roots of the events.
    events.iter().any(|g| {
        separate(g).iter().any(|(a, b)| pair.touch(&|h| if h.is_empty() { 0 } else { tarski(g, h, a, b) }))
    })
}
