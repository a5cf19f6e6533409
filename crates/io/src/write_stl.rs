//! Binary STL out: 32-bit floats and no indices, as the format has it.

use crate::WriteError;
use crate::checked::{checked, checked_to};
use impinge_geometry::{DVec3, TriMesh};
use std::io::{self, Write};
use std::path::Path;

/// Writes a mesh as a binary STL file. Coordinates are rounded to 32-bit floats, vertices that no triangle names are
/// lost; [`stl_rounding`] says how far that moves the rest.
///
/// # Errors
/// [`WriteError::BadData`] for a coordinate beyond 32-bit floats or more triangles than 32 bits count;
/// [`WriteError::Io`] naming the file.
pub fn write_stl(path: impl AsRef<Path>, mesh: &TriMesh) -> Result<(), WriteError> {
    checked(path.as_ref(), check(mesh), |out| fill(out, mesh))
}

/// Writes a mesh as binary STL to any writer; buffers by itself.
///
/// # Errors
/// What the writer says, or [`io::ErrorKind::InvalidInput`] for what [`write_stl`] refuses.
pub fn write_stl_to(writer: impl Write, mesh: &TriMesh) -> io::Result<()> {
    checked_to(writer, check(mesh), |out| fill(out, mesh))
}

/// The farthest that a coordinate moves when it is rounded to the 32-bit floats of STL (m).
#[must_use]
pub fn stl_rounding(mesh: &TriMesh) -> f64 {
    let moved = |x: f64| (x - f64::from(x as f32)).abs();
    mesh.positions().iter().fold(0.0, |most, p| most.max(moved(p.x)).max(moved(p.y)).max(moved(p.z)))
}

fn check(mesh: &TriMesh) -> Result<(), String> {
    let fits = |p: &DVec3| [p.x, p.y, p.z].iter().all(|&x| (x as f32).is_finite());
    match mesh.positions().iter().position(|p| !fits(p)) {
        None => Ok(()),
        Some(v) => Err(format!(
            "vertex {v} is beyond the 32-bit floats of STL (3.4e38); scale the mesh, or write .ply"
        )),
    }
}

fn fill(out: &mut impl Write, mesh: &TriMesh) -> io::Result<()> {
    // Not beginning with `solid`, which some readers take for text.
    let mut header = [b' '; 80];
    header[..14].copy_from_slice(b"impinge metres");
    out.write_all(&header)?;
    // A mesh has fewer triangles than 2³².
    out.write_all(&(mesh.triangles().len() as u32).to_le_bytes())?;
    for t in 0..mesh.triangles().len() {
        let corners = mesh.corners(t);
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a);
        let length = normal.mag();
        let normal = if length > 0.0 && length.is_finite() { normal / length } else { DVec3::zero() };
        for p in [normal, a, b, c] {
            for x in [p.x, p.y, p.z] {
                out.write_all(&(x as f32).to_le_bytes())?;
            }
        }
        out.write_all(&[0, 0])?;
    }
    Ok(())
}
