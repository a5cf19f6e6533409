//! The tests of the crate in one program: linked once, run side by side.

mod examples;
mod guide;
mod leak;
mod own_response;
mod supported_pairs;
mod threads;
