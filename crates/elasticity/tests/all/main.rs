//! The tests of the crate in one program: linked once, run side by side.

mod cloth_bending;
mod cloth_membrane;
mod cloth_support;
mod material;
mod plane_strain_banded;
mod plane_strain_law;
mod rod_cable;
mod rod_twist;
mod spring_derivatives;
mod tet_bits;
mod tet_derivatives;
mod tet_pattern;
mod tet_physics;
mod tet_polar;
mod tet_recovery;
mod tet_refusals;
mod tet_support;
