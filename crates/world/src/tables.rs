//! The tables of a response: what it finds, decides and keeps.
//!
//! A world with one response has them in its arena. Where several responses act, each has a set of its own, on an entity of its own; a stage
//! of one works on the arena as ever, with the tables of its response lent to it ([`crate::parts`]).

use crate::column::Column;
use crate::components::{Bounds, Candidates, Decisions, State};
use crate::drawing::Drawing;
use crate::kept::{AnyKept, Kept};
use crate::turning::Turning;
use hecs::{Entity, World};
use impinge_bodies::{Renaming, Renumber};
use impinge_contact::{Contacts, Ledger, Loads, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap};
use std::any::{Any, TypeId};
use std::fmt::Debug;
use std::mem::swap;

/// What can be done with a table whose type is not known.
#[derive(Clone, Copy)]
pub struct Table {
    /// Its name as a column.
    pub name: &'static str,
    id: fn() -> TypeId,
    add: fn(&mut World, Entity),
    exchange: fn(&World, Entity, Entity),
    clear: fn(&World, Entity),
    pub(crate) kept: Option<KeptTable>,
}

/// What can be done with a table that lives across steps.
#[derive(Clone, Copy)]
pub(crate) struct KeptTable {
    /// That of the step in progress.
    pub next: fn() -> Table,
    begin: fn(&World, Entity),
    accept: fn(&World, Entity),
    /// Its rows; `None` where there are none.
    pub take: fn(&World, Entity) -> Option<Box<dyn AnyKept>>,
    /// Puts rows in, or empties it.
    pub put: fn(&World, Entity, Option<&dyn AnyKept>),
    /// What is left of it after a cut.
    pub after_cut: fn(&World, Entity, &Renumber<'_>) -> Box<dyn AnyKept>,
    pub forget_pair: fn(&World, Entity, &SurfaceMap, (u32, u32)),
    /// A body came, went or was put elsewhere.
    pub rename: fn(&World, Entity, &Renaming),
    #[cfg(feature = "serde")]
    pub read: ReadKept,
}

#[cfg(feature = "serde")]
type ReadKept = fn(&[u8]) -> Result<Box<dyn AnyKept>, String>;

impl Table {
    /// A table that is born in each step. Declare its column with [`crate::Origin::Step`].
    #[must_use]
    pub const fn of<T: Column + Debug + Default>() -> Self {
        Self {
            name: T::NAME,
            id: TypeId::of::<T>,
            add: add_default::<T>,
            exchange: exchange::<T>,
            clear: |world, at| {
                if let Ok(mut held) = world.get::<&mut T>(at) {
                    *held = T::default();
                }
            },
            kept: None,
        }
    }

    /// A table that lives across steps, with its `Next`.
    #[must_use]
    pub const fn kept<T: Kept>() -> Self {
        let kept = KeptTable {
            next: Table::of::<T::Next>,
            begin: |world, at| {
                if let Ok(mut next) = world.get::<&mut T::Next>(at) {
                    T::begin(&mut next);
                }
            },
            accept: |world, at| {
                if let (Ok(mut now), Ok(mut next)) = (world.get::<&mut T>(at), world.get::<&mut T::Next>(at))
                {
                    now.accept(&mut next);
                }
            },
            take: |world, at| {
                let held = world.get::<&T>(at).ok()?;
                if *held == T::default() {
                    return None;
                }
                Some(Box::new(T::clone(&held)))
            },
            put: |world, at, rows| {
                let Ok(mut held) = world.get::<&mut T>(at) else { return };
                let rows = rows.and_then(|r| {
                    let any: &dyn Any = r;
                    any.downcast_ref::<T>()
                });
                *held = rows.cloned().unwrap_or_default();
            },
            after_cut: |world, at, cut| {
                Box::new(world.get::<&T>(at).map(|held| held.after_cut(cut)).unwrap_or_default())
            },
            forget_pair: |world, at, map, pair| {
                if let Ok(mut held) = world.get::<&mut T>(at) {
                    held.forget_pair(map, pair);
                }
            },
            rename: |world, at, to| {
                if let Ok(mut held) = world.get::<&mut T>(at) {
                    held.rename(to);
                }
            },
            #[cfg(feature = "serde")]
            read: |bytes| {
                let rows: T = postcard::from_bytes(bytes).map_err(|e| format!("{}: {e}", T::NAME))?;
                Ok(Box::new(rows))
            },
        };
        Self { kept: Some(kept), ..Self::of::<T>() }
    }

