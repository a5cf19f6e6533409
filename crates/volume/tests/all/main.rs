//! The tests of the crate in one program: linked once, run side by side.

mod certificate;
mod contact;
mod exact;
mod flat;
mod in_walls;
mod ldi;
mod own;
mod places;
mod places_joined;
mod reused;
mod support;
mod walls;
mod weighed;
