//! The tests of the crate in one program: linked once, run side by side.

mod at_end;
mod common;
mod conserving;
mod conserving_plane;
mod curved;
mod handover;
mod hollow;
mod impulse;
mod plane;
mod steps;
mod tracked;
mod ways;
mod wide;
