//! Cells of VTK files, legacy and XML: the type numbers that are kept, left aside or refused.

use crate::cursor::Cursor;
use crate::polygons::{CROSSED, Faces};
use crate::{ReadError, TetFile};

/// Tetrahedra and faces as they are found.
#[derive(Default)]
pub(crate) struct Cells {
    tets: Vec<[u32; 4]>,
    /// The byte at which each tetrahedron stands, where the format has one.
    tet_marks: Vec<usize>,
    faces: Faces,
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
    /// Adds a tetrahedron that stands at the byte `mark`.
    pub fn tet(&mut self, corners: [u32; 4], mark: Option<usize>) {
        self.tets.push(corners);
        self.tet_marks.extend(mark);
    }

    /// Adds a polygon that stands at the byte `mark`.
    pub fn face(&mut self, corners: &[u32], mark: usize) {
        self.faces.push(corners, mark);
    }

    /// Adds cell number `cell` of a checked type, which stands at the byte `mark` where the format has one. The cursor
    /// stands where an error is to be reported.
    pub fn add(
        &mut self,
        c: &Cursor,
        cell: usize,
        mark: Option<usize>,
        kind: u8,
        corners: &[u32],
    ) -> Result<(), ReadError> {
        let n = corners.len();
        let (fits, needed) = match kind {
            5 => (n == 3, "3"),
            6 | 7 => (n >= 3, "at least 3"),
            8 | 9 => (n == 4, "4"),
            10 => (n == 4, "4"),
            _ => return Ok(()),
        };
        let at = mark.unwrap_or(c.mark);
        if !fits {
            let what =
                format!("cell {cell} (counted from 0) of type {kind} has {n} corners, {needed} needed");
            return Err(Cursor { mark: at, ..c.clone() }.invalid(what, "export the mesh again"));
        }
        match kind {
            10 => self.tet([corners[0], corners[1], corners[2], corners[3]], mark),
            // A strip: every second triangle runs the other way.
            6 => (2..n).for_each(|k| {
                let [a, b] = if k % 2 == 0 { [k - 2, k - 1] } else { [k - 1, k - 2] };
                self.faces.triangle([corners[a], corners[b], corners[k]]);
            }),
            // A pixel counts its corners row by row.
            8 => self.faces.push(&[corners[0], corners[1], corners[3], corners[2]], at),
            _ => self.faces.push(corners, at),
        }
        Ok(())
    }

    /// Appends the cells to those of a file, whose positions are there. The cursor is over the bytes of the marks.
    pub fn finish(self, c: &Cursor, file: &mut TetFile) -> Result<(), ReadError> {
        let triangles = self
            .faces
            .cut(&file.positions)
            .map_err(|crossed| Cursor { mark: crossed.mark, ..c.clone() }.invalid(crossed.what(), CROSSED))?;
        file.triangles.extend(triangles);
        // Tets without places may stand before these, in another piece, and then no place would be that of its tet.
        if file.tet_places.len() == file.tets.len() {
            file.tet_places.extend(c.places(&self.tet_marks));
        }
        file.tets.extend(self.tets);
        Ok(())
    }
}
