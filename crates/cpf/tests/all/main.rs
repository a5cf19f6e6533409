//! The tests of the crate in one program: linked once, run side by side.

mod at_end;
mod common;
mod conserving;
mod curved;
mod handover;
mod hollow;
mod impulse;
mod steps;
mod wide;
