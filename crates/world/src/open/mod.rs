//! The world is open between steps: what a program reads of it, and does to its bodies.

mod change;
mod given;
pub(crate) mod id;
mod members;
mod overlaps;
mod push;
pub(crate) mod read;
pub(crate) mod roster;
pub(crate) mod sensing;
pub(crate) mod surfaces;
