//! Wavefront OBJ out: positions and triangles, nothing else.

use crate::WriteError;
use impinge_geometry::TriMesh;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a mesh as an OBJ file, replacing what was there. Coordinates are written with the fewest digits that
/// read back as the same bits; unused vertices are kept, so that the mesh reads back equal.
///
/// # Errors
/// [`WriteError::Io`] naming the file.
pub fn write_obj(path: impl AsRef<Path>, mesh: &TriMesh) -> Result<(), WriteError> {
    let path = path.as_ref();
    File::create(path)
        .and_then(|f| write_obj_to(f, mesh))
        .map_err(|source| WriteError::Io { file: path.display().to_string(), source })
}

/// Writes a mesh as OBJ text to any writer; buffers by itself.
///
/// # Errors
/// What the writer says.
pub fn write_obj_to(writer: impl Write, mesh: &TriMesh) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, writer);
    writeln!(out, "# impinge: {} vertices, {} triangles", mesh.positions().len(), mesh.triangles().len())?;
    for p in mesh.positions() {
        // `{:?}` is the shortest exact form and falls back to an exponent for very large and small numbers.
        writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for &[a, b, c] in mesh.triangles() {
        writeln!(out, "f {} {} {}", u64::from(a) + 1, u64::from(b) + 1, u64::from(c) + 1)?;
    }
    out.flush()
}
