//! `$Elements` of a Gmsh file: tetrahedra, triangles and quadrilaterals are kept, points and lines left aside,
//! everything else is refused because its volume or surface would be lost.

use crate::cells::Cells;
use crate::cursor::Cursor;
use crate::msh::Version;
use crate::msh_nodes::Nodes;
use crate::scalar::Scalar;
use crate::values::{Coding, integer};
use crate::{ReadError, TetFile};

/// The number of nodes of a type of element that is read or left aside; the others are refused.
fn nodes_of(c: &Cursor, kind: i64) -> Result<usize, ReadError> {
    const LINEAR: &str = "mesh with linear tetrahedra: Mesh.ElementOrder = 1, no recombination to hexahedra";
    let name = match kind {
        // A point; lines of growing order.
        15 => return Ok(1),
        1 => return Ok(2),
        8 => return Ok(3),
        26..=28 => return Ok(kind as usize - 22),
        2 => return Ok(3),
        3 | 4 => return Ok(4),
        5 => "hexahedra",
        6 => "prisms",
        7 => "pyramids",
        9 => "6-node triangles, of which corners alone are another shape",
        11 => "10-node tetrahedra, of which corners alone are another shape",
        _ => "elements of higher order or another kind",
    };
    Err(c.unsupported(format!("element type {kind}: {name}"), LINEAR))
}

pub(crate) fn elements(
    c: &mut Cursor,
    version: Version,
    coding: Coding,
    nodes: &Nodes,
    file: &mut TetFile,
) -> Result<(), ReadError> {
    let mut cells = Cells::default();
    match (version, coding) {
        (Version::Two, Coding::Ascii) => lines(c, nodes, &mut cells)?,
        (Version::Two, _) => runs(c, coding, nodes, &mut cells)?,
        (Version::FourOne, _) => blocks(c, coding, nodes, &mut cells)?,
    }
    cells.finish(c, file)
}

/// Reads the nodes of one element.
fn element(
    c: &mut Cursor,
    scalar: Scalar,
    coding: Coding,
    kind: i64,
    nodes: &Nodes,
    cells: &mut Cells,
) -> Result<(), ReadError> {
    let mut corners = [0; 4];
    let n = nodes_of(c, kind)?;
    let mark = c.at;
    for k in 0..n {
        let tag = integer(c, scalar, coding, "a node of an element")?;
        let node = nodes.find(c, tag)?;
        // Lines of higher order have more; they are checked and left aside.
        if let Some(corner) = corners.get_mut(k) {
            *corner = node;
        }
    }
    let [a, b, d, e] = corners;
    match kind {
        2 => cells.face(&[a, b, d], mark),
        3 => cells.face(&[a, b, d, e], mark),
        4 => cells.tet(corners, Some(mark)),
        _ => {}
    }
    Ok(())
}

/// Version 2, ascii: a line `tag type number-of-tags tags nodes` for each.
fn lines(c: &mut Cursor, nodes: &Nodes, cells: &mut Cells) -> Result<(), ReadError> {
    let mut head = c.rest_of_line();
    let n = head.count("the number of elements")?;
    c.mark = head.mark;
    for _ in 0..c.room("elements", n, 8)? {
        if c.word().is_none() {
            return Err(c.truncated("an element"));
        }
        c.at = c.mark;
        let mut line = c.rest_of_line();
        line.integer("the tag of an element")?;
        let kind = line.integer("the type of an element")?;
        nodes_of(&line, kind)?;
        for _ in 0..line.count("the number of tags")? {
            line.integer("a tag")?;
        }
        element(&mut line, Scalar::I32, Coding::Ascii, kind, nodes, cells)?;
        if let Some(word) = line.word() {
            return Err(line.expected("the end of the line of this element", word));
        }
    }
    Ok(())
}

/// Version 2, binary: runs of elements of one type behind a head of type, count and number of tags.
fn runs(c: &mut Cursor, coding: Coding, nodes: &Nodes, cells: &mut Cells) -> Result<(), ReadError> {
    let mut head = c.rest_of_line();
    let mut left = head.count("the number of elements")?;
    c.mark = head.mark;
    c.room("elements", left, 8)?;
    while left > 0 {
        let kind = integer(c, Scalar::I32, coding, "the type of a run of elements")?;
        let corners = nodes_of(c, kind)?;
        let n = integer(c, Scalar::I32, coding, "the length of a run of elements")?;
        let tags = integer(c, Scalar::I32, coding, "the number of tags")?;
        let (Ok(n), Ok(tags)) = (u64::try_from(n), usize::try_from(tags)) else {
            return Err(c.invalid(format!("a run of {n} elements with {tags} tags"), "save the mesh again"));
        };
        if n == 0 || n > left {
            let what = format!("a run of {n} elements, {left} elements being left");
            return Err(c.invalid(what, "save the mesh again"));
        }
        let tags = c.room("tags", tags as u64, 4)?;
        for _ in 0..c.room("elements", n, 4 * (1 + tags + corners))? {
            c.take(4 * (1 + tags), "the tags of an element")?;
            element(c, Scalar::I32, coding, kind, nodes, cells)?;
        }
        left -= n;
    }
    Ok(())
}

/// Version 4.1: blocks of elements of one type.
fn blocks(c: &mut Cursor, coding: Coding, nodes: &Nodes, cells: &mut Cells) -> Result<(), ReadError> {
    let mut head = [0; 4];
    for value in &mut head {
        *value = integer(c, Scalar::U64, coding, "the counts and tags of the elements")?;
    }
    let mut read = 0;
    for _ in 0..head[0] {
        integer(c, Scalar::I32, coding, "the dimension of a block")?;
        integer(c, Scalar::I32, coding, "the entity of a block")?;
        let kind = integer(c, Scalar::I32, coding, "the type of a block")?;
        let corners = nodes_of(c, kind)?;
        let n = integer(c, Scalar::U64, coding, "the number of elements in a block")?;
        let Ok(n) = u64::try_from(n) else {
            return Err(c.invalid(format!("a block of {n} elements"), "save the mesh again"));
        };
        let n = c.room("elements", n, (1 + corners) * coding.least(Scalar::U64))?;
        for _ in 0..n {
            integer(c, Scalar::U64, coding, "the tag of an element")?;
            element(c, Scalar::U64, coding, kind, nodes, cells)?;
        }
        read += n as i64;
    }
    if head[1] != read {
        let what = format!("{} elements announced, but {read} in the blocks", head[1]);
        return Err(c.invalid(what, "save the mesh again"));
    }
    Ok(())
}
