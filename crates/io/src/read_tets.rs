//! One door for every format of tetrahedra: the extension decides.

use crate::problem::{FormatProblem, Place};
use crate::read::{SUPPORTED_TET_EXTENSIONS, extension, unsupported};
use crate::{ReadError, ReadOptions, TetFile, read_msh, read_vtk, read_vtu};
use impinge_geometry::{TetMesh, tet_orientation};
use std::cmp::Ordering;
use std::path::Path;

/// Reads the arrays of a file of tetrahedra in the format its extension names: `.vtk`, `.vtu` or `.msh`.
///
/// # Errors
/// [`ReadError::Unsupported`] for another extension; otherwise as the reader of the format.
pub fn read_tet_file(path: impl AsRef<Path>, options: &ReadOptions) -> Result<TetFile, ReadError> {
    let path = path.as_ref();
    match extension(path).as_deref() {
        Some("vtk") => read_vtk(path, options),
        Some("vtu") => read_vtu(path, options),
        Some("msh") => read_msh(path, options),
        other => Err(unsupported(path, other, SUPPORTED_TET_EXTENSIONS)),
    }
}

/// Reads a tetrahedral mesh; triangles and data beside it are left aside. Every tetrahedron is there once and has a
/// positive volume; [`read_tet_file`] reads meshes that are not so, to look at them or to mend them.
///
/// # Errors
/// As [`read_tet_file`]; when the file has no tetrahedra; the first one that is inside out, flat or there twice, with
/// its line or byte.
pub fn read_tets(path: impl AsRef<Path>, options: &ReadOptions) -> Result<TetMesh, ReadError> {
    let file = path.as_ref().display().to_string();
    let found = read_tet_file(path, options)?;
    if found.tets.is_empty() {
        return Err(ReadError::Empty {
            file,
            found: format!("{} triangles and no tetrahedra", found.triangles.len()),
            fix: "fill the surface with tetrahedra first, and export volume cells",
        });
    }
    let places = found.tet_places;
    let mesh = TetMesh::new(found.positions, found.tets)
        .map_err(|source| ReadError::Mesh { file: file.clone(), source })?;
    match first_bad(&mesh, &places) {
        None => Ok(mesh),
        Some((tet, what)) => {
            let problem = FormatProblem::Invalid {
                what,
                fix: "`impinge mesh FILE --repair … --out NEW` mends it, or mesh the solid again",
            };
            Err(match places.get(tet) {
                Some(&place) => ReadError::Content { file, place, problem },
                None => ReadError::Empty {
                    file,
                    found: problem.to_string(),
                    fix: "the number counts from 0 in the order of the file",
                },
            })
        }
    }
}

/// The first tetrahedron that is inside out, flat or there twice, and the words for it.
fn first_bad(mesh: &TetMesh, places: &[Place]) -> Option<(usize, String)> {
    let twice = mesh.duplicates().first().copied();
    match (mesh.first_not_positive(), twice) {
        (Some(t), twice) if twice.is_none_or(|[_, again]| t < again) => {
            let volume = mesh.volume(t);
            Some((
                t,
                match tet_orientation(mesh.corners(t)) {
                    Ordering::Equal => format!(
                        "tet {t} is flat: its four corners lie in one plane (repair: drop-degenerate)"
                    ),
                    _ => format!(
                        "tet {t} is inside out (volume {volume:.3e} m³): two of its corners are swapped (repair: orient)"
                    ),
                },
            ))
        }
        (_, Some([first, again])) => {
            let at = places.get(first).map_or(String::new(), |p| format!(" ({})", p.named()));
            Some((
                again,
                format!(
                    "tet {again} is the same as tet {first}{at}: the same tet twice (repair: drop-degenerate)"
                ),
            ))
        }
        _ => None,
    }
}
