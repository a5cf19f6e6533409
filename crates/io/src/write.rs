//! One door for every format that is written: the extension decides. A file appears whole or not at all.

use crate::read::extension;
use crate::{Grid, WriteError, write_msh, write_obj, write_ply, write_stl, write_vtk, write_vtu};
use impinge_geometry::{TetMesh, TriMesh};
use std::path::Path;

/// The extensions [`write_mesh`] knows, in lower case; a file's case does not matter.
pub const WRITTEN_EXTENSIONS: &[&str] = &["obj", "stl", "ply", "vtk", "vtu", "msh"];

/// The extensions [`write_tets`] knows.
pub const WRITTEN_TET_EXTENSIONS: &[&str] = &["vtk", "vtu", "msh"];

/// Whether [`write_mesh`], or [`write_tets`], knows the extension: to be asked before long work.
///
/// # Errors
/// [`WriteError::Unsupported`], listing the extensions that are known.
pub fn can_write(path: impl AsRef<Path>, tets: bool) -> Result<(), WriteError> {
    let path = path.as_ref();
    let known = if tets { WRITTEN_TET_EXTENSIONS } else { WRITTEN_EXTENSIONS };
    let found = match extension(path) {
        Some(e) if known.contains(&&e[..]) => return Ok(()),
        Some(e) if WRITTEN_EXTENSIONS.contains(&&e[..]) => format!("`.{e}` holds no tetrahedra"),
        Some(e) => format!("extension `.{e}` is not known"),
        None => "it has no extension".into(),
    };
    let supported = known.iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(", ");
    Err(WriteError::Unsupported { file: path.display().to_string(), found, supported })
}

/// Writes a surface in the format its extension names. What is written reads back with the same bits; STL alone
/// keeps 32-bit floats and no indices.
///
/// # Errors
/// [`WriteError`] naming the file: the extension is not known, the format cannot hold the mesh, or the file cannot
/// be written.
pub fn write_mesh(path: impl AsRef<Path>, mesh: &TriMesh) -> Result<(), WriteError> {
    let path = path.as_ref();
    can_write(path, false)?;
    match extension(path).as_deref() {
        Some("obj") => write_obj(path, mesh),
        Some("stl") => write_stl(path, mesh),
        Some("ply") => write_ply(path, mesh),
        _ => write_grid(path, &Grid::from(mesh)),
    }
}

/// Writes a tetrahedral mesh in the format its extension names. What is written reads back with the same bits.
///
/// # Errors
/// As [`write_mesh`].
pub fn write_tets(path: impl AsRef<Path>, mesh: &TetMesh) -> Result<(), WriteError> {
    let path = path.as_ref();
    can_write(path, true)?;
    write_grid(path, &Grid::from(mesh))
}

fn write_grid(path: &Path, grid: &Grid) -> Result<(), WriteError> {
    match extension(path).as_deref() {
        Some("vtk") => write_vtk(path, grid),
        Some("msh") => write_msh(path, grid),
        _ => write_vtu(path, grid),
    }
}
