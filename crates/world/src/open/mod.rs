//! The world is open between steps: what the program that runs it reads, and does to its bodies.

mod change;
pub(crate) mod given;
pub(crate) mod id;
pub(crate) mod members;
mod push;
pub(crate) mod read;
