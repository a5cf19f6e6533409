//! Flat outlines given a thickness along z: wedge, L and T.

use super::check;
use crate::{MeshError, TriMesh};
use ultraviolet::DVec3;

/// A wedge: the right triangle with legs `size.x` along x and `size.y` along y, its right angle at the lower
/// x and y, `size.z` thick. Volume `size.x size.y size.z / 2`.
///
/// # Errors
/// [`MeshError::BadParameter`] for a size that is no length.
pub fn wedge(size: DVec3) -> Result<TriMesh, MeshError> {
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        check::length("wedge", &format!("size along {axis}"), size[i])?;
    }
    extrude(&[[0.0, 0.0], [size.x, 0.0], [0.0, size.y]], &[[0, 1, 2]], size.z)
}

/// An L: a foot along x and a leg along y of full lengths `size.x` and `size.y`, both `arm` wide, `size.z`
/// thick. Not convex.
///
/// # Errors
/// [`MeshError::BadParameter`] for parameters that are no lengths, or an arm as wide as the L.
pub fn l_shape(size: DVec3, arm: f64) -> Result<TriMesh, MeshError> {
    let shape = "l_shape";
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        check::length(shape, &format!("size along {axis}"), size[i])?;
    }
    check::length(shape, "arm", arm)?;
    check::smaller(shape, ("arm", arm), ("size along x", size.x))?;
    check::smaller(shape, ("arm", arm), ("size along y", size.y))?;
    let outline = [[0.0, 0.0], [size.x, 0.0], [size.x, arm], [arm, arm], [arm, size.y], [0.0, size.y]];
    extrude(&outline, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], size.z)
}

/// A T-handle, the body that flips when it turns about its middle axis: a bar of full length `bar[0]` along x
/// and width `bar[1]` along y, and a stem of width `stem[0]` along x and length `stem[1]` below it, all
/// `thickness` along z. One closed surface without inner walls, not convex.
///
/// # Errors
/// [`MeshError::BadParameter`] for parameters that are no lengths, or a stem as wide as the bar is long.
pub fn t_handle(bar: [f64; 2], stem: [f64; 2], thickness: f64) -> Result<TriMesh, MeshError> {
    let shape = "t_handle";
    for (name, value) in [
        ("bar length", bar[0]),
        ("bar width", bar[1]),
        ("stem width", stem[0]),
        ("stem length", stem[1]),
        ("thickness", thickness),
    ] {
        check::length(shape, name, value)?;
    }
    check::smaller(shape, ("stem width", stem[0]), ("bar length", bar[0]))?;
    let (b, s, low, high) = (0.5 * bar[0], 0.5 * stem[0], -stem[1], bar[1]);
    let outline = [[-s, low], [s, low], [s, 0.0], [b, 0.0], [b, high], [-b, high], [-b, 0.0], [-s, 0.0]];
    extrude(&outline, &[[0, 1, 2], [0, 2, 7], [2, 3, 4], [2, 4, 5], [2, 5, 7], [5, 6, 7]], thickness)
}

/// A prism over a counter-clockwise outline whose cap is triangulated by `cap`, centred on its bounding box.
fn extrude(outline: &[[f64; 2]], cap: &[[u32; 3]], thickness: f64) -> Result<TriMesh, MeshError> {
    let n = outline.len() as u32;
    let middle = |i: usize| {
        let (lo, hi) = outline
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| (lo.min(p[i]), hi.max(p[i])));
        0.5 * (lo + hi)
    };
    let (cx, cy, h) = (middle(0), middle(1), 0.5 * thickness);
    let mut positions = Vec::with_capacity(2 * outline.len());
    for z in [-h, h] {
        positions.extend(outline.iter().map(|p| DVec3::new(p[0] - cx, p[1] - cy, z)));
    }
    let mut triangles = Vec::new();
    for &[a, b, c] in cap {
        triangles.extend([[a, c, b], [a + n, b + n, c + n]]);
    }
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, j + n], [i, j + n, i + n]]);
    }
    TriMesh::new(positions, triangles)
}
