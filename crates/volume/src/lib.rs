#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// `!(a > b)` is how a NaN is sent the same way as a number that is too small.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

#[cfg(feature = "step")]
mod balance;
mod bounds;
mod carry;
mod closed;
mod error;
mod exact;
mod frame;
mod joined;
mod ldi;
mod overlap;
mod penalty;
mod rows;
mod slivers;
#[cfg(feature = "step")]
mod step;

pub use bounds::Bounds;
pub use closed::{Body, ClosedSurface};
pub use error::VolumeError;
pub use exact::Exact;
pub use frame::{CANCELLED, ContactFrame};
pub use ldi::{
    Adaptive, Certificate, Certified, Detected, Lattice, Layer, LayeredDepth, Limits, PairOverlap, Tolerance,
    Work,
};
pub use overlap::{Cell, CellGrid, Evaluate, Overlap, Walls};
pub use penalty::{penalty_energy, penalty_forces};
pub use rows::{FrictionAt, RigidRow, friction_rows, ghost_torque, normal_row, viscous_force};
#[cfg(feature = "step")]
pub use step::{
    Answered, CellImpulse, CellImpulses, CellImpulsesNext, Corrected, Flicker, MeasuredPair, Measurement,
    OverlapGauge, OverlapPairs, Overlaps, Stabiliser, VolumeConstraints, VolumeEnergy, VolumeFriction,
    VolumePenaltySettings, VolumeReport, VolumeSettings, cells_to_hold, flat_side, narrow_side,
    outermost_pressure, pair_id, stiffest_rest, within_rim,
};
