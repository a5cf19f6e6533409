//! The tables of a response: what it finds, decides and keeps, in one list.
//!
//! A world with one response has them in its arena. Where several responses act, each has a set of its own, on an entity of its own; a stage
//! of one works on the arena as ever, with the tables of its response lent to it ([`crate::parts`]).

use crate::column::Column;
use crate::components::{Bounds, Candidates, Decisions, State, StateNext};
use crate::drawing::Drawing;
use crate::responses::cpf::implicit::settings::NewtonReport;
use crate::responses::pressure::settings::{
    Bristles, BristlesNext, PathEnds, PressurePatches, PressureReport,
};
use crate::responses::qp::settings::{Multipliers, MultipliersNext, PlaceShift, QpReport};
use crate::responses::swept::tables::{Faces, Followed, SweptCandidates, Tracked, TrackedNext};
use crate::responses::volume::settings::{CellImpulses, CellImpulsesNext, Overlaps, VolumeReport};
use crate::trace::digest_of;
use hecs::{Entity, EntityBuilder, World};
use impinge_contact::{Contacts, Ledger, Loads, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap};
use std::mem::swap;

/// What can be done with a table whose type is not known.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    /// Its name as a column.
    pub name: &'static str,
    add: fn(&mut EntityBuilder),
    exchange: fn(&World, Entity, Entity),
    /// A digest of what is in it; `None` where the entity has none.
    pub digest: fn(&World, Entity) -> Option<u64>,
}

fn exchange<T: Column>(world: &World, a: Entity, b: Entity) {
    if let (Ok(mut a), Ok(mut b)) = (world.get::<&mut T>(a), world.get::<&mut T>(b)) {
        swap(&mut *a, &mut *b);
    }
}

impl Table {
    /// Exchanges this table of two entities.
    pub fn exchange(&self, world: &World, a: Entity, b: Entity) {
        (self.exchange)(world, a, b);
    }
}

macro_rules! tables {
    ($($ty:ty),* $(,)?) => {
        &[$(Table {
            name: <$ty as Column>::NAME,
            add: |builder| { builder.add(<$ty>::default()); },
            exchange: exchange::<$ty>,
            digest: |world, at| world.get::<&$ty>(at).ok().map(|t| digest_of(&*t)),
        }),*]
    };
}

/// Tables of a response. The prediction is its own where it is solved with the motion: it then has the loads of the others in it.
pub(crate) const TABLES: &[Table] = tables![
    Surface,
    Bounds,
    Pairs,
    Candidates,
    Contacts,
    PlaneContacts,
    SweptCandidates,
    Faces,
    Followed,
    Decisions,
    Loads,
    Ledger,
    Prediction,
    Drawing,
    State,
    StateNext,
    Tracked,
    TrackedNext,
    NewtonReport,
    Multipliers,
    MultipliersNext,
    QpReport,
    PlaceShift,
    Overlaps,
    VolumeReport,
    CellImpulses,
    CellImpulsesNext,
    PressurePatches,
    PressureReport,
    Bristles,
    BristlesNext,
    PathEnds,
];

/// Marks an entity that holds the tables of one of several responses, with its number. They are one archetype, whose columns hecs lends
/// together: what works on several of them at once asks for all.
pub(crate) struct TablesOf(pub u8);

/// Adds an empty set of tables for the surface vertices of `map`.
pub(crate) fn add(map: &SurfaceMap, builder: &mut EntityBuilder) {
    TABLES.iter().for_each(|t| (t.add)(builder));
    let (mut surface, mut loads) = (Surface::default(), Loads::default());
    map.shape(&mut surface);
    loads.shape(map.vertices(), map.bodies());
    builder.add(surface).add(loads);
}

/// Empties what a response keeps for the next step and what it decided: neither the anchors of two steps ago nor decisions about other
/// contacts must outlive a step that fails, or a response that writes none.
pub(crate) fn begin(world: &World, at: Entity) {
    let mut tables = world.query_one::<(
        &mut StateNext,
        &mut TrackedNext,
        &mut MultipliersNext,
        &mut CellImpulsesNext,
        &mut BristlesNext,
        &mut Decisions,
    )>(at);
    let Ok((anchors, tracked, multipliers, cells, bristles, decisions)) = tables.get() else { return };
    anchors.0.clear();
    tracked.0.iter_mut().for_each(impinge_cpf::Tracked::clear);
    multipliers.0.clear();
    cells.0.clear();
    bristles.0.clear();
    bristles.1.clear();
    decisions.clear();
}

/// The step is accepted: what was kept for the next one is now what the last one left.
pub(crate) fn accept(world: &World, at: Entity) {
    let mut tables = world.query_one::<(
        (&mut State, &mut StateNext),
        (&mut Tracked, &mut TrackedNext),
        (&mut Multipliers, &mut MultipliersNext),
        (&mut CellImpulses, &mut CellImpulsesNext),
        (&mut Bristles, &mut BristlesNext),
    )>(at);
    let Ok((anchors, tracked, multipliers, cells, bristles)) = tables.get() else { return };
    swap(&mut anchors.0.0, &mut anchors.1.0);
    swap(&mut tracked.0.0, &mut tracked.1.0);
    swap(&mut multipliers.0.0, &mut multipliers.1.0);
    swap(&mut cells.0.0, &mut cells.1.0);
    swap(&mut bristles.0.0, &mut bristles.1.0);
    swap(&mut bristles.0.1, &mut bristles.1.1);
}
