//! The tests of the crate in one program: linked once, run side by side.

mod fill;
mod health;
mod merge;
mod real_meshes;
mod repair;
mod tets;
mod thicken;
mod units;
