//! Flat open sheets, as cloth or as a patch of ground.

use super::{check, rings};
use crate::{MeshError, TriMesh};
use ultraviolet::DVec3;

/// A rectangle of full lengths `size` (m) in the plane z = 0, centred on the origin, facing +z, with
/// `segments` quads along x and y and a checkerboard of diagonals. It is open: it has no inside.
///
/// Vertex `j (segments[0] + 1) + i` is column `i`, row `j`.
///
/// # Errors
/// [`MeshError::BadParameter`] for a size that is no length, for zero segments, and for too many triangles.
pub fn grid(size: [f64; 2], segments: [u32; 2]) -> Result<TriMesh, MeshError> {
    for (i, axis) in ["x", "y"].into_iter().enumerate() {
        check::length("grid", &format!("size along {axis}"), size[i])?;
        check::count("grid", &format!("segments along {axis}"), segments[i], 1, 8192)?;
    }
    let [nx, ny] = segments;
    check::triangles("grid", "segments", 2.0 * f64::from(nx) * f64::from(ny))?;
    let at = |i: u32, n: u32, length: f64| length * (f64::from(2 * i) - f64::from(n)) / (2.0 * f64::from(n));
    let positions = (0..=ny)
        .flat_map(|j| (0..=nx).map(move |i| DVec3::new(at(i, nx, size[0]), at(j, ny, size[1]), 0.0)))
        .collect();
    let mut triangles = Vec::with_capacity(2 * nx as usize * ny as usize);
    for j in 0..ny {
        for i in 0..nx {
            let a = j * (nx + 1) + i;
            let mut quad = [a, a + 1, a + nx + 2, a + nx + 1];
            if (i + j) % 2 == 1 {
                quad.rotate_left(1);
            }
            let [a, b, c, d] = quad;
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriMesh::new(positions, triangles)
}

/// A disc of the given radius (m) in the plane z = 0 around the origin, facing +z: `rings` circles of 6, 12, 18 …
/// vertices around a middle vertex, near-equal triangles. It is open: it has no inside.
///
/// # Errors
/// [`MeshError::BadParameter`] for a radius that is no length, and for no ring or more than 2048.
pub fn disc(radius: f64, rings: u32) -> Result<TriMesh, MeshError> {
    check::length("disc", "radius", radius)?;
    check::count("disc", "rings", rings, 1, 2048)?;
    let positions = rings::points(rings).map(|[x, y]| DVec3::new(radius * x, radius * y, 0.0)).collect();
    TriMesh::new(positions, rings::triangles(rings))
}
