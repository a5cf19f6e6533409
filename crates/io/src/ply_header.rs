//! The header of a PLY file: which elements follow, how many, and what each is made of.

use crate::ReadError;
use crate::cursor::Cursor;
use crate::scalar::{Endian, Scalar};
use crate::statement::shown;
use crate::values::Coding;

/// What a property is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    One(Scalar),
    /// The type of the length, then of the items.
    List(Scalar, Scalar),
}

impl Kind {
    /// Bytes it takes at least: an ascii number takes a digit and a separator.
    fn least(self, coding: Coding) -> usize {
        match (self, coding) {
            (_, Coding::Ascii) => 2,
            (Self::One(s) | Self::List(s, _), _) => s.size(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<(String, Kind)>,
    /// The byte of its header line, for errors.
    pub mark: usize,
}

impl Element {
    #[must_use]
    pub fn least(&self, coding: Coding) -> usize {
        self.properties.iter().map(|p| p.1.least(coding)).sum()
    }
}

/// Reads up to and with `end_header`.
pub(crate) fn header(c: &mut Cursor) -> Result<(Coding, Vec<Element>), ReadError> {
    let mut line = Lines::new(c)?;
    let mut coding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let Some(mut words) = line.next(c) else {
            return Err(c.truncated("`end_header`"));
        };
        let Some(keyword) = words.word() else { continue };
        match keyword {
            b"comment" | b"obj_info" => {}
            b"format" => coding = Some(format(&mut words)?),
            b"element" => {
                let name = shown(words.need("the name of the element")?);
                let text = words.need("the number of elements")?;
                let count = std::str::from_utf8(text).ok().and_then(|w| w.parse().ok());
                let Some(count) = count else {
                    return Err(words.expected("the number of elements, a whole number,", text));
                };
                elements.push(Element { name, count, properties: Vec::new(), mark: words.mark });
            }
            b"property" => {
                let Some(element) = elements.last_mut() else {
                    return Err(words.invalid("a property before any element", "repair the header"));
                };
                let kind = match words.need("the type of the property")? {
                    b"list" => {
                        let length = scalar(&mut words)?;
                        if !length.is_integer() {
                            let what = "a list whose length is not a whole number";
                            return Err(words.invalid(what, "use `property list uchar int vertex_indices`"));
                        }
                        Kind::List(length, scalar(&mut words)?)
                    }
                    word => Kind::One(scalar_named(&words, word)?),
                };
                let name = words.need("the name of the property")?;
                element.properties.push((shown(name), kind));
            }
            b"end_header" => break,
            other => {
                return Err(
                    words.expected("`comment`, `format`, `element`, `property` or `end_header`", other)
                );
            }
        }
    }
    match coding {
        Some(coding) => Ok((coding, elements)),
        None => {
            Err(c.invalid("a header without a `format` line", "add `format ascii 1.0` as its second line"))
        }
    }
}

/// The lines of the header. Binary data begin after the end of its last line, so that it must be known whether
/// a line ends with LF, CRLF or CR: the first line, `ply`, tells.
struct Lines {
    end: &'static [u8],
}

impl Lines {
    fn new(c: &mut Cursor) -> Result<Self, ReadError> {
        let start = c.take(c.left().min(5), "`ply`")?;
        let end: &[u8] = match start {
            [b'p', b'l', b'y', b'\r', b'\n', ..] => b"\r\n",
            [b'p', b'l', b'y', b'\n', ..] => b"\n",
            [b'p', b'l', b'y', b'\r', ..] => b"\r",
            _ => {
                return Err(
                    c.expected("`ply` on a line of its own", Cursor { at: c.mark, ..c.clone() }.peek_line())
                );
            }
        };
        c.at = c.mark + 3 + end.len();
        Ok(Self { end })
    }

    /// A cursor that ends with the line, moving `c` behind it.
    fn next<'a>(&mut self, c: &mut Cursor<'a>) -> Option<Cursor<'a>> {
        if c.left() == 0 {
            return None;
        }
        let rest = &c.bytes[c.at..];
        let length = rest.windows(self.end.len()).position(|w| w == self.end);
        let stop = c.at + length.unwrap_or(rest.len());
        let line = Cursor { bytes: &c.bytes[..stop], mark: c.at, part: "header line", ..c.clone() };
        c.mark = c.at;
        c.at = stop + length.map_or(0, |_| self.end.len());
        Some(line)
    }
}

fn format(words: &mut Cursor) -> Result<Coding, ReadError> {
    let coding = match words.need("the format")? {
        b"ascii" => Coding::Ascii,
        b"binary_little_endian" => Coding::Binary(Endian::Little),
        b"binary_big_endian" => Coding::Binary(Endian::Big),
        other => {
            return Err(words.expected("`ascii`, `binary_little_endian` or `binary_big_endian`", other));
        }
    };
    match words.need("the version")? {
        b"1.0" => Ok(coding),
        other => Err(words.expected("version `1.0`", other)),
    }
}

fn scalar(words: &mut Cursor) -> Result<Scalar, ReadError> {
    let word = words.need("a type")?;
    scalar_named(words, word)
}

fn scalar_named(c: &Cursor, word: &[u8]) -> Result<Scalar, ReadError> {
    Ok(match word {
        b"char" | b"int8" => Scalar::I8,
        b"uchar" | b"uint8" => Scalar::U8,
        b"short" | b"int16" => Scalar::I16,
        b"ushort" | b"uint16" => Scalar::U16,
        b"int" | b"int32" => Scalar::I32,
        b"uint" | b"uint32" => Scalar::U32,
        b"int64" => Scalar::I64,
        b"uint64" => Scalar::U64,
        b"float" | b"float32" => Scalar::F32,
        b"double" | b"float64" => Scalar::F64,
        other => return Err(c.expected("a type (char to uint, float, double)", other)),
    })
}