    /// Whether both are of one type.
    pub(crate) fn is(&self, other: &Table) -> bool {
        (self.id)() == (other.id)()
    }

    /// This table, and of one that lives across steps the next one.
    pub(crate) fn whole(self) -> impl Iterator<Item = Table> {
        let next = self.kept.map(|k| (k.next)());
        std::iter::once(self).chain(next)
    }

    /// Gives an entity this table, where it has none.
    pub(crate) fn add(&self, world: &mut World, at: Entity) {
        (self.add)(world, at);
    }

    /// Exchanges this table of two entities.
    pub(crate) fn exchange(&self, world: &World, a: Entity, b: Entity) {
        (self.exchange)(world, a, b);
    }
}

fn add_default<T: Column + Default>(world: &mut World, at: Entity) {
    if !world.satisfies::<&T>(at) {
        // Whoever calls this has just spawned the entity, or keeps it.
        let _ = world.insert_one(at, T::default());
    }
}

fn exchange<T: Column>(world: &World, a: Entity, b: Entity) {
    if let (Ok(mut a), Ok(mut b)) = (world.get::<&mut T>(a), world.get::<&mut T>(b)) {
        swap(&mut *a, &mut *b);
    }
}

/// Tables that every response has. The prediction is its own where it is solved with the motion: it then has the loads of the others in it.
pub(crate) static TABLES: &[Table] = &[
    Table::of::<Surface>(),
    Table::of::<Bounds>(),
    Table::of::<Pairs>(),
    Table::of::<Candidates>(),
    Table::of::<Contacts>(),
    Table::of::<PlaneContacts>(),
    Table::of::<Decisions>(),
    Table::of::<Loads>(),
    Table::of::<Ledger>(),
    Table::of::<Prediction>(),
    Table::of::<Drawing>(),
    Table::kept::<State>(),
    Table::kept::<Turning>(),
];

/// Marks an entity that holds the tables of one of several responses, with its number. Where responses have the same tables they are one
/// archetype, whose columns hecs lends together: what works on several of them at once asks for all.
pub(crate) struct TablesOf(pub u8);

/// Gives an entity the tables that every response has, for the surface vertices of `map`.
pub(crate) fn add(world: &mut World, at: Entity, map: &SurfaceMap) {
    TABLES.iter().flat_map(|t| t.whole()).for_each(|t| t.add(world, at));
    shape(world, at, map);
}

/// Empties these tables of an entity: what they tell is of other surface vertices than those of `map`. What lives across steps is left to
/// whoever knows its new names.
pub(crate) fn renew(world: &World, at: Entity, held: &[Table], map: &SurfaceMap) {
    let born_in_steps = held.iter().flat_map(|t| t.whole()).filter(|t| t.kept.is_none());
    born_in_steps.for_each(|t| (t.clear)(world, at));
    shape(world, at, map);
}

/// Those that have a row for each body or vertex before the first step.
fn shape(world: &World, at: Entity, map: &SurfaceMap) {
    let mut query = world.query_one::<(&mut Surface, &mut Loads, &mut Ledger)>(at);
    if let Ok((surface, loads, ledger)) = query.get() {
        map.shape(surface);
        loads.shape(map.vertices(), map.bodies());
        ledger.reset(map.bodies());
    }
}

/// Empties what a response keeps for the next step and what it decided: neither the anchors of two steps ago nor decisions about other
/// contacts must outlive a step that fails, or a response that writes none.
pub(crate) fn begin(world: &World, at: Entity, held: &[Table]) {
    held.iter().filter_map(|t| t.kept.as_ref()).for_each(|k| (k.begin)(world, at));
    if let Ok(mut decisions) = world.get::<&mut Decisions>(at) {
        decisions.clear();
    }
}

/// The step is accepted: what was kept for the next one is now what the last one left.
pub(crate) fn accept(world: &World, at: Entity, held: &[Table]) {
    held.iter().filter_map(|t| t.kept.as_ref()).for_each(|k| (k.accept)(world, at));
}
