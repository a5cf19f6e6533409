#![doc = include_str!("../README.md")]

pub mod generators;

mod closest;
mod linear;
mod mass;
mod pose;
mod segment;
mod topology;
mod tri_mesh;
mod triangle;

pub use closest::{ClosestPoint, TriangleFeature, closest_on_triangle};
#[doc(no_inline)]
pub use generators::{
    capsule, chain_link, cone, cuboid, cylinder, ellipsoid, grid, icosphere, l_shape, plate, t_handle,
    tetrahedron, torus, uv_sphere, wedge,
};
pub use linear::{
    add, determinant, inverse, outer, scale, skew, sub, symmetric_eigen, trace, try_normalized,
};
pub use mass::{MassProperties, PrincipalAxes, area, closed_mass_properties, mass_properties, vertex_areas};
pub use pose::{Pose, rotor_from_rotation_vector};
pub use segment::{ClosestBetweenSegments, ClosestOnSegment, closest_between_segments, closest_on_segment};
pub use topology::{Neighbours, Topology};
pub use tri_mesh::{MeshError, TriMesh};
pub use triangle::{triangle_area, triangle_area_vector, triangle_normal};
pub use ultraviolet::{DMat3, DRotor3, DVec3};
