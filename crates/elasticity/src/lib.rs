#![doc = include_str!("../README.md")]

mod material;
mod polar;
pub mod tet;

pub use material::{BadTets, Material};
pub use polar::closest_rotation;
