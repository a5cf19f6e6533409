#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod aabb;
mod blocks;
mod body_pairs;
mod brute_force;
mod candidates;
mod cluster_pair;
mod clusters;
mod feature_tree;
mod lane_block;
mod lane_box;
mod lane_group;
mod near_faces;
mod ordered;
mod other_view;
mod outward;
mod packed;
mod tree_error;
mod vertex_tree;
mod wide_pair;

pub use aabb::{Aabb, plane_overlaps};
pub use body_pairs::{BodyPairs, BoxError, body_pairs_brute_force};
pub use brute_force::{
    MovingSurface, cross_candidates_brute_force, self_candidates_brute_force,
    self_triangle_pairs_brute_force, triangle_pairs_brute_force,
};
pub use candidates::{CandidateWorkspace, CrossCandidates, MOST_LEAF_PAIRS, SelfCandidates, Unordered};
pub use feature_tree::{FeatureTree, Refit};
pub use tree_error::TreeError;
pub use vertex_tree::{VertexTree, below_plane_brute_force, candidates_brute_force};
