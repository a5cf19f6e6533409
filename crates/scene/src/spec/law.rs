//! Materials and the contact law between two of them.

use crate::document::Place;
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule, Stiffness, TurningFriction};
use impinge_world::{FRICTION, Suggested};

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
    /// Rolling friction of rigid bodies: moment per normal force (m).
    pub rolling_friction: f64,
    /// Spinning friction of rigid bodies, likewise (m).
    pub spinning_friction: f64,
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
    /// What follows from the bodies, beside the stiffness; `None` where the file states the stiffness. Numbers that follow are here those of a mass of
    /// 1 kg on a contact point in steps of 1 s.
    pub suggested: Option<Suggested>,
    /// Where the file states rolling and spinning friction.
    pub(crate) turning_places: [Option<Place>; 2],
}

impl PairSpec {
    /// Rolling and spinning friction, where there is some.
    pub(crate) fn turning(&self) -> Option<TurningFriction> {
        let turning = TurningFriction { rolling: self.rolling_friction, spinning: self.spinning_friction };
        (turning != TurningFriction::default()).then_some(turning)
    }

    /// Of any two materials in a scene that states no law: friction as in a world without laws, the rest follows from the bodies.
    pub(crate) fn of_all() -> Self {
        let of_one = PairLaw::suggested(1.0, 1.0, FRICTION);
        let friction = of_one.friction.unwrap_or_else(|| FrictionLaw::coulomb(FRICTION));
        Self {
            materials: ["*", "*"].map(str::to_string),
            stiffness: of_one.stiffness,
            mu_s: friction.mu_s,
            mu_k: friction.mu_k,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            slip_rule: friction.rule,
            k_omega: friction.k_omega,
            friction_stiffness: friction.k_fp,
            friction_damping: friction.k_fd,
            damping: DampingSpec::Given(of_one.damping),
            suggested: Some(Suggested::ALL),
            turning_places: [None; 2],
        }
    }
}
