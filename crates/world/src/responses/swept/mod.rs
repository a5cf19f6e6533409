//! Stages of detection on the swept path of the step, for the responses that follow features.

pub(crate) mod broad;
pub(crate) mod kept;
pub(crate) mod place;
pub(crate) mod tables;
