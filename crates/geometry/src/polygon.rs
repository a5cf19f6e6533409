//! Area, centroid and second moments of a plane polygon in space, in closed form.
//!
//! A fan of triangles from the first corner, each counted with the sign of its area along the polygon's normal, so
//! that the formulas hold for any simple polygon; intersection polygons are convex. For a triangle with corners
//! a, b, c about the centroid: A = n·(b − a) × (c − a)/2, ∫ x dA = A (a + b + c)/3 and, with s = a + b + c,
//! ∫ x xᵀ dA = A (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/12.
//!
//! Two passes, as for solids: the second moments are taken about the centroid found first, and never come out as a
//! difference of large numbers.

use crate::{scale, try_normalized};
use ultraviolet::{DMat3, DVec3};

/// Moments of a plane polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PolygonMoments {
    /// Area (m²); 0 for a collapsed polygon.
    pub area: f64,
    /// Unit normal on the side from which the corners run counter-clockwise; zero for a collapsed polygon.
    pub normal: DVec3,
    /// Centroid (m). Of a polygon collapsed to a line, that of its outline; of one collapsed to a point, the point.
    pub centroid: DVec3,
    /// ∫ (x − centroid)(x − centroid)ᵀ dA (m⁴), symmetric, without a component along the normal; 0 for a collapsed
    /// polygon.
    pub second: DMat3,
}

impl PolygonMoments {
    /// The second moment about the line through the centroid along `axis` (unit): ∫ distance² dA (m⁴). Along the
    /// normal it is the polar moment.
    #[must_use]
    pub fn about(&self, axis: DVec3) -> f64 {
        self.second.cols[0].x + self.second.cols[1].y + self.second.cols[2].z - axis.dot(self.second * axis)
    }

    /// ∫ x xᵀ dA about the point `p` (m⁴).
    #[must_use]
    pub fn second_about(&self, p: DVec3) -> DMat3 {
        let d = self.centroid - p;
        crate::add(&self.second, &scale(&crate::outer(d, d), self.area))
    }

    const NOTHING: Self = Self {
        area: 0.0,
        normal: DVec3::new(0.0, 0.0, 0.0),
        centroid: DVec3::new(0.0, 0.0, 0.0),
        second: DMat3 { cols: [DVec3::new(0.0, 0.0, 0.0); 3] },
    };
}

/// The vector area ½ Σ pᵢ × pᵢ₊₁ of a closed outline (m²): normal times area for a plane one.
#[must_use]
pub fn polygon_area_vector(corners: &[DVec3]) -> DVec3 {
    let mut sum = DVec3::zero();
    let Some((&o, rest)) = corners.split_first() else { return sum };
    for w in rest.windows(2) {
        sum += (w[0] - o).cross(w[1] - o);
    }
    sum * 0.5
}

/// Beyond this (m) second moments, the fourth power of a length, come near the largest number.
const LARGEST: f64 = 1e75;

/// Area, normal, centroid and second moments of a plane, simple polygon given by its corners in order.
///
/// Repeated and collinear corners are welcome; fewer than three corners, or corners on a line, make a collapsed
/// polygon with a centroid but no area. Corners slightly off the plane are measured as seen along the normal. A
/// coordinate that is not finite, or beyond 1e75 m, gives an empty polygon at the origin.
#[must_use]
pub fn polygon_moments(corners: &[DVec3]) -> PolygonMoments {
    let Some((&o, rest)) = corners.split_first() else { return PolygonMoments::NOTHING };
    let vector = polygon_area_vector(corners);
    let size = corners.iter().fold(0.0f64, |m, p| m.max((*p - o).abs().component_max()));
    // max() drops a NaN, so look at the coordinates themselves.
    if !corners.iter().all(|p| p.x.abs() <= LARGEST && p.y.abs() <= LARGEST && p.z.abs() <= LARGEST) {
        return PolygonMoments::NOTHING;
    }
    // Cross products of differences below this are rounding: no side of the plane is meant.
    let reach = corners.iter().fold(0.0f64, |m, p| m.max(p.abs().component_max()));
    let rounding = 4.0 * f64::EPSILON * size * reach;
    let normal = match try_normalized(vector) {
        Some(n) if vector.mag() > rounding => n,
        _ => return PolygonMoments { centroid: outline_centroid(corners), ..PolygonMoments::NOTHING },
    };
    let (mut area, mut first) = (0.0, DVec3::zero());
    for w in rest.windows(2) {
        let (b, c) = (w[0] - o, w[1] - o);
        let a = 0.5 * normal.dot(b.cross(c));
        area += a;
        first += (b + c) * (a / 3.0);
    }
    let centroid = o + first / area;
    let mut m = [DVec3::zero(); 3];
    let flat = |p: DVec3| {
        let d = p - centroid;
        d - normal * normal.dot(d)
    };
    let a = flat(o);
    for w in rest.windows(2) {
        let (b, c) = (flat(w[0]), flat(w[1]));
        let part = normal.dot((b - a).cross(c - a)) / 24.0;
        let s = a + b + c;
        for (i, column) in m.iter_mut().enumerate() {
            *column += (a * a[i] + b * b[i] + c * c[i] + s * s[i]) * part;
        }
    }
    // Rounding makes the two halves differ in the last bits; keep exactly one.
    let second = DMat3::new(m[0], DVec3::new(m[0].y, m[1].y, m[1].z), DVec3::new(m[0].z, m[1].z, m[2].z));
    PolygonMoments { area, normal, centroid, second }
}

/// The centroid of the outline as a wire; the mean of the corners where it has no length either.
fn outline_centroid(corners: &[DVec3]) -> DVec3 {
    let o = corners[0];
    let (mut length, mut first, mut mean) = (0.0, DVec3::zero(), DVec3::zero());
    for (i, &p) in corners.iter().enumerate() {
        let q = corners[(i + 1) % corners.len()];
        let side = (q - p).mag();
        length += side;
        first += ((p - o) + (q - o)) * (0.5 * side);
        mean += p - o;
    }
    if length > 0.0 { o + first / length } else { o + mean / corners.len() as f64 }
}
