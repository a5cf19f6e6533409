//! Material of a solid: what a user states, checked, and the constants the energies want.

use std::fmt;

/// A linear isotropic material at small strain; each energy of [`crate::tet::Model`] behaves like it near rest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// Young's modulus E (Pa).
    pub young: f64,
    /// Poisson's ratio ν, above −1 and below 0.5. Linear tets lock above about 0.45: they bend too stiffly.
    pub poisson: f64,
    /// Density ρ (kg/m³).
    pub density: f64,
    /// Rayleigh damping α in proportion to mass (1/s): slows everything, falling included.
    pub rayleigh_mass: f64,
    /// Rayleigh damping β in proportion to stiffness (s): slows strain; a mode of circular frequency ω is damped
    /// by the ratio (α/ω + β ω)/2.
    pub rayleigh_stiffness: f64,
}

impl Material {
    /// A material without damping.
    #[must_use]
    pub fn new(young: f64, poisson: f64, density: f64) -> Self {
        Self { young, poisson, density, rayleigh_mass: 0.0, rayleigh_stiffness: 0.0 }
    }

    /// The same with Rayleigh damping α (1/s) and β (s).
    #[must_use]
    pub fn with_rayleigh(self, mass: f64, stiffness: f64) -> Self {
        Self { rayleigh_mass: mass, rayleigh_stiffness: stiffness, ..self }
    }

    /// Lamé's constants μ and λ (Pa).
    #[must_use]
    pub fn lame(&self) -> (f64, f64) {
        let (e, nu) = (self.young, self.poisson);
        (e / (2.0 * (1.0 + nu)), e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)))
    }

    /// Checks every number.
    ///
    /// # Errors
    /// [`BadTets`] with the name of the first bad number, its value and what it must be.
    pub fn validate(&self) -> Result<(), BadTets> {
        let bad = |reason: String| Err(BadTets { tet: None, reason });
        let (e, nu, rho) = (self.young, self.poisson, self.density);
        if !(e.is_finite() && e > 0.0) {
            return bad(format!("young is {e} Pa; it must be a positive number (rubber: 1e6, steel: 2e11)"));
        }
        if !(nu > -1.0 && nu < 0.5) {
            return bad(format!(
                "poisson is {nu}; it must be above -1 and below 0.5 (0.5 is incompressible, which a stiffness \
                 cannot express: give 0.49 or less)"
            ));
        }
        if !(rho.is_finite() && rho > 0.0) {
            return bad(format!("density is {rho} kg/m³; it must be a positive number (water: 1000)"));
        }
        let damping =
            [("rayleigh_mass", self.rayleigh_mass), ("rayleigh_stiffness", self.rayleigh_stiffness)];
        for ((name, value), unit) in damping.into_iter().zip(["1/s", "s"]) {
            if !(value.is_finite() && value >= 0.0) {
                return bad(format!("{name} is {value} {unit}; it must be zero or positive"));
            }
        }
        Ok(())
    }
}

/// A body of tets that was refused, and how to repair it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadTets {
    /// The tet (or, for attachments, the attachment) at fault, counted from 0; `None` for the material or an array.
    pub tet: Option<usize>,
    /// What is wrong and what would be right.
    pub reason: String,
}

impl BadTets {
    pub(crate) fn at(tet: usize, reason: String) -> Self {
        Self { tet: Some(tet), reason }
    }
}

impl fmt::Display for BadTets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tet {
            Some(t) => write!(f, "number {t}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for BadTets {}
