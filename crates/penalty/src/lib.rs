#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod proximity;
mod response;
mod restitution;

#[cfg(feature = "mesh")]
pub use impinge_bodies::{
    Extent, Facing, Penetrating, PointImpulse, detect_facing, detect_front, detect_mesh, plane_depth,
    point_mesh_impulses,
};
pub use impinge_contact::{BY_WAY, Evaluate};
pub use proximity::{NearEdges, NearSurface, Part, near_edges, near_surface};
pub use response::{
    Inputs, accumulate_mesh, accumulate_near, accumulate_near_plane, accumulate_plane, add_pulls,
};
pub use restitution::{
    hunt_crossley_from_restitution, hunt_crossley_restitution, kelvin_voigt_from_restitution, law_of_depth,
    linear_damping_ratio, linear_restitution,
};

/// What ends a damped contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Release {
    /// The force never pulls: `F ≥ 0`.
    #[default]
    Force,
    /// The spring–damper acts until the depth is zero, pulling if it must (the textbook half oscillation).
    Depth,
}

/// Parameters of the discrete penalty response.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias("penalty method"))]
pub struct Params {
    /// Step (s).
    pub dt: f64,
    /// When penetration is measured.
    pub evaluate: Evaluate,
    /// What ends a damped contact.
    pub release: Release,
}
