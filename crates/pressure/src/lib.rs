#![doc = include_str!("../README.md")]

mod blocks;
mod body;
mod energy;
mod error;
mod half_space;
mod query;
mod rigid;
mod simd;
mod stiffness;
mod surface;
mod tree;

pub use body::CompliantBody;
pub use energy::energy;
pub use error::{BodyError, PairError};
pub use half_space::HalfSpace;
pub use query::{Coherence, Rule, Shape, Workspace, contact, contact_again};
pub use rigid::RigidSurface;
pub use stiffness::{Matrix6, Matrix12, pair_stiffness, stiffness};
pub use surface::{ContactSurface, Face, Work, Wrench};
