//! The response families with their parameters.

use crate::responses::cpf::implicit::settings::NewtonSettings;
use crate::responses::pressure::settings::PressureSettings;
use crate::responses::qp::settings::QpSettings;
use crate::responses::volume::settings::{VolumePenaltySettings, VolumeSettings};
use crate::support::Family;
use impinge_cpf::{Force, Normalisation};
use impinge_integrators::Scheme;
use impinge_penalty::{Evaluate, Release};

/// What the discrete force takes for contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Detection {
    /// Vertices inside the other body, pushed against their own surface where there is such a way out near by.
    #[default]
    Facing,
    /// Vertices inside the other body, pushed to the closest point of its surface as in the seeds: along a flat floor where that is the way.
    Closest,
    /// Features of two bodies nearer to each other than `reach` (m), pushed apart whichever side they are on, as the framework of seed 000 does
    /// it ([`impinge_penalty::near_surface`]). Contacts are two-sided: a vertex deeper than that behind a face is no longer in contact; planes push from above, however deep. No body
    /// pushes itself.
    Proximity {
        /// The distance (m).
        reach: f64,
    },
}

/// A response family with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Response {
    /// Discrete penalty (seeds 000 §2, 003 §1).
    Penalty {
        /// When penetration is measured.
        evaluate: Evaluate,
        /// What ends a damped contact.
        release: Release,
        /// What is in contact, and which way is out.
        detection: Detection,
    },
    /// Continuous penalty over the penetration intervals of tracked feature pairs (seeds 000, 003).
    Cpf {
        /// Integrated, or for comparison the discrete force on the same pairs: the family `dpf-ccd`.
        force: Force,
        /// How normals are normalised.
        normalisation: Normalisation,
        /// Distance over which a contact that slides off its triangle is handed to the next one, in triangle sizes; at a convex edge no longer
        /// than it takes the depth behind the old plane to double.
        band: f64,
        /// Friction is integrated over the way as the normal force is, not taken at its end.
        friction_along: bool,
    },
    /// Continuous penalty by discrete gradients, solved implicitly with the motion: conserves energy and momentum whatever the stiffness.
    /// Needs the scheme [`Scheme::ImplicitMidpoint`].
    CpfImplicit {
        /// Which discrete gradient.
        gradient: impinge_cpf::conserving::Scheme,
        /// When Newton's method stops.
        newton: NewtonSettings,
        /// As for [`Response::Cpf`].
        band: f64,
    },
    /// Contacts as linear constraints of the implicit step (seed 001).
    Qp(QpSettings),
    /// Contacts as constraints on intersection volume, with friction (seed 002).
    Volume(VolumeSettings),
    /// The energy ½kV² of intersection volume (seed 002 (15)).
    VolumePenalty(VolumePenaltySettings),
    /// Pressure fields: the surface where two of them are equal carries their pressure (seed 004).
    Pressure(PressureSettings),
}

impl Response {
    /// Discrete penalty as the papers use it.
    pub fn penalty() -> Self {
        Self::Penalty { evaluate: Evaluate::End, release: Release::Force, detection: Detection::Facing }
    }

    /// Continuous penalty: L_k where its error is certainly below 10⁻³, |m(t)| elsewhere.
    pub fn cpf() -> Self {
        Self::Cpf {
            force: Force::Integrated,
            normalisation: Normalisation::default(),
            band: 0.1,
            friction_along: false,
        }
    }

    /// The discrete force on the pairs that continuous penalty tracks (seed 000 Fig. 8 b).
    pub fn dpf_ccd() -> Self {
        Self::Cpf {
            force: Force::AtEnd,
            normalisation: Normalisation::default(),
            band: 0.1,
            friction_along: false,
        }
    }

    /// Implicit continuous penalty by the gradient that keeps angular momentum as well.
    pub fn cpf_implicit() -> Self {
        let gradient = impinge_cpf::conserving::Scheme::Equivariant;
        Self::CpfImplicit { gradient, newton: NewtonSettings::default(), band: 0.1 }
    }

    /// Refuses a scheme that this response cannot do without.
    pub(crate) fn check_scheme(&self, scheme: Scheme) -> Result<(), String> {
        if matches!(self, Self::CpfImplicit { .. }) && scheme != Scheme::ImplicitMidpoint {
            return Err(format!(
                "response 'cpf-implicit' moves bodies by the midpoint rule and the integrator is '{}'; set the integrator to \
                 'implicit-midpoint'",
                scheme.name()
            ));
        }
        Ok(())
    }

    /// Constraints with surfaces a millimetre apart.
    pub fn qp() -> Self {
        Self::Qp(QpSettings::default())
    }

    /// One constraint for each pair that overlaps, measured exactly.
    pub fn volume() -> Self {
        Self::Volume(VolumeSettings::default())
    }

    /// ½kV² with 1 GPa/m³ and no viscosity.
    pub fn volume_penalty() -> Self {
        Self::VolumePenalty(VolumePenaltySettings::default())
    }

    /// Pressure fields, solved implicitly, with friction that remembers.
    pub fn pressure() -> Self {
        Self::Pressure(PressureSettings::default())
    }

    /// The family it belongs to.
    pub fn family(&self) -> Family {
        match self {
            Self::Penalty { .. } => Family::Penalty,
            Self::Cpf { force: Force::Integrated, .. } => Family::Cpf,
            Self::Cpf { force: Force::AtEnd, .. } => Family::DpfCcd,
            Self::CpfImplicit { .. } => Family::CpfImplicit,
            Self::Qp(_) => Family::Qp,
            Self::Volume(_) => Family::Volume,
            Self::VolumePenalty(_) => Family::VolumePenalty,
            Self::Pressure(_) => Family::Pressure,
        }
    }
}
