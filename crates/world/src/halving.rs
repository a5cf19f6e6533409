//! A step whose solve did not end is made again in two halves, and these in halves, as often as the world allows.
//!
//! Outside it is one step: the books are those of its length, one step is counted, and the state before is there again where nothing helps.
//! Where every solve ends nothing here is reached but one test.

use crate::books::Sums;
use crate::pipeline::touched;
use crate::simulation::{Simulation, StepError};
use crate::stage::{AnyStage, StageError, Step};
use crate::tables;
use crate::trace::StageDigest;
use hecs::{Entity, World};
use impinge_contact::{Ledger, StateHash};
use std::fmt;

/// Called with each stage that has run.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(&dyn AnyStage, &World, Entity);

/// Steps of a run that were made in parts, as their solve did not end otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Halved {
    /// Steps made in parts.
    pub steps: u64,
    /// How often the one was halved that was halved most.
    pub most: u32,
    /// Steps made.
    pub of: u64,
}

impl fmt::Display for Halved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (noun, were) = if self.of == 1 { ("step", "was") } else { ("steps", "were") };
        let times = if self.most == 1 { "time" } else { "times" };
        write!(f, "{} of {} {noun} {were} halved, at most {} {times}", self.steps, self.of, self.most)
    }
}

impl Simulation {
    /// Which steps were halved since this world was built. A snapshot does not know it.
    #[must_use]
    pub fn halved(&self) -> Halved {
        self.halved
    }

    /// The length of the last step, or of the last part of it where it was halved (s): what its contact tables belong to.
    #[must_use]
    pub fn last_dt(&self) -> f64 {
        self.last_dt
    }

    /// The stages once; the step is accepted where all of them end well.
    fn attempt(&mut self, step: &Step, watch: Watch<'_>) -> Result<(), (String, StageError)> {
        let (world, arena) = (&self.world, self.arena);
        self.acting.iter().for_each(|part| tables::begin(world, part.tables, &part.held));
        let (booked, names, mut books) = (!self.unbooked(), &self.names, self.energy_books);
        let mut judge = || {
            books = books.map(|b| b.with_step((world, arena), (booked, step.dt), names)).transpose()?;
            Ok(())
        };
        self.pipeline.run(world, arena, step, &mut |stage| watch(stage, world, arena), &mut judge)?;
        self.energy_books = books;
        self.acting.iter().for_each(|part| tables::accept(&self.world, part.tables, &part.held));
        self.actuators_follow();
        self.last_dt = step.dt;
        self.see_step();
        Ok(())
    }

    /// One step, in parts where it must.
    pub(crate) fn whole_or_halves(&mut self, step: &Step, watch: Watch<'_>) -> Result<(), StepError> {
        let failed = match self.attempt(step, watch) {
            Ok(()) => {
                self.counted(0);
                return Ok(());
            }
            Err(failed) => failed,
        };
        if !failed.1.is_unfinished() || self.halving.most == 0 {
            return Err(error(step, failed, 0));
        }
        let before = self.snapshot();
        let mut places = vec![self.arena];
        places.extend(self.acting.iter().map(|a| a.tables).filter(|t| *t != self.arena));
        let ledgers: Vec<Ledger> = places.iter().map(|&at| Ledger::clone(&self.ledger_at(at))).collect();
        let (mut sums, mut deepest) = (Sums::new(places), 0);
        match self.halves(step, 1, &mut deepest, &mut sums, watch) {
            Ok(()) => {
                sums.close(&self.world, self.arena);
                self.counted(deepest);
                Ok(())
            }
            Err(e) => {
                // A snapshot of this world fits it. The books stay those of the step as it failed.
                let _ = self.restore(&before);
                for (at, ledger) in sums.places().zip(ledgers) {
                    if let Ok(mut l) = self.world.get::<&mut Ledger>(at) {
                        *l = ledger;
                    }
                }
                Err(e)
            }
        }
    }

    fn halves(
        &mut self,
        step: &Step,
        depth: u32,
        deepest: &mut u32,
        sums: &mut Sums,
        watch: Watch<'_>,
    ) -> Result<(), StepError> {
        *deepest = depth.max(*deepest);
        let dt = 0.5 * step.dt;
        for part in [Step { dt, ..*step }, Step { dt, time: step.time + dt, first: false, ..*step }] {
            // A stage of the program may have changed rows since the half before.
            self.take_in().map_err(|e| error(&part, ("rows".to_string(), e.into()), depth))?;
            match self.attempt(&part, watch) {
                Ok(()) => sums.add(&self.world, self.arena),
                Err(failed) if failed.1.is_unfinished() && depth < self.halving.most => {
                    self.halves(&part, depth + 1, deepest, sums, watch)?;
                }
                Err(failed) => return Err(error(&part, failed, depth)),
            }
        }
        Ok(())
    }

    fn counted(&mut self, depth: u32) {
        self.halved.of += 1;
        self.halved.steps += u64::from(depth > 0);
        self.halved.most = self.halved.most.max(depth);
    }

    fn ledger_at(&self, at: Entity) -> hecs::Ref<'_, Ledger> {
        self.world.get::<&Ledger>(at).unwrap_or_else(|e| panic!("ledger: {e}"))
    }

    /// A step that also says what each of its stages wrote; `digests` is emptied first. Slower than [`Simulation::step`], with the same
    /// bits. Of a step that was halved it has the stages of all tries.
    ///
    /// # Errors
    /// As [`Simulation::step`]; `digests` then ends with the last stage that ran.
    pub fn step_digested(&mut self, digests: &mut Vec<StageDigest>) -> Result<(), StepError> {
        digests.clear();
        self.step_watched(&mut |stage, world, arena| {
            let mut hash = StateHash::default();
            // Of one of several responses the arena has all but the tables.
            for at in [arena].into_iter().chain(stage.tables()) {
                touched(stage).iter().filter(|a| a.writes).for_each(|a| hash.word((a.digest)(world, at)));
            }
            digests.push(StageDigest { stage: stage.name(), digest: hash.finish() });
        })
    }
}

fn error(step: &Step, (stage, source): (String, StageError), halvings: u32) -> StepError {
    StepError { step: step.index, time: step.time, stage, source, halvings }
}
