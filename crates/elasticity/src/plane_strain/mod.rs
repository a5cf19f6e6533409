//! Plane strain at finite strain: the finite elements that seed 004 (§VIII-A, Figs. 4 and 5) compares its pressure field with.
//!
//! [`PlaneMaterial`] is the law, [`QuadElements`] are bilinear quadrilaterals with 2 × 2 Gauss points, as kernels over the caller's
//! slices, and [`PressedLayer`] is the experiment: a bonded layer of unit thickness under a rigid, frictionless sinusoid.
//!
//! The logarithmic law has no energy (Cauchy stress and not Kirchhoff stress is linear in ln V), so its tangent is not symmetric
//! and neither is the band matrix.

mod banded;
mod law;
mod layer;
mod quad;

pub use banded::BandMatrix;
pub use law::{PlaneLaw, PlaneMaterial};
pub use layer::{LayerError, LayerReport, PressedLayer};
pub use quad::{BadQuad, QuadElements};
