//! One response of a world: its tables, read between steps.

use crate::column::Column;
use crate::components::Laws;
use crate::response::Response;
use crate::simulation::Simulation;

/// One response of a world, and its tables of the last step.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub(crate) sim: &'a Simulation,
    pub(crate) number: u8,
}

impl<'a> Part<'a> {
    /// The response.
    pub fn response(&self) -> Response {
        self.sim.acting[self.number as usize].response
    }

    /// A table of this response: what it found, decided and keeps.
    ///
    /// # Panics
    /// When responses have no such table.
    pub fn column<T: Column>(&self) -> hecs::Ref<'a, T> {
        let at = self.sim.acting[self.number as usize].tables;
        self.sim.world.get::<&T>(at).unwrap_or_else(|e| panic!("table {}: {e}", T::NAME))
    }

    /// Whether a pair of bodies, lower slot first, is this response's.
    pub fn owns(&self, laws: &Laws, a: u32, b: u32) -> bool {
        laws.response_of(a, b) == self.number
    }
}

impl Simulation {
    /// The responses of this world: first that of the pairs without a rule, then the others.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> + '_ {
        (0..self.acting.len() as u8).map(|number| Part { sim: self, number })
    }

    /// The response of a pair of bodies.
    pub fn response_of(&self, a: u32, b: u32) -> Response {
        let number = self.column::<Laws>().response_of(a.min(b), a.max(b));
        self.acting[number as usize].response
    }
}
