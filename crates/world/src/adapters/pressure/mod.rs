//! Stages of the response `pressure`: boxes, pairs, contact surfaces, impulses.

mod broad;
mod forces;
mod linear;
mod narrow;
mod newton;
mod path;
mod pushed;
mod response;
mod six;
mod take;
mod trial;

pub use broad::{PlacePressure, PressureBroad};
pub use narrow::ContactSurfaces;
pub use response::PressureResponse;
pub use take::TakePath;
