//! The tests of the crate in one program: linked once, run side by side.

mod anchors;
mod detect;
mod proximity;
mod restitution;
