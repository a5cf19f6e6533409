//! One door for every format: the extension decides.

use crate::{ReadError, ReadOptions, read_obj, read_ply, read_stl};
use impinge_geometry::TriMesh;
use std::path::Path;

/// The extensions [`read_mesh`] knows, in lower case; a file's case does not matter.
#[cfg(feature = "glb")]
pub const SUPPORTED_EXTENSIONS: &[&str] = &["obj", "stl", "ply", "glb", "vtk", "vtu", "msh"];
/// The extensions [`read_mesh`] knows, in lower case; a file's case does not matter.
#[cfg(not(feature = "glb"))]
pub const SUPPORTED_EXTENSIONS: &[&str] = &["obj", "stl", "ply", "vtk", "vtu", "msh"];

/// The extensions [`read_tet_file`](crate::read_tet_file) knows, in lower case.
pub const SUPPORTED_TET_EXTENSIONS: &[&str] = &["vtk", "vtu", "msh"];

/// Reads a surface in the format its extension names. A `.vtk`, `.vtu` or `.msh` file is read when it holds triangles and no
/// tetrahedra.
///
/// # Errors
/// [`ReadError::Unsupported`] for another extension, listing those that are read; otherwise as the reader of
/// the format.
pub fn read_mesh(path: impl AsRef<Path>, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    let path = path.as_ref();
    match extension(path).as_deref() {
        Some("obj") => read_obj(path, options),
        Some("stl") => read_stl(path, options),
        Some("ply") => read_ply(path, options),
        #[cfg(feature = "glb")]
        Some("glb") => crate::read_glb(path, options),
        Some("vtk" | "vtu" | "msh") => surface_of_grid(path, options),
        other => Err(unsupported(path, other, SUPPORTED_EXTENSIONS)),
    }
}

/// The triangles of a file that may also hold tetrahedra, of which triangles are only a part.
fn surface_of_grid(path: &Path, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    let file = path.display().to_string();
    let found = crate::read_tet_file(path, options)?;
    if !found.tets.is_empty() {
        return Err(ReadError::Empty {
            file,
            found: format!("{} tetrahedra, and a surface is asked for", found.tets.len()),
            fix: "write their boundary first: `impinge mesh FILE --out SURFACE.obj`",
        });
    }
    TriMesh::new(found.positions, found.triangles).map_err(|source| ReadError::Mesh { file, source })
}

/// The extension in lower case.
pub(crate) fn extension(path: &Path) -> Option<String> {
    path.extension().map(|e| e.to_string_lossy().to_lowercase())
}

/// The error for an extension that is not among those read.
pub(crate) fn unsupported(path: &Path, extension: Option<&str>, known: &[&str]) -> ReadError {
    let found = match extension {
        None => "it has no extension".into(),
        Some("gltf") => {
            "a .gltf file keeps its data in other files or as text, and is not read: export as .glb".into()
        }
        #[cfg(not(feature = "glb"))]
        Some("glb") => "this program was built without the feature `glb`".into(),
        Some(e) if SUPPORTED_EXTENSIONS.contains(&e) => {
            format!("`.{e}` holds a surface, and tetrahedra are asked for")
        }
        Some(e) => format!("extension `.{e}` is not known"),
    };
    let supported = known.iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(", ");
    ReadError::Unsupported { file: path.display().to_string(), found, supported }
}
