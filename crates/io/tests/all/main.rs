//! The tests of the crate in one program: linked once, run side by side.

mod files;
mod obj;
mod options;
mod out;
mod samples;
mod surfaces;
mod tets;
