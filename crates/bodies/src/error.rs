//! Why the logic of a step could not go on.

use impinge_broadphase::{BoxError, TreeError};
use impinge_integrators::{ElasticError, RadauError};
use thiserror::Error;

/// Why a step could not be made. The state before it is untouched.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ContactError {
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
    /// The world has so much more energy than it ever had or was given that what follows is no physics.
    #[error(
        "body '{body}' moves at {speed:.3e} m/s and the world has {gained:.1e} times the energy it ever had or was given: what follows is no \
         physics. Contacts are too stiff for the step, or there was initial overlap; use a smaller dt, less stiffness, more damping, or a response \
         without a stability limit"
    )]
    Absurd {
        /// Name of the fastest body.
        body: String,
        /// Its speed (m/s).
        speed: f64,
        /// Energy from nowhere over the energy in play.
        gained: f64,
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
        source: RadauError,
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
    /// The broad phase refused a box.
    #[error("broad phase: {0}")]
    Broad(#[from] BoxError),
    /// Rounds of a step did not end.
    #[error("no convergence after {rounds} rounds of {what}")]
    Diverged {
        /// Rounds made.
        rounds: usize,
        /// What was repeated.
        what: &'static str,
    },
    /// A response refused its parameters or its input.
    #[error("{response}: {reason}")]
    Refused {
        /// What refused.
        response: &'static str,
        /// What it refused, and why.
        reason: String,
    },
}

impl ContactError {
    /// A response refused its parameters or its input.
    #[must_use]
    pub fn refused(response: &'static str, reason: impl std::fmt::Display) -> Self {
        Self::Refused { response, reason: reason.to_string() }
    }

    /// Whether a solve ended above its tolerance: shorter steps are easier, so the step is tried again in halves.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        use ElasticError::{Linear, Newton};
        matches!(
            self,
            Self::Unfinished { .. }
                | Self::NotSolved { .. }
                | Self::Path { .. }
                | Self::Elastic(Linear { .. } | Newton { .. })
        )
    }
}
