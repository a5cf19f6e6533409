#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod attach;
pub mod brute_force;
mod nearest;
mod penetration;
mod ray;
mod tets;
mod tie;
mod tree;
mod winding;

pub use attach::{AttachError, AttachOptions, Attached, Outside, attach};
pub use nearest::Nearest;
pub use penetration::Penetration;
pub use ray::RayHit;
pub use tets::{Located, TetIndex};
pub use tree::{MeshIndex, UpdateError};
