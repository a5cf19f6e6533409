//! Area and normal of one triangle.

use crate::try_normalized;
use ultraviolet::DVec3;

/// Half the cross product of two sides: points to the side from which the corners run counter-clockwise, and
/// its length is the area (m²).
#[must_use]
pub fn triangle_area_vector([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a) * 0.5
}

/// The area (m²); zero for a collapsed triangle, infinite where it is larger than a number can be.
#[must_use]
pub fn triangle_area(corners: [DVec3; 3]) -> f64 {
    let area = triangle_area_vector(corners).mag();
    // Products that overflow to either side make a NaN of corners that have none.
    if area.is_nan() && corners.iter().all(|&c| crate::is_finite(c)) { f64::INFINITY } else { area }
}

/// The unit normal on the counter-clockwise side, or `None` where the triangle has no area.
#[must_use]
pub fn triangle_normal(corners: [DVec3; 3]) -> Option<DVec3> {
    try_normalized(triangle_area_vector(corners))
}
