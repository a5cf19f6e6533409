//! Friction anchors in the frame of the feature they are on: they ride with a triangle or an edge that moves, turns and deforms.
//!
//! On a triangle: weights of the second and the third corner, and the height over the plane (m). On an edge: the place along it as a
//! fraction, the distance beside it along n × e and the height along the contact's normal n (m).

use crate::path::Frame;
use impinge_ccd::Kind;
use impinge_geometry::{DVec3, is_finite, try_normalized};

/// Origin and axes: the point is `origin + Σ cᵢ axisᵢ`.
fn axes(kind: Kind, x: &[DVec3; 4], normal: DVec3) -> Option<(DVec3, [DVec3; 3])> {
    match kind {
        Kind::VertexFace => {
            let (u, v) = (x[2] - x[1], x[3] - x[1]);
            Some((x[1], [u, v, try_normalized(u.cross(v))?]))
        }
        Kind::EdgeEdge => {
            let e = x[3] - x[2];
            let m = try_normalized(Frame::of(kind, x).normal())?;
            let n = if m.dot(normal) < 0.0 { -m } else { m };
            Some((x[2], [e, n.cross(try_normalized(e)?), n]))
        }
    }
}

/// A point (m) in the frame of the second feature of a pair; of edges, `normal` is the contact's. `None` where the feature has no
/// frame: a triangle without area, parallel edges.
pub fn to_feature(kind: Kind, x: &[DVec3; 4], normal: DVec3, point: DVec3) -> Option<DVec3> {
    let (origin, [a, b, n]) = axes(kind, x, normal)?;
    let r = point - origin;
    let h = r.dot(n);
    let out = match kind {
        Kind::VertexFace => {
            let (m, flat) = (a.cross(b), r - n * h);
            let mm = m.mag_sq();
            DVec3::new(flat.cross(b).dot(m) / mm, a.cross(flat).dot(m) / mm, h)
        }
        Kind::EdgeEdge => DVec3::new(r.dot(a) / a.mag_sq(), r.dot(b), h),
    };
    is_finite(out).then_some(out)
}

/// Where a point of [`to_feature`] is (m).
pub fn from_feature(kind: Kind, x: &[DVec3; 4], normal: DVec3, at: DVec3) -> Option<DVec3> {
    let (origin, [a, b, n]) = axes(kind, x, normal)?;
    let out = origin + a * at.x + b * at.y + n * at.z;
    is_finite(out).then_some(out)
}
