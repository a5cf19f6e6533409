//! The world is open between steps: what a program reads of it, and does to its bodies.

mod change;
pub(crate) mod given;
pub(crate) mod id;
pub(crate) mod members;
mod push;
pub(crate) mod read;
