//! Ground from heights on a lattice.

use super::sheet::grid;
use crate::{MeshError, TriMesh};
use ultraviolet::DVec3;

/// Ground of full lengths `size` (m) along x and y, centred on the z axis, facing +z: `samples` lattice points along x and y with these
/// heights (m), row by row: entry `j samples[0] + i` is column `i` (along x), row `j` (along y), and vertex of that number. Squares are cut into triangles
/// as in [`super::grid`]. It is open: it has a front and no inside.
///
/// # Errors
/// [`MeshError::BadParameter`] for a size that is no length, for fewer than two samples along an axis, for too many triangles, for another number of
/// heights, and for a height that is not a finite number within 1e9 m, by its row and column.
pub fn height_field(size: [f64; 2], samples: [u32; 2], heights: &[f64]) -> Result<TriMesh, MeshError> {
    let bad = |reason: String| Err(MeshError::BadParameter { reason });
    let [nx, ny] = samples;
    if nx < 2 || ny < 2 {
        return bad(format!("height_field: {nx} by {ny} samples; give two or more along each axis"));
    }
    let flat = grid(size, [nx - 1, ny - 1])?;
    if heights.len() != flat.positions().len() {
        return bad(format!(
            "height_field: {} heights for {nx} by {ny} samples; give {}, row by row",
            heights.len(),
            flat.positions().len()
        ));
    }
    if let Some(k) = heights.iter().position(|h| h.is_nan() || h.abs() > MOST) {
        let (row, column) = (k / nx as usize, k % nx as usize);
        return bad(format!(
            "height_field: the height in row {row}, column {column} (from 0) is {} m; give a finite number within {MOST:e} m",
            heights[k]
        ));
    }
    let raised = flat.positions().iter().zip(heights).map(|(p, &h)| DVec3::new(p.x, p.y, h)).collect();
    TriMesh::new(raised, flat.triangles().to_vec())
}

/// The largest height (m).
const MOST: f64 = 1e9;
