//! VTU out: appended raw, little-endian, Int64 connectivity and offsets, UInt64 lengths, 64-bit floats, Int32 for other whole numbers.
//! No words: meshio and VTK before 9.1 refuse a file with an array of them.
//!
//! ```text
//! <VTKFile> ... <DataArray offset="o"/> ... <AppendedData encoding="raw"> _ [length|numbers] [length|numbers] ...
//!                            o counts from the byte after the underscore ─────┘
//! ```
//!
//! Cells stand in the order triangles, tetrahedra, vertices; cell data follow it.

use crate::WriteError;
use crate::checked::{checked, checked_to};
use crate::xml::escaped;
use impinge_geometry::{DVec3, TetMesh, TriMesh};
use std::io::{self, Write};
use std::path::Path;

/// Named numbers at the points or cells of a grid that is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The name shown in the viewer.
    pub name: &'a str,
    /// Numbers per point or cell: 1 for a scalar, 3 for a vector.
    pub components: usize,
    /// The numbers, those of one point or cell after another.
    pub values: &'a [f64],
}

/// Named whole numbers at the cells of a grid that is to be written, for instance which body a cell is of.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a> {
    /// The name shown in the viewer.
    pub name: &'a str,
    /// Numbers per cell.
    pub components: usize,
    /// The numbers, those of one cell after another.
    pub values: &'a [i32],
}

/// An unstructured grid to be written; every part may be empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid<'a> {
    /// Points (m).
    pub positions: &'a [DVec3],
    /// Triangles: the first cells.
    pub triangles: &'a [[u32; 3]],
    /// Tetrahedra: the cells after the triangles.
    pub tets: &'a [[u32; 4]],
    /// Points to be seen as such, for instance contacts: the last cells.
    pub vertices: &'a [u32],
    /// Numbers at the points.
    pub point_data: &'a [Field<'a>],
    /// Numbers at the cells: of the triangles, then the tetrahedra, then the vertices.
    pub cell_data: &'a [Field<'a>],
    /// Whole numbers at the cells, in the same order.
    pub cell_numbers: &'a [Numbers<'a>],
}

impl<'a> From<&'a TriMesh> for Grid<'a> {
    fn from(mesh: &'a TriMesh) -> Self {
        Self { positions: mesh.positions(), triangles: mesh.triangles(), ..Self::default() }
    }
}

impl<'a> From<&'a TetMesh> for Grid<'a> {
    fn from(mesh: &'a TetMesh) -> Self {
        Self { positions: mesh.positions(), tets: mesh.tets(), ..Self::default() }
    }
}

/// Writes a grid as a VTU file. The file appears whole or not at all.
///
/// # Errors
/// [`WriteError`] naming the file: it cannot be written, an index is out of range, or a field has another length
/// than the points or cells it is for. NaN is written as it is: a picture of a failed run is wanted too.
pub fn write_vtu(path: impl AsRef<Path>, grid: &Grid) -> Result<(), WriteError> {
    checked(path.as_ref(), check_grid(grid), |out| fill(out, grid))
}

/// Writes a grid as VTU to any writer; buffers by itself.
///
/// # Errors
/// What the writer says, or [`io::ErrorKind::InvalidInput`] for what [`write_vtu`] refuses.
pub fn write_vtu_to(writer: impl Write, grid: &Grid) -> io::Result<()> {
    checked_to(writer, check_grid(grid), |out| fill(out, grid))
}

pub(crate) fn check_grid(grid: &Grid) -> Result<(), String> {
    let n = grid.positions.len();
    let corners = grid.triangles.iter().flatten().chain(grid.tets.iter().flatten()).chain(grid.vertices);
    if let Some(index) = corners.into_iter().find(|&&i| i as usize >= n) {
        return Err(format!("a cell names point {index}, but there are {n} points (counted from 0)"));
    }
    let real = |f: &Field| (f.name.to_string(), f.components, f.values.len());
    let whole = |f: &Numbers| (f.name.to_string(), f.components, f.values.len());
    let of_points = grid.point_data.iter().map(real).collect::<Vec<_>>();
    let of_cells = grid.cell_data.iter().map(real).chain(grid.cell_numbers.iter().map(whole)).collect();
    for (fields, count, what) in [(of_points, n, "points"), (of_cells, cell_count(grid), "cells")] {
        for (k, (name, components, length)) in fields.iter().enumerate() {
            if *components == 0 || Some(*length) != count.checked_mul(*components) {
                return Err(format!(
                    "field `{name}` has {length} numbers; {count} {what} with {components} components each need as many numbers \
                     as their product"
                ));
            }
            if name.chars().any(|c| c.is_control()) || name.is_empty() {
                return Err(format!("field name {name:?}: give it a name of printable characters"));
            }
            if fields[..k].iter().any(|f| f.0 == *name) {
                return Err(format!("two fields of the {what} are called `{name}`; give each its own name"));
            }
        }
    }
    Ok(())
}

