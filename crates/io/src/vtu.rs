//! VTU in (VTK's XML unstructured grid; serial, ascii, base64 or appended, plain or zlib): tetrahedra and triangles.
//!
//! Read: any number of pieces, joined in order; both byte orders and widths of the length before each block;
//! point data as named arrays. Cell data, field data and time are left aside. Files compressed by lz4 or lzma
//! are refused.
//!
//! Written here rather than taken from a library for the sake of the errors, which name the line of a tag or the
//! byte of a number, and of the counts, which are checked against the file before anything is allocated.

use crate::cells::{Cells, check_type};
use crate::cursor::Cursor;
use crate::scalar::Endian;
use crate::source::load;
use crate::statement::shown;
use crate::tet_file::not_empty;
use crate::values::{Coding, integers, reals};
use crate::vtu_array::{Array, Storage};
use crate::xml::{Event, Tag, next};
use crate::{DataArray, ReadError, ReadOptions, TetFile};
use std::cell::Cell;
use std::path::Path;

/// Reads a VTU file.
///
/// # Errors
/// [`ReadError`], naming the file, the line (tags, ascii, base64) or byte (appended data) and the fix.
pub fn read_vtu(path: impl AsRef<Path>, options: &ReadOptions) -> Result<TetFile, ReadError> {
    let (name, bytes) = load(path.as_ref())?;
    read_vtu_from(&bytes, &name, options)
}

/// Reads VTU from memory; `name` stands for the file in errors.
///
/// # Errors
/// As [`read_vtu`].
pub fn read_vtu_from(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<TetFile, ReadError> {
    options.check(name)?;
    let mut c = Cursor::new(name, bytes);
    if !bytes.trim_ascii_end().ends_with(b"</VTKFile>") {
        if bytes.ends_with(b"\0") {
            c.mark = bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
            return Err(c.expected("", b"\0"));
        }
        let is_xml = bytes.trim_ascii().is_empty()
            || bytes.trim_ascii_start().starts_with(b"<")
            || bytes.starts_with(b"\xef\xbb\xbf<");
        return Err(match is_xml {
            true => c.truncated("`</VTKFile>`"),
            false => c.expected("`<VTKFile type=\"UnstructuredGrid\" ...>`", c.peek_line()),
        });
    }
    let (pieces, storage) = outline(&mut c)?;
    let mut file = TetFile::default();
    for (number, piece) in pieces.iter().enumerate() {
        piece.read(number, &storage, options, &mut file)?;
    }
    not_empty(name, file)
}

/// One `<Piece>`: its counts and where its arrays are.
struct Piece<'a> {
    tag: Tag<'a>,
    points: Option<Array<'a>>,
    connectivity: Option<Array<'a>>,
    offsets: Option<Array<'a>>,
    types: Option<Array<'a>>,
    point_data: Vec<Array<'a>>,
}

/// Walks the tags up to the appended data or the end.
fn outline<'a>(c: &mut Cursor<'a>) -> Result<(Vec<Piece<'a>>, Storage<'a>), ReadError> {
    let mut open: Vec<&[u8]> = Vec::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut storage = None;
    // The array whose text comes next.
    let mut array: Option<Array> = None;
    while let Some(event) = next(c)? {
        match event {
            Event::Open { tag, empty } => {
                let parent = open.last().copied().unwrap_or_default();
                match tag.name {
                    b"VTKFile" => storage = Some(root(&tag)?),
                    b"Piece" => pieces.push(Piece {
                        tag: tag.clone(),
                        points: None,
                        connectivity: None,
                        offsets: None,
                        types: None,
                        point_data: Vec::new(),
                    }),
                    b"DataArray" => {
                        array = Some(Array::new(tag.clone(), parent));
                        if empty {
                            place(&mut pieces, array.take())?;
                        }
                    }
                    b"AppendedData" => {
                        let Some(storage) = storage else { break };
                        no_nul(c, c.at)?;
                        return Ok((pieces, appended(c, &tag, storage)?));
                    }
                    _ => {}
                }
                if !empty {
                    open.push(tag.name);
                }
            }
            Event::Close(name) => {
                if open.pop() != Some(name) {
                    let what = format!("`</{}>` closes no open tag", shown(name));
                    return Err(c.invalid(what, "repair the XML or export the mesh again"));
                }
                if name == b"DataArray" {
                    place(&mut pieces, array.take())?;
                }
            }
            // Text inside a child of the array, such as an information key, is not the array's.
            Event::Text(text) => match &mut array {
                Some(a)
                    if open.last() == Some(&&b"DataArray"[..])
                        && a.text.is_none()
                        && !text.bytes[text.at..].trim_ascii().is_empty() =>
                {
                    a.text = Some(text);
                }
                _ => {}
            },
        }
    }
    no_nul(c, c.bytes.len())?;
    match storage {
        Some(storage) if open.is_empty() => Ok((pieces, storage)),
        Some(_) => Err(c.truncated("a closing tag")),
        None => Err(c.expected(
            "`<VTKFile type=\"UnstructuredGrid\" ...>`",
            Cursor { at: 0, ..c.clone() }.peek_line(),
        )),
    }
}

