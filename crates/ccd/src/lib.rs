#![doc = include_str!("../README.md")]

pub mod accelerated;
mod exact;
mod kind;
mod normals;
mod root;
pub mod screw;
pub mod separation;

pub use kind::{Kind, NotFinite};
pub use normals::{
    accelerated_length_squared_coefficients, accelerated_normal_coefficients, length_squared_at,
    length_squared_coefficients, normal_at, normal_coefficients, normal_coefficients_into, rms_length,
    unit_normal_at,
};
pub use root::{Class, Root, Roots};
pub use screw::{RigidMotion, screw_within};
pub use separation::{Within, edge_edge_within, vertex_face_within};
