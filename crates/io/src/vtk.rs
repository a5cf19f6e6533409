//! Legacy VTK in (`# vtk DataFile Version` 2 to 5, ascii and binary): an unstructured grid of tetrahedra.
//!
//! Read: POINTS, CELLS in the old layout (a length before each cell) and the new one (OFFSETS, CONNECTIVITY),
//! CELL_TYPES, and all attributes of POINT_DATA as named arrays; attributes of cells, field data and metadata
//! are stepped over. Binary numbers are big-endian, as the format has it.

use crate::cells::{Cells, check_type};
use crate::cursor::Cursor;
use crate::scalar::{Endian, Scalar};
use crate::source::load;
use crate::statement::shown;
use crate::tet_file::not_empty;
use crate::values::{Coding, integer, integers, reals, skip};
use crate::vtk_attribute::Attributes;
use crate::{ReadError, ReadOptions, TetFile};
use impinge_geometry::DVec3;
use std::path::Path;

/// Reads a legacy VTK file.
///
/// # Errors
/// [`ReadError`], naming the file, the line (ascii) or byte (binary) and the fix.
pub fn read_vtk(path: impl AsRef<Path>, options: &ReadOptions) -> Result<TetFile, ReadError> {
    let (name, bytes) = load(path.as_ref())?;
    read_vtk_from(&bytes, &name, options)
}

/// Reads legacy VTK from memory; `name` stands for the file in errors.
///
/// # Errors
/// As [`read_vtk`].
pub fn read_vtk_from(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<TetFile, ReadError> {
    options.check(name)?;
    let mut c = Cursor::new(name, bytes);
    let coding = header(&mut c)?;
    let mut grid = Grid {
        options,
        coding,
        points: None,
        offsets: None,
        corners: Vec::new(),
        types: None,
        marks: Vec::new(),
    };
    let mut attributes = Attributes::new(coding);
    while let Some(word) = c.word() {
        let keyword = word.to_ascii_uppercase();
        match &keyword[..] {
            b"DATASET" => dataset(&mut c)?,
            b"POINTS" => grid.points(&mut c)?,
            b"CELLS" => grid.cells(&mut c)?,
            b"CELL_TYPES" => grid.cell_types(&mut c)?,
            b"METADATA" => metadata(&mut c),
            _ => attributes.section(&mut c, &keyword, grid.points.as_deref(), grid.cell_count())?,
        }
    }
    let file = grid.finish(&c)?;
    not_empty(name, TetFile { point_data: attributes.point_data, ..file })
}

/// The first three lines: version, title, ASCII or BINARY.
fn header(c: &mut Cursor) -> Result<Coding, ReadError> {
    let first = c.whole_line().unwrap_or_default();
    let version = first.strip_prefix(b"# vtk DataFile Version").map(<[u8]>::trim_ascii);
    let Some(version) = version else {
        return Err(c.expected("`# vtk DataFile Version 3.0` as the first line", first));
    };
    if !matches!(version.first(), Some(b'1'..=b'5')) || version.get(1).is_some_and(|&b| b != b'.') {
        return Err(c.expected("a version from 1 to 5", version));
    }
    if c.whole_line().is_none() {
        return Err(c.truncated("a title line"));
    }
    let word = c.need("`ASCII` or `BINARY`")?;
    if word.eq_ignore_ascii_case(b"ascii") {
        Ok(Coding::Ascii)
    } else if word.eq_ignore_ascii_case(b"binary") {
        c.binary = true;
        Ok(Coding::Binary(Endian::Big))
    } else {
        Err(c.expected("`ASCII` or `BINARY`", word))
    }
}

fn dataset(c: &mut Cursor) -> Result<(), ReadError> {
    let kind = c.need("the kind of the dataset")?;
    if kind.eq_ignore_ascii_case(b"UNSTRUCTURED_GRID") {
        return Ok(());
    }
    let what = format!("DATASET {} holds no tetrahedra", shown(kind));
    Err(c.unsupported(what, "export an unstructured grid (DATASET UNSTRUCTURED_GRID)"))
}

/// Steps over the rest of a METADATA section: up to a blank line.
pub(crate) fn metadata(c: &mut Cursor) {
    c.rest_of_line();
    while c.line().is_some_and(|line| !line.trim_ascii().is_empty()) {}
}

/// A number type by its name in a legacy file.
pub(crate) fn scalar_named(c: &Cursor, word: &[u8]) -> Result<Scalar, ReadError> {
    Ok(match &word.to_ascii_lowercase()[..] {
        b"char" | b"signed_char" => Scalar::I8,
        b"unsigned_char" => Scalar::U8,
        b"short" => Scalar::I16,
        b"unsigned_short" => Scalar::U16,
        b"int" | b"vtkidtype" => Scalar::I32,
        b"unsigned_int" => Scalar::U32,
        b"long" | b"vtktypeint64" => Scalar::I64,
        b"unsigned_long" | b"vtktypeuint64" => Scalar::U64,
        b"float" => Scalar::F32,
        b"double" => Scalar::F64,
        _ => return Err(c.expected("a number type such as `float`, `double` or `int`", word)),
    })
}

struct Grid<'a> {
    options: &'a ReadOptions,
    coding: Coding,
    points: Option<Vec<DVec3>>,
    /// Where each cell begins in `corners`, and the end of the last one.
    offsets: Option<Vec<usize>>,
    corners: Vec<u32>,
    types: Option<Vec<u8>>,
    /// Where each cell stands in the file; none in the layout that keeps starts and corners apart.
    marks: Vec<usize>,
}

