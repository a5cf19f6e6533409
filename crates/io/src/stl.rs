//! STL in, ascii or binary, to a [`TriMesh`].
//!
//! STL has no indices: every triangle carries its three corners. Corners at exactly the same position become
//! one vertex, or no STL mesh would ever be closed; corners that differ in the last bit stay apart (that is
//! what the repair `weld` is for). Normals, attribute bytes (colours) and names are left aside: the order of the
//! corners says which side is out. Several solids in one text file are read as one mesh.
//!
//! The word `solid` at the start does not make a file ascii, many binary files begin with it. The length does:
//! a binary file is 84 + 50·n bytes long, n being the number at byte 80, and no text file of that length has
//! such a number there (its bytes would be letters, which is n > 5·10⁸).

use crate::cursor::Cursor;
use crate::problem::FormatProblem;
use crate::scalar::{Endian, Scalar};
use crate::source::load;
use crate::weld::Weld;
use crate::{ReadError, ReadOptions};
use impinge_geometry::TriMesh;
use std::path::Path;

const HEADER: usize = 84;
const FACET: usize = 50;

/// Reads an STL file.
///
/// # Errors
/// [`ReadError`], naming the file, the line (ascii) or byte (binary) and the fix.
pub fn read_stl(path: impl AsRef<Path>, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    let (name, bytes) = load(path.as_ref())?;
    read_stl_from(&bytes, &name, options)
}

/// Reads STL from memory; `name` stands for the file in errors.
///
/// # Errors
/// As [`read_stl`].
pub fn read_stl_from(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    options.check(name)?;
    let cursor = Cursor::new(name, bytes);
    let mut weld = Weld::default();
    let triangles =
        if is_text(bytes) { ascii(cursor, options, &mut weld)? } else { binary(cursor, options, &mut weld)? };
    if triangles.is_empty() {
        return Err(ReadError::Empty {
            file: name.into(),
            found: "an STL file without triangles".into(),
            fix: "export the solid again and check that it was not hidden or empty",
        });
    }
    TriMesh::new(weld.positions, triangles).map_err(|source| ReadError::Mesh { file: name.into(), source })
}

/// The number of triangles at byte 80.
fn announced(bytes: &[u8]) -> Option<u64> {
    Some(Scalar::U32.integer(Endian::Little, bytes.get(80..HEADER)?) as u64)
}

fn is_text(bytes: &[u8]) -> bool {
    if announced(bytes).is_some_and(|n| bytes.len() as u64 == HEADER as u64 + FACET as u64 * n) {
        return false;
    }
    // A damaged binary file that begins with `solid` still has zero bytes early on; text has none, or says `facet`.
    let start = &bytes[..bytes.len().min(1024)];
    let mut words = Cursor::new("", start);
    words.word().is_some_and(|w| w.eq_ignore_ascii_case(b"solid"))
        && (!start.contains(&0) || start.windows(5).any(|w| w == b"facet"))
}

fn binary(mut c: Cursor, options: &ReadOptions, weld: &mut Weld) -> Result<Vec<[u32; 3]>, ReadError> {
    c.binary = true;
    c.at = 0;
    let Some(count) = announced(c.bytes) else {
        return Err(c.truncated("`solid` or the 84 bytes of a binary STL header"));
    };
    c.at = HEADER;
    c.mark = 80;
    let n = c.room("triangles", count, FACET)?;
    if c.left() > n * FACET {
        let what = format!("{n} triangles announced, but {} bytes follow the last one", c.left() - n * FACET);
        return Err(c.invalid(what, "is the count at byte 80 damaged? export the mesh again"));
    }
    let mut triangles = Vec::with_capacity(n);
    for _ in 0..n {
        let facet = c.take(FACET, "a triangle")?;
        let mut corners = [0; 3];
        // Twelve bytes of normal first.
        for (corner, at) in corners.iter_mut().zip([12, 24, 36]) {
            let xyz = [0, 4, 8].map(|k| Scalar::F32.real(Endian::Little, &facet[at + k..]));
            *corner = weld.vertex(c.placed(xyz, options)?);
        }
        triangles.push(corners);
    }
    Ok(triangles)
}

fn ascii(mut c: Cursor, options: &ReadOptions, weld: &mut Weld) -> Result<Vec<[u32; 3]>, ReadError> {
    // Names end with their line: of lines that end with CR alone, everything would be part of the name.
    if let Some(mark) = c.bytes.windows(2).position(|w| w[0] == b'\r' && w[1] != b'\n') {
        let what = "carriage returns inside the line";
        return Err(Cursor { mark, ..c }.invalid(what, "convert the line ends to LF or CRLF"));
    }
    let mut triangles = Vec::new();
    let mut inside = false;
    while let Some(word) = c.word() {
        if !inside {
            if !word.eq_ignore_ascii_case(b"solid") {
                return Err(c.expected("`solid`", word));
            }
            inside = true;
            c.line();
        } else if word.eq_ignore_ascii_case(b"facet") {
            // The normal, which some programs write as nan, is not needed.
            c.line();
            triangles.push(facet(&mut c, options, weld)?);
        } else if word.eq_ignore_ascii_case(b"endsolid") {
            inside = false;
            c.line();
        } else {
            return Err(c.expected("`facet` or `endsolid`", word));
        }
    }
    if inside {
        return Err(c.truncated("`endsolid`"));
    }
    Ok(triangles)
}

fn facet(c: &mut Cursor, options: &ReadOptions, weld: &mut Weld) -> Result<[u32; 3], ReadError> {
    c.keyword("outer")?;
    c.keyword("loop")?;
    let mut corners = [0; 3];
    for corner in &mut corners {
        c.keyword("vertex")?;
        *corner = weld.vertex(c.vertex(options)?);
    }
    if c.peek().is_some_and(|w| w.eq_ignore_ascii_case(b"vertex")) {
        c.word();
        let what = "a facet with more than 3 corners".into();
        return Err(
            c.fail(FormatProblem::Invalid { what, fix: "STL facets are triangles: triangulate on export" })
        );
    }
    c.keyword("endloop")?;
    c.keyword("endfacet")?;
    Ok(corners)
}
