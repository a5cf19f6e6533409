//! Words and numbers of one OBJ line, as byte slices without copies.

use crate::LineProblem;

/// Words separated by spaces or tabs, up to an inline comment.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&b| b == b' ' || b == b'\t').filter(|w| !w.is_empty()).take_while(|w| w[0] != b'#')
}

/// A word for a message: cut to a readable length, odd bytes shown as �.
pub(crate) fn shown(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short.replace('\0', "\\0")
}

/// A finite number.
pub(crate) fn number(word: &[u8]) -> Result<f64, LineProblem> {
    let text = std::str::from_utf8(word).map_err(|_| LineProblem::NotUtf8)?;
    let value: f64 = text.parse().map_err(|_| LineProblem::BadNumber { text: shown(word) })?;
    if !value.is_finite() {
        return Err(LineProblem::NonFinite { text: shown(word) });
    }
    Ok(value)
}

/// The position index of a face corner `v`, `v/vt`, `v//vn` or `v/vt/vn`, as written. Indices beyond 2⁶³ are refused: no file has that many vertices.
pub(crate) fn corner(word: &[u8]) -> Result<i64, LineProblem> {
    let bad = || match std::str::from_utf8(word) {
        Ok(_) => LineProblem::BadIndex { text: shown(word) },
        Err(_) => LineProblem::NotUtf8,
    };
    let mut parts = word.split(|&b| b == b'/');
    let first = parts.next().unwrap_or_default();
    let index = match integer(first) {
        Some(Some(index)) => index,
        Some(None) => return Err(LineProblem::HugeIndex { text: shown(first) }),
        None => return Err(bad()),
    };
    // Texture and normal are not used, but a corner that is not well formed points to a broken file.
    for (i, part) in parts.enumerate() {
        if i > 1 || !(part.is_empty() || integer(part).is_some()) {
            return Err(bad());
        }
    }
    if index == 0 { Err(LineProblem::IndexZero) } else { Ok(index) }
}

/// A whole number; `None` within where it is beyond 2⁶³.
fn integer(word: &[u8]) -> Option<Option<i64>> {
    let (negative, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = Some(0i64);
    for &b in digits {
        if !b.is_ascii_digit() {
            return None;
        }
        value = value.and_then(|v| v.checked_mul(10)?.checked_add(i64::from(b - b'0')));
    }
    Some(value.map(|v| if negative { -v } else { v }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_of_every_form() {
        for (text, want) in
            [("7", 7), ("7/1", 7), ("7/1/2", 7), ("7//2", 7), ("-3", -3), ("+4/", 4), ("-1/-1/-1", -1)]
        {
            assert_eq!(corner(text.as_bytes()), Ok(want), "{text}");
        }
        assert_eq!(corner(b"9223372036854775807"), Ok(i64::MAX));
        let huge = "99999999999999999999999";
        assert_eq!(corner(huge.as_bytes()), Err(LineProblem::HugeIndex { text: huge.into() }));
        for text in ["", "/1", "a", "1.5", "1/2/3/4", "1/x", "--1", "1e3", "-", "1,2"] {
            assert!(matches!(corner(text.as_bytes()), Err(LineProblem::BadIndex { .. })), "{text}");
        }
        assert_eq!(corner(b"0/1"), Err(LineProblem::IndexZero));
        assert_eq!(corner(b"1\xff"), Err(LineProblem::NotUtf8));
    }

    #[test]
    fn numbers_are_finite_or_refused() {
        assert_eq!(number(b"-1.5e-3"), Ok(-1.5e-3));
        assert_eq!(number(b"+.5"), Ok(0.5));
        for text in ["nan", "inf", "-Infinity", "1e999"] {
            assert_eq!(number(text.as_bytes()), Err(LineProblem::NonFinite { text: text.into() }));
        }
        for text in ["1,5", "x", "0x10", "1.0d3", ""] {
            assert!(matches!(number(text.as_bytes()), Err(LineProblem::BadNumber { .. })), "{text}");
        }
    }
}
