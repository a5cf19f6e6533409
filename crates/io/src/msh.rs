//! Gmsh MSH in, versions 2 and 4.1, ascii and binary: tetrahedra, surface triangles, and data at the nodes.
//!
//! This file walks the sections; nodes and elements are in `msh_nodes` and `msh_elements`. Physical names,
//! entities, periodic links and data of elements are stepped over; points and lines carry no volume and are
//! left aside. A node that `$NodeData` does not mention is NaN there.

use crate::cursor::Cursor;
use crate::msh_elements::elements;
use crate::msh_nodes::Nodes;
use crate::scalar::{Endian, Scalar};
use crate::source::load;
use crate::statement::shown;
use crate::tet_file::not_empty;
use crate::values::{Coding, integer, real};
use crate::{DataArray, ReadError, ReadOptions, TetFile};
use std::path::Path;

/// The layout of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    Two,
    FourOne,
}

/// Reads a Gmsh file.
///
/// # Errors
/// [`ReadError`], naming the file, the line (ascii) or byte (binary) and the fix.
pub fn read_msh(path: impl AsRef<Path>, options: &ReadOptions) -> Result<TetFile, ReadError> {
    let (name, bytes) = load(path.as_ref())?;
    read_msh_from(&bytes, &name, options)
}

/// Reads Gmsh MSH from memory; `name` stands for the file in errors.
///
/// # Errors
/// As [`read_msh`].
pub fn read_msh_from(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<TetFile, ReadError> {
    options.check(name)?;
    let mut c = Cursor::new(name, bytes);
    let (version, coding) = format(&mut c)?;
    let mut file = TetFile::default();
    let mut nodes: Option<Nodes> = None;
    while let Some(word) = c.word() {
        let Some(section) = word.strip_prefix(b"$") else {
            return Err(c.expected("a section such as `$Nodes`", word));
        };
        let at_section = c.clone();
        let before = || at_section.invalid("a section before `$Nodes`", "write `$Nodes` first");
        match section {
            b"Nodes" => {
                if nodes.is_some() {
                    return Err(c.invalid("a second `$Nodes` section", "keep one mesh per file"));
                }
                c.rest_of_line();
                nodes = Some(Nodes::read(&mut c, version, coding, options, &mut file.positions)?);
            }
            b"Elements" => {
                c.rest_of_line();
                let nodes = nodes.as_ref().ok_or_else(before)?;
                elements(&mut c, version, coding, nodes, &mut file)?;
            }
            b"NodeData" => {
                c.rest_of_line();
                let nodes = nodes.as_ref().ok_or_else(before)?;
                let known = file.point_data.iter().map(|a| a.values.len()).sum();
                file.point_data.push(node_data(&mut c, coding, nodes, known)?);
            }
            b"ParametricNodes" => {
                let fix = "save without them: Mesh.SaveParametric = 0, or version 4.1";
                return Err(c.unsupported("nodes with parameters in version 2", fix));
            }
            _ => {
                skip_section(&mut c, section)?;
                continue;
            }
        }
        c.keyword(&format!("$End{}", shown(section)))?;
    }
    if nodes.is_none() {
        return Err(c.truncated("`$Nodes`"));
    }
    not_empty(name, file)
}

/// `$MeshFormat`, which comes first.
fn format(c: &mut Cursor) -> Result<(Version, Coding), ReadError> {
    let first = c.need("`$MeshFormat`")?;
    if first == b"$NOD" {
        return Err(c.unsupported("MSH version 1", "save it as version 4.1 (gmsh -0 -format msh41)"));
    }
    if first != b"$MeshFormat" {
        return Err(c.expected("`$MeshFormat` first", first));
    }
    c.rest_of_line();
    let mut line = c.rest_of_line();
    let version = match line.need("the version")? {
        b"2" | b"2.0" | b"2.1" | b"2.2" => Version::Two,
        b"4.1" => Version::FourOne,
        other => {
            let what = format!("MSH version {}", shown(other));
            return Err(line.unsupported(what, "save it as version 4.1 or 2.2 (gmsh -0 -format msh41)"));
        }
    };
    let kind = line.integer("the kind of file")?;
    let size = line.integer("the size of a number")?;
    if size != 8 {
        return Err(line.unsupported(format!("numbers of {size} bytes"), "save it on a 64-bit system"));
    }
    let coding = match kind {
        0 => Coding::Ascii,
        1 => {
            c.binary = true;
            match c.take(4, "the number 1")? {
                [1, 0, 0, 0] => Coding::Binary(Endian::Little),
                [0, 0, 0, 1] => Coding::Binary(Endian::Big),
                _ => {
                    return Err(
                        c.invalid("the order of bytes cannot be told: no number 1 here", "save it again")
                    );
                }
            }
        }
        _ => return Err(line.expected("0 (ascii) or 1 (binary)", kind.to_string().as_bytes())),
    };
    c.keyword("$EndMeshFormat")?;
    Ok((version, coding))
}

fn skip_section(c: &mut Cursor, name: &[u8]) -> Result<(), ReadError> {
    let end = [b"$End", name].concat();
    match c.bytes[c.at..].windows(end.len()).position(|w| w == end) {
        Some(n) => {
            c.at += n + end.len();
            Ok(())
        }
        None => Err(c.truncated(format!("`{}`", shown(&end)))),
    }
}

/// `$NodeData`: tags of text, of reals and of whole numbers, then a number or three for each node listed. `known`
/// numbers are held already.
fn node_data(c: &mut Cursor, coding: Coding, nodes: &Nodes, known: usize) -> Result<DataArray, ReadError> {
    let mut name = String::new();
    for k in 0..c.rest_of_line().count("the number of text tags")? {
        if c.left() == 0 {
            return Err(c.truncated("a text tag"));
        }
        let line = c.rest_of_line();
        if k == 0 {
            let text = String::from_utf8_lossy(line.bytes[line.at..].trim_ascii()).into_owned();
            name = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(&text).into();
        }
    }
    for _ in 0..c.count("the number of real tags")? {
        c.real("a real tag")?;
    }
    let n = c.count("the number of whole-number tags")?;
    let mut tags = [0, 1, 0];
    for k in 0..n {
        let value = c.count("a whole-number tag")?;
        if let Some(tag) = tags.get_mut(usize::try_from(k).unwrap_or(usize::MAX)) {
            *tag = value;
        }
    }
    let [_, components, n] = tags;
    if ![1, 3, 9].contains(&components) {
        return Err(c.invalid(format!("{components} numbers per node"), "Gmsh writes 1, 3 or 9"));
    }
    let components = components as usize;
    let n =
        c.room("nodes with data", n, coding.least(Scalar::I32) + components * coding.least(Scalar::F64))?;
    // Sections that mention few nodes are short and their arrays long: together they could fill the memory.
    // Full ones take more bytes than they have numbers.
    if known + nodes.len() * components > c.bytes.len() {
        let what = format!("data for {n} of {} nodes", nodes.len());
        return Err(c.unsupported(what, "save data for all nodes, or the mesh without data"));
    }
    c.rest_of_line();
    let mut values = vec![f64::NAN; nodes.len() * components];
    for _ in 0..n {
        let tag = integer(c, Scalar::I32, coding, "a node")?;
        let node = nodes.find(c, tag)? as usize;
        for value in &mut values[node * components..][..components] {
            *value = real(c, Scalar::F64, coding, "a value")?;
        }
    }
    Ok(DataArray { name, components, values })
}
