//! As much XML as VTU and PVD files use: tags with attributes, text, comments, one encoding (UTF-8).

use crate::ReadError;
use crate::cursor::Cursor;
use crate::statement::shown;

/// A piece of the document.
pub(crate) enum Event<'a> {
    Open { tag: Tag<'a>, empty: bool },
    Close(&'a [u8]),
    Text(Cursor<'a>),
}

/// An opening tag; the cursor stands at it.
#[derive(Clone)]
pub(crate) struct Tag<'a> {
    pub name: &'a [u8],
    pub at: Cursor<'a>,
    attributes: Vec<(&'a [u8], String)>,
}

impl Tag<'_> {
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|a| a.0 == key.as_bytes()).map(|a| &a.1[..])
    }

    /// An attribute that must be there.
    pub fn need(&self, key: &str) -> Result<&str, ReadError> {
        self.get(key).ok_or_else(|| {
            self.at
                .invalid(format!("`{}` has no attribute `{key}`", shown(self.name)), "export the mesh again")
        })
    }

    pub fn count(&self, key: &str) -> Result<u64, ReadError> {
        let text = self.need(key)?;
        let count = text.trim().parse();
        count.map_err(|_| self.at.expected(format!("`{key}`, a whole number of 0 or more,"), text.as_bytes()))
    }
}

/// The next piece, or `None` at the end.
pub(crate) fn next<'a>(c: &mut Cursor<'a>) -> Result<Option<Event<'a>>, ReadError> {
    loop {
        let rest = &c.bytes[c.at..];
        c.mark = c.at;
        if rest.is_empty() {
            return Ok(None);
        }
        if rest[0] != b'<' {
            let length = rest.iter().position(|&b| b == b'<').unwrap_or(rest.len());
            let text = Cursor { bytes: &c.bytes[..c.at + length], part: "array", ..c.clone() };
            c.at += length;
            return Ok(Some(Event::Text(text)));
        }
        let skipped: Option<&[u8]> = match rest {
            [b'<', b'!', b'-', b'-', ..] => Some(b"-->"),
            [b'<', b'?', ..] => Some(b"?>"),
            [b'<', b'!', b'[', ..] => return Err(c.unsupported("a CDATA section", "export without it")),
            [b'<', b'!', ..] => Some(b">"),
            _ => None,
        };
        if let Some(end) = skipped {
            match rest.windows(end.len()).position(|w| w == end) {
                Some(n) => c.at += n + end.len(),
                None => return Err(c.truncated("the end of a comment or declaration")),
            }
            continue;
        }
        return tag(c).map(Some);
    }
}

fn tag<'a>(c: &mut Cursor<'a>) -> Result<Event<'a>, ReadError> {
    let at = c.clone();
    let rest = &c.bytes[c.at + 1..];
    if rest.first() == Some(&b'/') {
        let Some(end) = rest.iter().position(|&b| b == b'>') else {
            return Err(c.truncated("`>`"));
        };
        c.at += end + 2;
        return Ok(Event::Close(rest[1..end].trim_ascii()));
    }
    let length = rest.iter().position(|b| !is_name(*b)).unwrap_or(rest.len());
    if length == 0 {
        return Err(c.invalid("`<` that opens no tag", "write `&lt;` for a `<` in text"));
    }
    let name = &rest[..length];
    c.at += 1 + length;
    let mut attributes = Vec::new();
    loop {
        let rest = &c.bytes[c.at..];
        let blank = rest.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(rest.len());
        c.at += blank;
        let rest = &rest[blank..];
        let empty = match rest {
            [] => return Err(c.truncated("`>`")),
            [b'>', ..] => false,
            [b'/', b'>', ..] => true,
            _ => {
                attributes.push(attribute(c)?);
                continue;
            }
        };
        c.at += 1 + usize::from(empty);
        return Ok(Event::Open { tag: Tag { name, at, attributes }, empty });
    }
}

fn attribute<'a>(c: &mut Cursor<'a>) -> Result<(&'a [u8], String), ReadError> {
    c.mark = c.at;
    let rest = &c.bytes[c.at..];
    let length = rest.iter().position(|b| !is_name(*b)).unwrap_or(rest.len());
    let name = &rest[..length];
    let mut at = length + blanks(&rest[length..]);
    let equals = rest.get(at) == Some(&b'=');
    at += 1;
    at += rest.get(at..).map_or(0, blanks);
    match rest.get(at) {
        Some(&quote @ (b'"' | b'\'')) if equals && length > 0 => {
            let value = &rest[at + 1..];
            let Some(end) = value.iter().position(|&b| b == quote) else {
                return Err(c.truncated("the closing quote of an attribute"));
            };
            c.at += at + end + 2;
            Ok((name, unescaped(&String::from_utf8_lossy(&value[..end]))))
        }
        _ => {
            Err(c.invalid("a tag with something that is no attribute", "write attributes as name=\"value\""))
        }
    }
}

fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(bytes.len())
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':') || b >= 0x80
}

/// Text for an attribute: the characters that XML would take for its own, and line ends, as references.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", ch as u32)),
            _ => out.push(ch),
        }
    }
    out
}

/// The reverse; a reference that is not known stays as it stands.
pub(crate) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find(';').unwrap_or(0);
        let known = match &rest[..end] {
            "&amp" => Some('&'),
            "&lt" => Some('<'),
            "&gt" => Some('>'),
            "&quot" => Some('"'),
            "&apos" => Some('\''),
            number => number
                .strip_prefix("&#")
                .and_then(|n| match n.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok(),
                    None => n.parse().ok(),
                })
                .and_then(char::from_u32),
        };
        let taken = known.map_or(1, |_| end + 1);
        out.push(known.unwrap_or('&'));
        rest = &rest[taken..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_escaping() {
        for name in ["p", "a<b>&\"c\"'", "&amp;", "&", "&#10", "ü &; λ", "two\nlines\t"] {
            assert_eq!(unescaped(&escaped(name)), name);
        }
        assert_eq!(unescaped("&#x41;&#66;&apos;&nbsp;&#xffffffff;"), "AB'&nbsp;&#xffffffff;");
    }
}
