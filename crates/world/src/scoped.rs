//! A stage that works on the tables of one of several responses, which are lent to the arena for it.

use crate::acting::Acting;
use crate::against_springs::AgainstSprings;
use crate::column::{Access, Column};
use crate::components::Laws;
use crate::stage::{AnyStage, Outcome, StageError, Step};
use crate::tables::Table;
use hecs::{Entity, World};
use impinge_contact::{Loads, Prediction};

/// A stage that works on the tables of one response.
pub(crate) struct Scoped {
    number: u8,
    name: String,
    tables: Entity,
    lent: Vec<Table>,
    stage: Box<dyn AnyStage>,
    corrects: Option<AgainstSprings>,
}

impl Scoped {
    #[must_use]
    pub fn new(number: usize, at: &Acting, stage: Box<dyn AnyStage>) -> Self {
        let mut access = Vec::new();
        stage.access(&mut access);
        let shared = |t: &Table| t.name == Prediction::NAME && !at.response.is_implicit();
        let touched = |t: &&Table| access.iter().any(|a| a.column == t.name) && !shared(t);
        let (response, own) = (at.response.name(), stage.name());
        let name = if own.contains(response) { own } else { format!("{own} ({response})") };
        Self {
            number: number as u8,
            name,
            tables: at.tables,
            lent: at.held.iter().filter(touched).copied().collect(),
            stage,
            corrects: None,
        }
    }

    /// It corrects places, beside responses with these tables that store energy.
    #[must_use]
    pub fn beside_springs(self, springs: Vec<Entity>) -> Self {
        Self { corrects: Some(AgainstSprings::new(springs)), ..self }
    }

    fn exchange(&self, world: &World, arena: Entity, acting: Option<u8>) {
        self.lent.iter().for_each(|t| t.exchange(world, arena, self.tables));
        if let Ok(mut laws) = world.get::<&mut Laws>(arena) {
            laws.acting = acting;
        }
    }
}

impl AnyStage for Scoped {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn access(&self, out: &mut Vec<Access>) {
        self.stage.access(out);
    }

    fn rows(&self, out: &mut Vec<Access>) {
        self.stage.rows(out);
    }

    fn updates(&self, out: &mut Vec<&'static str>) {
        self.stage.updates(out);
    }

    fn tables(&self) -> Vec<Entity> {
        vec![self.tables]
    }

    fn run(&mut self, world: &World, arena: Entity, step: &Step) -> Result<Outcome, StageError> {
        if let Some(corrects) = &mut self.corrects {
            corrects.remember(world, arena)?;
        }
        self.exchange(world, arena, Some(self.number));
        let done = self.stage.run(world, arena, step);
        self.exchange(world, arena, None);
        if let (Some(corrects), true) = (&self.corrects, done.is_ok()) {
            corrects.book(world, (arena, self.tables), step.dt)?;
        }
        done
    }
}

/// Adds up loads in the order given.
pub(crate) fn sum<'a>(loads: impl Iterator<Item = &'a Loads>, out: &mut Loads) {
    out.clear();
    for l in loads {
        l.touched().iter().for_each(|&v| out.add_impulse(v, l.impulse[v as usize]));
        l.wrench.iter().enumerate().for_each(|(b, w)| out.add_wrench(b, *w));
    }
    out.sort_touched();
}

pub(crate) fn missing(column: &str) -> StageError {
    StageError::Missing(column.to_string())
}