pub(crate) fn cell_count(grid: &Grid) -> usize {
    grid.triangles.len() + grid.tets.len() + grid.vertices.len()
}

/// Writes the `<DataArray>` tags and keeps count of where their blocks will begin.
struct Tags<'a, W> {
    out: &'a mut W,
    offset: u64,
}

impl<W: Write> Tags<'_, W> {
    fn array(&mut self, name: &str, kind: &str, components: usize, bytes: u64) -> io::Result<()> {
        writeln!(
            self.out,
            r#"        <DataArray type="{kind}" Name="{}" NumberOfComponents="{components}" format="appended" offset="{}"/>"#,
            escaped(name),
            self.offset
        )?;
        self.offset += 8 + bytes;
        Ok(())
    }

    fn fields(&mut self, tag: &str, fields: &[Field], numbers: &[Numbers]) -> io::Result<()> {
        writeln!(self.out, "      <{tag}>")?;
        for f in fields {
            self.array(f.name, "Float64", f.components, 8 * f.values.len() as u64)?;
        }
        for f in numbers {
            self.array(f.name, "Int32", f.components, 4 * f.values.len() as u64)?;
        }
        writeln!(self.out, "      </{tag}>")
    }
}

fn fill(out: &mut impl Write, grid: &Grid) -> io::Result<()> {
    let (n, cell_count) = (grid.positions.len() as u64, cell_count(grid) as u64);
    let corners = (3 * grid.triangles.len() + 4 * grid.tets.len() + grid.vertices.len()) as u64;
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">"#
    )?;
    writeln!(out, "  <UnstructuredGrid>")?;
    writeln!(out, r#"    <Piece NumberOfPoints="{n}" NumberOfCells="{cell_count}">"#)?;
    let mut tags = Tags { out: &mut *out, offset: 0 };
    tags.fields("PointData", grid.point_data, &[])?;
    tags.fields("CellData", grid.cell_data, grid.cell_numbers)?;
    writeln!(tags.out, "      <Points>")?;
    tags.array("Points", "Float64", 3, 24 * n)?;
    writeln!(tags.out, "      </Points>\n      <Cells>")?;
    tags.array("connectivity", "Int64", 1, 8 * corners)?;
    tags.array("offsets", "Int64", 1, 8 * cell_count)?;
    tags.array("types", "UInt8", 1, cell_count)?;
    write!(
        tags.out,
        "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _"
    )?;

    // The blocks, in the order of the tags.
    for f in grid.point_data.iter().chain(grid.cell_data) {
        reals(out, f.values.len(), f.values.iter().copied())?;
    }
    for f in grid.cell_numbers {
        out.write_all(&(4 * f.values.len() as u64).to_le_bytes())?;
        for value in f.values {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    reals(out, 3 * grid.positions.len(), grid.positions.iter().flat_map(|p| [p.x, p.y, p.z]))?;
    out.write_all(&(8 * corners).to_le_bytes())?;
    let flat = grid.triangles.iter().flatten().chain(grid.tets.iter().flatten()).chain(grid.vertices);
    for &index in flat {
        out.write_all(&i64::from(index).to_le_bytes())?;
    }
    out.write_all(&(8 * cell_count).to_le_bytes())?;
    let kinds = [(grid.triangles.len(), 3, 5), (grid.tets.len(), 4, 10), (grid.vertices.len(), 1, 1)];
    let mut end = 0i64;
    for (count, size, _) in kinds {
        for _ in 0..count {
            end += size;
            out.write_all(&end.to_le_bytes())?;
        }
    }
    out.write_all(&cell_count.to_le_bytes())?;
    for (count, _, kind) in kinds {
        for _ in 0..count {
            out.write_all(&[kind])?;
        }
    }
    write!(out, "\n  </AppendedData>\n</VTKFile>\n")
}

fn reals(out: &mut impl Write, count: usize, values: impl Iterator<Item = f64>) -> io::Result<()> {
    out.write_all(&(8 * count as u64).to_le_bytes())?;
    for value in values {
        out.write_all(&value.to_le_bytes())?;
    }
    Ok(())
}
