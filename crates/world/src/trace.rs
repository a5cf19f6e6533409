//! A digest of what each stage of a step wrote: two runs that part can be told at which stage.
//!
//! The digest of a column is a hash over its `Debug` text, in which numbers stand with all their bits (but `-0` counts as
//! `0`, as in [`impinge_contact::StateHash`]). That is slow beside the step itself, and works for every column without a list of its fields
//! that could be forgotten; it is for finding a difference, not for every run.

use crate::column::Column;
use hecs::{Entity, World};
use impinge_contact::StateHash;
use std::fmt::{self, Debug, Write};

/// What one stage wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageDigest {
    /// Name of the stage.
    pub stage: String,
    /// Over the columns it writes, in the order of its type.
    pub digest: u64,
}

/// Hashes text as it is written, with every number `-0.0` taken for `0.0`.
#[derive(Default)]
struct Digest {
    hash: StateHash,
    number: Vec<u8>,
}

impl Digest {
    fn end_number(&mut self) {
        let digits = if self.number == b"-0.0" { &self.number[1..] } else { &self.number[..] };
        digits.iter().for_each(|&b| self.hash.word(u64::from(b)));
        self.number.clear();
    }

    fn finish(mut self) -> u64 {
        self.end_number();
        self.hash.finish()
    }
}

impl Write for Digest {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        for b in s.bytes() {
            if b.is_ascii_digit() || matches!(b, b'-' | b'.') {
                self.number.push(b);
            } else {
                self.end_number();
                self.hash.word(u64::from(b));
            }
        }
        Ok(())
    }
}

/// Digest of one value.
pub(crate) fn digest_of(value: &impl Debug) -> u64 {
    let mut d = Digest::default();
    // Writing into a hash does not fail.
    let _ = write!(d, "{value:?}");
    d.finish()
}

/// Digest of a column: of an entity that has it, otherwise of all bodies.
pub(crate) fn digest_at<T: Column>(world: &World, at: Entity) -> u64 {
    if let Ok(column) = world.get::<&T>(at) {
        return digest_of(&*column);
    }
    let mut query = world.query::<(Entity, &T)>();
    let mut rows: Vec<(Entity, u64)> = query.iter().map(|(body, c)| (body, digest_of(c))).collect();
    rows.sort_unstable();
    digest_of(&rows)
}

#[cfg(test)]
mod tests {
    use super::digest_of;

    #[test]
    fn a_bit_of_a_number_shows_and_the_sign_of_zero_does_not() {
        let x = 0.1f64;
        let next = f64::from_bits(x.to_bits() + 1);
        assert_ne!(digest_of(&vec![x, 1.0]), digest_of(&vec![next, 1.0]));
        assert_eq!(digest_of(&vec![-0.0, 1.0]), digest_of(&vec![0.0, 1.0]));
        assert_ne!(digest_of(&vec![-0.05]), digest_of(&vec![0.05]));
        assert_ne!(digest_of(&vec![-1.0]), digest_of(&vec![1.0]));
    }
}
