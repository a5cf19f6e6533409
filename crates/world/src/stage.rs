//! A stage: one line of the step, with its data flow in its type.

use crate::column::{Access, Io};
use crate::pipeline::Place;
use hecs::{Entity, Query, QueryBorrow, World};
use impinge_bodies::{ContactError, OpenError};
use impinge_broadphase::BoxError;
use impinge_integrators::{ElasticError, Scheme};
use std::time::Instant;
use thiserror::Error;

/// The step being computed.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Steps committed before this one.
    pub index: u64,
    /// Time at its start (s).
    pub time: f64,
    /// Length (s).
    pub dt: f64,
    /// How bodies move in it.
    pub scheme: Scheme,
    /// Nothing was made before it: neither a step nor a part of this one.
    pub first: bool,
    /// The best state of a solve that did not end will do ([`crate::Builder::accept_unfinished`]).
    pub accept_unfinished: bool,
}

/// What a stage did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Rows it handled, for the timing table.
    pub items: usize,
    /// It asks its [`crate::Repeat`] for another round.
    pub again: bool,
}

impl Outcome {
    /// `items` rows, done.
    #[must_use]
    pub fn items(items: usize) -> Self {
        Self { items, again: false }
    }
}

/// Why a stage stopped the run. The state before the step is untouched.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StageError {
    /// A column of the arena is not there.
    #[error(
        "column missing from the arena: {0}; build the world with Simulation::builder, or insert the column"
    )]
    Missing(String),
    /// A driver gave a pose that is not finite, or beyond [`impinge_geometry::LARGEST`].
    #[error(
        "the driver of body '{body}' gave a pose that is not finite, or more than 1e60 m away, at t = {time} s; mend the driver"
    )]
    BadDriver {
        /// Name of the body.
        body: String,
        /// The time asked for (s).
        time: f64,
    },
    /// The pipeline lacks a place that every step needs.
    #[error("the pipeline has no stage at {0:?}; start from `standard` and swap stages of it")]
    Incomplete(Place),
    /// A repeat did not settle.
    #[error("no convergence after {rounds} rounds of {stages}")]
    Diverged {
        /// Rounds run.
        rounds: usize,
        /// Names of the repeated stages.
        stages: String,
    },
    /// A response left rows of a contact table without a decision.
    #[error(
        "the response decided {decided} of {contacts} contacts; it must push one row to Decisions for every contact row \
         (zero impulses for contacts it leaves alone)"
    )]
    Undecided {
        /// Rows in the contact tables.
        contacts: usize,
        /// Rows decided.
        decided: usize,
    },
    /// Responses that were solved in turn did not settle.
    #[error(
        "the responses '{responses}' were solved in turn {rounds} times and body '{body}' still gets another impulse each time: by {residual:.1e} of the \
         largest, {tolerance:.0e} is asked for; reduce dt, or give bodies that press each other one response"
    )]
    NotSettled {
        /// Their names.
        responses: Box<str>,
        /// Rounds made.
        rounds: u32,
        /// The body whose impulse changed most in the last.
        body: Box<str>,
        /// By how much, as a part of the largest impulse.
        residual: f64,
        /// The part that is allowed.
        tolerance: f64,
    },
    /// The step was given up, as was wished ([`crate::Simulation::give_up_when`]).
    #[error("given up on request before it was done")]
    GivenUp,
    /// A planned cut could not be made.
    #[error("body '{body}': {reason}")]
    Topology {
        /// Name of the body.
        body: String,
        /// Why.
        reason: String,
    },
    /// What a stage or a program did to the rows of bodies is refused.
    #[error(transparent)]
    Rows(#[from] OpenError),
    /// The logic of contact or of the deformables could not go on.
    #[error(transparent)]
    Contact(#[from] ContactError),
}

impl From<ElasticError> for StageError {
    fn from(e: ElasticError) -> Self {
        Self::Contact(e.into())
    }
}

impl From<BoxError> for StageError {
    fn from(e: BoxError) -> Self {
        Self::Contact(e.into())
    }
}

impl StageError {
    /// Whether a solve ended above its tolerance: shorter steps are easier, so the step is tried again in halves.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        match self {
            Self::NotSettled { .. } => true,
            Self::Contact(e) => e.is_unfinished(),
            _ => false,
        }
    }
}

