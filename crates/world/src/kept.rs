//! What a response keeps from step to step, without the step knowing what it is: anchors, open contacts, multipliers, bristles.
//!
//! A table that is [`Kept`] is read from the last accepted step and written to its `Next`; the exchange on acceptance, hash, snapshot, cuts
//! and the end of a pair's contacts are done here for all of them.

use crate::column::Column;
use crate::components::Laws;
use crate::tables::Table;
use impinge_bodies::{Renaming, Renumber, Shapes};
use impinge_contact::{StateHash, SurfaceMap};
use std::any::Any;
use std::fmt::Debug;

/// What can be written into a checkpoint: with the feature `serde` whatever serde writes and reads, without it everything.
#[cfg(feature = "serde")]
pub trait Stored: serde::Serialize + serde::de::DeserializeOwned {}
#[cfg(feature = "serde")]
impl<T: serde::Serialize + serde::de::DeserializeOwned> Stored for T {}
/// What can be written into a checkpoint: with the feature `serde` whatever serde writes and reads, without it everything.
#[cfg(not(feature = "serde"))]
pub trait Stored {}
#[cfg(not(feature = "serde"))]
impl<T> Stored for T {}

/// The world that a snapshot is restored into.
pub struct Within<'a> {
    /// How many bodies it has.
    pub bodies: usize,
    /// Its surface vertices.
    pub map: &'a SurfaceMap,
    /// Its shapes by slot.
    pub shapes: &'a Shapes,
    /// Its laws and rules.
    pub laws: &'a Laws,
}

/// A table that lives across steps. Its rows ascend by a key of bodies or features, and the default has none.
pub trait Kept: Column + Stored + Clone + Debug + Default + PartialEq {
    /// That of the step in progress.
    type Next: Column + Debug + Default;

    /// The step is accepted: exchanges the two.
    fn accept(&mut self, next: &mut Self::Next);

    /// Empties the next one before a step.
    fn begin(next: &mut Self::Next);

    /// Adds every bit to a hash, and nothing where there is no row.
    fn hash(&self, h: &mut StateHash);

    /// Refuses rows, read from elsewhere, that are not finite, not in order, or not about this world.
    ///
    /// # Errors
    /// The reason.
    fn check(&self, within: &Within<'_>) -> Result<(), String>;

    /// What is left of it when a body was cut: nothing where keys are numbers of features, which have moved up.
    #[must_use]
    fn after_cut(&self, _cut: &Renumber<'_>) -> Self {
        Self::default()
    }

    /// A pair of bodies, lower slot first, leaves for another response.
    fn forget_pair(&mut self, _map: &SurfaceMap, _pair: (u32, u32)) {}

    /// A body came, went or was put elsewhere: its rows end, the others get their new names. Nothing is left where a table does not say what its
    /// names are.
    fn rename(&mut self, _to: &Renaming) {
        *self = Self::default();
    }
}

/// A [`Kept`] table of any type.
pub(crate) trait AnyKept: Any + Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn hash(&self, h: &mut StateHash);
    fn check(&self, within: &Within<'_>) -> Result<(), String>;
    fn table(&self) -> Table;
    fn cloned(&self) -> Box<dyn AnyKept>;
    fn equals(&self, other: &dyn AnyKept) -> bool;
    #[cfg(feature = "serde")]
    fn bytes(&self) -> Result<Vec<u8>, String>;
}

impl<T: Kept> AnyKept for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn hash(&self, h: &mut StateHash) {
        Kept::hash(self, h);
    }

    fn check(&self, within: &Within<'_>) -> Result<(), String> {
        Kept::check(self, within)
    }

    fn table(&self) -> Table {
        Table::kept::<T>()
    }

    fn cloned(&self) -> Box<dyn AnyKept> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn AnyKept) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<T>().is_some_and(|o| o == self)
    }

    #[cfg(feature = "serde")]
    fn bytes(&self) -> Result<Vec<u8>, String> {
        postcard::to_stdvec(self).map_err(|e| format!("{}: {e}", T::NAME))
    }
}

/// What one response keeps, in a snapshot: the tables that have rows, in the order of its list.
#[derive(Debug, Default)]
pub struct KeptTables(pub(crate) Vec<Box<dyn AnyKept>>);

impl KeptTables {
    /// One of its tables; `None` where it has no rows.
    #[must_use]
    pub fn get<T: Kept>(&self) -> Option<&T> {
        self.0.iter().find_map(|k| {
            let any: &dyn Any = &**k;
            any.downcast_ref()
        })
    }

    /// The same, to be changed.
    pub fn get_mut<T: Kept>(&mut self) -> Option<&mut T> {
        self.0.iter_mut().find_map(|k| {
            let any: &mut dyn Any = &mut **k;
            any.downcast_mut()
        })
    }

    /// Puts rows in the place of those it has of this table.
    pub fn set<T: Kept>(&mut self, rows: T) {
        match self.get_mut() {
            Some(held) => *held = rows,
            None => self.0.push(Box::new(rows)),
        }
    }

    /// Names of the tables that have rows.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|k| k.name())
    }

    pub(crate) fn tables(&self) -> impl Iterator<Item = Table> + '_ {
        self.0.iter().map(|k| k.table())
    }

    pub(crate) fn named(&self, name: &str) -> Option<&dyn AnyKept> {
        self.0.iter().find(|k| k.name() == name).map(|k| &**k)
    }

    pub(crate) fn check(&self, within: &Within<'_>) -> Result<(), String> {
        self.0.iter().try_for_each(|k| k.check(within))
    }

    pub(crate) fn hash(&self, h: &mut StateHash) {
        self.0.iter().for_each(|k| k.hash(h));
    }
}

impl Clone for KeptTables {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|k| k.cloned()).collect())
    }
}

impl PartialEq for KeptTables {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a.equals(&**b))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for KeptTables {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows: Result<Vec<(&str, Vec<u8>)>, String> =
            self.0.iter().map(|k| Ok((k.name(), k.bytes()?))).collect();
        rows.map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}
