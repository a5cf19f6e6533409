//! A stage: one line of the step, with its data flow in its type.

use crate::column::{Access, Io};
use crate::pipeline::Place;
use hecs::{Entity, Query, QueryBorrow, World};
use impinge_broadphase::{BoxError, TreeError};
use impinge_integrators::ElasticError;
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
    pub fn items(items: usize) -> Self {
        Self { items, again: false }
    }
}

/// Why a stage stopped the run. The state before the step is untouched.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StageError {
    /// A column of the arena is not there.
    #[error(
        "column missing from the arena: {0}; build the world with Simulation::builder, or insert the column"
    )]
    Missing(String),
    /// A number became NaN or infinite.
    #[error(
        "{quantity} of body '{body}' is not finite; the step is too long for the contact's stiffness, or a force is \
         unbounded: reduce dt or the stiffness (n contact points of stiffness k on a mass m need dt below 2 √(m/(nk)) \
         evaluated at the start of the step, √(4m/(3nk)) at the end)"
    )]
    NonFinite {
        /// Name of the body.
        body: String,
        /// What is not finite.
        quantity: &'static str,
    },
    /// A driver gave a pose that is not finite.
    #[error("the driver of body '{body}' gave a pose that is not finite at t = {time} s; mend the driver")]
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
    /// More features of two bodies come near each other than any contact has.
    #[error(
        "the surfaces of '{a}' and '{b}' come near each other in more than {most} places ({left_out} left out): a step that carries bodies through \
         each other, or meshes too fine for their distance; reduce dt or the speed, or take coarser meshes"
    )]
    TooManyCandidates {
        /// Name of the first body.
        a: String,
        /// Name of the second; the same for contact with itself.
        b: String,
        /// Pairs of leaves of the trees that are kept.
        most: usize,
        /// Those beyond.
        left_out: u64,
    },
    /// A step has more contact than the world allows, see [`crate::ContactLimits`].
    #[error(
        "{count} {what} in one step, the limit is {most}; it was passed at bodies '{a}' and '{b}'. Bodies are pressed into each other, or \
         meshes are too fine for their distance: reduce dt or the speed, take coarser meshes, or raise the limit (`Builder::contact_limits`)"
    )]
    TooManyContacts {
        /// Candidates or contacts.
        what: &'static str,
        /// Name of the first body of the pair that passed the limit.
        a: Box<str>,
        /// Name of the second.
        b: Box<str>,
        /// How many there were then.
        count: usize,
        /// The limit.
        most: usize,
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
    /// A solve of the step ended above its tolerance.
    #[error(
        "{solve} was not solved at body '{body}': residual {residual:.2e}, asked for {tolerance:.2e}; reduce dt, {remedy}, allow more halvings \
         (`[scene] halvings`, `Builder::halvings`), or take the state as it is (`accept_unfinished = true`)"
    )]
    Unfinished {
        /// What was to be solved.
        solve: &'static str,
        /// Name of the body at which most is left.
        body: String,
        /// Residual, relative to what enters the solve.
        residual: f64,
        /// The residual asked for.
        tolerance: f64,
        /// What else helps.
        remedy: &'static str,
    },
    /// An implicit contact step was not solved.
    #[error(
        "the implicit contact step stopped after {iterations} Newton iterations with residual {residual:.2e}, asked for \
         {tolerance:.2e}; reduce dt, or the friction's k_fp and k_fd"
    )]
    NotSolved {
        /// Iterations made.
        iterations: u32,
        /// Residual over the momenta and impulses that enter the step.
        residual: f64,
        /// The ratio asked for.
        tolerance: f64,
    },
    /// A body turns too far in one step for the midpoint rule.
    #[error(
        "body '{body}' turns by more than two radians in a step, too far for the midpoint rule; reduce dt"
    )]
    TurnsTooFar {
        /// Name of the body.
        body: String,
    },
    /// The path of bodies under pressure could not be followed to its tolerance.
    #[error(
        "the path of body '{body}' and {others} others that it can touch was not followed in the step from {time} s: {source} (of the step); reduce dt, raise the tolerance or the \
         regularisation of friction, or take the implicit step"
    )]
    Path {
        /// Name of the first body.
        body: String,
        /// How many are integrated with it.
        others: usize,
        /// Start of the step (s).
        time: f64,
        /// Why, and when in the step.
        source: impinge_integrators::RadauError,
    },
    /// The implicit step of the deformables was not solved.
    #[error("deformables: {0}")]
    Elastic(#[from] ElasticError),
    /// The feature tree of a body refused its surface.
    #[error("broad phase, body '{body}': {source}")]
    Tree {
        /// Name of the body.
        body: String,
        /// Why.
        source: TreeError,
    },
    /// The continuous penalty response refused a parameter.
    #[error("continuous penalty: {0}")]
    Parameter(#[from] impinge_cpf::ParamError),
    /// The continuous penalty response refused its input.
    #[error("continuous penalty: {0}")]
    Cpf(#[from] impinge_cpf::StepError),
    /// A contact is open between bodies that no law lets touch any more.
    #[error(
        "a contact is open between bodies {a} and {b}, which the laws of this world keep apart; change laws and rules only \
         where the bodies do not touch"
    )]
    Foreign {
        /// Slot of the first.
        a: u32,
        /// Slot of the second.
        b: u32,
    },
    /// Contacts of a step that no motion satisfies.
    #[error(
        "the constraints of this step contradict each other: {contacts}; something prescribed presses them together: leave \
         them room, or let it give way (a spring instead of a driver)"
    )]
    Infeasible {
        /// Body pairs whose contacts contradict each other.
        contacts: String,
    },
    /// The quadratic program of the step was refused.
    #[error("constraints: {0}")]
    Qp(String),
    /// The volume responses refused a pair or its contacts.
    #[error("contact volumes: {0}")]
    Volume(String),
    /// A planned cut could not be made.
    #[error("body '{body}': {reason}")]
    Topology {
        /// Name of the body.
        body: String,
        /// Why.
        reason: String,
    },
    /// The broad phase refused a box.
    #[error("broad phase: {0}")]
    Broad(#[from] BoxError),
}

impl StageError {
    /// Whether a solve ended above its tolerance: shorter steps are easier, so the step is tried again in halves.
    pub fn is_unfinished(&self) -> bool {
        use ElasticError::{Linear, Newton};
        matches!(
            self,
            Self::Unfinished { .. }
                | Self::NotSolved { .. }
                | Self::NotSettled { .. }
                | Self::Path { .. }
                | Self::Elastic(Linear { .. } | Newton { .. })
        )
    }
}

/// One line of the step. `Io` lists the arena columns it reads (`&'static T`) and writes (`&'static mut T`);
/// `Rows` the columns of body entities. hecs lends exactly these, so the types are the contract.
pub trait Stage: Send {
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
pub trait AnyStage: Send {
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

/// Runs a stage and measures it.
pub(crate) fn timed(
    stage: &mut dyn AnyStage,
    world: &World,
    arena: Entity,
    step: &Step,
) -> (Result<Outcome, StageError>, f64) {
    let start = Instant::now();
    let result = stage.run(world, arena, step);
    (result, start.elapsed().as_secs_f64())
}
