//! The world is open between steps: what a program reads of it, and does to its bodies.

mod actuators;
mod change;
mod drive;
mod given;
pub(crate) mod id;
mod locks;
mod members;
mod overlaps;
mod push;
pub(crate) mod read;
pub(crate) mod roster;
pub(crate) mod rows;
mod rules;
pub(crate) mod sensing;
mod standing;
pub(crate) mod surfaces;
pub(crate) mod view;
#[cfg(feature = "serde")]
mod written;
#[cfg(feature = "serde")]
mod written_body;
#[cfg(feature = "serde")]
mod written_data;
#[cfg(feature = "serde")]
mod written_sensor;
