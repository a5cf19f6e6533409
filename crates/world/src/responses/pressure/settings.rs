//! What the response `pressure` takes from its kernel.

use crate::build_error::BuildError;
use impinge_pressure::RefusedField;

pub use impinge_pressure::{
    Bristles, BristlesNext, PathEnds, PressureBodies, PressureBody, PressureField, PressureFriction,
    PressurePatch, PressurePatches, PressureReport, PressureSettings, PressureStep, Yielding,
};

impl From<RefusedField> for BuildError {
    fn from(e: RefusedField) -> Self {
        Self::BadSetting(format!("body '{}': {}", e.body, e.source))
    }
}
