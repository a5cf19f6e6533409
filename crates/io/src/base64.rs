//! Base64 as VTK files use it: groups of four letters, each decoded by itself.

/// Decodes letters up to the first one that is none (a tag, the `_` of the next part) or until `most` bytes are
/// there. Blanks between letters are skipped. `=` fills a group that stands for one or two bytes; decoding goes
/// on behind it, because some programs encode the length and the data by themselves, one behind the other.
/// `None` when a group is incomplete or `=` stands where it cannot.
pub(crate) fn decode(text: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(most.min(text.len() / 4 * 3 + 3));
    let (mut group, mut letters, mut fill) = (0u32, 0, 0);
    for &b in text {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if letters >= 2 => {
                fill += 1;
                0
            }
            _ if b.is_ascii_whitespace() => continue,
            _ => break,
        };
        if fill > 0 && b != b'=' {
            return None;
        }
        group = group << 6 | u32::from(value);
        letters += 1;
        if letters == 4 {
            out.extend_from_slice(&group.to_be_bytes()[1..4 - fill]);
            (group, letters, fill) = (0, 0, 0);
            if out.len() >= most {
                out.truncate(most);
                return Some(out);
            }
        }
    }
    (letters == 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words() {
        for (text, want) in [
            ("", &b""[..]),
            ("Zg==", b"f"),
            ("Zm8=", b"fo"),
            ("Zm9v", b"foo"),
            (" Zm9v\nYmFy ", b"foobar"),
            ("Zg==Zm8=", b"ffo"),
            ("Zm9v<", b"foo"),
        ] {
            assert_eq!(decode(text.as_bytes(), 99).as_deref(), Some(want), "{text}");
        }
        for text in ["Z", "Zg=", "Zg=a", "Zm9vY"] {
            assert_eq!(decode(text.as_bytes(), 99), None, "{text}");
        }
        assert_eq!(decode(b"Zm9vYmFy", 4).as_deref(), Some(&b"foob"[..]));
    }
}
