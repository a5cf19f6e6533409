//! Twice the precision: a number as the unevaluated sum of two doubles (Dekker 1971; Knuth's two-sum), about 106 bits.
//!
//! For truths only. Coordinates must stay in the range where products neither overflow nor lose their low half
//! (roughly 1e−100 to 1e100).

use impinge_geometry::DVec3;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// hi + lo with |lo| ≤ ulp(hi)/2.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Double {
    hi: f64,
    lo: f64,
}

/// a + b exactly, as two doubles (Knuth).
fn two_sum(a: f64, b: f64) -> Double {
    let hi = a + b;
    let v = hi - a;
    Double { hi, lo: (a - (hi - v)) + (b - v) }
}

/// a + b exactly when |a| ≥ |b| (Dekker).
fn quick(a: f64, b: f64) -> Double {
    let hi = a + b;
    Double { hi, lo: b - (hi - a) }
}

/// The two halves of a double, each of 26 bits (Veltkamp).
fn halves(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a;
    let high = c - (c - a);
    (high, a - high)
}

/// a b exactly, as two doubles. Without a fused multiply–add: it is a library call on a baseline processor.
fn two_product(a: f64, b: f64) -> Double {
    let hi = a * b;
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    Double { hi, lo: ((ah * bh - hi) + ah * bl + al * bh) + al * bl }
}

impl Double {
    /// Rounded to one double.
    pub fn value(self) -> f64 {
        self.hi + self.lo
    }

    /// Greater than or equal to 0.
    pub fn is_at_least_zero(self) -> bool {
        self.hi >= 0.0
    }

    /// Exactly 0.
    pub fn is_zero(self) -> bool {
        self.hi == 0.0
    }
}

impl From<f64> for Double {
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let (s, t) = (two_sum(self.hi, o.hi), two_sum(self.lo, o.lo));
        let s = quick(s.hi, s.lo + t.hi);
        quick(s.hi, s.lo + t.lo)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let p = two_product(self.hi, o.hi);
        quick(p.hi, p.lo + (self.hi * o.lo + self.lo * o.hi))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let first = self.hi / o.hi;
        let rest = self - o * first.into();
        let second = rest.hi / o.hi;
        let rest = rest - o * second.into();
        quick(first, second) + (rest.hi / o.hi).into()
    }
}

/// A point or vector.
pub type Point = [Double; 3];

/// Exactly; coordinates below 1e−80 as 0, for their products have no low half.
pub fn point(p: DVec3) -> Point {
    [p.x, p.y, p.z].map(|x| if x.abs() < 1e-80 { 0.0 } else { x }.into())
}

/// a − b.
pub fn difference(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a · b.
pub fn dot(a: Point, b: Point) -> Double {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
pub fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// n·x ≥ offset.
#[derive(Clone, Copy, Debug)]
pub struct HalfSpace {
    /// Not a unit vector.
    pub normal: Point,
    /// In units of the normal.
    pub offset: Double,
}

impl HalfSpace {
    /// Above 0 inside.
    pub fn of(&self, p: Point) -> Double {
        dot(self.normal, p) - self.offset
    }
}

/// The part of a plane polygon in a half space (Sutherland and Hodgman 1974).
pub fn clip(polygon: &[Point], half: &HalfSpace) -> Vec<Point> {
    let h: Vec<Double> = polygon.iter().map(|&p| half.of(p)).collect();
    let mut out = Vec::with_capacity(polygon.len() + 1);
    for i in 0..polygon.len() {
        let j = (i + 1) % polygon.len();
        if h[i].is_at_least_zero() {
            out.push(polygon[i]);
        }
        if h[i].is_at_least_zero() != h[j].is_at_least_zero() {
            let t = h[i] / (h[i] - h[j]);
            let way = difference(polygon[j], polygon[i]);
            out.push(std::array::from_fn(|k| polygon[i][k] + way[k] * t));
        }
    }
    out
}

/// Twice the vector area.
pub fn doubled_area(polygon: &[Point]) -> Point {
    let mut sum = Point::default();
    for i in 1..polygon.len().saturating_sub(1) {
        let c = cross(difference(polygon[i], polygon[0]), difference(polygon[i + 1], polygon[0]));
        sum = std::array::from_fn(|k| sum[k] + c[k]);
    }
    sum
}

/// The four faces of a positive tet, inside at or above 0, with the corners of each counter-clockwise from outside.
pub fn faces(tet: [Point; 4]) -> [(HalfSpace, [Point; 3]); 4] {
    [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]].map(|f| {
        let [a, b, c] = f.map(|i: usize| tet[i]);
        let normal = cross(difference(c, a), difference(b, a));
        (HalfSpace { normal, offset: dot(normal, a) }, [a, b, c])
    })
}

/// The volume that two positive tets share: ⅓ Σ x·A over the part of each one's faces inside the other.
pub fn shared_volume(a: [Point; 4], b: [Point; 4]) -> f64 {
    let (fa, fb) = (faces(a), faces(b));
    let origin = a[0];
    let mut six = Double::default();
    for (mine, theirs, first) in [(&fa, &fb, true), (&fb, &fa, false)] {
        for (own, corners) in mine {
            let mut p = corners.to_vec();
            for (h, _) in theirs {
                // Where two faces lie in one plane and look the same way the part is counted once; back to back, never.
                // Asked of the corners as given: what has been cut is rounded.
                if corners.iter().all(|&c| h.of(c).is_zero()) {
                    if first && dot(own.normal, h.normal).is_at_least_zero() {
                        continue;
                    }
                    p.clear();
                } else {
                    p = clip(&p, h);
                }
                if p.len() < 3 {
                    break;
                }
            }
            if p.len() >= 3 {
                six = six + dot(difference(p[0], origin), doubled_area(&p));
            }
        }
    }
    six.value() / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_bits() {
        let (third, three) = (Double::from(1.0) / 3.0.into(), Double::from(3.0));
        assert!((third * three - 1.0.into()).value().abs() < 1e-31);
        let tiny = Double::from(1.0) + 1e-25.into();
        assert!(((tiny - 1.0.into()).value() / 1e-25 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn volumes_of_known_pairs() {
        let v = |x, y, z| point(DVec3::new(x, y, z));
        let a = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(0.0, 0.0, 1.0)];
        assert_eq!(shared_volume(a, a), 1.0 / 6.0);
        let moved = |d: f64| a.map(|p| [p[0] + d.into(), p[1], p[2]]);
        // A smaller copy of itself in the corner: side 1 − d.
        assert!((shared_volume(a, moved(0.5)) - 1.0 / 48.0).abs() < 1e-17);
        assert_eq!(shared_volume(a, moved(1.0)), 0.0);
        // Mirrored in the face x = 0, sides swapped to stay positive: they share a face and no volume.
        let b = [v(0.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(-1.0, 0.0, 0.0), v(0.0, 0.0, 1.0)];
        assert_eq!(shared_volume(a, b), 0.0);
    }
}
