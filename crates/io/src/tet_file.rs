//! What a file of tetrahedra holds, and the door to it.

use crate::problem::{FormatProblem, Place};
use crate::read::{SUPPORTED_TET_EXTENSIONS, extension, unsupported};
use crate::{ReadError, ReadOptions, read_msh, read_vtk, read_vtu};
use impinge_geometry::{DVec3, TetMesh, tet_orientation};
use std::cmp::Ordering;
use std::path::Path;

/// Numbers at the vertices, as the file has them: neither scaled nor turned by [`ReadOptions`], because a file
/// does not say what their unit is or whether they are vectors in space. They may be NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct DataArray {
    /// The name in the file.
    pub name: String,
    /// Numbers per vertex: 1 for a scalar, 3 for a vector.
    pub components: usize,
    /// The numbers, those of one vertex after another.
    pub values: Vec<f64>,
}

/// The arrays of a file. Indices are in range and positions finite; the order of corners is the file's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetFile {
    /// Vertices (m), in the order of the file, used or not.
    pub positions: Vec<DVec3>,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Where each tetrahedron stands in the file: a line or a byte. Empty for formats that keep the corners of all cells
    /// in one array.
    pub tet_places: Vec<Place>,
    /// Triangles beside the tetrahedra, mostly their surface; polygons are cut.
    pub triangles: Vec<[u32; 3]>,
    /// Named numbers at the vertices, such as a pressure field.
    pub point_data: Vec<DataArray>,
}

impl TetFile {
    /// The numbers of a scalar at the vertices, such as a pressure field.
    ///
    /// # Errors
    /// Why not, and what to do: no such array (those there are listed) or several, not one number per vertex, or a number
    /// that is NaN or infinite.
    pub fn scalar(&self, name: &str) -> Result<&[f64], String> {
        let mut named = self.point_data.iter().filter(|a| a.name == name);
        let Some(array) = named.next() else {
            let known: Vec<_> = self.point_data.iter().map(|a| format!("`{}`", a.name)).collect();
            return Err(match known.is_empty() {
                true => format!("no point data `{name}`: the file has none; export the field with the mesh"),
                false => format!("no point data `{name}`; the file has {}", known.join(", ")),
            });
        };
        if named.next().is_some() {
            return Err(format!("point data `{name}` is there more than once; export one step of one field"));
        }
        if array.components != 1 {
            return Err(format!("point data `{name}` has {} numbers per vertex, 1 needed", array.components));
        }
        match array.values.iter().position(|v| !v.is_finite()) {
            None => Ok(&array.values),
            Some(i) => {
                Err(format!("point data `{name}` is {} at vertex {i}; repair the export", array.values[i]))
            }
        }
    }
}

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

/// Refuses a file without any cell that is kept.
pub(crate) fn not_empty(name: &str, file: TetFile) -> Result<TetFile, ReadError> {
    if file.tets.is_empty() && file.triangles.is_empty() {
        return Err(ReadError::Empty {
            file: name.into(),
            found: format!("{} vertices, no tetrahedra and no triangles", file.positions.len()),
            fix: "export volume or surface cells with the vertices",
        });
    }
    Ok(file)
}
