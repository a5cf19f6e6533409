//! The tests of the crate in one program: linked once, run side by side.

mod attach;
mod between;
mod nearest;
mod penetration;
mod ray;
mod reattach;
mod refit;
mod tets;
mod winding;
