//! Polygons and tets in numbers of a truth's own: twice the precision, or fractions without rounding.

use crate::double::Double;
use impinge_geometry::DVec3;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use std::ops::{Add, Div, Mul, Sub};

/// A number of a truth.
pub trait Number:
    Clone + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Exactly.
    fn of(x: f64) -> Self;
    /// Rounded to a double.
    fn value(&self) -> f64;
    /// Greater than or equal to 0.
    fn is_at_least_zero(&self) -> bool;
    /// Exactly 0.
    fn is_zero(&self) -> bool;
}

/// Without rounding, and a thousand times slower.
impl Number for BigRational {
    fn of(x: f64) -> Self {
        // Truths are asked for finite coordinates only.
        Self::from_float(x).unwrap_or_default()
    }
    fn value(&self) -> f64 {
        self.to_f64().unwrap_or(f64::NAN)
    }
    fn is_at_least_zero(&self) -> bool {
        !self.is_negative()
    }
    fn is_zero(&self) -> bool {
        Zero::is_zero(self)
    }
}

/// A point or vector.
pub type Point<N = Double> = [N; 3];

/// The point; coordinates below 1e−80 as 0, as exact volumes take them, and for their products in twice the precision have no low half.
pub fn point<N: Number>(p: DVec3) -> Point<N> {
    [p.x, p.y, p.z].map(|x| N::of(if x.abs() < 1e-80 { 0.0 } else { x }))
}

/// a − b.
pub fn difference<N: Number>(a: &Point<N>, b: &Point<N>) -> Point<N> {
    std::array::from_fn(|k| a[k].clone() - b[k].clone())
}

/// a · b.
pub fn dot<N: Number>(a: &Point<N>, b: &Point<N>) -> N {
    let part = |k: usize| a[k].clone() * b[k].clone();
    part(0) + part(1) + part(2)
}

/// a × b.
pub fn cross<N: Number>(a: &Point<N>, b: &Point<N>) -> Point<N> {
    let part = |i: usize, j: usize| a[i].clone() * b[j].clone() - a[j].clone() * b[i].clone();
    [part(1, 2), part(2, 0), part(0, 1)]
}

/// n·x ≥ offset.
#[derive(Clone, Debug)]
pub struct HalfSpace<N = Double> {
    /// Not a unit vector.
    pub normal: Point<N>,
    /// In units of the normal.
    pub offset: N,
}

impl<N: Number> HalfSpace<N> {
    /// Above 0 inside.
    pub fn of(&self, p: &Point<N>) -> N {
        dot(&self.normal, p) - self.offset.clone()
    }
}

/// The part of a plane polygon in a half space (Sutherland and Hodgman 1974).
pub fn clip<N: Number>(polygon: &[Point<N>], half: &HalfSpace<N>) -> Vec<Point<N>> {
    let h: Vec<N> = polygon.iter().map(|p| half.of(p)).collect();
    let mut out = Vec::with_capacity(polygon.len() + 1);
    for i in 0..polygon.len() {
        let j = (i + 1) % polygon.len();
        if h[i].is_at_least_zero() {
            out.push(polygon[i].clone());
        }
        if h[i].is_at_least_zero() != h[j].is_at_least_zero() {
            let t = h[i].clone() / (h[i].clone() - h[j].clone());
            let way = difference(&polygon[j], &polygon[i]);
            out.push(std::array::from_fn(|k| polygon[i][k].clone() + way[k].clone() * t.clone()));
        }
    }
    out
}

/// Twice the vector area.
pub fn doubled_area<N: Number>(polygon: &[Point<N>]) -> Point<N> {
    let mut sum = [N::of(0.0), N::of(0.0), N::of(0.0)];
    for i in 1..polygon.len().saturating_sub(1) {
        let c = cross(&difference(&polygon[i], &polygon[0]), &difference(&polygon[i + 1], &polygon[0]));
        sum = std::array::from_fn(|k| sum[k].clone() + c[k].clone());
    }
    sum
}

