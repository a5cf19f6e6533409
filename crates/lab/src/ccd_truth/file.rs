//! Sets of queries on disk. Little endian: the magic `CCDQ0001`, u32 kind (0 vertex–face, 1 edge–edge), u32 n, then n
//! records of 24 f64 (four points at the start of the step, four at its end, x y z each) and one u64 answer (0 or 1).

use impinge_ccd::Kind;
use impinge_geometry::DVec3;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"CCDQ0001";
const HEADER: usize = 16;
const RECORD: usize = 200;

/// All queries of a file; the four points of query `i` are `4 i..4 i + 4`.
pub struct Set {
    /// What the pairs consist of.
    pub kind: Kind,
    /// Positions at the start of the step.
    pub x0: Vec<DVec3>,
    /// Positions at its end.
    pub x1: Vec<DVec3>,
    /// The features touch.
    pub truth: Vec<bool>,
}

/// The files below a folder, by folder and name.
///
/// # Errors
/// The folder that cannot be read, and why.
pub fn find(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let refused = |e: std::io::Error| format!("{}: {e}; give a folder with *.ccdq files", dir.display());
    let mut folders = Vec::new();
    let mut here = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(refused)? {
        let entry = entry.map_err(refused)?;
        let path = entry.path();
        // A link to a folder is not followed: it could lead round in a circle.
        if entry.file_type().map_err(refused)?.is_dir() {
            folders.push(path);
        } else if path.extension().is_some_and(|e| e == "ccdq") {
            here.push(path);
        }
    }
    here.sort();
    folders.sort();
    files.extend(here);
    folders.iter().try_for_each(|f| find(f, files))
}

impl Set {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::parse(&std::fs::read(path).map_err(|e| e.to_string())?)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() < HEADER || &bytes[..8] != MAGIC {
            return Err("not a set of queries: it does not begin with CCDQ0001 and two numbers".into());
        }
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let kind = match word(8) {
            0 => Kind::VertexFace,
            1 => Kind::EdgeEdge,
            k => return Err(format!("kind is {k}; 0 (vertex–face) and 1 (edge–edge) are known")),
        };
        let n = word(12) as usize;
        let expected = n as u64 * RECORD as u64 + HEADER as u64;
        if bytes.len() as u64 != expected {
            return Err(format!("{n} queries take {expected} bytes and the file has {}", bytes.len()));
        }
        let mut set = Self { kind, x0: Vec::new(), x1: Vec::new(), truth: Vec::with_capacity(n) };
        for (i, record) in bytes[HEADER..].chunks_exact(RECORD).enumerate() {
            let word = |at: usize| std::array::from_fn(|b| record[8 * at + b]);
            let point =
                |at: usize| DVec3::from(std::array::from_fn(|k| f64::from_le_bytes(word(3 * at + k))));
            set.x0.extend((0..4).map(point));
            set.x1.extend((4..8).map(point));
            match u64::from_le_bytes(word(24)) {
                v @ (0 | 1) => set.truth.push(v == 1),
                v => return Err(format!("the answer of query {i} is {v}; it is 0 or 1")),
            }
        }
        Ok(set)
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.truth.len()
    }

    /// The points of query `i`.
    pub fn query(&self, i: usize) -> ([DVec3; 4], [DVec3; 4]) {
        (std::array::from_fn(|k| self.x0[4 * i + k]), std::array::from_fn(|k| self.x1[4 * i + k]))
    }
}
