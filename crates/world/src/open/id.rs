//! How a program names a body.

use crate::simulation::Simulation;
use impinge_bodies::OpenError;

/// A body of a world, as long as it is there: of another body in its slot this is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId {
    slot: u32,
    generation: u32,
}

impl BodyId {
    pub(crate) fn new(slot: u32, generation: u32) -> Self {
        Self { slot, generation }
    }

    /// Its slot: the row of the tables that it has.
    #[must_use]
    pub fn slot(self) -> u32 {
        self.slot
    }
}

/// Names a body of a world: by its [`BodyId`], its slot (`u32`), or its name (`&str`).
pub trait BodyKey {
    /// Its slot.
    ///
    /// # Errors
    /// [`OpenError::NoBody`].
    fn slot_in(&self, sim: &Simulation) -> Result<u32, OpenError>;
}

impl BodyKey for BodyId {
    fn slot_in(&self, sim: &Simulation) -> Result<u32, OpenError> {
        if sim.id(self.slot) == Some(*self) {
            return Ok(self.slot);
        }
        let body = format!("any more that was in slot {}", self.slot);
        Err(OpenError::NoBody { body, remedy: "it was removed; forget its id".to_string() })
    }
}

impl BodyKey for u32 {
    fn slot_in(&self, sim: &Simulation) -> Result<u32, OpenError> {
        if sim.id(*self).is_some() {
            return Ok(*self);
        }
        let slots = sim.names().len();
        let remedy =
            format!("there are {slots} slots, counted from 0, less those of bodies that were removed");
        Err(OpenError::NoBody { body: format!("in slot {self}"), remedy })
    }
}

impl BodyKey for &str {
    fn slot_in(&self, sim: &Simulation) -> Result<u32, OpenError> {
        sim.body(self).map(BodyId::slot).ok_or_else(|| {
            let names = sim.bodies().map(|id| format!("'{}'", sim.names()[id.slot() as usize]));
            let some: Vec<String> = names.take(5).collect();
            let remedy = format!("there are {}, …", some.join(", "));
            OpenError::NoBody { body: format!("'{self}'"), remedy }
        })
    }
}
