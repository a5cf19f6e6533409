//! Friction anchors in the frame of what they are on: they ride with a triangle or a pair of edges that moves, turns and deforms.
//!
//! On a triangle: weights of the second and the third corner, and the height over the plane (m). Between edges: the way from the point of
//! the second edge to the anchor, along the line that halves the angle of the edges, beside that, and along the contact's normal (m). No
//! edge comes before the other: told the other way round the same contact has the same way with the other sign. (A frame on the second
//! edge alone turned the stretch with that edge: friction depended on the order of two bodies.)

use crate::path::Frame;
use impinge_ccd::Kind;
use impinge_geometry::{DVec3, is_finite, try_normalized};

/// Where the points of a pair are told in: of its triangle; or of both edges, with the signed weights of their points. For those who tell more
/// than one: its axes are found once.
#[derive(Clone, Copy, Debug)]
pub struct FeatureFrame {
    kind: Kind,
    x: [DVec3; 4],
    axes: [DVec3; 3],
}

impl FeatureFrame {
    /// Of the vertices `x` (m); `normal` is the contact's. `None` where there is no frame: a triangle without area, parallel edges.
    #[must_use]
    pub fn new(kind: Kind, x: &[DVec3; 4], normal: DVec3) -> Option<Self> {
        let axes = match kind {
            Kind::VertexFace => {
                let (u, v) = (x[2] - x[1], x[3] - x[1]);
                [u, v, try_normalized(u.cross(v))?]
            }
            Kind::EdgeEdge => {
                let m = try_normalized(Frame::of(kind, x).normal())?;
                let n = if m.dot(normal) < 0.0 { -m } else { m };
                let between = try_normalized(try_normalized(x[1] - x[0])? + try_normalized(x[3] - x[2])?)?;
                [between, n.cross(between), n]
            }
        };
        Some(Self { kind, x: *x, axes })
    }

    fn origin(&self, weight: &[f64; 4]) -> DVec3 {
        match self.kind {
            Kind::VertexFace => self.x[1],
            Kind::EdgeEdge => -(self.x[2] * weight[2] + self.x[3] * weight[3]),
        }
    }

    /// See [`to_feature`].
    #[must_use]
    pub fn to(&self, weight: &[f64; 4], point: DVec3) -> Option<DVec3> {
        let [a, b, n] = self.axes;
        let r = point - self.origin(weight);
        let h = r.dot(n);
        let out = match self.kind {
            Kind::VertexFace => {
                let (m, flat) = (a.cross(b), r - n * h);
                let mm = m.mag_sq();
                DVec3::new(flat.cross(b).dot(m) / mm, a.cross(flat).dot(m) / mm, h)
            }
            Kind::EdgeEdge => DVec3::new(r.dot(a), r.dot(b), h),
        };
        is_finite(out).then_some(out)
    }

    /// See [`from_feature`].
    #[must_use]
    pub fn from(&self, weight: &[f64; 4], at: DVec3) -> Option<DVec3> {
        let [a, b, n] = self.axes;
        let out = self.origin(weight) + a * at.x + b * at.y + n * at.z;
        is_finite(out).then_some(out)
    }
}

/// A point (m) in the frame of a pair, [`FeatureFrame`].
/// `None` where there is no frame: a triangle without area, parallel edges.
#[must_use]
pub fn to_feature(
    kind: Kind,
    x: &[DVec3; 4],
    weight: &[f64; 4],
    normal: DVec3,
    point: DVec3,
) -> Option<DVec3> {
    FeatureFrame::new(kind, x, normal)?.to(weight, point)
}

/// Where a point of [`to_feature`] is (m).
#[must_use]
pub fn from_feature(
    kind: Kind,
    x: &[DVec3; 4],
    weight: &[f64; 4],
    normal: DVec3,
    at: DVec3,
) -> Option<DVec3> {
    FeatureFrame::new(kind, x, normal)?.from(weight, at)
}
