//! Meshes made from numbers: parameters in metres and counts in, a [`TriMesh`] out.
//!
//! Closed shapes are closed, face outwards, share their vertices and are centred on the origin of their
//! bounding box (round shapes on their centre). Round shapes are inscribed: vertices lie on the true surface,
//! so volume and area approach it from below as the square of the segment length. A parameter that makes no
//! sense is refused with [`MeshError::BadParameter`], naming the parameter and the range.
//!
//! | shape | axis | notes |
//! |---|---|---|
//! | [`cuboid`], [`plate`], [`wedge`], [`tetrahedron`] | | flat faces |
//! | [`l_shape`], [`t_handle`] | flat in z | not convex; three distinct principal moments |
//! | [`icosphere`], [`ellipsoid`] | | near-uniform triangles |
//! | [`uv_sphere`] | x | a pole vertex at +x; a pole vertex or a flat cap at −x |
//! | [`cylinder`], [`cone`], [`capsule`] | z | |
//! | [`torus`], [`chain_link`] | z | genus 1 |
//! | [`grid`] | z up | an open sheet |

mod check;
mod cuboid;
mod extruded;
mod lathe;
mod round;
mod sheet;
mod simplex;
mod sphere;
mod torus;

pub use cuboid::{cuboid, plate};
pub use extruded::{l_shape, t_handle, wedge};
pub use round::{capsule, cone, cylinder};
pub use sheet::grid;
pub use simplex::tetrahedron;
pub use sphere::{ellipsoid, icosphere, uv_sphere};
pub use torus::{chain_link, torus};

#[cfg(doc)]
use crate::{MeshError, TriMesh};
