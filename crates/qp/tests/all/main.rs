//! The tests of the crate in one program: linked once, run side by side.

mod cloth;
mod friction;
mod friction_cloth;
mod islands;
mod large;
mod methods;
mod outer;
mod rows;
mod support;
mod tilted;
mod wedges;
