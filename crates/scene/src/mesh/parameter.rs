//! What the parameters of a shape are read as: the type says how.

use crate::reader::Reader;
use impinge_geometry::DVec3;
use impinge_geometry::generators::Thread;

/// A parameter of a shape.
pub(super) trait Parameter {
    /// Reads it from the shape's table.
    fn read(t: &Reader<'_>, key: &str) -> Self;
}

impl Parameter for f64 {
    fn read(t: &Reader<'_>, key: &str) -> Self {
        t.number(key)
    }
}

impl Parameter for u32 {
    fn read(t: &Reader<'_>, key: &str) -> Self {
        t.count(key)
    }
}

impl Parameter for bool {
    fn read(t: &Reader<'_>, key: &str) -> Self {
        t.flag(key)
    }
}

impl Parameter for DVec3 {
    fn read(t: &Reader<'_>, key: &str) -> Self {
        t.vector(key)
    }
}

impl Parameter for [f64; 2] {
    fn read(t: &Reader<'_>, key: &str) -> Self {
        t.size2(key)
    }
}

impl<const N: usize> Parameter for [u32; N] {
    fn read(t: &Reader<'_>, key: &str) -> Self {
        t.segments(key)
    }
}

/// Its three numbers stand in the shape's own table.
impl Parameter for Thread {
    fn read(t: &Reader<'_>, _: &str) -> Self {
        Self { radius: t.number("radius"), pitch: t.number("pitch"), depth: t.number("depth") }
    }
}

/// The width across flats and the depth of a socket, where there is one.
impl Parameter for Option<[f64; 2]> {
    fn read(t: &Reader<'_>, key: &str) -> Self {
        let (width, depth) = (t.if_stated(key), t.if_stated("socket_depth"));
        match (width, depth) {
            (Some(width), Some(depth)) => return Some([width, depth]),
            (Some(_), None) => {
                let what = "a socket has a depth, and there is none";
                t.issues().push(t.place(key), what, "add `socket_depth = …` (m)");
            }
            _ => t.refuse(
                "socket_depth",
                "is of a socket, and there is none",
                "add `socket = …` (m), or take it out",
            ),
        }
        None
    }
}
