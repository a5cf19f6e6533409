//! Triangle meshes and the geometry a contact kernel needs: topology, exact mass properties, closest
//! features, generators. Lengths are metres, angles radians; vectors are ultraviolet's `DVec3`.
//!
//! Everything here is a function over slices or a plain value; nothing knows about bodies or time.

mod linear;
mod pose;
mod tri_mesh;

pub use linear::{
    add, determinant, inverse, outer, scale, skew, sub, symmetric_eigen, trace, try_normalized,
};
pub use pose::{Pose, rotor_from_rotation_vector};
pub use tri_mesh::{MeshError, TriMesh};
pub use ultraviolet::{DMat3, DRotor3, DVec3};
