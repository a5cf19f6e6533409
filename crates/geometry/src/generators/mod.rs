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
//! | [`torus`], [`chain_link`], [`tube`] | z | genus 1 |
//! | [`bowl`], [`bucket`] | z, open upwards | closed surfaces of thick-walled vessels |
//! | [`mug`] | z, open upwards | its handle at +x makes it genus 1 |
//! | [`spoon`] | z, hollow towards +y | flat, it is a spatula |
//! | [`bolt`], [`nut`] | z | a round thread of any pitch; the nut has genus 1 |
//! | [`cable`] | a polyline | mitred at its bends |
//! | [`dragon`] | looks along x, z up | a small creature with legs, wings and a tail, one smooth surface |
//! | [`octopus`] | z up | a body with eight thin limbs, one smooth surface |
//! | [`grid`], [`disc`] | z up | open sheets |
//! | [`height_field`] | z up | open ground |
//!
//! Tetrahedra, all of positive volume: [`tet_box`], [`tet_sphere`], [`tet_ellipsoid`], [`tet_cylinder`],
//! [`tet_capsule`], [`tet_torus`], [`tet_nut`].

mod cable;
mod check;
mod cuboid;
mod dragon;
mod extruded;
mod height_field;
mod implicit;
mod lathe;
mod octopus;
mod rings;
mod rod;
mod round;
mod sheet;
mod simplex;
mod sphere;
#[cfg(feature = "tets")]
mod tets;
mod thread;
mod torus;
mod utensil;
mod vessel;

pub use cable::cable;
pub use cuboid::{cuboid, plate};
pub use dragon::dragon;
pub use extruded::{l_shape, t_handle, wedge};
pub use height_field::height_field;
pub use octopus::octopus;
pub use round::{capsule, cone, cylinder};
pub use sheet::{disc, grid};
pub use simplex::tetrahedron;
pub use sphere::{ellipsoid, icosphere, uv_sphere};
#[cfg(feature = "tets")]
pub use tets::{tet_box, tet_capsule, tet_cylinder, tet_ellipsoid, tet_sphere};
pub use thread::{Thread, bolt};
#[cfg(feature = "tets")]
pub use thread::{nut, tet_nut};
#[cfg(feature = "tets")]
pub use torus::tet_torus;
pub use torus::{chain_link, torus};
pub use utensil::{mug, spoon};
pub use vessel::{bowl, bucket, tube};

#[cfg(doc)]
use crate::{MeshError, TriMesh};
