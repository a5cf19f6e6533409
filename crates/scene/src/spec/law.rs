//! Materials and the contact law between two of them.

use impinge_contact::{Damping, SlipRule, Stiffness};

/// A material.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialSpec {
    /// Unique name.
    pub name: String,
    /// Mass per volume (kg/m³), where the file states it.
    pub density: Option<f64>,
}

/// Which damper a restitution is turned into, with the impact it is computed for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RestitutionLaw {
    /// F = k δ + c δ̇.
    KelvinVoigt {
        /// Effective mass of the impact (kg).
        mass: f64,
    },
    /// F = k δ (1 + χ δ̇).
    HuntCrossley {
        /// Approach speed of the impact (m/s).
        speed: f64,
    },
}

/// Loss along the contact normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DampingSpec {
    /// As a law has it.
    Given(Damping),
    /// The damping that gives one impact this ratio of speeds.
    Restitution {
        /// Speed after over speed before (0.001 to 1).
        e: f64,
        /// The damper, and the impact it is computed for.
        law: RestitutionLaw,
    },
}

/// The contact law between two materials; `*` is any material.
#[derive(Clone, Debug, PartialEq)]
pub struct PairSpec {
    /// The two materials; their order means nothing.
    pub materials: [String; 2],
    /// Stiffness along the normal.
    pub stiffness: Stiffness,
    /// Static friction coefficient.
    pub mu_s: f64,
    /// Kinetic friction coefficient, at most `mu_s`.
    pub mu_k: f64,
    /// What a sliding contact does.
    pub slip_rule: SlipRule,
    /// Growth of kinetic friction with slip speed (s/m); with [`SlipRule::Yamane`] only.
    pub k_omega: f64,
    /// Stiffness of the spring that holds a sticking point, in the unit of `stiffness`.
    pub friction_stiffness: f64,
    /// Damping beside it (N·s/m per contact point; N·s/m³ with [`Stiffness::PerArea`]).
    pub friction_damping: f64,
    /// Loss along the normal.
    pub damping: DampingSpec,
}
