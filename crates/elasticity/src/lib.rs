#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod assemble;
pub mod cloth;
mod element;
mod lanes;
mod material;
pub mod plane_strain;
mod polar;
pub mod rod;
pub mod spring;
pub mod tet;

pub use element::{BadElement, Blocks, Elements, Projection};
pub use material::{BadTets, Material};
pub use polar::closest_rotation;
