//! Why a mesh file was refused: always the file, the line where there is one, and what to do about it.

use crate::problem::{FormatProblem, Place};
use impinge_geometry::MeshError;
use std::io;

/// Why a mesh could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file is not there or may not be opened.
    #[error(
        "cannot open mesh file `{file}`: {source}{}",
        or_else(source, "check the path and that it may be read")
    )]
    Open {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// Reading stopped part of the way.
    #[error(
        "{file}:{line}: reading stopped: {source}{}",
        or_else(source, "check the disk or connection and try again")
    )]
    Io {
        /// The file.
        file: String,
        /// The line being read, counted from 1.
        line: usize,
        /// What the system said.
        source: io::Error,
    },
    /// The extension names no format that is read.
    #[error(
        "cannot read mesh file `{file}`: {found}; supported: {supported}; convert the mesh to one of these"
    )]
    Unsupported {
        /// The file.
        file: String,
        /// The extension found, in words.
        found: String,
        /// The extensions that are read, in words.
        supported: String,
    },
    /// The scale is no positive number.
    #[error(
        "{file}: scale = {scale}; give a finite, positive number of metres per file unit, such as 0.001 for mm"
    )]
    BadScale {
        /// The file that was to be read.
        file: String,
        /// The scale asked for.
        scale: f64,
    },
    /// A line says something that cannot be.
    #[error("{file}:{line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The line, counted from 1; the first one of a statement continued over several.
        line: usize,
        /// What is wrong and what would be right.
        problem: LineProblem,
    },
    /// The file ended without a face.
    #[error(
        "{file}: no faces (`f` lines) in {lines} lines, {vertices} vertices; a surface needs faces: check that \
         this is an OBJ file, that it was written to its end, and export it as a triangle or polygon mesh"
    )]
    NoFaces {
        /// The file.
        file: String,
        /// Lines read.
        lines: usize,
        /// Vertices found.
        vertices: usize,
    },
    /// A place of a file in another format than OBJ says something that cannot be, or that is not read.
    #[error("{file}:{place}: {problem}")]
    Content {
        /// The file.
        file: String,
        /// The line (text) or byte (binary).
        place: Place,
        /// What is wrong and what would be right.
        problem: FormatProblem,
    },
    /// The file is whole but holds nothing of what was asked for.
    #[error("{file}: {found}; {fix}")]
    Empty {
        /// The file.
        file: String,
        /// What it holds instead.
        found: String,
        /// What to do.
        fix: &'static str,
    },
    /// The arrays do not make a mesh.
    #[error("{file}: {source}")]
    Mesh {
        /// The file.
        file: String,
        /// What the mesh type refused.
        source: MeshError,
    },
}

/// What is wrong with one line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// The line is not text.
    #[error("not UTF-8 text; export the mesh as plain-text OBJ in UTF-8 or ASCII")]
    NotUtf8,
    /// A byte that no text has.
    #[error(
        "a NUL byte, which no text has; is the file damaged, cut off, or binary? export or copy it again"
    )]
    Nul,
    /// Carriage returns stand inside the line, so that everything after the first would be lost.
    #[error("carriage returns inside the line; convert the line ends to LF or CRLF")]
    BareReturn,
    /// A coordinate is no number.
    #[error("`{text}` is no number; write coordinates like 0.5 or -1e-3, with a point and no unit")]
    BadNumber {
        /// The offending word.
        text: String,
    },
    /// A coordinate is NaN or infinite, or becomes so when scaled.
    #[error(
        "coordinate `{text}` is NaN or infinite in metres; every coordinate must be finite: repair the export"
    )]
    NonFinite {
        /// The offending word.
        text: String,
    },
    /// A vertex has fewer than three coordinates.
    #[error("a vertex with {found} of 3 coordinates; is the file cut off? write `v x y z`")]
    ShortVertex {
        /// Coordinates found.
        found: usize,
    },
    /// A face has fewer than three corners.
    #[error("a face with {found} corners, at least 3 needed; is the file cut off? write `f a b c`")]
    ShortFace {
        /// Corners found.
        found: usize,
    },
    /// A face that no triangles can fill.
    #[error("{what}; {}", crate::polygons::CROSSED)]
    Crossed {
        /// Which face it is, in words.
        what: String,
    },
    /// A face corner is no index.
    #[error("`{text}` is no face corner; write v, v/vt, v/vt/vn or v//vn with whole numbers")]
    BadIndex {
        /// The offending word.
        text: String,
    },
    /// A face corner has index 0.
    #[error(
        "vertex index 0; OBJ counts from 1 (or from -1 backwards): add 1 to every index if the file counts from 0"
    )]
    IndexZero,
    /// A face names a vertex that no file has.
    #[error("vertex index {text}, which is more than any file has; is the file damaged? export it again")]
    HugeIndex {
        /// The index as written.
        text: String,
    },
    /// A statement that OBJ does not have.
    #[error(
        "`{keyword}` is no statement of OBJ; is the file damaged, or in another format? take the line out, or begin it with `#`"
    )]
    Unknown {
        /// The keyword.
        keyword: String,
    },
    /// Faces of another file, which would be missing.
    #[error(
        "`{keyword}` brings in what another file or program says, and is not followed; export everything into one file"
    )]
    Elsewhere {
        /// The keyword.
        keyword: String,
    },
    /// A face names a vertex the file does not have.
    #[error(
        "vertex index {index}, but {vertices} vertices were read; is the file cut off, or made of parts?"
    )]
    IndexOutOfRange {
        /// The index as written.
        index: i64,
        /// How many vertices the file has; for a negative index, how many stand above the line.
        vertices: usize,
    },
    /// A curved surface, which has no triangles until it is tessellated.
    #[error("`{keyword}` is a curved surface; tessellate it and export triangles or polygons")]
    CurvedSurface {
        /// The keyword.
        keyword: String,
    },
}

/// Why a mesh could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The extension names no format that is written.
    #[error("cannot write mesh file `{file}`: {found}; give a name that ends with one of {supported}")]
    Unsupported {
        /// The file.
        file: String,
        /// The extension found, in words.
        found: String,
        /// The extensions that are written, in words.
        supported: String,
    },
    /// What was to be written does not fit together.
    #[error("cannot write mesh file `{file}`: {reason}")]
    BadData {
        /// The file.
        file: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The file could not be made or filled.
    #[error(
        "cannot write mesh file `{file}`: {source}; check that the folder exists, may be written and has room"
    )]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
}

/// What helps where the text of the error says nothing of it.
fn or_else(source: &io::Error, remedy: &str) -> String {
    match source.kind() {
        io::ErrorKind::FileTooLarge | io::ErrorKind::InvalidData => String::new(),
        _ => format!("; {remedy}"),
    }
}
