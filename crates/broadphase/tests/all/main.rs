//! The tests of the crate in one program: linked once, run side by side.

mod aabb;
mod body_pairs;
mod feature_tree;
mod limit;
mod lines;
mod threads;
mod unsorted_pairs;
mod vertex_tree;
