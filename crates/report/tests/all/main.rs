//! The tests of the crate in one program: linked once, run side by side.

mod comparison;
mod csv;
mod decimate;
mod files;
mod page;
mod recorder;
mod vtu;
