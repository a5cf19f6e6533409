//! One door for every format: the extension decides.

use crate::{ReadError, ReadOptions, read_obj};
use impinge_geometry::TriMesh;
use std::path::Path;

/// The extensions [`read_mesh`] knows, in lower case; a file's case does not matter.
pub const SUPPORTED_EXTENSIONS: &[&str] = &["obj"];

/// Reads a mesh in the format its extension names.
///
/// # Errors
/// [`ReadError::Unsupported`] for another extension, listing those that are read; otherwise as the reader of
/// the format.
pub fn read_mesh(path: impl AsRef<Path>, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    let path = path.as_ref();
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("obj") => read_obj(path, options),
        other => Err(ReadError::Unsupported {
            file: path.display().to_string(),
            found: other.map_or("it has no extension".into(), |e| format!("extension `.{e}` is not known")),
            supported: SUPPORTED_EXTENSIONS.iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(", "),
        }),
    }
}
