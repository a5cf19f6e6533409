//! Number arrays as text for the page: little-endian bytes in base64, with the element type beside them:
//! `{"k":"f32","d":"..."}`. The page turns each into a typed array without parsing numbers.

use serde_json::{Value, json};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding (RFC 4648 §4).
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            if k <= chunk.len() {
                out.push(char::from(DIGITS[(word >> (18 - 6 * k) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

fn array(kind: &str, bytes: &[u8]) -> Value {
    json!({ "k": kind, "d": base64(bytes) })
}

/// Cuts an array behind its first `bytes` bytes or a little later: the array keeps these, and the text of the others comes back. Both
/// texts one behind the other are what it was.
pub fn cut(array: &mut Value, bytes: usize) -> String {
    // 24 bytes are whole numbers of every kind, and whole digits.
    let digits = bytes.div_ceil(24) * 32;
    match array.get_mut("d") {
        Some(Value::String(text)) => text.split_off(digits.min(text.len())),
        _ => String::new(),
    }
}

/// 64-bit floats.
#[must_use]
pub fn f64s(values: &[f64]) -> Value {
    array("f64", &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
}

/// 32-bit floats.
#[must_use]
pub fn f32s(values: &[f32]) -> Value {
    array("f32", &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
}

/// 8-bit unsigned integers.
#[must_use]
pub fn u8s(values: &[u8]) -> Value {
    array("u8", values)
}

/// 16-bit signed integers.
#[must_use]
pub fn i16s(values: &[i16]) -> Value {
    array("i16", &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
}

/// 16-bit unsigned integers.
#[must_use]
pub fn u16s(values: &[u16]) -> Value {
    array("u16", &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
}

/// Unsigned integers in 16 bits each if all fit, else 32.
#[must_use]
pub fn unsigned(values: &[u32]) -> Value {
    match values.iter().map(|&v| u16::try_from(v)).collect::<Result<Vec<_>, _>>() {
        Ok(small) => u16s(&small),
        Err(_) => array("u32", &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>()),
    }
}

/// Signed integers in 16 bits each if all fit, else 32.
#[must_use]
pub fn signed(values: &[i32]) -> Value {
    match values.iter().map(|&v| i16::try_from(v)).collect::<Result<Vec<_>, _>>() {
        Ok(small) => i16s(&small),
        Err(_) => array("i32", &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>()),
    }
}

/// A curve in 32 bits when nobody could see the difference (every rounding below 1/50 000 of the curve's
/// span, no value lost to zero or infinity), else in 64.
#[must_use]
pub fn curve(values: &[f64]) -> Value {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let invisible = (high - low) / 50_000.0;
    let short = |v: f64| v as f32;
    let fits = finite().all(|v| {
        let back = f64::from(short(v));
        back.is_finite() && (v == back || (short(v).is_normal() && (v - back).abs() <= invisible))
    });
    if fits { f32s(&values.iter().map(|&v| short(v)).collect::<Vec<_>>()) } else { f64s(values) }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The inverse, as the page does it; the oracle of this crate's tests.
    #[must_use]
    pub fn bytes_of(text: &str) -> Vec<u8> {
        let digit = |c: u8| DIGITS.iter().position(|&d| d == c).expect("a base64 digit") as u32;
        let body: Vec<u8> = text.bytes().filter(|&c| c != b'=').collect();
        body.chunks(4)
            .flat_map(|c| {
                let word = c.iter().enumerate().fold(0, |w, (k, &d)| w | digit(d) << (18 - 6 * k));
                word.to_be_bytes()[1..c.len()].to_vec()
            })
            .collect()
    }

    #[test]
    fn base64_matches_the_published_vectors() {
        let plain = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let coded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (p, c) in plain.iter().zip(coded) {
            assert_eq!(base64(p.as_bytes()), c);
            assert_eq!(bytes_of(c), p.as_bytes());
        }
    }

    #[test]
    fn an_array_cut_in_two_is_whole_again_with_both_texts() {
        let numbers: Vec<u32> = (0..100).collect();
        for bytes in [0, 1, 24, 25, 150, 200, 1000] {
            let mut array = unsigned(&numbers);
            let rest = cut(&mut array, bytes);
            let head = array["d"].as_str().expect("text");
            let size = bytes_of(head).len();
            assert!(size >= bytes.min(200) && size < bytes + 24 && size.is_multiple_of(2), "{bytes}: {size}");
            assert_eq!(
                bytes_of(&(head.to_owned() + &rest)),
                bytes_of(unsigned(&numbers)["d"].as_str().expect("text"))
            );
        }
    }

    #[test]
    fn a_curve_takes_the_short_form_only_when_nothing_shows() {
        let kind = |v: &[f64]| curve(v)["k"].as_str().expect("a kind").to_owned();
        assert_eq!(kind(&[0.0, 1.0 / 3.0, f64::NAN]), "f32");
        assert_eq!(kind(&[1e6, 1e6 + 1e-3]), "f64", "the variation would turn into stairs");
        assert_eq!(kind(&[1e-300, 1.0]), "f64", "it would vanish from a log axis");
        assert_eq!(kind(&[1e300, 1.0]), "f64");
        assert_eq!(kind(&[]), "f32");
        assert_eq!(kind(&[0.1, 0.1]), "f64", "a constant has no span to hide a rounding in");
    }

    #[test]
    fn indices_widen_when_they_must() {
        assert_eq!(unsigned(&[0, 65_535])["k"], "u16");
        assert_eq!(unsigned(&[0, 65_536])["k"], "u32");
        assert_eq!(signed(&[-32_768, 32_767])["k"], "i16");
        assert_eq!(signed(&[32_768])["k"], "i32");
    }
}
