//! Both feature pairs as one question: how far is a moving flat polygon from the origin?
//!
//! Takes the two ends of a step, gives [`Moving`]: the corners of the Minkowski difference of the two features.
//! Vertex–face: the triangle p−a, p−b, p−c. Edge–edge: the parallelogram a−c, b−c, b−d, a−d. Every corner moves on
//! a straight line and the distance of the features is the distance of the polygon from the origin, so one search
//! serves both, with the number of corners as a constant.
//!
//! Rounding. u = 2⁻⁵³ and M is the largest absolute coordinate of any corner at either end. A corner is one rounded
//! difference (relative error u, also where it is subnormal). A corner at time t, fl(c₀(1−t) + c₁t), is off by at
//! most 5uM per coordinate, 9uM in length, whatever t.

use impinge_geometry::DVec3;

/// Half an ulp of one.
pub(super) const U: f64 = f64::EPSILON / 2.0;

/// The corners at both ends of the step, the largest coordinate M, and the power of two they were scaled by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving<const N: usize> {
    pub c0: [DVec3; N],
    pub c1: [DVec3; N],
    /// Largest absolute coordinate; in [1e-30, 1e30] unless all corners stay at the origin.
    pub m: f64,
    /// True lengths are 2^`exponent` times the lengths here. Zero for ordinary magnitudes.
    pub exponent: i32,
}

#[inline]
pub(super) fn triangle(x: &[DVec3; 4]) -> [DVec3; 3] {
    [x[0] - x[1], x[0] - x[2], x[0] - x[3]]
}

#[inline]
pub(super) fn parallelogram(x: &[DVec3; 4]) -> [DVec3; 4] {
    [x[0] - x[2], x[1] - x[2], x[1] - x[3], x[0] - x[3]]
}

/// Componentwise least (or greatest) of all corners at both ends. Written as a comparison because that is one
/// instruction; `f64::min` spends three more on NaN, which cannot be here.
#[inline]
fn extreme<const N: usize>(a: &[DVec3; N], b: &[DVec3; N], better: impl Fn(f64, f64) -> bool) -> DVec3 {
    let pick = |p: f64, q: f64| if better(p, q) { p } else { q };
    let both = |p: DVec3, q: DVec3| DVec3::new(pick(p.x, q.x), pick(p.y, q.y), pick(p.z, q.z));
    let mut at_ends: [DVec3; N] = std::array::from_fn(|i| both(a[i], b[i]));
    if N == 4 {
        // As a tree: half the waiting.
        at_ends[1] = both(at_ends[1], at_ends[N - 1]);
    }
    both(both(at_ends[0], at_ends[2]), at_ends[1])
}

/// What the first look says.
pub(super) enum Screened<const N: usize> {
    /// One coordinate alone keeps the features more than `d` apart for the whole step.
    Clear,
    /// Search.
    Open(Moving<N>),
}

/// The axis test, and the polygon for what it leaves open.
///
/// If one coordinate of every corner is above `d` (or below −`d`) at both ends, it is so in between and the distance
/// is at least that coordinate. Common motion cancels in the differences, so this rejects more than boxes of the swept
/// features do. The factor 1+4u pays for the rounded difference and for itself; with `d` = 0 the test is exact.
#[inline]
pub(super) fn screen<const N: usize>(
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    d: f64,
    corners: impl Fn(&[DVec3; 4]) -> [DVec3; N],
) -> Screened<N> {
    let (c0, c1) = (corners(x0), corners(x1));
    let (low, high) = (extreme(&c0, &c1, |p, q| p < q), extreme(&c0, &c1, |p, q| p > q));
    let limit = d * (1.0 + 4.0 * U);
    if low.x > limit
        || low.y > limit
        || low.z > limit
        || high.x < -limit
        || high.y < -limit
        || high.z < -limit
    {
        return Screened::Clear;
    }
    if off_centre(&c0, &c1, low, high, d) {
        return Screened::Clear;
    }
    let m = [low.x, low.y, low.z, high.x, high.y, high.z].iter().fold(0.0f64, |m, c| m.max(c.abs()));
    if m > 1e-30 && m < 1e30 || m == 0.0 {
        return Screened::Open(Moving { c0, c1, m, exponent: 0 });
    }
    Screened::Open(scaled(x0, x1, corners))
}

