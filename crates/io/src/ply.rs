//! PLY in, ascii or binary of either byte order, to a [`TriMesh`].
//!
//! Read: the element `vertex` with properties x, y, z of any number type, and the element `face` with a list
//! `vertex_indices` (or `vertex_index`) of any whole-number type. Polygons of any shape are cut into
//! triangles. Other properties and other elements are stepped over. Vertices keep their
//! order and number; nothing is merged. In ascii each element is one line, as the format says, so that a number
//! too few is reported on its own line.

use crate::cursor::Cursor;
use crate::ply_header::{Element, Kind, header};
use crate::polygons::{CROSSED, Faces};
use crate::scalar::Scalar;
use crate::source::load;
use crate::statement::shown;
use crate::values::{Coding, integer, real, skip};
use crate::{ReadError, ReadOptions};
use impinge_geometry::{DVec3, TriMesh};
use std::path::Path;

/// Reads a PLY file.
///
/// # Errors
/// [`ReadError`], naming the file, the line (header and ascii) or byte (binary) and the fix.
pub fn read_ply(path: impl AsRef<Path>, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    let (name, bytes) = load(path.as_ref())?;
    read_ply_from(&bytes, &name, options)
}

/// Reads PLY from memory; `name` stands for the file in errors.
///
/// # Errors
/// As [`read_ply`].
pub fn read_ply_from(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    options.check(name)?;
    let mut c = Cursor::new(name, bytes);
    let (coding, elements) = header(&mut c)?;
    let vertices = vertex_count(&c, &elements)?;
    let mut mesh =
        Mesh { options, vertices, positions: Vec::new(), faces: Faces::default(), corners: Vec::new() };
    c.binary = coding != Coding::Ascii;
    for element in &elements {
        mesh.element(&mut c, element, coding)?;
    }
    if let Some(word) = c.word() {
        if coding == Coding::Ascii && word.contains(&0) {
            return Err(c.expected("the end of the file", word));
        }
        let what = format!("`{}` after the last element of the header", shown(word));
        return Err(c.invalid(what, "is a count in the header wrong? export the mesh again"));
    }
    if mesh.faces.is_empty() {
        return Err(ReadError::Empty {
            file: name.into(),
            found: format!("a PLY file with {vertices} vertices and no faces"),
            fix: "a point cloud has no surface: reconstruct one, or export faces",
        });
    }
    let triangles = mesh
        .faces
        .cut(&mesh.positions)
        .map_err(|crossed| Cursor { mark: crossed.mark, ..c.clone() }.invalid(crossed.what(), CROSSED))?;
    TriMesh::new(mesh.positions, triangles).map_err(|source| ReadError::Mesh { file: name.into(), source })
}

/// How many vertices there will be; faces may come before them.
fn vertex_count(c: &Cursor, elements: &[Element]) -> Result<usize, ReadError> {
    let mut of_vertices = elements.iter().filter(|e| e.name == "vertex");
    let Some(vertex) = of_vertices.next() else {
        return Err(c.invalid("no element `vertex` in the header", "export the mesh again"));
    };
    if let Some(second) = of_vertices.next() {
        let c = Cursor { mark: second.mark, ..c.clone() };
        return Err(c.invalid("a second element `vertex`", "export the mesh again"));
    }
    if let Some(strips) = elements.iter().find(|e| e.name == "tristrips" && e.count > 0) {
        let c = Cursor { mark: strips.mark, ..c.clone() };
        return Err(c.unsupported("faces as triangle strips", "export faces as polygons (element `face`)"));
    }
    Ok(usize::try_from(vertex.count).unwrap_or(usize::MAX))
}

/// What a property is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Skipped,
    Coordinate(usize),
    Corners,
}

struct Mesh<'a> {
    options: &'a ReadOptions,
    vertices: usize,
    positions: Vec<DVec3>,
    faces: Faces,
    /// The corners of one face; kept from face to face.
    corners: Vec<u32>,
}

