//! Friction of common materials, to start with.

use crate::material::{FrictionLaw, PairLaw};

/// Two materials on each other, dry and clean unless the name says otherwise, with the friction that textbooks give for them.
///
/// The numbers are typical and no more: those of one pair differ by a third and more between tables, with finish, dirt and wear. Measure where it matters.
///
/// ```
/// use impinge_contact::{PairLaw, Surfaces};
/// // A tyre's contact patch with 100 kg on it, in steps of 1 ms.
/// let law = PairLaw::typical(Surfaces::RubberOnConcrete, 100.0, 1e-3);
/// let friction = law.friction.unwrap();
/// assert_eq!([friction.mu_s, friction.mu_k], [1.0, 0.8]);
/// assert_eq!(law.stiffness, PairLaw::suggested(100.0, 1e-3, 1.0).stiffness);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[doc(alias("friction coefficient"))]
pub enum Surfaces {
    /// 0.74 at rest, 0.57 sliding.
    SteelOnSteel,
    /// 0.61 and 0.47.
    AluminiumOnSteel,
    /// 0.53 and 0.36.
    CopperOnSteel,
    /// 0.94 and 0.4.
    GlassOnGlass,
    /// 0.4 and 0.2.
    WoodOnWood,
    /// 1.0 and 0.8.
    RubberOnConcrete,
    /// 0.3 and 0.25.
    RubberOnWetConcrete,
    /// 0.1 and 0.03.
    IceOnIce,
    /// 0.04 and 0.04.
    PtfeOnPtfe,
}

impl Surfaces {
    /// Static and kinetic coefficient.
    #[must_use]
    pub fn friction(self) -> [f64; 2] {
        match self {
            Self::SteelOnSteel => [0.74, 0.57],
            Self::AluminiumOnSteel => [0.61, 0.47],
            Self::CopperOnSteel => [0.53, 0.36],
            Self::GlassOnGlass => [0.94, 0.4],
            Self::WoodOnWood => [0.4, 0.2],
            Self::RubberOnConcrete => [1.0, 0.8],
            Self::RubberOnWetConcrete => [0.3, 0.25],
            Self::IceOnIce => [0.1, 0.03],
            Self::PtfeOnPtfe => [0.04, 0.04],
        }
    }
}

impl PairLaw {
    /// The law of [`PairLaw::suggested`] with the friction of two materials. Stiffness and damping are those that the step bears, and not the materials'.
    #[must_use]
    pub fn typical(surfaces: Surfaces, mass: f64, dt: f64) -> Self {
        let [mu_s, mu_k] = surfaces.friction();
        let law = Self::suggested(mass, dt, mu_s);
        Self { friction: law.friction.map(|f| FrictionLaw { mu_k, ..f }), ..law }
    }
}
