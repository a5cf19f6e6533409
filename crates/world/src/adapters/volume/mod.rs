//! Intersection volumes: which bodies overlap, by how much, what pushes them apart, and what moves them apart.

mod bodies;
mod compliance;
mod guard;
mod memory;
mod narrow;
mod pairs;
mod penalty;
mod response;
mod rows;
mod solve;
mod stabilise;

pub use narrow::MeasureOverlaps;
pub use pairs::VolumePairs;
pub use penalty::VolumePenaltyResponse;
pub use response::VolumeResponse;
pub use stabilise::StabiliseVolume;
