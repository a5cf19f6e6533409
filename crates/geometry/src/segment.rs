//! The closest point of a segment, and the closest points of two segments.
//!
//! Both are total: collapsed and parallel segments give a closest pair like any other, and no finite input
//! gives NaN. A non-finite input gives an infinite distance, so it never reads as a contact.
//!
//! Two lines start from their common normal n = d₁ × d₂: the first one's parameter is
//! s = ((b₀ − a₀) × d₂)·n / n·n.

use ultraviolet::DVec3;

/// The closest point of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestOnSegment {
    /// The point (m).
    pub point: DVec3,
    /// Where along the segment: exactly 0 at its first end, exactly 1 at its second.
    pub parameter: f64,
    /// Squared distance to the query point (m²).
    pub distance_squared: f64,
}

/// The closest points of two segments.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestBetweenSegments {
    /// One point on each segment (m).
    pub points: [DVec3; 2],
    /// Where along each segment; exactly 0 or 1 at an end.
    pub parameters: [f64; 2],
    /// Squared distance between the points (m²).
    pub distance_squared: f64,
}

/// Above this, squares of squares could overflow; such input takes a scaled detour.
pub(crate) const HUGE: f64 = 1e60;

/// Σ|xᵢ|: one number that is large or NaN as soon as any coordinate is.
pub(crate) fn reach(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.x.abs() + p.y.abs() + p.z.abs()).sum()
}

/// The largest absolute coordinate, or `None` when one is not finite.
pub(crate) fn finite_scale(points: &[DVec3]) -> Option<f64> {
    let mut m = 0.0f64;
    for p in points {
        for c in [p.x, p.y, p.z] {
            if !c.is_finite() {
                return None;
            }
            m = m.max(c.abs());
        }
    }
    Some(m)
}

fn finite_or_zero(p: DVec3) -> DVec3 {
    if finite_scale(&[p]).is_some() { p } else { DVec3::zero() }
}

/// The point of a segment closest to `p`.
///
/// The point is measured from the nearer end, so a segment and its reverse give the same point.
#[must_use]
pub fn closest_on_segment(p: DVec3, [a, b]: [DVec3; 2]) -> ClosestOnSegment {
    if reach(&[p, a, b]) < HUGE {
        return on_segment(p, a, b);
    }
    let Some(m) = finite_scale(&[p, a, b]) else {
        return ClosestOnSegment {
            point: finite_or_zero(a),
            parameter: 0.0,
            distance_squared: f64::INFINITY,
        };
    };
    let t = on_segment(p / m, a / m, b / m).parameter;
    let point = blend(a, b, t);
    ClosestOnSegment { point, parameter: t, distance_squared: (p - point).mag_sq() }
}

fn blend(a: DVec3, b: DVec3, t: f64) -> DVec3 {
    a * (1.0 - t) + b * t
}

/// [`closest_on_segment`] for coordinates whose squares neither overflow nor are NaN. Without branches on the
/// region: which end is nearer is a coin toss for a branch predictor.
#[inline]
pub(crate) fn on_segment(p: DVec3, a: DVec3, b: DVec3) -> ClosestOnSegment {
    let ab = b - a;
    let length_squared = ab.mag_sq();
    if length_squared < f64::MIN_POSITIVE {
        let first = (p - a).mag_sq() <= (p - b).mag_sq();
        let (point, parameter) = if first { (a, 0.0) } else { (b, 1.0) };
        return ClosestOnSegment { point, parameter, distance_squared: (p - point).mag_sq() };
    }
    let (from_a, from_b) = ((p - a).dot(ab), (b - p).dot(ab));
    let first = from_a <= from_b;
    let near = if first { from_a } else { from_b };
    // The nearer end's share is at most a half; for a point very far away rounding alone can say more.
    let share = (near / length_squared).clamp(0.0, 0.5);
    // A share that would vanish in 1 − share is none: parameter 1 and the point b go together, exactly.
    let share = if share < f64::EPSILON { 0.0 } else { share };
    let (end, step, parameter) = if first { (a, share, share) } else { (b, -share, 1.0 - share) };
    let point = end + ab * step;
    ClosestOnSegment { point, parameter, distance_squared: (p - point).mag_sq() }
}

/// The closest pair of points of two segments.
///
/// Where parallel segments overlap, every pair across the overlap is equally close; the one at the lowest end
/// point (ends of `a` before ends of `b`) is returned.
#[must_use]
pub fn closest_between_segments(a: [DVec3; 2], b: [DVec3; 2]) -> ClosestBetweenSegments {
    let all = [a[0], a[1], b[0], b[1]];
    if reach(&all) < HUGE {
        return between(a, b);
    }
    let Some(m) = finite_scale(&all) else {
        return ClosestBetweenSegments {
            points: [finite_or_zero(a[0]), finite_or_zero(b[0])],
            parameters: [0.0; 2],
            distance_squared: f64::INFINITY,
        };
    };
    let parameters = between(a.map(|p| p / m), b.map(|p| p / m)).parameters;
    let points = [blend(a[0], a[1], parameters[0]), blend(b[0], b[1], parameters[1])];
    ClosestBetweenSegments { points, parameters, distance_squared: (points[0] - points[1]).mag_sq() }
}

fn between(a: [DVec3; 2], b: [DVec3; 2]) -> ClosestBetweenSegments {
    let (d1, d2, r) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let n = d1.cross(d2);
    let (nn, bound) = (n.mag_sq(), d1.mag_sq() * d2.mag_sq());
    let mut best: Option<ClosestBetweenSegments> = None;
    if nn >= f64::MIN_POSITIVE {
        // Clamp one parameter, project for the other, project back: for two segments well apart in direction
        // that is the constrained minimum (Ericson, Real-Time Collision Detection, §5.1.9).
        let s = (r.cross(d2).dot(n) / nn).clamp(0.0, 1.0);
        let on_b = on_segment(a[0] + d1 * s, b[0], b[1]);
        let on_a = on_segment(on_b.point, a[0], a[1]);
        let projected = ClosestBetweenSegments {
            points: [on_a.point, on_b.point],
            parameters: [on_a.parameter, on_b.parameter],
            distance_squared: on_a.distance_squared,
        };
        // sin² of the angle between them; nearly parallel ones let the ends compete by distance as well.
        if nn > 1e-8 * bound {
            return projected;
        }
        best = Some(projected);
    }
    let mut offer = |c: ClosestBetweenSegments| {
        if best.is_none_or(|x| c.distance_squared < x.distance_squared) {
            best = Some(c);
        }
        best
    };
    for (parameter, end) in [0.0, 1.0].into_iter().zip(a) {
        let c = on_segment(end, b[0], b[1]);
        offer(ClosestBetweenSegments {
            points: [end, c.point],
            parameters: [parameter, c.parameter],
            distance_squared: c.distance_squared,
        });
    }
    let c = on_segment(b[0], a[0], a[1]);
    offer(ClosestBetweenSegments {
        points: [c.point, b[0]],
        parameters: [c.parameter, 0.0],
        distance_squared: c.distance_squared,
    });
    let c = on_segment(b[1], a[0], a[1]);
    let last = ClosestBetweenSegments {
        points: [c.point, b[1]],
        parameters: [c.parameter, 1.0],
        distance_squared: c.distance_squared,
    };
    offer(last).unwrap_or(last)
}