impl Grid<'_> {
    fn cell_count(&self) -> Option<usize> {
        self.offsets.as_ref().map(|o| o.len() - 1)
    }

    fn points(&mut self, c: &mut Cursor) -> Result<(), ReadError> {
        let mut head = c.rest_of_line();
        let n = head.count("the number of points")?;
        let word = head.need("the type of the points")?;
        let scalar = scalar_named(&head, word)?;
        if self.points.is_some() {
            return Err(head.invalid("a second POINTS section", "keep one grid per file"));
        }
        c.mark = head.mark;
        let n = c.room("points", n, 3 * self.coding.least(scalar))?;
        let mut points = Vec::with_capacity(n);
        for _ in 0..n {
            let mut xyz = [0.0; 3];
            for x in &mut xyz {
                *x = crate::values::real(c, scalar, self.coding, "a coordinate")?;
            }
            points.push(c.placed(xyz, self.options)?);
        }
        self.points = Some(points);
        Ok(())
    }

    fn cells(&mut self, c: &mut Cursor) -> Result<(), ReadError> {
        let mut head = c.rest_of_line();
        let (n, size) = (head.count("the number of cells")?, head.count("the size of the cell list")?);
        let Some(points) = self.points.as_ref().map(Vec::len) else {
            return Err(head.invalid("CELLS before POINTS", "write POINTS first"));
        };
        if self.offsets.is_some() {
            return Err(head.invalid("a second CELLS section", "keep one grid per file"));
        }
        c.mark = head.mark;
        let offsets = if c.peek().is_some_and(|w| w.eq_ignore_ascii_case(b"OFFSETS")) {
            self.offsets_and_corners(c, n, size, points)?
        } else {
            self.counted_cells(c, n, size, points)?
        };
        self.offsets = Some(offsets);
        Ok(())
    }

    /// Version 5.1: the starts of the cells, one more than cells, then all corners.
    fn offsets_and_corners(
        &mut self,
        c: &mut Cursor,
        n: u64,
        size: u64,
        points: usize,
    ) -> Result<Vec<usize>, ReadError> {
        c.keyword("OFFSETS")?;
        let scalar = self.array_type(c)?;
        let mut last = 0;
        let mut offsets =
            integers(c, scalar, n, self.coding, "offsets", |c, value| match usize::try_from(value) {
                Ok(start) if start >= last && start as u64 <= size => {
                    last = start;
                    Ok(start)
                }
                _ => Err(c.invalid(
                    format!("offset {value} does not fit between {last} and {size}"),
                    "export again",
                )),
            })?;
        c.keyword("CONNECTIVITY")?;
        let scalar = self.array_type(c)?;
        self.corners = integers(c, scalar, size, self.coding, "corners", |c, value| c.index(value, points))?;
        if offsets.is_empty() {
            offsets.push(0);
        }
        if offsets[0] != 0 || last != self.corners.len() {
            return Err(c.invalid("offsets that do not cover the corners", "export the mesh again"));
        }
        Ok(offsets)
    }

    fn array_type(&self, c: &mut Cursor) -> Result<Scalar, ReadError> {
        let mut head = c.rest_of_line();
        let word = head.need("a type")?;
        scalar_named(&head, word)
    }

    /// Before version 5.1: for each cell the number of its corners, then the corners; `size` numbers in all.
    fn counted_cells(
        &mut self,
        c: &mut Cursor,
        n: u64,
        size: u64,
        points: usize,
    ) -> Result<Vec<usize>, ReadError> {
        let size = c.room("numbers in the cell list", size, self.coding.least(Scalar::I32))?;
        let n = match usize::try_from(n) {
            Ok(n) if n <= size => n,
            _ => {
                return Err(
                    c.invalid(format!("{n} cells in a list of {size} numbers"), "export the mesh again")
                );
            }
        };
        let mut offsets = Vec::with_capacity(n + 1);
        offsets.push(0);
        self.corners.reserve_exact(size - n);
        let mut left = size;
        for _ in 0..n {
            let count = integer(c, Scalar::I32, self.coding, "the number of corners of a cell")?;
            self.marks.push(c.mark);
            // One number of the list is the count itself.
            left = match usize::try_from(count).ok().and_then(|k| left.checked_sub(k)?.checked_sub(1)) {
                Some(left) => left,
                None => {
                    let what =
                        format!("a cell with {count} corners, but {left} numbers left in the cell list");
                    return Err(c.invalid(what, "correct the sizes after CELLS, or export again"));
                }
            };
            for _ in 0..count {
                let index = integer(c, Scalar::I32, self.coding, "a corner")?;
                self.corners.push(c.index(index, points)?);
            }
            offsets.push(self.corners.len());
        }
        if left > 0 {
            let what = format!("{left} numbers of the cell list belong to no cell");
            return Err(c.invalid(what, "correct the sizes after CELLS, or export again"));
        }
        Ok(offsets)
    }

    fn cell_types(&mut self, c: &mut Cursor) -> Result<(), ReadError> {
        let mut head = c.rest_of_line();
        let n = head.count("the number of cell types")?;
        c.mark = head.mark;
        let types = integers(c, Scalar::I32, n, self.coding, "cell types", check_type)?;
        if self.types.replace(types).is_some() {
            return Err(c.invalid("a second CELL_TYPES section", "keep one grid per file"));
        }
        Ok(())
    }

    fn finish(self, c: &Cursor) -> Result<TetFile, ReadError> {
        let (Some(positions), Some(offsets), Some(types)) = (self.points, self.offsets, self.types) else {
            return Err(c.truncated("POINTS, CELLS and CELL_TYPES"));
        };
        if types.len() + 1 != offsets.len() {
            let what = format!("{} cells, but {} cell types", offsets.len() - 1, types.len());
            return Err(c.invalid(what, "export the mesh again"));
        }
        let mut cells = Cells::default();
        for (cell, (&kind, ends)) in types.iter().zip(offsets.windows(2)).enumerate() {
            cells.add(c, cell, self.marks.get(cell).copied(), kind, &self.corners[ends[0]..ends[1]])?;
        }
        let mut file = TetFile { positions, ..TetFile::default() };
        cells.finish(c, &mut file)?;
        Ok(file)
    }
}

/// Reads or steps over `n` numbers of a type that may be `bit`, eight of which fill a byte in binary.
pub(crate) fn numbers(
    c: &mut Cursor,
    word: &[u8],
    n: u64,
    coding: Coding,
    keep: bool,
) -> Result<Vec<f64>, ReadError> {
    if word.eq_ignore_ascii_case(b"bit") && coding != Coding::Ascii {
        let bytes = c.room("bytes of bits", n.div_ceil(8), 1)?;
        let packed = c.take(bytes, "bits")?;
        let bit = |i: u64| f64::from(packed[(i / 8) as usize] >> (7 - i % 8) & 1);
        return Ok(if keep { (0..n).map(bit).collect() } else { Vec::new() });
    }
    let scalar = if word.eq_ignore_ascii_case(b"bit") { Scalar::U8 } else { scalar_named(c, word)? };
    if keep {
        return reals(c, scalar, n, coding, "numbers");
    }
    let n = c.room("numbers", n, coding.least(scalar))?;
    skip(c, scalar, n, coding)?;
    Ok(Vec::new())
}