/// Tags and numbers are text up to the appended data, also where nobody reads it.
fn no_nul(c: &Cursor<'_>, end: usize) -> Result<(), ReadError> {
    match c.bytes[..end].iter().position(|&b| b == 0) {
        Some(mark) => Err(Cursor { mark, ..c.clone() }.expected("", b"\0")),
        None => Ok(()),
    }
}

fn root<'a>(tag: &Tag<'a>) -> Result<Storage<'a>, ReadError> {
    let kind = tag.need("type")?;
    if kind != "UnstructuredGrid" {
        let what = format!("a VTK file of type {kind} holds no tetrahedra");
        return Err(tag.at.unsupported(what, "export an UnstructuredGrid (.vtu)"));
    }
    let zlib = match tag.get("compressor") {
        None => false,
        Some("vtkZLibDataCompressor") => true,
        Some(other) => {
            let name = match other {
                "vtkLZ4DataCompressor" => "lz4",
                "vtkLZMADataCompressor" => "lzma",
                other => other,
            };
            return Err(tag.at.unsupported(
                format!("the data are compressed by {name}"),
                "save with zlib or without compression: in ParaView choose compressor ZLib or None, in meshio \
                 compression=\"zlib\"",
            ));
        }
    };
    let endian = match tag.get("byte_order") {
        Some("BigEndian") => Endian::Big,
        None | Some("LittleEndian") => Endian::Little,
        Some(other) => return Err(tag.at.expected("byte_order LittleEndian or BigEndian", other.as_bytes())),
    };
    let wide = match tag.get("header_type") {
        None | Some("UInt32") => false,
        Some("UInt64") => true,
        Some(other) => return Err(tag.at.expected("header_type UInt32 or UInt64", other.as_bytes())),
    };
    // Zlib makes a byte of at most 1032.
    let length = tag.at.bytes.len() as u64;
    let budget = Cell::new(if zlib { length.saturating_mul(1032).min(4 << 30) } else { length });
    Ok(Storage { endian, wide, zlib, appended: None, base64: false, budget })
}

/// The data behind `_`.
fn appended<'a>(c: &mut Cursor<'a>, tag: &Tag<'a>, storage: Storage<'a>) -> Result<Storage<'a>, ReadError> {
    let base64 = match tag.get("encoding") {
        Some("raw") => false,
        None | Some("base64") => true,
        Some(other) => return Err(tag.at.expected("encoding `raw` or `base64`", other.as_bytes())),
    };
    let Some(b"_") = c.word().map(|w| &w[..1]) else {
        return Err(c.invalid("appended data that do not begin with `_`", "export the mesh again"));
    };
    let data = Cursor { at: c.mark + 1, binary: true, ..c.clone() };
    Ok(Storage { appended: Some(data), base64, ..storage })
}

/// Puts an array where it belongs; those of cells and fields belong nowhere.
fn place<'a>(pieces: &mut [Piece<'a>], array: Option<Array<'a>>) -> Result<(), ReadError> {
    let (Some(piece), Some(array)) = (pieces.last_mut(), array) else { return Ok(()) };
    let slot = match (array.parent, array.tag.get("Name")) {
        (b"PointData", _) => {
            piece.point_data.push(array);
            return Ok(());
        }
        (b"Points", _) => &mut piece.points,
        (b"Cells", Some("connectivity")) => &mut piece.connectivity,
        (b"Cells", Some("offsets")) => &mut piece.offsets,
        (b"Cells", Some("types")) => &mut piece.types,
        _ => return Ok(()),
    };
    let at = array.tag.at.clone();
    match slot.replace(array) {
        None => Ok(()),
        Some(_) => Err(at.invalid("a second array of this name in one piece", "export the mesh again")),
    }
}

/// Where a cell begins in the list of corners.
fn begin(ends: &[usize], cell: usize) -> usize {
    cell.checked_sub(1).map_or(0, |before| ends[before])
}

