//! Friction anchors in the frame of what they are on: they ride with a triangle or a pair of edges that moves, turns and deforms.
//!
//! On a triangle: weights of the second and the third corner, and the height over the plane (m). Between edges: the way from the point of
//! the second edge to the anchor, along the line that halves the angle of the edges, beside that, and along the contact's normal (m). No
//! edge comes before the other: told the other way round the same contact has the same way with the other sign. (A frame on the second
//! edge alone turned the stretch with that edge: friction depended on the order of two bodies.)

use crate::path::Frame;
use impinge_ccd::Kind;
use impinge_geometry::{DVec3, is_finite, try_normalized};

/// Origin and axes: the point is `origin + Σ cᵢ axisᵢ`. `weight` are the signed weights of the points of two edges.
fn axes(kind: Kind, x: &[DVec3; 4], weight: &[f64; 4], normal: DVec3) -> Option<(DVec3, [DVec3; 3])> {
    match kind {
        Kind::VertexFace => {
            let (u, v) = (x[2] - x[1], x[3] - x[1]);
            Some((x[1], [u, v, try_normalized(u.cross(v))?]))
        }
        Kind::EdgeEdge => {
            let m = try_normalized(Frame::of(kind, x).normal())?;
            let n = if m.dot(normal) < 0.0 { -m } else { m };
            let between = try_normalized(try_normalized(x[1] - x[0])? + try_normalized(x[3] - x[2])?)?;
            Some((-(x[2] * weight[2] + x[3] * weight[3]), [between, n.cross(between), n]))
        }
    }
}

/// A point (m) in the frame of a pair: of its triangle; or of both edges, with the weights of their points and the contact's normal.
/// `None` where there is no frame: a triangle without area, parallel edges.
pub fn to_feature(
    kind: Kind,
    x: &[DVec3; 4],
    weight: &[f64; 4],
    normal: DVec3,
    point: DVec3,
) -> Option<DVec3> {
    let (origin, [a, b, n]) = axes(kind, x, weight, normal)?;
    let r = point - origin;
    let h = r.dot(n);
    let out = match kind {
        Kind::VertexFace => {
            let (m, flat) = (a.cross(b), r - n * h);
            let mm = m.mag_sq();
            DVec3::new(flat.cross(b).dot(m) / mm, a.cross(flat).dot(m) / mm, h)
        }
        Kind::EdgeEdge => DVec3::new(r.dot(a), r.dot(b), h),
    };
    is_finite(out).then_some(out)
}

/// Where a point of [`to_feature`] is (m).
pub fn from_feature(
    kind: Kind,
    x: &[DVec3; 4],
    weight: &[f64; 4],
    normal: DVec3,
    at: DVec3,
) -> Option<DVec3> {
    let (origin, [a, b, n]) = axes(kind, x, weight, normal)?;
    let out = origin + a * at.x + b * at.y + n * at.z;
    is_finite(out).then_some(out)
}
