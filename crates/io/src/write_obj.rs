//! Wavefront OBJ out: positions and triangles, nothing else.

use crate::WriteError;
use crate::checked::{checked, checked_to};
use impinge_geometry::TriMesh;
use std::io::{self, Write};
use std::path::Path;

/// Writes a mesh as an OBJ file. Coordinates are written with the fewest digits that read back as the same bits;
/// unused vertices are kept, so that the mesh reads back equal.
///
/// # Errors
/// [`WriteError::Io`] naming the file.
pub fn write_obj(path: impl AsRef<Path>, mesh: &TriMesh) -> Result<(), WriteError> {
    checked(path.as_ref(), Ok(()), |out| fill(out, mesh))
}

/// Writes a mesh as OBJ text to any writer; buffers by itself.
///
/// # Errors
/// What the writer says.
pub fn write_obj_to(writer: impl Write, mesh: &TriMesh) -> io::Result<()> {
    checked_to(writer, Ok(()), |out| fill(out, mesh))
}

fn fill(out: &mut impl Write, mesh: &TriMesh) -> io::Result<()> {
    writeln!(out, "# impinge: {} vertices, {} triangles", mesh.positions().len(), mesh.triangles().len())?;
    for p in mesh.positions() {
        // `{:?}` is the shortest exact form and falls back to an exponent for very large and small numbers.
        writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for &[a, b, c] in mesh.triangles() {
        writeln!(out, "f {} {} {}", u64::from(a) + 1, u64::from(b) + 1, u64::from(c) + 1)?;
    }
    Ok(())
}
