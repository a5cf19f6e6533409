#![doc = include_str!("../README.md")]

mod blocks;
mod body;
mod error;
mod half_space;
mod query;
mod rigid;
mod simd;
mod surface;
mod tree;

pub use body::CompliantBody;
pub use error::{BodyError, PairError};
pub use half_space::HalfSpace;
pub use query::{Coherence, Rule, Shape, Workspace, contact, contact_again};
pub use rigid::RigidSurface;
pub use surface::{ContactSurface, Face, Work, Wrench};
