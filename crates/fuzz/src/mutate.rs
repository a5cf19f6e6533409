//! Damage to files: bytes, numbers in words, tokens, lines, pieces of other files.

use crate::families::Numbers;

/// What takes the place of a number in a text.
const WORDS: &[&str] = &[
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e309",
    "1e-320",
    "5e-324",
    "-0",
    "-0.0",
    "0",
    "-1",
    "1",
    "2",
    "3",
    "4294967295",
    "4294967296",
    "2147483648",
    "-2147483649",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775807",
    "99999999999999999999999999",
    "1e",
    "0x10",
    "1_000",
    "+1",
    ".5",
    "5.",
    "1e400000",
    "",
    "é",
    "\"",
];

/// Lengths of binary numbers that are overwritten.
const PATTERNS: &[[u8; 8]] = &[
    [0xff; 8],
    [0; 8],
    [0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0],
    [0, 0, 0xc0, 0x7f, 0, 0, 0xf8, 0x7f],
    [0, 0, 0x80, 0x7f, 0, 0, 0xf0, 0x7f],
    [1, 0, 0, 0, 0, 0, 0, 0],
    [0xff, 0xff, 0xef, 0x7f, 0xff, 0xff, 0xef, 0x7f],
    [0, 0, 0, 0x80, 0, 0, 0, 0x80],
];

/// Damages a file one to four times; `other` is a file to splice from.
pub fn mutate(r: &mut Numbers, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let mut b = bytes.to_vec();
    for _ in 0..r.pick(&[1, 1, 1, 2, 2, 3, 4]) {
        once(r, &mut b, other);
    }
    b
}

fn once(r: &mut Numbers, b: &mut Vec<u8>, other: &[u8]) {
    if b.is_empty() {
        b.extend_from_slice(other);
        return;
    }
    let at = place(r, b.len());
    match r.below(12) {
        0 => b[at] ^= 1 << r.below(8),
        1 => b[at] = r.next() as u8,
        2 => b.truncate(at),
        3 => {
            let end = (at + 1 + r.below(32) as usize).min(b.len());
            b.drain(at..end);
        }
        4 => {
            // A piece of another file, at any place.
            let from = place(r, other.len().max(1)).min(other.len());
            let piece = &other[from..(from + 1 + r.below(64) as usize).min(other.len())];
            b.splice(at..at, piece.iter().copied());
        }
        5 => {
            let from = place(r, other.len().max(1)).min(other.len());
            b.truncate(at);
            b.extend_from_slice(&other[from..]);
        }
        6 => {
            let p = r.pick(PATTERNS);
            let n = r.pick(&[1, 2, 4, 8]).min(b.len() - at);
            b[at..at + n].copy_from_slice(&p[..n]);
        }
        7..10 => number(r, b),
        10 => token(r, b),
        _ => line(r, b),
    }
}

/// Any place, the first hundred bytes (heads and counts) as often as all others.
fn place(r: &mut Numbers, n: usize) -> usize {
    let n = if r.below(2) == 0 { n.min(100) } else { n };
    r.below(n as u64) as usize
}

/// A number in words is replaced.
pub fn number(r: &mut Numbers, b: &mut Vec<u8>) {
    let digit = |i: usize| b[i].is_ascii_digit() || b[i] == b'.' || b[i] == b'-';
    let start = place(r, b.len());
    let Some(from) = (start..b.len()).chain(0..start).find(|&i| digit(i)) else { return };
    let mut to = from;
    while to < b.len() && (digit(to) || matches!(b[to], b'e' | b'E' | b'+')) {
        to += 1;
    }
    let word = r.pick(WORDS);
    b.splice(from..to, word.bytes());
}

/// The token at a place is doubled, dropped, or swapped with the next one.
fn token(r: &mut Numbers, b: &mut Vec<u8>) {
    piece(r, b, |c| c.is_ascii_whitespace() || matches!(c, b',' | b'>' | b'='));
}

/// The line at a place is doubled, dropped, or swapped with the next one.
fn line(r: &mut Numbers, b: &mut Vec<u8>) {
    piece(r, b, |c| c == b'\n');
}

fn piece(r: &mut Numbers, b: &mut Vec<u8>, ends: impl Fn(u8) -> bool) {
    let at = place(r, b.len());
    let from = (0..at).rev().find(|&i| ends(b[i])).map_or(0, |i| i + 1);
    let end = |from: usize| (from..b.len()).find(|&i| ends(b[i])).map_or(b.len(), |i| i + 1);
    let to = end(from);
    let piece = b[from..to].to_vec();
    match r.below(4) {
        0 => drop(b.drain(from..to)),
        1 => drop(b.splice(to..to, piece)),
        2 => {
            let times = r.pick(&[2, 3, 10, 100]);
            b.splice(to..to, piece.repeat(times));
        }
        _ => {
            let after = end(to.min(b.len()));
            b[from..after].rotate_left(to - from);
        }
    }
}
