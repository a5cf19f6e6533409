#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

pub mod arrays;
#[cfg(feature = "tets")]
pub mod edit;
pub mod generators;
pub mod halt;
pub mod par;
pub mod wide;

mod closest;
mod linear;
mod mass;
mod number;
mod polygon;
mod pose;
mod segment;
#[cfg(feature = "serde")]
mod stored;
mod table;
#[cfg(feature = "tets")]
mod tet_mesh;
#[cfg(feature = "tets")]
mod tet_topology;
mod topology;
mod tri_mesh;
mod triangle;

pub use closest::{ClosestPoint, TriangleFeature, closest_on_triangle};
#[doc(no_inline)]
pub use generators::{
    Thread, bolt, bowl, bucket, cable, capsule, chain_link, cone, cuboid, cylinder, disc, ellipsoid, grid,
    icosphere, l_shape, mug, octopus, plate, spoon, t_handle, tetrahedron, torus, tube, uv_sphere, wedge,
};
#[cfg(feature = "tets")]
#[doc(no_inline)]
pub use generators::{
    nut, tet_box, tet_capsule, tet_cylinder, tet_ellipsoid, tet_nut, tet_sphere, tet_torus,
};
pub use linear::{
    LARGEST, add, determinant, diagonal, inverse, is_bounded, is_finite, outer, power_of_two, scale, skew,
    sub, symmetric_eigen, tangents, trace, try_normalized,
};
#[cfg(feature = "tets")]
pub use mass::tet_mass_properties;
pub use mass::{MassProperties, PrincipalAxes, area, closed_mass_properties, mass_properties, vertex_areas};
pub use number::plain;
pub use polygon::{PolygonMoments, polygon_area_vector, polygon_moments};
pub use pose::{Pose, bent, rotor_from_rotation_vector, shared_spin};
pub use segment::{ClosestBetweenSegments, ClosestOnSegment, closest_between_segments, closest_on_segment};
#[cfg(feature = "tets")]
pub use tet_mesh::{TetMesh, tet_orientation, tet_volume};
#[cfg(feature = "tets")]
pub use tet_topology::{TetSurface, TetTopology};
pub use topology::{Neighbours, Topology};
pub use tri_mesh::{MeshError, TriMesh};
pub use triangle::{triangle_area, triangle_area_vector, triangle_normal};
pub use ultraviolet::{DMat3, DRotor3, DVec3};
