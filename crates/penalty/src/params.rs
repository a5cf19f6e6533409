//! What the response is asked for.

use impinge_contact::Evaluate;

/// What ends a damped contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Release {
    /// The force never pulls: `F ≥ 0`.
    #[default]
    Force,
    /// The spring–damper acts until the depth is zero, pulling if it must (the textbook half oscillation).
    Depth,
}

/// Parameters of the discrete penalty response.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias("penalty method"))]
pub struct Params {
    /// Step (s).
    pub dt: f64,
    /// When penetration is measured.
    pub evaluate: Evaluate,
    /// What ends a damped contact.
    pub release: Release,
}
