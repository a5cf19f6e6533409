//! Wavefront OBJ in: a path or any buffered reader to a [`TriMesh`].
//!
//! Read: `v x y z` (further numbers, a weight or a colour, are left aside) and `f` with corners `v`, `v/vt`,
//! `v/vt/vn`, `v//vn`, indices from 1 or negative from the last vertex; lines continued with `\`; comments;
//! LF and CRLF. Polygons of any shape are cut into triangles. Groups, objects, materials, texture coordinates, normals, lines and points
//! carry no surface and are left aside. Curved surfaces are refused rather than lost. Vertices keep their
//! order and number, used or not; nothing is merged. A statement that the format does not have is refused by its line.
//!
//! Written here although the `tobj` crate exists: its errors carry no line numbers, and "a face index is out
//! of bounds" somewhere in a million lines is no help to whoever has to repair the file.

use crate::polygons::Faces;
use crate::source;
use crate::statement::{corner, number, shown, words};
use crate::{LineProblem, ReadError, ReadOptions};
use impinge_geometry::{DVec3, TriMesh};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Reads an OBJ file.
///
/// # Errors
/// [`ReadError`], naming the file, the line and the fix.
pub fn read_obj(path: impl AsRef<Path>, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    let file = path.as_ref().display().to_string();
    let bytes = source::open(path.as_ref())?;
    // Lines are short: a large buffer halves the time of many small reads.
    read_obj_from(BufReader::with_capacity(1 << 18, bytes), &file, options)
}

/// Reads OBJ text from any buffered reader; `name` stands for the file in errors.
///
/// # Errors
/// [`ReadError`], naming `name`, the line and the fix.
pub fn read_obj_from(reader: impl BufRead, name: &str, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    options.check(name)?;
    let mut lines = Lines { reader, name, buffer: Vec::new(), read: 0 };
    let mut builder = Builder::new(options);
    while let Some(line) = lines.next_statement()? {
        let text = &lines.buffer;
        builder.statement(text, line).map_err(|problem| ReadError::Line {
            file: name.into(),
            line,
            problem,
        })?;
    }
    builder.finish(name, lines.read)
}

/// Whole statements out of lines: strips line ends and a byte-order mark, joins continued lines.
struct Lines<'a, R> {
    reader: R,
    name: &'a str,
    /// The current statement; kept from line to line so that it is allocated once.
    buffer: Vec<u8>,
    /// Lines read so far.
    read: usize,
}

impl<R: BufRead> Lines<'_, R> {
    /// Fills the buffer with the next statement and gives its first line; `None` at the end.
    fn next_statement(&mut self) -> Result<Option<usize>, ReadError> {
        self.buffer.clear();
        if !self.append_line()? {
            return Ok(None);
        }
        let first = self.read;
        if first == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            self.buffer.drain(..3);
        }
        // Only what is interpreted is continued: a comment or a Windows path that ends in `\` must not
        // swallow the vertex below it.
        while self.buffer.last() == Some(&b'\\') && is_interpreted(&self.buffer) {
            self.buffer.pop();
            self.buffer.push(b' ');
            if !self.append_line()? {
                break;
            }
        }
        Ok(Some(first))
    }

    fn append_line(&mut self) -> Result<bool, ReadError> {
        let count = self.reader.read_until(b'\n', &mut self.buffer).map_err(|source| ReadError::Io {
            file: self.name.into(),
            line: self.read + 1,
            source,
        })?;
        if count == 0 {
            return Ok(false);
        }
        self.read += 1;
        if self.buffer.last() == Some(&b'\n') {
            self.buffer.pop();
        }
        while self.buffer.last() == Some(&b'\r') {
            self.buffer.pop();
        }
        Ok(true)
    }
}

/// Every second byte or so is NUL, and never two in a row.
fn is_utf16(line: &[u8]) -> bool {
    let nuls = line.iter().filter(|&&b| b == 0).count();
    line.len() > 3 && 3 * nuls >= line.len() && !line.windows(2).any(|w| w == [0, 0])
}

fn is_interpreted(line: &[u8]) -> bool {
    matches!(words(line).next(), Some(b"v" | b"f" | b"fo"))
}

/// Statements that give the surface no shape: texture and normals, groups and names, materials and display, points and lines, curves and the parts of
/// surfaces, which are refused by themselves.
const SHAPELESS: [&[u8]; 34] = [
    b"vt",
    b"vn",
    b"vp",
    b"o",
    b"g",
    b"s",
    b"mg",
    b"mtllib",
    b"usemtl",
    b"maplib",
    b"usemap",
    b"p",
    b"l",
    b"curv",
    b"curv2",
    b"cstype",
    b"deg",
    b"bmat",
    b"step",
    b"parm",
    b"trim",
    b"hole",
    b"scrv",
    b"sp",
    b"end",
    b"con",
    b"bevel",
    b"c_interp",
    b"d_interp",
    b"lod",
    b"shadow_obj",
    b"trace_obj",
    b"ctech",
    b"stech",
];

