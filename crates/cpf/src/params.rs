//! Parameters of the continuous penalty response, and what is refused about them.

use std::fmt;

/// How the unnormalised normal m(t) is brought to length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Normalisation {
    /// The paper's constant: |m(t)| ≈ L_k, the root mean square over the step (seed 000 (15)). Closed form of degree 6.
    /// Off by a median of 15 % where features deform moderately within the step (ERRATA C12).
    Constant,
    /// |m(t)| itself, by quadrature with a bound of its error.
    Exact {
        /// Bound of the quadrature's error, relative to ∫δ dt.
        tolerance: f64,
    },
    /// [`Normalisation::Constant`] where its error is certainly below `tolerance` (relative to ∫δ dt), else
    /// [`Normalisation::Exact`] with that tolerance.
    Auto {
        /// Largest relative error.
        tolerance: f64,
    },
}

impl Default for Normalisation {
    fn default() -> Self {
        Self::Auto { tolerance: 1e-3 }
    }
}

/// Which way of normalising an impulse was computed with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Used {
    /// The constant L_k.
    #[default]
    Constant,
    /// |m(t)| itself.
    Exact,
}

/// When the force of a tracked pair is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Force {
    /// Integrated over the time of penetration: continuous penalty (seed 000 §3).
    #[default]
    Integrated,
    /// At the predicted end of the step, for all of it: the discrete force on the same pairs (seed 000 Fig. 8 b).
    AtEnd,
}

/// Parameters of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Step (s).
    pub dt: f64,
    /// How normals are normalised; of [`Force::AtEnd`] they need none.
    pub normalisation: Normalisation,
    /// When the force is taken; heeded by [`crate::accumulate`] and the functions of planes.
    pub force: Force,
}

impl Params {
    /// Checked parameters.
    ///
    /// # Errors
    /// The parameter, its value and what it must be.
    pub fn new(dt: f64, normalisation: Normalisation) -> Result<Self, ParamError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(ParamError::Step(dt));
        }
        match normalisation {
            Normalisation::Exact { tolerance } | Normalisation::Auto { tolerance }
                if !(1e-14..=1.0).contains(&tolerance) =>
            {
                Err(ParamError::Tolerance(tolerance))
            }
            _ => Ok(Self { dt, normalisation, force: Force::Integrated }),
        }
    }

    /// The same with another force.
    #[must_use]
    pub fn with_force(self, force: Force) -> Self {
        Self { force, ..self }
    }
}

/// A parameter that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParamError {
    /// The step.
    Step(f64),
    /// A stiffness.
    Stiffness(f64),
    /// A tolerance.
    Tolerance(f64),
    /// A mass.
    Mass(f64),
    /// A damping coefficient.
    Damping(f64),
    /// The width of a handover.
    Band(f64),
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(x) => write!(f, "dt is {x} s; it must be a positive number"),
            Self::Stiffness(x) => write!(f, "stiffness is {x} N/m; it must be a positive number"),
            Self::Tolerance(x) => write!(f, "tolerance is {x}; it must be between 1e-14 and 1"),
            Self::Mass(x) => write!(f, "mass is {x} kg; it must be a positive number"),
            Self::Damping(x) => write!(f, "damping is {x} N·s/m; it must be zero or positive"),
            Self::Band(x) => write!(f, "band is {x}; it must be positive, a fraction of a triangle's size"),
        }
    }
}

impl std::error::Error for ParamError {}

impl From<ParamError> for impinge_bodies::ContactError {
    fn from(e: ParamError) -> Self {
        Self::refused("continuous penalty", e)
    }
}

/// Refuses a stiffness (N/m) that is negative, zero or not finite.
///
/// # Errors
/// [`ParamError::Stiffness`].
pub fn check_stiffness(k: f64) -> Result<(), ParamError> {
    if k.is_finite() && k > 0.0 { Ok(()) } else { Err(ParamError::Stiffness(k)) }
}

/// An explicit step that is too long for its stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unstable {
    /// The step (s).
    pub dt: f64,
    /// The stiffness that acts on the mass (N/m).
    pub stiffness: f64,
    /// Longest stable step (s): √(2m/k).
    pub dt_limit: f64,
    /// Largest stable stiffness (N/m): 2m/Δt².
    pub stiffness_limit: f64,
}

impl fmt::Display for Unstable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a step of {} s with {} N/m is unstable (kΔt²/m must stay below 2); take dt < {:.4e} s or k < {:.4e} N/m",
            self.dt, self.stiffness, self.dt_limit, self.stiffness_limit
        )
    }
}

/// Longest stable step (s) of the explicit scheme: Δt < √(2m/k) (seed 000, supplement C; right by ERRATA C9). With several
/// contacts on one mass `k` is their sum.
#[must_use]
pub fn longest_step(k: f64, m: f64) -> f64 {
    (2.0 * m / k).sqrt()
}

/// `Some` with the limits when an explicit step of `dt` (s) is not stable for the mass `m` (kg) on the stiffness `k` (N/m).
#[must_use]
pub fn instability(dt: f64, k: f64, m: f64) -> Option<Unstable> {
    let s = dt * dt * k / m;
    // Not `>=`: a NaN is no stable step either.
    let stable = s < 2.0;
    (!stable).then(|| Unstable {
        dt,
        stiffness: k,
        dt_limit: longest_step(k, m),
        stiffness_limit: 2.0 * m / (dt * dt),
    })
}
