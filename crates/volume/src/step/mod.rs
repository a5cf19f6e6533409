//! The step of the volume responses: which bodies overlap, by how much, what pushes them apart, and what moves them apart.

mod compliance;
mod constraints;
mod energy;
mod flat_sides;
mod flicker;
mod flush;
mod gauge;
mod guard;
mod measure;
mod memory;
mod pairs;
mod placed;
mod rebound;
mod rest;
mod rows;
mod sides;
mod solve;
mod stabilise;
mod still;
mod surfaces;
mod tables;

pub use constraints::{Answered, VolumeConstraints};
pub use energy::VolumeEnergy;
pub use flat_sides::{cells_to_hold, flat_side, narrow_side, outermost_pressure};
pub use flicker::Flicker;
pub use measure::OverlapGauge;
pub use pairs::OverlapPairs;
pub use rest::stiffest_rest;
pub use sides::within_rim;
pub use stabilise::{Corrected, Stabiliser};
pub use tables::{
    CellImpulse, CellImpulses, CellImpulsesNext, MeasuredPair, Measurement, Overlaps, VolumeFriction,
    VolumePenaltySettings, VolumeReport, VolumeSettings, pair_id,
};
