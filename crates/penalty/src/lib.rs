#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod params;
mod proximity;
mod pulls;
mod response;
mod restitution;

#[cfg(feature = "mesh")]
pub use impinge_bodies::{
    Extent, Facing, Penetrating, PointImpulse, detect_facing, detect_front, detect_mesh, plane_depth,
    point_mesh_impulses,
};
pub use impinge_contact::{BY_WAY, Evaluate};
pub use params::{Params, Release};
pub use proximity::{NearEdges, NearSurface, Part, near_edges, near_surface};
pub use pulls::add_pulls;
pub use response::{Inputs, accumulate_mesh, accumulate_near, accumulate_near_plane, accumulate_plane};
pub use restitution::{
    hunt_crossley_from_restitution, hunt_crossley_restitution, kelvin_voigt_from_restitution, law_of_depth,
    linear_damping_ratio, linear_restitution,
};