/// The four faces of a positive tet, inside at or above 0, with the corners of each counter-clockwise from outside.
pub fn faces<N: Number>(tet: &[Point<N>; 4]) -> [(HalfSpace<N>, [Point<N>; 3]); 4] {
    [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]].map(|f: [usize; 3]| {
        let [a, b, c] = f.map(|i| tet[i].clone());
        let normal = cross(&difference(&c, &a), &difference(&b, &a));
        let offset = dot(&normal, &a);
        (HalfSpace { normal, offset }, [a, b, c])
    })
}

/// The volume that two positive tets share: ⅓ Σ x·A over the part of each one's faces inside the other. With rounded numbers it
/// may be wrong by far where corners lie in each other's planes but for products of roundings: two faces then do not agree on
/// which of them bounds a part.
pub fn shared_volume<N: Number>(a: &[Point<N>; 4], b: &[Point<N>; 4]) -> f64 {
    let (fa, fb) = (faces(a), faces(b));
    let origin = &a[0];
    let mut six = N::of(0.0);
    for (mine, theirs, first) in [(&fa, &fb, true), (&fb, &fa, false)] {
        for (own, corners) in mine {
            let mut p = corners.to_vec();
            for (h, _) in theirs {
                // Where two faces lie in one plane and look the same way the part is counted once; back to back, never.
                // Asked of the corners as given: what has been cut is rounded.
                if corners.iter().all(|c| h.of(c).is_zero()) {
                    if first && dot(&own.normal, &h.normal).is_at_least_zero() {
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
                six = six + dot(&difference(&p[0], origin), &doubled_area(&p));
            }
        }
    }
    six.value() / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_of_known_pairs() {
        let v = |x, y, z| point::<Double>(DVec3::new(x, y, z));
        let a = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(0.0, 0.0, 1.0)];
        assert_eq!(shared_volume(&a, &a), 1.0 / 6.0);
        let moved = |d: f64| a.map(|p| [p[0] + d.into(), p[1], p[2]]);
        // A smaller copy of itself in the corner: side 1 − d.
        assert!((shared_volume(&a, &moved(0.5)) - 1.0 / 48.0).abs() < 1e-17);
        assert_eq!(shared_volume(&a, &moved(1.0)), 0.0);
        // Mirrored in the face x = 0, sides swapped to stay positive: they share a face and no volume.
        let b = [v(0.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(-1.0, 0.0, 0.0), v(0.0, 0.0, 1.0)];
        assert_eq!(shared_volume(&a, &b), 0.0);
    }

    #[test]
    fn fractions_know_where_twice_the_precision_does_not() {
        // Corners in each other's planes but for products of roundings (case 2941350 of seed 1). Without the roundings: 7/27.
        let a = [
            [9.582171556782257e-17, -1.1387139578960182e-17, -1.0],
            [-9.546302412095256e-17, -0.9999999999999999, 1.0],
            [1.0, -1.0, 0.9999999999999999],
            [-7.698201549196535e-17, 1.0, 1.0],
        ];
        let b = [
            [6.217598092339489e-17, -1.0, 1.0],
            [-3.861118068820555e-17, 3.542831725457753e-17, 8.563084543010372e-17],
            [-8.475168762093682e-17, 1.0, 1.0],
            [0.9999999999999999, -1.5548053356481684e-17, 0.9999999999999999],
        ];
        fn shared<N: Number>(a: [[f64; 3]; 4], b: [[f64; 3]; 4]) -> f64 {
            shared_volume(&a.map(|p| point::<N>(p.into())), &b.map(|p| point::<N>(p.into())))
        }
        assert!((shared::<BigRational>(a, b) - 7.0 / 27.0).abs() < 1e-15);
        assert!((shared::<Double>(a, b) - 7.0 / 27.0).abs() > 0.01, "then the fractions are not needed here");
    }
}