/// The same with one slanted direction, from the origin to the middle of the corners' box.
///
/// With m ≥ |c| for every corner, an inner product with w is off by at most 6u|w|m (three products, two sums, the
/// rounded corner), the length of w by 4u of itself. Overflow makes the right side infinite and the test fail.
#[inline]
fn off_centre<const N: usize>(c0: &[DVec3; N], c1: &[DVec3; N], low: DVec3, high: DVec3, d: f64) -> bool {
    let w = low + high;
    let length = w.mag();
    let m = (high - low).component_max() + length;
    let least = (0..N).fold(f64::INFINITY, |l, i| l.min(w.dot(c0[i])).min(w.dot(c1[i])));
    least > (d + 32.0 * U * m) * length * (1.0 + 8.0 * U) && length > 1e-100
}

/// 2^e for any e a double's exponent or the negative of one can be; two factors keep clear of overflow.
pub(super) fn times_power(x: f64, e: i32) -> f64 {
    let half = e / 2;
    x * 2.0f64.powi(half) * 2.0f64.powi(e - half)
}

/// Brings extreme magnitudes to order one. Scaling up is exact; scaling down drops what is below 2⁻¹⁰⁷⁴, which is
/// nothing beside u·M.
#[cold]
fn scaled<const N: usize>(
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    corners: impl Fn(&[DVec3; 4]) -> [DVec3; N],
) -> Moving<N> {
    let largest = |c: &[DVec3]| c.iter().fold(0.0f64, |m, p| m.max(p.x.abs()).max(p.y.abs()).max(p.z.abs()));
    let by = |x: &[DVec3; 4], e: i32| {
        x.map(|p| DVec3::new(times_power(p.x, e), times_power(p.y, e), times_power(p.z, e)))
    };
    // A difference of the largest doubles overflows: a quarter of them does not.
    let down = if largest(x0).max(largest(x1)) > 1e300 { -2 } else { 0 };
    let (c0, c1) = (corners(&by(x0, down)), corners(&by(x1, down)));
    let m = largest(&c0).max(largest(&c1));
    // The exponent field; a subnormal M (field 0) is brought up by the same shift, to 2⁻⁵² at least.
    let e = ((m.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let shift = |c: [DVec3; N]| {
        c.map(|p| DVec3::new(times_power(p.x, -e), times_power(p.y, -e), times_power(p.z, -e)))
    };
    let (c0, c1) = (shift(c0), shift(c1));
    Moving { c0, c1, m: largest(&c0).max(largest(&c1)), exponent: e - down }
}

/// The polygon at one instant: its corners, how near it is, and a direction that keeps the origin off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instant<const N: usize> {
    pub t: f64,
    pub c: [DVec3; N],
    /// Not below the true distance at `t`.
    pub at_most: f64,
    /// |n| ≤ 1; n·c is about the distance for the nearest corners and larger for the others. Zero where the distance is.
    pub n: DVec3,
}

impl<const N: usize> Moving<N> {
    /// The corners at time `t`.
    #[inline]
    #[must_use]
    pub fn corners(&self, t: f64) -> [DVec3; N] {
        let s = 1.0 - t;
        std::array::from_fn(|i| self.c0[i] * s + self.c1[i] * t)
    }

    /// The polygon at time `t`.
    ///
    /// `at_most` is the length of a convex combination of the corners, so it bounds the distance from above whether
    /// or not the combination is the best one; 48uM pays for the corners (9uM), for building the point (≤ 21uM), for
    /// weights whose sum is not quite one (≤ 4uM) and for the length.
    #[inline]
    #[must_use]
    pub fn at(&self, t: f64) -> Instant<N> {
        let c = self.corners(t);
        let (q, normal) = nearest(&c);
        let n = normal.mag();
        let shrink = if n > 0.0 { (1.0 - 8.0 * U) / n } else { 0.0 };
        Instant { t, c, at_most: q.mag() * (1.0 + 4.0 * U) + 48.0 * U * self.m, n: normal * shrink }
    }
}

/// Nearest point of a flat convex polygon (three corners, or four of a parallelogram) to the origin, and the direction
/// from the origin to it.
///
/// The direction must be good even where the distance is tiny beside the polygon: on the face it is the face normal,
/// on a side the point's own part along the side is taken out a second time, and near the rim the better of both is
/// taken. The length of the point has no such problem.
#[inline]
pub(super) fn nearest<const N: usize>(c: &[DVec3; N]) -> (DVec3, DVec3) {
    // For a triangle, the corner opposite the longest side is the base: the cross product of the two shorter sides is
    // as exact as the corners allow. A parallelogram has its sides twice.
    let k = if N == 3 {
        let (l0, l1, l2) = ((c[1] - c[2]).mag_sq(), (c[2] - c[0]).mag_sq(), (c[0] - c[1]).mag_sq());
        if l0 >= l1 && l0 >= l2 { 0 } else { 1 + usize::from(l2 > l1) }
    } else {
        0
    };
    let o = c[k];
    let (u, v) = (c[(k + 1) % N] - o, c[(k + N - 1) % N] - o);
    let n = u.cross(v);
    let nn = n.mag_sq();
    // o + s u + t v with zero components along u and v: s = (v×o)·n/nn, t = (o×u)·n/nn.
    let (s, t) = (v.cross(o).dot(n), o.cross(u).dot(n));
    let mut best = (DVec3::zero(), f64::INFINITY, DVec3::zero());
    let inside = s > 0.0 && t > 0.0 && if N == 3 { s + t < nn } else { s < nn && t < nn };
    if inside {
        let q = o + u * (s / nn) + v * (t / nn);
        let height = n.dot(o);
        // Feet on slivers (edges nearly parallel) are off by the rounding error over the width; then |q| is more than
        // the distance from the plane, and the rim has a say.
        if q.mag_sq() * nn <= height * height * (1.0 + 1e-6) {
            return (q, if height < 0.0 { -n } else { n });
        }
        best = (q, q.mag_sq(), DVec3::zero());
    }
    for i in 0..N {
        let (p, r) = (c[i], c[(i + 1) % N]);
        let e = r - p;
        // Each end by its own product, the foot from the nearer end: errors are relative to how near that end is.
        let (from_p, from_r) = (-p.dot(e), r.dot(e));
        let (q, side) = if from_p <= 0.0 {
            (p, DVec3::zero())
        } else if from_r <= 0.0 {
            (r, DVec3::zero())
        } else if from_p < from_r {
            (p + e * (from_p / (from_p + from_r)), e)
        } else {
            (r - e * (from_r / (from_p + from_r)), e)
        };
        let qq = q.mag_sq();
        if qq < best.1 {
            best = (q, qq, side);
        }
    }
    let (q, qq, e) = best;
    let ee = e.mag_sq();
    let side = if ee > 0.0 { q - e * (q.dot(e) / ee) } else { q };
    let below = |n: DVec3| c.iter().fold(f64::INFINITY, |m, c| m.min(n.dot(*c)));
    if below(side) < qq * (1.0 - 1e-7) { (q, steepest(c, side, n)) } else { (q, side) }
}

/// The direction that keeps the origin off best, when the one to the nearest point does not.
///
/// A foot within rounding of a corner or a side is taken for the corner or the side. That costs the distance nothing
/// but tilts the direction by uM/distance, and then far corners seem nearer than the near ones. So every direction
/// that could be meant is tried: perpendicular to the face (`n`), and to each side.
#[cold]
fn steepest<const N: usize>(c: &[DVec3; N], first: DVec3, n: DVec3) -> DVec3 {
    let value = |n: DVec3| {
        let length = n.mag();
        if length > 0.0 {
            c.iter().fold(f64::INFINITY, |m, c| m.min(n.dot(*c))) / length
        } else {
            f64::NEG_INFINITY
        }
    };
    let mut best = (value(first), first);
    let mut offer = |n: DVec3| {
        let v = value(n);
        if v > best.0 {
            best = (v, n);
        }
    };
    offer(n);
    offer(-n);
    for i in 0..N {
        let (p, r) = (c[i], c[(i + 1) % N]);
        let e = r - p;
        let ee = e.mag_sq();
        if ee > 0.0 {
            let near = if p.mag_sq() < r.mag_sq() { p } else { r };
            let once = near - e * (near.dot(e) / ee);
            offer(once - e * (once.dot(e) / ee));
        }
    }
    best.1
}
