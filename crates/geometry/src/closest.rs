//! The closest point of a triangle and the feature it lies on.
//!
//! Two ways. A triangle of ordinary shape goes through the Voronoi regions of its corners, sides and face. A
//! thin one, whose regions are decided by rounding, is turned so that its largest angle is the base of the
//! barycentric weights (the cross product of the two shorter sides is as exact as the input allows), and there
//! the face has to win against the three sides by distance. A collapsed triangle has no face and falls back to
//! its sides and corners.

use crate::segment::{HUGE, finite_scale, on_segment, reach};
use ultraviolet::DVec3;

/// The part of a triangle a closest point lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TriangleFeature {
    /// Strictly inside.
    Face,
    /// Inside side `i`, which joins corners `i` and `(i + 1) % 3`, as in [`crate::Topology::face_edges`].
    Edge(u8),
    /// At corner `i`.
    Vertex(u8),
}

/// The closest point of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPoint {
    /// The point (m); the corners blended with `weights` give it back.
    pub point: DVec3,
    /// Barycentric weights of the three corners: none negative, sum 1.
    pub weights: [f64; 3],
    /// Where on the triangle it lies.
    pub feature: TriangleFeature,
    /// Squared distance to the query point (m²).
    pub distance_squared: f64,
}

/// The point of a triangle closest to `p`, for any triangle whatever.
///
/// No finite input gives NaN. A NaN or infinite coordinate gives corner 0 at an infinite distance, so that it
/// never reads as a contact.
#[must_use]
pub fn closest_on_triangle(p: DVec3, triangle: [DVec3; 3]) -> ClosestPoint {
    let [a, b, c] = triangle;
    let all = [p, a, b, c];
    if reach(&all) < HUGE {
        return on_triangle(p, triangle);
    }
    let Some(m) = finite_scale(&all) else {
        return ClosestPoint {
            point: if finite_scale(&[a]).is_some() { a } else { DVec3::zero() },
            weights: [1.0, 0.0, 0.0],
            feature: TriangleFeature::Vertex(0),
            distance_squared: f64::INFINITY,
        };
    };
    // Squares would overflow: solve a copy scaled into the unit box and carry its weights back.
    let scaled = on_triangle(p / m, triangle.map(|v| v / m));
    let [wa, wb, wc] = scaled.weights;
    let point = a * wa + b * wb + c * wc;
    ClosestPoint { point, distance_squared: (p - point).mag_sq(), ..scaled }
}

fn on_triangle(p: DVec3, triangle: [DVec3; 3]) -> ClosestPoint {
    let [a, b, c] = triangle;
    let (u, v) = (b - a, c - a);
    let (uu, vv, uv) = (u.mag_sq(), v.mag_sq(), u.dot(v));
    let nn = uu * vv - uv * uv;
    // sin² of the corner at a, between about 13° and 167°: the dot products below lose no more than a digit.
    if !(nn > 0.05 * (uu * vv) && nn >= f64::MIN_POSITIVE) {
        return on_thin_triangle(p, triangle);
    }
    // Voronoi regions by dot products, corners and sides before the face (Ericson, Real-Time Collision
    // Detection, §5.1.5). Once the region is known the point itself is computed from the side or the face.
    let r = p - a;
    let (d1, d2) = (u.dot(r), v.dot(r));
    if d1 <= 0.0 && d2 <= 0.0 {
        return at_corner(p, triangle, 0);
    }
    let (d3, d4) = (d1 - uu, d2 - uv);
    if d3 >= 0.0 && d4 <= d3 {
        return at_corner(p, triangle, 1);
    }
    let wc = d1 * d4 - d3 * d2;
    if wc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return on_side(p, triangle, 0);
    }
    let (d5, d6) = (d1 - uv, d2 - vv);
    if d6 >= 0.0 && d5 <= d6 {
        return at_corner(p, triangle, 2);
    }
    let wb = d5 * d2 - d1 * d6;
    if wb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return on_side(p, triangle, 2);
    }
    let wa = d3 * d6 - d5 * d4;
    if wa <= 0.0 && d4 >= d3 && d5 >= d6 {
        return on_side(p, triangle, 1);
    }
    face_point(p, triangle).unwrap_or_else(|| on_rim(p, triangle))
}

/// Turns the triangle so that its largest angle is the base of the weights; the face competes with the rim by
/// distance, because the signs of a sliver's weights are noise.
#[cold]
fn on_thin_triangle(p: DVec3, triangle: [DVec3; 3]) -> ClosestPoint {
    let [a, b, c] = triangle;
    // The largest angle faces the longest side.
    let (ab, bc, ca) = ((b - a).mag_sq(), (c - b).mag_sq(), (a - c).mag_sq());
    let k = if bc >= ab && bc >= ca {
        0
    } else if ca >= ab {
        1
    } else {
        2
    };
    let mut turned = triangle;
    turned.rotate_left(k);
    let rim = on_rim(p, triangle);
    match face_point(p, turned) {
        Some(mut face) if face.distance_squared < rim.distance_squared => {
            face.weights.rotate_right(k);
            face
        }
        _ => rim,
    }
}

/// The foot of the perpendicular from `p`; `None` unless it lies strictly inside. Weights by cross products
/// about corner 0, whose angle should be wide: with n = u × v they are (r × v)·n / n·n and (u × r)·n / n·n.
#[inline]
fn face_point(p: DVec3, t: [DVec3; 3]) -> Option<ClosestPoint> {
    let (u, v, r) = (t[1] - t[0], t[2] - t[0], p - t[0]);
    let n = u.cross(v);
    let nn = n.mag_sq();
    if nn < f64::MIN_POSITIVE {
        return None;
    }
    let (wb, wc) = (r.cross(v).dot(n) / nn, u.cross(r).dot(n) / nn);
    let wa = 1.0 - wb - wc;
    if !(wa > 0.0 && wb > 0.0 && wc > 0.0) {
        return None;
    }
    let point = t[0] + u * wb + v * wc;
    Some(ClosestPoint {
        point,
        weights: [wa, wb, wc],
        feature: TriangleFeature::Face,
        distance_squared: (p - point).mag_sq(),
    })
}

/// The nearest of the three sides, the lowest on a tie.
fn on_rim(p: DVec3, t: [DVec3; 3]) -> ClosestPoint {
    let mut best = on_side(p, t, 0);
    for side in 1..3 {
        let other = on_side(p, t, side);
        if other.distance_squared < best.distance_squared {
            best = other;
        }
    }
    best
}

#[inline]
fn on_side(p: DVec3, t: [DVec3; 3], side: usize) -> ClosestPoint {
    let next = NEXT[side];
    let c = on_segment(p, t[side], t[next]);
    if c.parameter == 0.0 || c.parameter == 1.0 {
        return at_corner(p, t, if c.parameter == 0.0 { side } else { next });
    }
    let mut weights = [0.0; 3];
    weights[side] = 1.0 - c.parameter;
    weights[next] = c.parameter;
    let feature = TriangleFeature::Edge(side as u8);
    ClosestPoint { point: c.point, weights, feature, distance_squared: c.distance_squared }
}

#[inline]
fn at_corner(p: DVec3, t: [DVec3; 3], corner: usize) -> ClosestPoint {
    let mut weights = [0.0; 3];
    weights[corner] = 1.0;
    let feature = TriangleFeature::Vertex(corner as u8);
    ClosestPoint { point: t[corner], weights, feature, distance_squared: (p - t[corner]).mag_sq() }
}

/// The corner after each corner.
const NEXT: [usize; 3] = [1, 2, 0];
