//! Numbers and points as no sensible program makes them.

use crate::families::Numbers;
use impinge_geometry::DVec3;

/// Numbers at the edges of the format and of what squares and cubes of lengths can hold.
pub const FINITE: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.0 + f64::EPSILON,
    1.0 - f64::EPSILON / 2.0,
    f64::EPSILON,
    -f64::EPSILON,
    5e-324,
    -5e-324,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    1e-300,
    1e-162,
    1e-154,
    1e-108,
    1e-16,
    -1e-16,
    1e-9,
    1e9,
    4294967296.0,
    9007199254740993.0,
    1e16,
    1e77,
    1e103,
    1e154,
    -1e154,
    1.4e154,
    1e300,
    f64::MAX,
    f64::MIN,
];

/// A finite number from [`FINITE`], or an ordinary one.
pub fn finite(r: &mut Numbers) -> f64 {
    if r.below(2) == 0 { r.pick(FINITE) } else { r.unit() * 10f64.powi(r.around(12) as i32) }
}

/// As [`finite`], or NaN or ±∞.
pub fn any(r: &mut Numbers) -> f64 {
    match r.below(8) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => f64::NEG_INFINITY,
        _ => finite(r),
    }
}

/// In [−1, 1)³.
pub fn vector(r: &mut Numbers) -> DVec3 {
    let (x, y) = (r.unit(), r.unit());
    DVec3::new(x, y, r.unit())
}

/// Whole coordinates in −n..=n.
pub fn grid(r: &mut Numbers, n: i64) -> DVec3 {
    let (x, y) = (r.around(n), r.around(n));
    DVec3::new(x, y, r.around(n))
}

/// How a set of points was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// Of ordinary size: answers can be held against the truth.
    Ordinary,
    /// Ordinary in size; coordinates of a degenerate arrangement may be off by a hair.
    Nearly,
    /// Finite, but far from ordinary.
    Extreme,
    /// Some coordinate is NaN or infinite.
    NotFinite,
}

impl Made {
    /// Answers can be held against the truth.
    pub fn usual(self) -> bool {
        matches!(self, Self::Ordinary | Self::Nearly)
    }
}

/// Points anywhere, or on a coarse lattice, where coplanar and coincident ones are common.
pub fn points(r: &mut Numbers, count: usize) -> Vec<DVec3> {
    let n = r.pick(&[0, 0, 1, 2, 4]);
    (0..count).map(|_| if n == 0 { vector(r) } else { grid(r, n) * (1.0 / n as f64) }).collect()
}

/// Leaves the points alone (half of the time), nudges coordinates by an ulp or a hair, makes points meet or lie in a
/// plane or on a line, scales all of them or one axis, or replaces coordinates by hostile numbers.
pub fn spoil(r: &mut Numbers, points: &mut [DVec3]) -> Made {
    if points.is_empty() {
        return Made::Ordinary;
    }
    let n = points.len() as u64;
    match r.below(16) {
        0..8 => {}
        8 => {
            points.iter_mut().for_each(|p| *p = nudged(r, *p));
            return Made::Nearly;
        }
        9 => {
            let by = r.pick(&[1e-16, 1e-12, 1e-9, 1e-6]);
            points.iter_mut().for_each(|p| *p += vector(r) * by);
            return Made::Nearly;
        }
        10 => {
            let (i, j) = (r.below(n) as usize, r.below(n) as usize);
            points[i] = points[j];
        }
        11 => {
            let axis = r.below(3) as usize;
            let to = r.pick(&[0.0, 0.0, 1e-12, 1e-300]);
            points.iter_mut().for_each(|p| p[axis] *= to);
        }
        12 => {
            let (way, off) = (vector(r), vector(r) * r.pick(&[0.0, 1e-9, 1.0]));
            points.iter_mut().for_each(|p| *p = way * p.x + off);
        }
        13 => {
            let most = r.pick(&[8, 8, 30, 100, 340, 500, 1000]);
            let by = 2f64.powi(r.around(most) as i32);
            points.iter_mut().for_each(|p| *p *= by);
            return if (1e-3..1e3).contains(&by) { Made::Ordinary } else { Made::Extreme };
        }
        14 => {
            let far = vector(r) * r.pick(&[1e3, 1e6, 1e12, 1e150, 1e300]);
            points.iter_mut().for_each(|p| *p += far);
            return Made::Extreme;
        }
        _ => return poison(r, points),
    }
    Made::Ordinary
}

/// Replaces one to three coordinates by hostile numbers.
pub fn poison(r: &mut Numbers, points: &mut [DVec3]) -> Made {
    let bad = r.below(2) == 0;
    for _ in 0..=r.below(3) {
        let i = r.below(points.len() as u64) as usize;
        let axis = r.below(3) as usize;
        points[i][axis] = if bad { any(r) } else { finite(r) };
    }
    if points.iter().all(|&p| impinge_geometry::is_finite(p)) { Made::Extreme } else { Made::NotFinite }
}

/// Each coordinate as it is, or one ulp up or down.
pub fn nudged(r: &mut Numbers, p: DVec3) -> DVec3 {
    let mut one = |x: f64| match r.below(4) {
        0 => x.next_up(),
        1 => x.next_down(),
        _ => x,
    };
    let (x, y) = (one(p.x), one(p.y));
    DVec3::new(x, y, one(p.z))
}
