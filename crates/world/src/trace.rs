//! A digest of what each stage of a step wrote: two runs that part can be told at which stage.
//!
//! The digest of a column is a hash over its `Debug` text, in which numbers stand with all their bits (but `-0` counts as
//! `0`, as in [`impinge_contact::StateHash`]). That is slow beside the step itself, and works for every column without a list of its fields
//! that could be forgotten; it is for finding a difference, not for every run.

use crate::column::Column;
use crate::components::{Dofs, NodeState, Operator, Placement, Slot, Twist};
use crate::tables::Table;
use hecs::{Entity, World};
use impinge_contact::{Advanced, External, StateHash};
use std::fmt::{self, Debug, Write};

/// What one stage wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageDigest {
    /// Name of the stage.
    pub stage: String,
    /// Over the columns it writes, in the order of its type; columns of a caller's own only where a response lists them as its tables.
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

fn arena_column<T: Column + Debug>(world: &World, arena: Entity) -> Option<u64> {
    world.get::<&T>(arena).ok().map(|c| digest_of(&*c))
}

fn body_column<T: Column + Debug>(world: &World, _: Entity) -> Option<u64> {
    let mut query = world.query::<(&Slot, &T)>();
    let mut rows: Vec<(u32, u64)> = query.iter().map(|(slot, c)| (slot.0, digest_of(c))).collect();
    rows.sort_unstable();
    Some(digest_of(&rows))
}

type Taker = fn(&World, Entity) -> Option<u64>;

macro_rules! takers {
    ($($take:ident: $($ty:ty),*;)*) => {
        &[$($((<$ty as Column>::NAME, $take::<$ty> as Taker)),*),*]
    };
}

/// The columns that stages write, beside the tables of responses. The books hold no times, so all of them are the same in equal runs.
const TAKERS: &[(&str, Taker)] = takers! {
    body_column: Placement, Twist;
    arena_column: NodeState, Dofs, Operator, External, Advanced;
};

fn taker(held: &[Table], column: &str) -> Option<Taker> {
    let table = || held.iter().find(|t| t.name == column).map(|t| t.digest);
    TAKERS.iter().find(|t| t.0 == column).map(|t| t.1).or_else(table)
}

/// Digest over the named columns; those that nobody knows how to take are passed over.
pub(crate) fn digest_columns<'a>(
    world: &World,
    arena: Entity,
    held: &[Table],
    columns: impl Iterator<Item = &'a str>,
) -> u64 {
    let mut hash = StateHash::default();
    for column in columns {
        if let Some(take) = taker(held, column) {
            hash.word(take(world, arena).unwrap_or(0));
        }
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::{digest_of, taker};
    use crate::adapters::Names;
    use crate::registry::RESPONSES;
    use crate::standard::standard;
    use crate::tables::{TABLES, Table};
    use impinge_integrators::Scheme;

    /// A replay is blind to a column that nobody takes.
    #[test]
    fn every_column_that_a_stage_writes_is_taken() {
        for entry in RESPONSES {
            let response = (entry.default)();
            let held: Vec<Table> = TABLES.iter().chain(response.tables()).flat_map(|t| t.whole()).collect();
            for line in standard(&*response, Scheme::ImplicitMidpoint, &Names::default()).flow() {
                for column in &line.writes {
                    let taken = taker(&held, column).is_some();
                    assert!(taken, "nobody takes what {} writes: {column}", line.stage);
                }
            }
        }
    }

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
