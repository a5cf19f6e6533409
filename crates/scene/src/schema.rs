//! The scene file's schema as data: the one table that the reader obeys and `SCHEMA.md` is printed from.
//!
//! A key exists because it stands here; its type, unit, bounds and default are read from here, by the reader
//! (`reader.rs`) and by [`crate::schema_markdown`]. So the reference cannot promise a key the reader does not know.

mod actuator;
mod body;
mod law;
mod mesh;
mod model;
mod pressure;
mod sensor;
mod soft;

pub(crate) use body::BODY;
pub(crate) use impinge_world::schema::{Absent, COUNT, Key, Kind, Range, Section, key};
pub(crate) use mesh::MESH;
pub(crate) use model::top;
pub(crate) use soft::SOLID;

/// Every section, in the order of the reference: depth first from the top.
pub(crate) fn sections() -> Vec<&'static Section> {
    fn visit(section: &'static Section, out: &mut Vec<&'static Section>) {
        if out.iter().any(|s| s.title == section.title) {
            return;
        }
        out.push(section);
        for key in section.keys {
            match key.kind {
                Kind::Table(s) | Kind::WordOrTable(_, s) | Kind::Tables(s) => visit(s, out),
                _ => {}
            }
        }
    }
    let mut out = Vec::new();
    visit(top(), &mut out);
    out
}
