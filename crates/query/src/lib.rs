#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod attach;
mod between;
pub mod brute_force;
mod meet;
mod nearest;
mod pairs;
mod penetration;
mod place;
mod posed;
mod ray;
mod relation;
mod tets;
mod tie;
mod tree;
mod winding;

pub use attach::{AttachError, AttachOptions, Attached, Outside, attach};
pub use between::{Between, distance};
pub use meet::triangles_meet;
pub use nearest::Nearest;
pub use pairs::{PairVisitor, Place};
pub use penetration::{Behind, Penetration};
pub use place::{Placing, PoseError};
pub use ray::RayHit;
pub use relation::{Relation, overlapping, relation, relation_of_separate, touching};
pub use tets::{Located, TetIndex};
pub use tree::{MeshIndex, UpdateError};
