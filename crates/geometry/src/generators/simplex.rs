//! The regular tetrahedron.

use super::check;
use crate::{MeshError, TriMesh};
use ultraviolet::DVec3;

/// A regular tetrahedron of the given edge length (m), centred on its centroid; its corners are alternate
/// corners of a cube with faces along the axes. Volume `edge³/(6√2)`.
///
/// # Errors
/// [`MeshError::BadParameter`] for an edge that is no length.
pub fn tetrahedron(edge: f64) -> Result<TriMesh, MeshError> {
    check::length("tetrahedron", "edge", edge)?;
    // The cube's face diagonal is the edge.
    let h = edge * std::f64::consts::FRAC_1_SQRT_2 * 0.5;
    let positions =
        vec![DVec3::new(h, h, h), DVec3::new(h, -h, -h), DVec3::new(-h, h, -h), DVec3::new(-h, -h, h)];
    TriMesh::new(positions, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
}
