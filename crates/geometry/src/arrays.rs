//! The same functions for plain arrays: `[f64; 3]` in, for users of another maths crate.
//!
//! Each is named like the one it calls and gives its bits; the answers hold `DVec3`, which converts back with
//! `.into()`. Slices go through [`vectors`] at no cost. Meshes take arrays by [`crate::TriMesh::from_arrays`] and [`crate::TetMesh::from_arrays`].

use crate::{ClosestBetweenSegments, ClosestOnSegment, ClosestPoint, PolygonMoments};
#[cfg(feature = "tets")]
use std::cmp::Ordering;
use ultraviolet::DVec3;

/// A slice of arrays as the slice of vectors that every kernel of the workspace takes. Nothing is copied: the two
/// have the same bytes.
///
/// ```
/// use impinge_geometry::{DVec3, arrays};
/// let points = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]];
/// assert_eq!(arrays::vectors(&points)[1], DVec3::new(3.0, 4.0, 5.0));
/// assert_eq!(arrays::arrays(arrays::vectors(&points)), points);
/// ```
#[must_use]
pub fn vectors(points: &[[f64; 3]]) -> &[DVec3] {
    bytemuck::cast_slice(points)
}

/// The same for writing: a kernel's output lands in the caller's arrays.
pub fn vectors_mut(points: &mut [[f64; 3]]) -> &mut [DVec3] {
    bytemuck::cast_slice_mut(points)
}

/// And back.
#[must_use]
pub fn arrays(vectors: &[DVec3]) -> &[[f64; 3]] {
    bytemuck::cast_slice(vectors)
}

/// [`crate::closest_on_triangle`].
#[must_use]
pub fn closest_on_triangle(p: [f64; 3], triangle: [[f64; 3]; 3]) -> ClosestPoint {
    crate::closest_on_triangle(p.into(), triangle.map(DVec3::from))
}

/// [`crate::closest_on_segment`].
#[must_use]
pub fn closest_on_segment(p: [f64; 3], segment: [[f64; 3]; 2]) -> ClosestOnSegment {
    crate::closest_on_segment(p.into(), segment.map(DVec3::from))
}

/// [`crate::closest_between_segments`].
#[must_use]
pub fn closest_between_segments(a: [[f64; 3]; 2], b: [[f64; 3]; 2]) -> ClosestBetweenSegments {
    crate::closest_between_segments(a.map(DVec3::from), b.map(DVec3::from))
}

/// [`crate::triangle_area`].
#[must_use]
pub fn triangle_area(corners: [[f64; 3]; 3]) -> f64 {
    crate::triangle_area(corners.map(DVec3::from))
}

/// [`crate::triangle_normal`].
#[must_use]
pub fn triangle_normal(corners: [[f64; 3]; 3]) -> Option<[f64; 3]> {
    crate::triangle_normal(corners.map(DVec3::from)).map(Into::into)
}

/// [`crate::polygon_moments`]. Copies the corners, as the only one of these functions that allocates.
#[must_use]
pub fn polygon_moments(corners: &[[f64; 3]]) -> PolygonMoments {
    let corners: Vec<DVec3> = corners.iter().map(|&p| DVec3::from(p)).collect();
    crate::polygon_moments(&corners)
}

/// [`crate::tet_volume`].
#[cfg(feature = "tets")]
#[must_use]
pub fn tet_volume(corners: [[f64; 3]; 4]) -> f64 {
    crate::tet_volume(corners.map(DVec3::from))
}

/// [`crate::tet_orientation`].
#[cfg(feature = "tets")]
#[must_use]
pub fn tet_orientation(corners: [[f64; 3]; 4]) -> Ordering {
    crate::tet_orientation(corners.map(DVec3::from))
}
