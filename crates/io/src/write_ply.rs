//! PLY out: binary, little-endian, 64-bit floats.

use crate::WriteError;
use crate::checked::{checked, checked_to};
use impinge_geometry::TriMesh;
use std::io::{self, Write};
use std::path::Path;

/// Writes a mesh as a binary PLY file, which reads back equal.
///
/// # Errors
/// [`WriteError::Io`] naming the file.
pub fn write_ply(path: impl AsRef<Path>, mesh: &TriMesh) -> Result<(), WriteError> {
    checked(path.as_ref(), Ok(()), |out| fill(out, mesh))
}

/// Writes a mesh as binary PLY to any writer; buffers by itself.
///
/// # Errors
/// What the writer says.
pub fn write_ply_to(writer: impl Write, mesh: &TriMesh) -> io::Result<()> {
    checked_to(writer, Ok(()), |out| fill(out, mesh))
}

fn fill(out: &mut impl Write, mesh: &TriMesh) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0\ncomment impinge, metres")?;
    writeln!(out, "element vertex {}", mesh.positions().len())?;
    writeln!(out, "property double x\nproperty double y\nproperty double z")?;
    writeln!(out, "element face {}", mesh.triangles().len())?;
    writeln!(out, "property list uchar uint vertex_indices\nend_header")?;
    for p in mesh.positions() {
        for x in [p.x, p.y, p.z] {
            out.write_all(&x.to_le_bytes())?;
        }
    }
    for t in mesh.triangles() {
        out.write_all(&[3])?;
        for i in t {
            out.write_all(&i.to_le_bytes())?;
        }
    }
    Ok(())
}
