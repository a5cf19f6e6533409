#![doc = include_str!("../README.md")]

mod discrete;
mod gauss;
mod integral;
mod pair;
mod params;
mod particle;
mod path;
mod plane;

pub use discrete::{at_end, tracked_discrete};
pub use pair::{PairImpulse, PairImpulses, on_points_by_first_contact, over_interval, pair_impulses};
pub use params::{
    Normalisation, ParamError, Params, Unstable, Used, check_stiffness, instability, longest_step,
};
pub use particle::{Particle, ParticleStep};
pub use plane::{PlaneImpulse, height_impulse, plane_impulse, plane_impulses};
