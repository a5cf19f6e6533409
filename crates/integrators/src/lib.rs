#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod anchored;
mod deformable;
mod drag;
mod driver;
mod euler;
mod forces;
mod locked;
mod midpoint;
mod radau;
mod rotation;

pub use deformable::{
    BadSystem, Books, ElasticBody, ElasticError, ElasticOperator, ElasticReport, ElasticSettings,
    ElasticSystem, Energy, Grip, Pin, StepInput, Tie, elastic_energy, node_inertia, node_stiffness,
    stable_step,
};
pub use drag::Dragged;
pub use driver::{Driver, Keyframe, PoseFunction, TooMuchTurn, secant};
pub use euler::{Scheme, advance, drift, predict, world_inertia};
pub use forces::{AnchorSpring, ExternalForces};
pub use impinge_solvers::Method;
pub use midpoint::{cayley, cayley_tangent, mean_motion, mean_turn, momentum_after};
pub use radau::{
    Radau, RadauError, RadauOrder, RadauProblem, RadauReport, RadauSettings, RadauStep, RigidBodies,
    RigidForces, RigidState, integrate_rigid,
};
pub use rotation::{free_rotation, rotation_between};
