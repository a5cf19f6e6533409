//! Legacy VTK out: version 3.0, ascii, an unstructured grid with the fewest digits that read back as the same bits.

use crate::checked::{checked, checked_to};
use crate::write_vtu::{cell_count, check_grid};
use crate::{Field, Grid, Numbers, WriteError};
use std::io::{self, Write};
use std::path::Path;

/// Writes a grid as a legacy VTK file: cells in the order triangles, tetrahedra, vertices, and all data.
///
/// # Errors
/// As [`write_vtu`](crate::write_vtu).
pub fn write_vtk(path: impl AsRef<Path>, grid: &Grid) -> Result<(), WriteError> {
    checked(path.as_ref(), check_grid(grid), |out| fill(out, grid))
}

/// Writes a grid as legacy VTK to any writer; buffers by itself.
///
/// # Errors
/// What the writer says, or [`io::ErrorKind::InvalidInput`] for what [`write_vtk`] refuses.
pub fn write_vtk_to(writer: impl Write, grid: &Grid) -> io::Result<()> {
    checked_to(writer, check_grid(grid), |out| fill(out, grid))
}

fn fill(out: &mut impl Write, grid: &Grid) -> io::Result<()> {
    writeln!(out, "# vtk DataFile Version 3.0\nimpinge, metres\nASCII\nDATASET UNSTRUCTURED_GRID")?;
    writeln!(out, "POINTS {} double", grid.positions.len())?;
    for p in grid.positions {
        writeln!(out, "{:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    let cells = cell_count(grid);
    writeln!(
        out,
        "CELLS {cells} {}",
        4 * grid.triangles.len() + 5 * grid.tets.len() + 2 * grid.vertices.len()
    )?;
    for [a, b, c] in grid.triangles {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    for [a, b, c, d] in grid.tets {
        writeln!(out, "4 {a} {b} {c} {d}")?;
    }
    for v in grid.vertices {
        writeln!(out, "1 {v}")?;
    }
    writeln!(out, "CELL_TYPES {cells}")?;
    for (count, kind) in [(grid.triangles.len(), 5), (grid.tets.len(), 10), (grid.vertices.len(), 1)] {
        for _ in 0..count {
            writeln!(out, "{kind}")?;
        }
    }
    data(out, "POINT_DATA", grid.positions.len(), grid.point_data, &[])?;
    data(out, "CELL_DATA", cells, grid.cell_data, grid.cell_numbers)
}

fn data(
    out: &mut impl Write,
    section: &str,
    count: usize,
    fields: &[Field],
    numbers: &[Numbers],
) -> io::Result<()> {
    if fields.is_empty() && numbers.is_empty() {
        return Ok(());
    }
    writeln!(out, "{section} {count}\nFIELD FieldData {}", fields.len() + numbers.len())?;
    for f in fields {
        writeln!(out, "{} {} {count} double", coded(f.name), f.components)?;
        rows(out, f.values, f.components)?;
    }
    for f in numbers {
        writeln!(out, "{} {} {count} int", coded(f.name), f.components)?;
        rows(out, f.values, f.components)?;
    }
    Ok(())
}

fn rows(out: &mut impl Write, values: &[impl std::fmt::Debug], components: usize) -> io::Result<()> {
    for row in values.chunks(components) {
        let words: Vec<String> = row.iter().map(|x| format!("{x:?}")).collect();
        writeln!(out, "{}", words.join(" "))?;
    }
    Ok(())
}

/// A name as one word: what a reader would take for the end of it stands as its percent code.
fn coded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for &b in name.as_bytes() {
        match b {
            b'!'..=b'~' if b != b'%' && b != b'"' => out.push(b as char),
            _ => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}
