//! What a file of tetrahedra holds.

use crate::ReadError;
use crate::problem::Place;
use impinge_geometry::DVec3;

/// Numbers at the vertices, as the file has them: neither scaled nor turned by [`crate::ReadOptions`], because a file
/// does not say what their unit is or whether they are vectors in space. They may be NaN.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TetFile {
    /// Vertices (m), in the order of the file, used or not.
    pub positions: Vec<DVec3>,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Where each tetrahedron stands in the file: a line or a byte. Fewer than there are tetrahedra, or none, where the
    /// file keeps the corners of all cells as one array of bytes.
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
