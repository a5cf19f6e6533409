//! A response of a world, and what it must know of the others.

use crate::response::Response;
use crate::responses::pressure::settings::PressureStep;
use hecs::Entity;

/// A response of a world and where its tables are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acting {
    pub response: Response,
    /// The arena, where it is the only one.
    pub tables: Entity,
}

impl Response {
    /// Solved together with the motion: it must know what else acts.
    pub(crate) fn is_implicit(&self) -> bool {
        match self {
            Self::Qp(_) | Self::Volume(_) | Self::CpfImplicit { .. } => true,
            Self::Pressure(s) => s.step != PressureStep::Explicit,
            Self::Penalty { .. } | Self::Cpf { .. } | Self::VolumePenalty(_) => false,
        }
    }

    /// Why it cannot act beside others, if so.
    pub(crate) fn stands_alone(&self) -> Option<&'static str> {
        match self {
            Self::Pressure(s) if s.step == PressureStep::Radau => Some(
                "`pressure` with the step 'radau' follows bodies along their path and cannot act beside another response; take the step \
                 'implicit'",
            ),
            _ => None,
        }
    }
}
