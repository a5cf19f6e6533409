//! Several responses in one world: each body pair has one, and each response its own tables.
//!
//! Forces that are evaluated (`penalty`, `cpf`, `dpf-ccd`, `volume-penalty`, explicit `pressure`) come first, each on its pairs. Those that are
//! solved together with the motion (`cpf-implicit`, `qp`, `volume`, `pressure`) then take the loads of all others as given: they start from
//! the motion that these loads lead to. Two of them are solved in turn until neither changes the other's bodies any more.

use crate::acting::Acting;
use crate::adapters::Names;
use crate::column::Access;
use crate::in_turn::{InTurn, Solved};
use crate::pipeline::{Pipeline, Place};
use crate::scoped::{Scoped, missing, sum};
use crate::stage::{AnyStage, Outcome, StageError, Step};
use hecs::{Entity, World};
use impinge_contact::Loads;
use impinge_integrators::Scheme;

/// Adds up what all responses apply.
struct AddLoads(Vec<Entity>);

impl AnyStage for AddLoads {
    fn name(&self) -> String {
        "loads".to_string()
    }

    fn access(&self, out: &mut Vec<Access>) {
        out.push(Access::of::<Loads>(true));
    }

    fn rows(&self, _out: &mut Vec<Access>) {}

    fn updates(&self, _out: &mut Vec<&'static str>) {}

    fn run(&mut self, world: &World, arena: Entity, _step: &Step) -> Result<Outcome, StageError> {
        let parts: Vec<_> = self.0.iter().filter_map(|e| world.get::<&Loads>(*e).ok()).collect();
        let Ok(mut total) = world.get::<&mut Loads>(arena) else { return Err(missing("loads")) };
        sum(parts.iter().map(|l| &**l), &mut total);
        Ok(Outcome::items(total.touched().len()))
    }
}

impl Pipeline {
    /// Adds the stages of all responses of a world.
    pub(crate) fn with_parts(mut self, parts: &[Acting], scheme: Scheme, names: &Names) -> Self {
        if let [only] = parts {
            return only.response.stages(self, names);
        }
        let all: Vec<Entity> = parts.iter().map(|p| p.tables).collect();
        let springs = |but: usize| {
            let others =
                parts.iter().enumerate().filter(move |(k, p)| *k != but && !p.response.has_multipliers());
            others.map(|(_, p)| p.tables).collect::<Vec<Entity>>()
        };
        let mut solved = Vec::new();
        for (k, part) in parts.iter().enumerate() {
            let mut before = Vec::new();
            for (place, stage) in part.response.stages(Pipeline::default(), names).into_stages() {
                let stage = Scoped::new(k, part, stage);
                if place == Place::Stabilise && !springs(k).is_empty() {
                    self = self.with(place, stage.beside_springs(springs(k)));
                } else if place > Place::Advance {
                    self = self.with(place, stage);
                } else if part.response.is_implicit() {
                    before.push(stage);
                } else {
                    self = self.with(Place::Response, stage);
                }
            }
            if part.response.is_implicit() {
                let (name, held) = (part.response.name(), part.held.clone());
                solved.push(Solved { tables: part.tables, held, name, stages: before });
            }
        }
        if !solved.is_empty() {
            let turn = InTurn::new(scheme, names.clone(), all.clone(), solved);
            self = self.with(Place::Solve, turn);
        }
        self.with(Place::Solve, AddLoads(all))
    }
}
