//! A response of a world and where its tables are.

use crate::response::Response;
use crate::tables::{TABLES, Table};
use hecs::{Entity, World};

/// A response of a world and where its tables are.
#[derive(Clone)]
pub(crate) struct Acting {
    pub response: Response,
    /// The arena, where it is the only one.
    pub tables: Entity,
    /// Which tables are there: those of every response, of this one, and of those it took the place of.
    pub held: Vec<Table>,
}

impl Acting {
    /// Of a response whose tables are to be there.
    #[must_use]
    pub fn new(response: Response, tables: Entity) -> Self {
        Self { response, tables, held: TABLES.iter().flat_map(|t| t.whole()).collect() }
    }

    /// Makes room for the tables of its response, in the arena too, which lends itself to its stages.
    pub fn hold(&mut self, world: &mut World, arena: Entity) {
        self.hold_also(self.response.tables().iter().copied(), world, arena);
    }

    /// Makes room for these tables as well.
    pub fn hold_also(&mut self, tables: impl Iterator<Item = Table>, world: &mut World, arena: Entity) {
        for table in tables.flat_map(Table::whole) {
            if self.held.iter().all(|h| h.name != table.name) {
                self.held.push(table);
            }
        }
        for table in &self.held {
            table.add(world, self.tables);
            table.add(world, arena);
        }
    }
}
