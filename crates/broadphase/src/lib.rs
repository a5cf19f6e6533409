#![doc = include_str!("../README.md")]

mod aabb;
mod body_pairs;
mod outward;
mod vertex_tree;

pub use aabb::{Aabb, plane_overlaps};
pub use body_pairs::{BodyPairs, BoxError, body_pairs_brute_force};
pub use vertex_tree::{VertexTree, below_plane_brute_force, candidates_brute_force};
