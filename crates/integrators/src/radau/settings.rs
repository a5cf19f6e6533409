//! What is asked of the integrator and what it says back.

use std::fmt;

/// An order with its number of stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RadauOrder {
    /// One stage: implicit Euler.
    One,
    /// Two stages.
    Three,
    /// Three stages, as RADAU5.
    Five,
    /// Five stages.
    Nine,
    /// Seven stages.
    Thirteen,
}

impl RadauOrder {
    /// All, ascending.
    pub const ALL: [Self; 5] = [Self::One, Self::Three, Self::Five, Self::Nine, Self::Thirteen];

    /// Stages s; the order is 2s − 1.
    #[must_use]
    pub fn stages(self) -> usize {
        [1, 2, 3, 5, 7][self as usize]
    }
}

/// Tolerances and limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadauSettings {
    /// Error over |y|: each step is held to a tenth of it.
    pub relative: f64,
    /// The same in units of y; positive.
    pub absolute: f64,
    /// Lowest and highest order; the same twice for a fixed one.
    pub orders: [RadauOrder; 2],
    /// Hold steps to a tenth of tolerance^((s+1)/2s) instead, as RADAU does: the estimate is of order s and the step of order 2s − 1, so a
    /// smooth f meets the tolerance all the same, in fewer steps. Contact that begins and ends is not that smooth.
    pub smooth: bool,
    /// First step (units of t); 0 to have it chosen.
    pub first_step: f64,
    /// Largest step.
    pub largest_step: f64,
    /// Steps of this size whatever the error is, for studies of convergence; Newton's method goes to the tolerances.
    pub fixed_step: Option<f64>,
    /// Steps tried in one call of [`super::Radau::integrate`] or [`super::Radau::step`].
    pub most_steps: usize,
}

impl Default for RadauSettings {
    fn default() -> Self {
        Self {
            relative: 1e-6,
            absolute: 1e-9,
            orders: [RadauOrder::Five, RadauOrder::Thirteen],
            smooth: false,
            first_step: 0.0,
            largest_step: f64::INFINITY,
            fixed_step: None,
            most_steps: 100_000,
        }
    }
}

/// Why an integration ends early. The state stays that of the last accepted step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RadauError {
    /// A setting or a state that makes no sense, and why.
    Parameter(String),
    /// f is not finite where a step begins.
    NotFinite {
        /// When.
        time: f64,
    },
    /// The step got so small that time does not move: f jumps, blows up, or asks for more than rounding allows.
    StepTooSmall {
        /// When.
        time: f64,
        /// The step.
        step: f64,
    },
    /// [`RadauSettings::most_steps`] were tried.
    TooManySteps {
        /// When.
        time: f64,
    },
    /// Newton's method did not converge in a step of fixed size.
    Newton {
        /// When.
        time: f64,
    },
}

impl RadauError {
    /// With its times and steps in other units.
    pub(super) fn at(self, time: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Parameter(why) => Self::Parameter(why),
            Self::NotFinite { time: t } => Self::NotFinite { time: time(t) },
            Self::StepTooSmall { time: t, step } => {
                Self::StepTooSmall { time: time(t), step: time(step) - time(0.0) }
            }
            Self::TooManySteps { time: t } => Self::TooManySteps { time: time(t) },
            Self::Newton { time: t } => Self::Newton { time: time(t) },
        }
    }
}

impl fmt::Display for RadauError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(why) => write!(f, "radau: {why}"),
            Self::NotFinite { time } => write!(f, "radau: the right-hand side is not finite at t = {time}"),
            Self::StepTooSmall { time, step } => {
                write!(f, "radau: the step {step} at t = {time} is too small")
            }
            Self::TooManySteps { time } => write!(f, "radau: too many steps before t = {time}"),
            Self::Newton { time } => {
                write!(f, "radau: the fixed step at t = {time} is too long for Newton's method")
            }
        }
    }
}

impl std::error::Error for RadauError {}

/// An accepted step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadauStep {
    /// Where it began.
    pub from: f64,
    /// Its length.
    pub step: f64,
    /// Its order.
    pub order: RadauOrder,
    /// Estimated error over what a step is held to; below 1 unless the step is fixed.
    pub error: f64,
}

/// Work since the integrator was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RadauReport {
    /// Steps by order.
    pub accepted: [usize; 5],
    /// Steps whose error was too large.
    pub rejected: usize,
    /// Steps given up because Newton's method was slow.
    pub newton_failures: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// Calls of f, those for differences included.
    pub rates: usize,
    /// Jacobians.
    pub jacobians: usize,
    /// Factorisations, counted once for all stages.
    pub factorisations: usize,
}

impl RadauReport {
    /// Adds the work of another part of an integration.
    pub(super) fn add(&mut self, other: &Self) {
        self.accepted.iter_mut().zip(other.accepted).for_each(|(a, b)| *a += b);
        self.rejected += other.rejected;
        self.newton_failures += other.newton_failures;
        self.iterations += other.iterations;
        self.rates += other.rates;
        self.jacobians += other.jacobians;
        self.factorisations += other.factorisations;
    }

    /// Accepted steps of all orders.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.accepted.iter().sum()
    }
}

impl RadauSettings {
    /// Refuses what cannot work.
    pub(super) fn check(&self) -> Result<(), RadauError> {
        let bad = |why: String| Err(RadauError::Parameter(why));
        let [lowest, highest] = self.orders;
        if !(self.relative >= 0.0 && self.relative < 1.0 && self.absolute > 0.0 && self.absolute.is_finite())
        {
            return bad(format!(
                "tolerances {} and {}; give 0 ≤ relative < 1 and absolute > 0",
                self.relative, self.absolute
            ));
        }
        if lowest > highest {
            return bad(format!("orders {lowest:?} to {highest:?}; the lowest comes first"));
        }
        if !(self.first_step >= 0.0 && self.first_step.is_finite() && self.largest_step > 0.0) {
            return bad(format!(
                "first step {}, largest {}; give 0 or more, and more than 0",
                self.first_step, self.largest_step
            ));
        }
        match self.fixed_step {
            Some(h) if !(h > 0.0 && h.is_finite()) => bad(format!("fixed step {h}; give more than 0")),
            Some(_) if lowest != highest => bad("a fixed step needs a fixed order".into()),
            _ => Ok(()),
        }
    }
}