impl Piece<'_> {
    fn read(
        &self,
        number: usize,
        storage: &Storage,
        options: &ReadOptions,
        file: &mut TetFile,
    ) -> Result<(), ReadError> {
        let (points, cells) = (self.tag.count("NumberOfPoints")?, self.tag.count("NumberOfCells")?);
        let base = file.positions.len();
        let missing =
            |what: &str| self.tag.at.invalid(format!("a piece without {what}"), "export the mesh again");

        if points > 0 {
            let array = self.points.as_ref().ok_or_else(|| missing("`Points`"))?;
            if array.components()? != 3 {
                return Err(array
                    .tag
                    .at
                    .invalid("points that have not 3 coordinates", "export the mesh again"));
            }
            array.with(storage, points.saturating_mul(3), |c, scalar, coding, n| {
                let points = c.room("points", n / 3, 3 * coding.least(scalar))?;
                file.positions.reserve(points);
                for _ in 0..points {
                    let mut xyz = [0.0; 3];
                    for x in &mut xyz {
                        *x = crate::values::real(c, scalar, coding, "a coordinate")?;
                    }
                    file.positions.push(c.placed(xyz, options)?);
                }
                Ok(())
            })?;
        }
        if file.positions.len() >= u32::MAX as usize {
            return Err(self.tag.at.unsupported("more points than 32 bits count", "split the mesh"));
        }
        self.cells(cells, storage, file, base)?;
        self.point_data(number, points, base, storage, file)
    }

    fn cells(&self, cells: u64, storage: &Storage, file: &mut TetFile, base: usize) -> Result<(), ReadError> {
        if cells == 0 {
            return Ok(());
        }
        let missing =
            |what: &str| self.tag.at.invalid(format!("a piece without {what}"), "export the mesh again");
        let types = self.types.as_ref().ok_or_else(|| missing("`types`"))?;
        let types = types.with(storage, cells, |c, scalar, coding, n| {
            integers(c, scalar, n, coding, "cell types", check_type)
        })?;
        let offsets = self.offsets.as_ref().ok_or_else(|| missing("`offsets`"))?;
        let mut last = 0;
        let ends = offsets.with(storage, cells, |c, scalar, coding, n| {
            integers(c, scalar, n, coding, "offsets", |c, end| match usize::try_from(end) {
                Ok(end) if end >= last => {
                    last = end;
                    Ok(end)
                }
                _ => Err(c.invalid(format!("offset {end} after {last}"), "export the mesh again")),
            })
        })?;
        let connectivity = self.connectivity.as_ref().ok_or_else(|| missing("`connectivity`"))?;
        let points = file.positions.len() - base;
        // Where each cell begins in the file; numbers that are no text have no lines.
        let mut marks = Vec::new();
        let mut number = 0;
        let corners = connectivity.with(storage, last as u64, |c, scalar, coding, n| {
            integers(c, scalar, n, coding, "corners", |c, i| {
                while coding == Coding::Ascii
                    && ends.get(marks.len()).is_some_and(|_| begin(&ends, marks.len()) == number)
                {
                    marks.push(c.mark);
                }
                number += 1;
                Ok(c.index(i, points)? + base as u32)
            })
        })?;
        let mut kept = Cells::default();
        let mut start = 0;
        for (cell, (&kind, &end)) in types.iter().zip(&ends).enumerate() {
            kept.add(&offsets.tag.at, cell, marks.get(cell).copied(), kind, &corners[start..end])?;
            start = end;
        }
        kept.finish(&offsets.tag.at, file)
    }

    /// Appends the arrays of this piece to those of the pieces before, which must be the same ones.
    fn point_data(
        &self,
        number: usize,
        points: u64,
        base: usize,
        storage: &Storage,
        file: &mut TetFile,
    ) -> Result<(), ReadError> {
        let mut found = Vec::new();
        for array in self.point_data.iter().filter(|a| a.is_numeric()) {
            let components = array.components()?;
            let values = match points {
                0 => Vec::new(),
                _ => array.with(storage, points.saturating_mul(components), |c, scalar, coding, n| {
                    reals(c, scalar, n, coding, "numbers")
                })?,
            };
            let name = array.tag.get("Name").unwrap_or_default().to_string();
            found.push(DataArray { name, components: components as usize, values });
        }
        if base == 0 {
            file.point_data = found;
            return Ok(());
        }
        if points == 0 {
            return Ok(());
        }
        let same = file.point_data.len() == found.len()
            && file
                .point_data
                .iter()
                .zip(&found)
                .all(|(a, b)| a.name == b.name && a.components == b.components);
        if !same {
            let what = format!("piece {number} (counted from 0) has other point data than those before");
            return Err(self.tag.at.unsupported(what, "merge the blocks before export"));
        }
        for (array, more) in file.point_data.iter_mut().zip(found) {
            array.values.extend(more.values);
        }
        Ok(())
    }
}
