//! A file in memory and a place in it: words, lines and blocks of bytes, each with an error that says where.
//!
//! Whole files are held because most formats jump (offsets, sections) and because a count can then be checked
//! against the bytes that are left before anything is allocated for it. Lines are not counted while reading:
//! the place of an error is worked out from its byte when there is an error.

use crate::problem::{FormatProblem, Place};
use crate::statement::shown;
use crate::{ReadError, ReadOptions};
use impinge_geometry::DVec3;

/// A sentence that quotes the file, cut to a readable length.
fn brief(what: String) -> String {
    match what.char_indices().nth(240) {
        Some((end, _)) => format!("{}…", &what[..end]),
        None => what,
    }
}

#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// The next byte.
    pub at: usize,
    /// Where the thing read last begins: the place of an error.
    pub mark: usize,
    /// Whether errors name bytes; else lines.
    pub binary: bool,
    /// What ends where the bytes end, for messages: the file, a line of it, an array.
    pub part: &'static str,
}

impl<'a> Cursor<'a> {
    #[must_use]
    pub fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { name, bytes, at, mark: at, binary: false, part: "file" }
    }

    /// The places of bytes that follow each other.
    #[must_use]
    pub fn places(&self, marks: &[usize]) -> Vec<Place> {
        let (mut at, mut line) = (0, 1);
        let mut place = |&mark: &usize| {
            if self.binary {
                return Place::Byte(mark as u64);
            }
            line += self.line_ends(at.min(mark), mark);
            at = mark;
            Place::Line(line)
        };
        marks.iter().map(&mut place).collect()
    }

    /// How many lines end from one byte to another. A lone CR ends a line too: old Macintosh files.
    fn line_ends(&self, from: usize, to: usize) -> usize {
        let next = |i: usize| self.bytes[..to].get(i + 1).copied();
        let is_end = |&i: &usize| match self.bytes[i] {
            b'\n' => true,
            b'\r' => next(i).is_some_and(|b| b != b'\n'),
            _ => false,
        };
        (from..to).filter(is_end).count()
    }

    /// The error at the thing read last.
    #[must_use]
    pub fn fail(&self, problem: FormatProblem) -> ReadError {
        let mark = self.mark.min(self.bytes.len());
        let place =
            if self.binary { Place::Byte(mark as u64) } else { Place::Line(1 + self.line_ends(0, mark)) };
        ReadError::Content { file: self.name.into(), place, problem }
    }

    #[must_use]
    pub fn expected(&self, expected: impl Into<String>, found: &[u8]) -> ReadError {
        if !self.binary && found.contains(&0) {
            return self.invalid(
                "a NUL byte, which no text has",
                "is the file damaged, cut off, or binary? export it again",
            );
        }
        self.fail(FormatProblem::Expected { expected: expected.into(), found: shown(found) })
    }

    #[must_use]
    pub fn invalid(&self, what: impl Into<String>, fix: &'static str) -> ReadError {
        self.fail(FormatProblem::Invalid { what: brief(what.into()), fix })
    }

    #[must_use]
    pub fn unsupported(&self, what: impl Into<String>, fix: &'static str) -> ReadError {
        self.fail(FormatProblem::Unsupported { what: brief(what.into()), fix })
    }

    #[must_use]
    pub fn truncated(&self, missing: impl Into<String>) -> ReadError {
        let end = Self { mark: self.bytes.len(), ..self.clone() };
        end.fail(FormatProblem::Truncated { part: self.part, missing: missing.into() })
    }

    /// Bytes not read yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next word, over line ends.
    #[inline]
    pub fn word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let start = rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let rest = &rest[start..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.mark = self.at + start;
        self.at = self.mark + length;
        Some(&rest[..length])
    }

    /// The next word without taking it.
    #[must_use]
    pub fn peek(&self) -> Option<&'a [u8]> {
        self.clone().word()
    }

    /// The next word, which must be there.
    #[inline]
    pub fn need(&mut self, what: &str) -> Result<&'a [u8], ReadError> {
        match self.word() {
            Some(word) => Ok(word),
            None => Err(self.truncated(what)),
        }
    }

    /// The next word, which must be `word` in any case.
    pub fn keyword(&mut self, word: &str) -> Result<(), ReadError> {
        match self.word() {
            Some(found) if found.eq_ignore_ascii_case(word.as_bytes()) => Ok(()),
            Some(found) => Err(self.expected(format!("`{word}`"), found)),
            None => Err(self.truncated(format!("`{word}`"))),
        }
    }

    /// The next word as a number, NaN and infinities too.
    #[inline]
    pub fn real(&mut self, what: &str) -> Result<f64, ReadError> {
        let word = self.need(what)?;
        match std::str::from_utf8(word).ok().and_then(|w| w.parse().ok()) {
            Some(value) => Ok(value),
            None => Err(self.expected(format!("{what}, a number like 0.5 or -1e-3,"), word)),
        }
    }

    /// The next word as a whole number.
    #[inline]
    pub fn integer(&mut self, what: &str) -> Result<i64, ReadError> {
        let word = self.need(what)?;
        match std::str::from_utf8(word).ok().and_then(|w| w.parse().ok()) {
            Some(value) => Ok(value),
            None => Err(self.expected(format!("{what}, a whole number,"), word)),
        }
    }

    /// The next word as a count.
    pub fn count(&mut self, what: &str) -> Result<u64, ReadError> {
        let word = self.need(what)?;
        match std::str::from_utf8(word).ok().and_then(|w| w.parse().ok()) {
            Some(value) => Ok(value),
            None => Err(self.expected(format!("{what}, a whole number of 0 or more,"), word)),
        }
    }

    /// Three numbers as a vertex (m, z up).
    pub fn vertex(&mut self, options: &ReadOptions) -> Result<DVec3, ReadError> {
        let xyz = [self.real("a coordinate")?, self.real("a coordinate")?, self.real("a coordinate")?];
        self.placed(xyz, options)
    }

    /// Coordinates as read to metres, z up; refused when not finite.
    #[inline]
    pub fn placed(&self, xyz: [f64; 3], options: &ReadOptions) -> Result<DVec3, ReadError> {
        let p = options.apply(xyz);
        // A sum that is finite has finite terms; one that is not may have overflowed, so that the terms decide.
        if (p.x + p.y + p.z).is_finite() || [p.x, p.y, p.z].iter().all(|c| c.is_finite()) {
            return Ok(p);
        }
        Err(self.fail(FormatProblem::NonFinite { x: xyz[0], y: xyz[1], z: xyz[2] }))
    }

    /// An index counted from 0 as a vertex number.
    #[inline]
    pub fn index(&self, index: i64, vertices: usize) -> Result<u32, ReadError> {
        match u32::try_from(index) {
            Ok(i) if (i as usize) < vertices => Ok(i),
            _ => {
                Err(self.fail(FormatProblem::IndexOutOfRange { index, vertices, first: ", counted from 0" }))
            }
        }
    }

    /// The rest of the line, without its end; `None` at the end of the file.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        if self.left() == 0 {
            return None;
        }
        self.mark = self.at;
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        Some(rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]))
    }

    /// The rest of the line, which ends with LF, CRLF or CR; `None` at the end of the file.
    pub fn whole_line(&mut self) -> Option<&'a [u8]> {
        if self.left() == 0 {
            return None;
        }
        let line = self.rest_of_line();
        self.mark = line.at;
        Some(&line.bytes[line.at..])
    }

    /// A cursor over the rest of the line, which ends with LF, CRLF or CR; `self` moves behind it.
    pub fn rest_of_line(&mut self) -> Self {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(rest.len());
        let stop = self.at + length;
        let line = Self { bytes: &self.bytes[..stop], mark: self.at, part: "line", ..self.clone() };
        self.at = match &rest[length..] {
            [b'\r', b'\n', ..] => stop + 2,
            [_, ..] => stop + 1,
            [] => stop,
        };
        line
    }

    /// The line that begins here, without taking it.
    #[must_use]
    pub fn peek_line(&self) -> &'a [u8] {
        self.clone().line().unwrap_or_default()
    }

    /// The next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], ReadError> {
        if count > self.left() {
            return Err(self.truncated(format!("{what} of {count} bytes from byte {}", self.at)));
        }
        self.mark = self.at;
        self.at += count;
        Ok(&self.bytes[self.mark..self.at])
    }

    /// Checks a count against the bytes that are left, at `least` bytes for each, before anything is allocated.
    pub fn room(&self, what: &'static str, count: u64, least: usize) -> Result<usize, ReadError> {
        // The last word of a text file has no separator after it.
        let left = self.left() as u64 + u64::from(!self.binary);
        let room = left / (least.max(1) as u64);
        match usize::try_from(count) {
            Ok(n) if count <= room => Ok(n),
            _ => Err(self.fail(FormatProblem::TooMany { what, count, room })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_line_or_the_byte() {
        let mut c = Cursor::new("f", b"one\r\ntwo\n\n three x");
        for want in ["one", "two", "three"] {
            assert_eq!(c.word(), Some(want.as_bytes()));
        }
        assert!(
            c.fail(FormatProblem::Truncated { part: "file", missing: "m".into() })
                .to_string()
                .starts_with("f:4: ")
        );
        assert_eq!(c.peek(), Some(&b"x"[..]));
        assert!(c.real("a number").unwrap_err().to_string().starts_with("f:4: `x` found"));
        assert!(c.count("a count").unwrap_err().to_string().contains("a count expected"));
        c.binary = true;
        assert!(c.take(9, "a block").unwrap_err().to_string().starts_with("f:byte 18: "));
        assert!(Cursor::new("f", b"a\rb\rc").left() == 5);
    }

    #[test]
    fn counts_are_checked_against_the_file() {
        let c = Cursor { binary: true, ..Cursor::new("f", &[0; 100]) };
        assert_eq!(c.room("things", 10, 10).unwrap(), 10);
        for count in [11, u64::MAX] {
            let e = c.room("things", count, 10).unwrap_err().to_string();
            assert!(e.contains("room for at most 10"), "{e}");
        }
    }
}
