//! The tests of the crate in one program: linked once, run side by side.

mod anderson;
mod dense;
mod factor;
mod gmres;
mod lu;
mod matrix;
mod mlcp;
mod solve;
mod support;
mod sweeps;
