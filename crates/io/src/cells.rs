//! Cells of VTK files, legacy and XML: the type numbers that are kept, left aside or refused.

use crate::ReadError;
use crate::cursor::Cursor;

/// Tetrahedra and triangles as they are found.
#[derive(Default)]
pub(crate) struct Cells {
    pub tets: Vec<[u32; 4]>,
    pub triangles: Vec<[u32; 3]>,
}

/// Refuses a type of cell whose volume or surface would be lost. Points and lines have none.
pub(crate) fn check_type(c: &Cursor, kind: i64) -> Result<u8, ReadError> {
    let name = match kind {
        0..=10 => return Ok(kind as u8),
        11 => "voxels",
        12 => "hexahedra",
        13 => "wedges",
        14 => "pyramids",
        21..=37 => "cells with curved edges (quadratic), of which corners alone are another shape",
        41 | 42 => "polyhedra",
        _ => "cells of another kind",
    };
    Err(c.unsupported(
        format!("cell type {kind}: {name}"),
        "only linear tetrahedra (type 10) and flat polygons are read: mesh with linear tetrahedra, or split the \
         cells before export",
    ))
}

impl Cells {
    /// Adds cell number `cell` of a checked type. The cursor stands where an error is to be reported.
    pub fn add(&mut self, c: &Cursor, cell: usize, kind: u8, corners: &[u32]) -> Result<(), ReadError> {
        let n = corners.len();
        let (fits, needed) = match kind {
            5 => (n == 3, "3"),
            6 | 7 => (n >= 3, "at least 3"),
            8 | 9 => (n == 4, "4"),
            10 => (n == 4, "4"),
            _ => return Ok(()),
        };
        if !fits {
            let what =
                format!("cell {cell} (counted from 0) of type {kind} has {n} corners, {needed} needed");
            return Err(c.invalid(what, "export the mesh again"));
        }
        match kind {
            10 => self.tets.push([corners[0], corners[1], corners[2], corners[3]]),
            // A strip: every second triangle runs the other way.
            6 => self.triangles.extend((2..n).map(|k| {
                let [a, b] = if k % 2 == 0 { [k - 2, k - 1] } else { [k - 1, k - 2] };
                [corners[a], corners[b], corners[k]]
            })),
            // A pixel counts its corners row by row.
            8 => {
                let [a, b, d, c] = [corners[0], corners[1], corners[2], corners[3]];
                self.triangles.extend([[a, b, c], [a, c, d]]);
            }
            _ => self.triangles.extend((2..n).map(|k| [corners[0], corners[k - 1], corners[k]])),
        }
        Ok(())
    }
}
