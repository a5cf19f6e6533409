//! Attributes of a legacy VTK file: everything behind POINT_DATA and CELL_DATA, and field data.

use crate::cursor::Cursor;
use crate::statement::shown;
use crate::values::Coding;
use crate::vtk::{metadata, numbers};
use crate::{DataArray, ReadError};
use impinge_geometry::DVec3;

/// What the attributes that follow belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Points(u64),
    Cells(u64),
}

pub(crate) struct Attributes {
    coding: Coding,
    owner: Option<Owner>,
    pub point_data: Vec<DataArray>,
}

impl Attributes {
    #[must_use]
    pub fn new(coding: Coding) -> Self {
        Self { coding, owner: None, point_data: Vec::new() }
    }

    /// Reads the section that `keyword`, in upper case and just taken from the cursor, opens.
    pub fn section(
        &mut self,
        c: &mut Cursor,
        keyword: &[u8],
        points: Option<&[DVec3]>,
        cells: Option<usize>,
    ) -> Result<(), ReadError> {
        let at_keyword = c.clone();
        let mut head = c.rest_of_line();
        match keyword {
            b"POINT_DATA" => {
                let n = owner(&mut head, points.map(<[_]>::len), "points")?;
                self.owner = Some(Owner::Points(n));
            }
            b"CELL_DATA" => {
                let n = owner(&mut head, cells, "cells")?;
                self.owner = Some(Owner::Cells(n));
            }
            b"FIELD" => self.fields(c, &mut head)?,
            b"SCALARS" => {
                let (name, kind) = (head.need("a name")?, head.need("a type")?);
                let components =
                    if head.peek().is_some() { head.count("the number of components")? } else { 1 };
                if c.peek().is_some_and(|w| w.eq_ignore_ascii_case(b"LOOKUP_TABLE")) {
                    c.word();
                    c.line();
                }
                self.array(c, &head, name, kind, components)?;
            }
            b"VECTORS" | b"NORMALS" => self.fixed(c, &mut head, 3)?,
            b"TENSORS" => self.fixed(c, &mut head, 9)?,
            b"TENSORS6" => self.fixed(c, &mut head, 6)?,
            b"GLOBAL_IDS" | b"PEDIGREE_IDS" | b"EDGE_FLAGS" => self.fixed(c, &mut head, 1)?,
            b"TEXTURE_COORDINATES" => {
                let (name, components) = (head.need("a name")?, head.count("the number of components")?);
                let kind = head.need("a type")?;
                self.array(c, &head, name, kind, components)?;
            }
            b"COLOR_SCALARS" => {
                let (name, components) = (head.need("a name")?, head.count("the number of components")?);
                self.array(c, &head, name, self.colour(), components)?;
            }
            b"LOOKUP_TABLE" => {
                head.need("a name")?;
                let n = head.count("the size of the table")?.saturating_mul(4);
                c.mark = head.mark;
                numbers(c, self.colour(), n, self.coding, false)?;
            }
            other => {
                return Err(at_keyword.expected("a section of a VTK file (`POINTS`, `CELLS`, ...)", other));
            }
        }
        Ok(())
    }

    /// Colours are fractions in ascii and bytes in binary.
    fn colour(&self) -> &'static [u8] {
        if self.coding == Coding::Ascii { b"float" } else { b"unsigned_char" }
    }

    fn fixed(&mut self, c: &mut Cursor, head: &mut Cursor, components: u64) -> Result<(), ReadError> {
        let (name, kind) = (head.need("a name")?, head.need("a type")?);
        self.array(c, head, name, kind, components)
    }

    fn array(
        &mut self,
        c: &mut Cursor,
        head: &Cursor,
        name: &[u8],
        kind: &[u8],
        components: u64,
    ) -> Result<(), ReadError> {
        c.mark = head.mark;
        let (n, keep) = match self.owner {
            Some(Owner::Points(n)) => (n, true),
            Some(Owner::Cells(n)) => (n, false),
            None => return Err(head.invalid("an attribute before POINT_DATA or CELL_DATA", "export again")),
        };
        let values = numbers(c, kind, n.saturating_mul(components), self.coding, keep)?;
        if keep {
            self.point_data.push(DataArray { name: plain(name), components: components as usize, values });
        }
        Ok(())
    }

    /// `FIELD name count`, then for each array a line `name components tuples type` and the numbers.
    fn fields(&mut self, c: &mut Cursor, head: &mut Cursor) -> Result<(), ReadError> {
        head.need("a name")?;
        for _ in 0..head.count("the number of arrays")? {
            let Some(name) = c.word() else { return Err(c.truncated("an array of the field")) };
            if name.eq_ignore_ascii_case(b"METADATA") {
                return Err(c.unsupported("METADATA inside a field", "export without metadata"));
            }
            let mut head = c.rest_of_line();
            let (components, tuples) = (head.count("the components")?, head.count("the tuples")?);
            let kind = head.need("a type")?;
            c.mark = head.mark;
            let keep = self.owner == Some(Owner::Points(tuples));
            let values = numbers(c, kind, components.saturating_mul(tuples), self.coding, keep)?;
            if keep {
                self.point_data.push(DataArray {
                    name: plain(name),
                    components: components as usize,
                    values,
                });
            }
            if c.peek().is_some_and(|w| w.eq_ignore_ascii_case(b"METADATA")) {
                c.word();
                metadata(c);
            }
        }
        Ok(())
    }
}

fn owner(head: &mut Cursor, there: Option<usize>, what: &str) -> Result<u64, ReadError> {
    let n = head.count("the number of values")?;
    match there {
        Some(there) if there as u64 == n => Ok(n),
        _ => {
            let what = format!("data for {n} {what}, but there are {}", there.unwrap_or(0));
            Err(head.invalid(what, "export the mesh again"))
        }
    }
}

/// A name without the percent codes that stand for blanks and the like.
fn plain(name: &[u8]) -> String {
    let hex = |b: u8| (b as char).to_digit(16);
    let mut bytes = Vec::with_capacity(name.len());
    let mut i = 0;
    while i < name.len() {
        match name[i..] {
            [b'%', a, b, ..] if hex(a).is_some() && hex(b).is_some() => {
                bytes.push((hex(a).unwrap_or(0) * 16 + hex(b).unwrap_or(0)) as u8);
                i += 3;
            }
            _ => {
                bytes.push(name[i]);
                i += 1;
            }
        }
    }
    if bytes.len() > 256 { shown(&bytes) } else { String::from_utf8_lossy(&bytes).into_owned() }
}
