//! The step of pressure fields: boxes and pairs, contact surfaces, and what they do at the start, at the end or along the path.

mod forces;
mod linear;
mod near;
mod newton;
mod path;
mod pulled;
mod pushed;
mod respond;
mod rest;
mod surfaces;
mod tables;
mod trial;

pub use near::{PressurePairs, place_boxes};
pub use respond::{PressureAnswer, PressureOut, Span, take_path};
pub use rest::stiffest_rest;
pub use surfaces::SurfaceSearch;
pub use tables::{
    Bristles, BristlesNext, PatchLaw, PathEnds, PressureBodies, PressureBody, PressureField,
    PressureFriction, PressurePatch, PressurePatches, PressureReport, PressureSettings, PressureStep,
    RefusedField, Yielding,
};
