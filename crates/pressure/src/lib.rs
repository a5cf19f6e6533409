#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// `!(a > b)` is how a NaN is sent the same way as a number that is too small.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod blocks;
mod body;
mod bristles;
mod energy;
mod error;
pub mod fields;
mod half_space;
mod layer;
mod levels;
mod nodal;
mod pair;
mod points;
mod quadrature;
mod query;
mod reduce;
mod rigid;
mod shell;
mod simd;
mod slopes;
#[cfg(feature = "step")]
mod step;
mod stiffness;
#[cfg(feature = "serde")]
mod stored;
mod support;
mod surface;
mod traction;
mod tree;

pub use body::CompliantBody;
pub use bristles::{BristleLaw, BristleState, BristleStep, bristles};
pub use energy::energy;
pub use error::{BodyError, PairError};
pub use fields::{FieldLaw, split_flat_tets};
pub use half_space::HalfSpace;
pub use impinge_contact::{Bristle, bristle};
pub use layer::{LayerLaw, SinusoidContact, press_sinusoid};
pub use nodal::NodalGradients;
pub use pair::{TetPair, tet_pair};
pub use points::{Points, Pressed};
pub use quadrature::{Quadrature, for_each_point};
pub use query::{Coherence, Rule, Shape, Workspace, contact, contact_again};
pub use reduce::{Reduced, ReducedPoint};
pub use rigid::RigidSurface;
pub use shell::{Shell, ShellOptions};
pub use slopes::{bristle_slope, traction_slope};
#[cfg(feature = "step")]
pub use step::{
    Bristles, BristlesNext, PatchLaw, PathEnds, PressureAnswer, PressureBodies, PressureBody, PressureField,
    PressureFriction, PressureOut, PressurePairs, PressurePatch, PressurePatches, PressureReport,
    PressureSettings, PressureStep, RefusedField, Span, SurfaceSearch, Yielding, place_boxes, stiffest_rest,
    take_path,
};
pub use stiffness::{Matrix6, Matrix12, pair_stiffness, stiffness};
pub use surface::{ContactSurface, Face, Work, Wrench};
pub use traction::{
    Coulomb, Dissipation, FaceTraction, Motion, Pressing, TractionLaw, Tractions, tractions, tractions_by,
};
