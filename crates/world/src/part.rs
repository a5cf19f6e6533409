//! One response of a world: its tables, read between steps.

use crate::adapters::Names;
use crate::column::Column;
use crate::components::{Dofs, Laws};
use crate::response::Response;
use crate::timed_force::TimedForce;
use hecs::{Entity, World};

/// One response of a world, and its tables of the last step.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub(crate) world: &'a World,
    pub(crate) arena: Entity,
    pub(crate) tables: Entity,
    pub(crate) response: &'a Response,
    pub(crate) number: u8,
    pub(crate) names: &'a Names,
    /// Length of a step, and of the last one or its last part (s).
    pub(crate) dt: [f64; 2],
    /// Forces that the scene has on bodies.
    pub(crate) timed: &'a [TimedForce],
}

impl<'a> Part<'a> {
    /// The response.
    #[must_use]
    pub fn response(&self) -> &'a Response {
        self.response
    }

    /// A table of this response: what it found, decided and keeps.
    ///
    /// # Panics
    /// When this response has no such table.
    #[must_use]
    pub fn column<T: Column>(&self) -> hecs::Ref<'a, T> {
        self.world.get::<&T>(self.tables).unwrap_or_else(|e| panic!("table {}: {e}", T::NAME))
    }

    /// A column of the arena, which all responses share.
    ///
    /// # Panics
    /// When the arena has no such column.
    #[must_use]
    pub fn shared<T: Column>(&self) -> hecs::Ref<'a, T> {
        self.world.get::<&T>(self.arena).unwrap_or_else(|e| panic!("column {}: {e}", T::NAME))
    }

    /// Names of the bodies by slot.
    #[must_use]
    pub fn names(&self) -> &'a [String] {
        self.names
    }

    /// Length of a step (s).
    #[must_use]
    pub fn dt(&self) -> f64 {
        self.dt[0]
    }

    /// Length of the last step, or of its last part where it was halved (s): what the tables belong to.
    #[must_use]
    pub fn last_dt(&self) -> f64 {
        self.dt[1]
    }

    /// Whether a pair of bodies, lower slot first, is this response's.
    #[must_use]
    pub fn owns(&self, laws: &Laws, a: u32, b: u32) -> bool {
        laws.response_of(a, b) == self.number
    }

    /// The law of two bodies in either order, if they meet and are this response's.
    #[must_use]
    pub fn law(&self, laws: &Laws, a: u32, b: u32) -> Option<u32> {
        let (low, high) = (a.min(b), a.max(b));
        laws.of(low, high).filter(|_| self.owns(laws, low, high)).map(|(law, _)| law)
    }

    /// Whether a body meets another under this response, one of the two free to move; `partners` are [`Laws::partners`].
    pub(crate) fn is_met(&self, laws: &Laws, partners: &[u32], slot: u32) -> bool {
        let dofs = self.shared::<Dofs>();
        let moves = |slot: u32| dofs.bodies.kind[slot as usize].is_dynamic();
        let meets = |o: u32| o != slot && (moves(slot) || moves(o)) && self.law(laws, slot, o).is_some();
        partners.iter().any(|&o| meets(o))
    }
}