/// One line of the step. `Io` lists the arena columns it reads (`&'static T`) and writes (`&'static mut T`);
/// `Rows` the columns of body entities. hecs lends exactly these, so the types are the contract.
pub trait Stage: Send + Sync {
    /// Columns of the arena.
    type Io: Io;
    /// Columns of body entities; `()` for most stages.
    type Rows: Io;

    /// Its name in tables and errors.
    fn name(&self) -> &'static str;

    /// Names of the columns it borrows with `&mut` and also reads: an earlier stage must have written them. The
    /// type cannot say so.
    fn updates(&self) -> &'static [&'static str] {
        &[]
    }

    /// Does the work.
    ///
    /// # Errors
    /// [`StageError`]; the run stops before anything is committed.
    fn run(
        &mut self,
        io: <Self::Io as Query>::Item<'_>,
        rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError>;
}

/// A stage without its types: what the pipeline holds. Implemented for every [`Stage`] and for
/// [`crate::Repeat`].
pub trait AnyStage: Send + Sync {
    /// Its name in tables and errors.
    fn name(&self) -> String;
    /// Columns of the arena it touches.
    fn access(&self, out: &mut Vec<Access>);
    /// Columns of body entities it touches.
    fn rows(&self, out: &mut Vec<Access>);
    /// Columns it borrows with `&mut` and also reads.
    fn updates(&self, out: &mut Vec<&'static str>);
    /// Entities that hold the tables it works on, where that is not the arena.
    fn tables(&self) -> Vec<Entity> {
        Vec::new()
    }
    /// Borrows its columns and runs it.
    ///
    /// # Errors
    /// As [`Stage::run`], or [`StageError::Missing`].
    fn run(&mut self, world: &World, arena: Entity, step: &Step) -> Result<Outcome, StageError>;
}

impl<S: Stage> AnyStage for S {
    fn name(&self) -> String {
        Stage::name(self).to_string()
    }

    fn access(&self, out: &mut Vec<Access>) {
        S::Io::access(out);
    }

    fn rows(&self, out: &mut Vec<Access>) {
        S::Rows::access(out);
    }

    fn updates(&self, out: &mut Vec<&'static str>) {
        out.extend_from_slice(Stage::updates(self));
    }

    fn run(&mut self, world: &World, arena: Entity, step: &Step) -> Result<Outcome, StageError> {
        let mut query = world.query_one::<S::Io>(arena);
        let Ok(io) = query.get() else {
            return Err(StageError::Missing(format!("one of {}", names::<S::Io>())));
        };
        let mut rows = world.query::<S::Rows>();
        Stage::run(self, io, &mut rows, step)
    }
}

fn names<Q: Io>() -> String {
    let mut access = Vec::new();
    Q::access(&mut access);
    access.iter().map(|a| a.column).collect::<Vec<_>>().join(", ")
}

/// Time and work of one stage in the last step.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageCost {
    /// Wall time (s). Reported only; no result depends on it.
    pub seconds: f64,
    /// Rows handled.
    pub items: usize,
}

/// Is there a clock? `wasm32-unknown-unknown` has none: asking for the time panics there, so steps cost 0 s.
const CLOCK: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// Runs a stage and measures it.
pub(crate) fn timed(
    stage: &mut dyn AnyStage,
    world: &World,
    arena: Entity,
    step: &Step,
) -> (Result<Outcome, StageError>, f64) {
    let start = CLOCK.then(Instant::now);
    let result = stage.run(world, arena, step);
    (result, start.map_or(0.0, |s| s.elapsed().as_secs_f64()))
}
