//! The tests of the crate in one program: linked once, run side by side.

mod factor;
mod matrix;
mod mlcp;
mod solve;
mod support;
