//! Stages of the response `pressure`: boxes, pairs, contact surfaces, impulses.

mod broad;
mod forces;
mod linear;
mod narrow;
mod newton;
mod response;
mod six;
mod trial;

pub use broad::{PlacePressure, PressureBroad};
pub use narrow::ContactSurfaces;
pub use response::PressureResponse;