/// The arrays as they grow, and the checks that must wait for the end.
struct Builder<'a> {
    options: &'a ReadOptions,
    positions: Vec<DVec3>,
    faces: Faces,
    /// The corners of one face; kept from face to face.
    corners: Vec<u32>,
    /// Faces may name vertices further down. Each index larger than all before it and than the vertices read
    /// so far is kept with its line: the first one beyond the final count is the first error of the file.
    ahead: Vec<(i64, usize)>,
}

impl<'a> Builder<'a> {
    fn new(options: &'a ReadOptions) -> Self {
        Self {
            options,
            positions: Vec::new(),
            faces: Faces::default(),
            corners: Vec::new(),
            ahead: Vec::new(),
        }
    }

    fn statement(&mut self, text: &[u8], line: usize) -> Result<(), LineProblem> {
        match text.iter().find(|&&b| b == b'\r' || b == 0) {
            None => {}
            Some(0) if is_utf16(text) => return Err(LineProblem::NotUtf8),
            Some(0) => return Err(LineProblem::Nul),
            Some(_) => return Err(LineProblem::BareReturn),
        }
        let mut words = words(text);
        match words.next() {
            None => Ok(()),
            Some(b"v") => self.vertex(words),
            // `fo`, face outline, is the old spelling of `f`.
            Some(b"f" | b"fo") => self.face(words, line),
            Some(keyword @ (b"surf" | b"bzp" | b"bsp" | b"cdc" | b"cdp" | b"res")) => {
                Err(LineProblem::CurvedSurface { keyword: shown(keyword) })
            }
            // Names after a keyword may be in any encoding; a keyword itself that is not text means that this
            // is no OBJ file, or one in UTF-16.
            Some(keyword) if std::str::from_utf8(keyword).is_err() => Err(LineProblem::NotUtf8),
            Some(keyword @ (b"call" | b"csh")) => Err(LineProblem::Elsewhere { keyword: shown(keyword) }),
            Some(keyword) if SHAPELESS.contains(&keyword) => Ok(()),
            Some(keyword) => Err(LineProblem::Unknown { keyword: shown(keyword) }),
        }
    }

    fn vertex<'w>(&mut self, words: impl Iterator<Item = &'w [u8]>) -> Result<(), LineProblem> {
        let mut xyz = [0.0; 3];
        let mut found = 0;
        for (slot, word) in xyz.iter_mut().zip(words) {
            *slot = number(word)?;
            if !(*slot * self.options.scale).is_finite() {
                return Err(LineProblem::NonFinite { text: shown(word) });
            }
            found += 1;
        }
        if found < 3 {
            return Err(LineProblem::ShortVertex { found });
        }
        self.positions.push(self.options.apply(xyz));
        Ok(())
    }

    fn face<'w>(&mut self, words: impl Iterator<Item = &'w [u8]>, line: usize) -> Result<(), LineProblem> {
        self.corners.clear();
        for word in words {
            let index = self.resolve(corner(word)?, line)?;
            self.corners.push(index);
        }
        if self.corners.len() < 3 {
            return Err(LineProblem::ShortFace { found: self.corners.len() });
        }
        self.faces.push(&self.corners, line);
        Ok(())
    }

    /// An index as written (not 0) to one counted from 0; one beyond the vertices so far waits for the end.
    fn resolve(&mut self, index: i64, line: usize) -> Result<u32, LineProblem> {
        let vertices = self.positions.len();
        let resolved = if index > 0 { index - 1 } else { vertices as i64 + index };
        if resolved < 0 {
            return Err(LineProblem::IndexOutOfRange { index, vertices });
        }
        if index > vertices as i64 && self.ahead.last().is_none_or(|a| index > a.0) {
            self.ahead.push((index, line));
        }
        // Larger ones are in `ahead`, so that the clamped value is never used.
        Ok(u32::try_from(resolved).unwrap_or(u32::MAX))
    }

    fn finish(self, name: &str, lines: usize) -> Result<TriMesh, ReadError> {
        let vertices = self.positions.len();
        if let Some(&(index, line)) = self.ahead.iter().find(|a| a.0 > vertices as i64) {
            let problem = LineProblem::IndexOutOfRange { index, vertices };
            return Err(ReadError::Line { file: name.into(), line, problem });
        }
        if self.faces.is_empty() {
            return Err(ReadError::NoFaces { file: name.into(), lines, vertices });
        }
        let triangles = self.faces.cut(&self.positions).map_err(|crossed| ReadError::Line {
            file: name.into(),
            line: crossed.mark,
            problem: LineProblem::Crossed { what: crossed.what() },
        })?;
        TriMesh::new(self.positions, triangles)
            .map_err(|source| ReadError::Mesh { file: name.into(), source })
    }
}
