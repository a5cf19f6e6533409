//! The tests of the crate in one program: linked once, run side by side.

mod conveyor;
mod examples;
mod gripper;
mod guide;
mod leak;
mod own_components;
mod own_loop;
mod own_response;
mod supported_pairs;
mod threads;
