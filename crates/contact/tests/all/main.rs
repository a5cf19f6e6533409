//! The tests of the crate in one program: linked once, run side by side.
mod friction;
mod sums;
mod surface_map;
