//! Columns and access: what a stage's types say about data flow.

use crate::trace::digest_at;
use hecs::{Entity, World};
use std::fmt::Debug;

/// Where a column's content comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Set when the world is built; constant during a run.
    Scene,
    /// Carried from step to step; part of a snapshot.
    State,
    /// Born in the step: a stage must write it before another reads it.
    Step,
}

/// A component of the arena or of a body, with the name the data-flow table prints.
pub trait Column: hecs::Component + Debug {
    /// Name in the data-flow table.
    const NAME: &'static str;
    /// Where its content comes from.
    const ORIGIN: Origin;
}

/// One column a stage touches.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The column.
    pub column: &'static str,
    /// Where its content comes from.
    pub origin: Origin,
    /// `true` for `&mut`.
    pub writes: bool,
    /// A digest of what is in it.
    pub(crate) digest: fn(&World, Entity) -> u64,
}

impl Access {
    pub(crate) fn of<T: Column>(writes: bool) -> Self {
        Self { column: T::NAME, origin: T::ORIGIN, writes, digest: digest_at::<T> }
    }
}

/// A query whose accesses can be listed: `&T`, `&mut T` and tuples of them.
pub trait Io: hecs::Query {
    /// Appends the accesses in the order of the type.
    fn access(out: &mut Vec<Access>);
}

impl<T: Column> Io for &'static T {
    fn access(out: &mut Vec<Access>) {
        out.push(Access::of::<T>(false));
    }
}

impl<T: Column> Io for &'static mut T {
    fn access(out: &mut Vec<Access>) {
        out.push(Access::of::<T>(true));
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Io),*> Io for ($($name,)*) {
            #[allow(unused_variables, clippy::allow_attributes)]
            fn access(out: &mut Vec<Access>) {
                $($name::access(out);)*
            }
        }
    };
}

tuples!();
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);

/// Declares columns: `name, origin: Type`.
macro_rules! columns {
    ($($ty:ty => $name:literal, $origin:ident;)*) => {
        $(impl $crate::column::Column for $ty {
            const NAME: &'static str = $name;
            const ORIGIN: $crate::column::Origin = $crate::column::Origin::$origin;
        })*
    };
}
pub(crate) use columns;
