//! One response of a world: its tables, read between steps and lent to the arena.

use crate::column::Column;
use crate::components::Laws;
use crate::response::Response;
use crate::responses::swept::tables::Tracked;
use crate::simulation::Simulation;
use crate::tables::TABLES;
use impinge_contact::SurfaceMap;

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

    /// Ends the open contacts of a pair of bodies under the response whose tables are lent.
    pub(crate) fn part_with(&mut self, pair: (u32, u32)) {
        let tables = self.world.query_one_mut::<(&SurfaceMap, &mut Tracked)>(self.arena);
        let Ok((map, tracked)) = tables else { return };
        for open in &mut tracked.0 {
            let mut left = impinge_cpf::Tracked::default();
            for row in (0..open.len()).map(|i| open.row(i)) {
                let [a, b] = [row.stencil[0], row.stencil[3]].map(|v| map.body_of(v));
                if (a.min(b), a.max(b)) != pair {
                    left.push(row);
                }
            }
            *open = left;
        }
    }

    /// Lends the tables of a response to the arena while `work` is done.
    pub(crate) fn with_part<R>(&mut self, number: usize, work: impl FnOnce(&mut Self) -> R) -> R {
        let (arena, own) = (self.arena, self.acting[number].tables);
        if own == arena {
            return work(self);
        }
        TABLES.iter().for_each(|t| t.exchange(&self.world, arena, own));
        let out = work(self);
        TABLES.iter().for_each(|t| t.exchange(&self.world, arena, own));
        out
    }
}