impl Mesh<'_> {
    fn element(&mut self, c: &mut Cursor, element: &Element, coding: Coding) -> Result<(), ReadError> {
        let properties = roles(c, element)?;
        if element.properties.is_empty() {
            return Ok(());
        }
        let at_header = Cursor { mark: element.mark, binary: false, ..c.clone() };
        let n = at_header.room("elements", element.count, element.least(coding))?;
        match element.name.as_str() {
            "vertex" => self.positions.reserve_exact(n),
            "face" => self.faces.reserve(n),
            _ => {}
        }
        for _ in 0..n {
            match coding {
                Coding::Ascii => {
                    let mut line = next_line(c, element)?;
                    self.row(&mut line, element, &properties, coding)?;
                    if let Some(word) = line.word() {
                        return Err(
                            line.expected(format!("the end of the line of this {}", element.name), word)
                        );
                    }
                }
                Coding::Binary(_) => self.row(c, element, &properties, coding)?,
            }
        }
        Ok(())
    }

    #[inline]
    fn row(
        &mut self,
        c: &mut Cursor,
        element: &Element,
        properties: &[(Kind, Role)],
        coding: Coding,
    ) -> Result<(), ReadError> {
        let mut xyz = [0.0; 3];
        for &(kind, role) in properties {
            match (kind, role) {
                (Kind::One(s), Role::Coordinate(axis)) => xyz[axis] = real(c, s, coding, "a coordinate")?,
                (Kind::One(s), _) => skip(c, s, 1, coding)?,
                (Kind::List(length, item), role) => {
                    let n = integer(c, length, coding, "the length of a list")?;
                    let Ok(n) = u64::try_from(n) else {
                        return Err(c.invalid(format!("a list of length {n}"), "export the mesh again"));
                    };
                    let least = if coding == Coding::Ascii { 2 } else { item.size() };
                    let n = c.room("list items", n, least)?;
                    match role {
                        Role::Corners => self.face(c, item, n, coding)?,
                        _ => skip(c, item, n, coding)?,
                    }
                }
            }
        }
        if element.name == "vertex" {
            self.positions.push(c.placed(xyz, self.options)?);
        }
        Ok(())
    }

    #[inline]
    fn face(&mut self, c: &mut Cursor, item: Scalar, n: usize, coding: Coding) -> Result<(), ReadError> {
        if n < 3 {
            return Err(c.invalid(format!("a face with {n} corners, at least 3 needed"), "repair the export"));
        }
        let start = c.at;
        self.corners.clear();
        for _ in 0..n {
            let index = integer(c, item, coding, "a vertex index")?;
            self.corners.push(c.index(index, self.vertices)?);
        }
        self.faces.push(&self.corners, start);
        Ok(())
    }
}

fn roles(c: &Cursor, element: &Element) -> Result<Vec<(Kind, Role)>, ReadError> {
    let c = Cursor { mark: element.mark, binary: false, ..c.clone() };
    let mut found = [false; 4];
    let mut roles = Vec::with_capacity(element.properties.len());
    for (name, kind) in &element.properties {
        let (slot, role) = match (element.name.as_str(), name.as_str(), kind) {
            ("vertex", "x", Kind::One(_)) => (0, Role::Coordinate(0)),
            ("vertex", "y", Kind::One(_)) => (1, Role::Coordinate(1)),
            ("vertex", "z", Kind::One(_)) => (2, Role::Coordinate(2)),
            ("face", "vertex_indices" | "vertex_index", Kind::List(_, item)) => {
                if !item.is_integer() {
                    let fix = "use `property list uchar int vertex_indices`";
                    return Err(c.invalid("vertex indices that are not whole numbers", fix));
                }
                (3, Role::Corners)
            }
            _ => {
                roles.push((*kind, Role::Skipped));
                continue;
            }
        };
        if std::mem::replace(&mut found[slot], true) {
            return Err(c.invalid(format!("a second property `{name}`"), "export the mesh again"));
        }
        roles.push((*kind, role));
    }
    match element.name.as_str() {
        "vertex" if found[..3] != [true; 3] => {
            Err(c.invalid("vertices without the properties x, y and z", "export positions as x, y, z"))
        }
        "face" if element.count > 0 && !found[3] => Err(c.invalid(
            "faces without a list `vertex_indices`",
            "export faces as `property list uchar int vertex_indices`",
        )),
        _ => Ok(roles),
    }
}

/// A cursor that ends with the next line that is not blank.
fn next_line<'a>(c: &mut Cursor<'a>, element: &Element) -> Result<Cursor<'a>, ReadError> {
    if c.word().is_none() {
        return Err(c.truncated(format!("an element `{}`", element.name)));
    }
    c.at = c.mark;
    Ok(c.rest_of_line())
}
