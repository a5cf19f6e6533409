//! Gmsh MSH out: version 2.2, ascii, which every reader of MSH takes.

use crate::checked::{checked, checked_to};
use crate::write_vtu::{cell_count, check_grid};
use crate::{Field, Grid, WriteError};
use std::io::{self, Write};
use std::path::Path;

/// Writes a grid as a Gmsh file: elements in the order triangles, tetrahedra, vertices, and the data at the points.
/// Triangles belong to surface 1, tetrahedra to volume 1.
///
/// # Errors
/// As [`write_vtu`](crate::write_vtu), and [`WriteError::BadData`] for what Gmsh has no place for: data of cells, and
/// data of other than 1, 3 or 9 numbers per point.
pub fn write_msh(path: impl AsRef<Path>, grid: &Grid) -> Result<(), WriteError> {
    checked(path.as_ref(), check(grid), |out| fill(out, grid))
}

/// Writes a grid as Gmsh MSH to any writer; buffers by itself.
///
/// # Errors
/// What the writer says, or [`io::ErrorKind::InvalidInput`] for what [`write_msh`] refuses.
pub fn write_msh_to(writer: impl Write, grid: &Grid) -> io::Result<()> {
    checked_to(writer, check(grid), |out| fill(out, grid))
}

fn check(grid: &Grid) -> Result<(), String> {
    check_grid(grid)?;
    let of_cells =
        grid.cell_data.iter().map(|f| f.name).chain(grid.cell_numbers.iter().map(|f| f.name)).next();
    if let Some(name) = of_cells {
        return Err(format!("field `{name}` of the cells has no place in .msh; write .vtu"));
    }
    match grid.point_data.iter().find(|f| ![1, 3, 9].contains(&f.components) || f.name.contains('"')) {
        None => Ok(()),
        Some(f) => Err(format!(
            "field `{}` has {} numbers per point; .msh takes 1, 3 or 9, and names without quotes: write .vtu",
            f.name, f.components
        )),
    }
}

fn fill(out: &mut impl Write, grid: &Grid) -> io::Result<()> {
    writeln!(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}", grid.positions.len())?;
    for (p, tag) in grid.positions.iter().zip(1u64..) {
        writeln!(out, "{tag} {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    writeln!(out, "$EndNodes\n$Elements\n{}", cell_count(grid))?;
    let mut tag = 0u64;
    let mut element = |kind: u8, corners: &[u32]| -> io::Result<()> {
        tag += 1;
        write!(out, "{tag} {kind} 2 1 1")?;
        for &v in corners {
            write!(out, " {}", u64::from(v) + 1)?;
        }
        writeln!(out)
    };
    grid.triangles.iter().try_for_each(|t| element(2, t))?;
    grid.tets.iter().try_for_each(|t| element(4, t))?;
    grid.vertices.iter().try_for_each(|&v| element(15, &[v]))?;
    writeln!(out, "$EndElements")?;
    grid.point_data.iter().try_for_each(|f| data(out, f, grid.positions.len()))
}

fn data(out: &mut impl Write, field: &Field, count: usize) -> io::Result<()> {
    writeln!(out, "$NodeData\n1\n\"{}\"\n1\n0.0\n3\n0\n{}\n{count}", field.name, field.components)?;
    for (row, tag) in field.values.chunks(field.components).zip(1u64..) {
        write!(out, "{tag}")?;
        for x in row {
            write!(out, " {x:?}")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "$EndNodeData")
}
