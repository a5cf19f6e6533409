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

use super::Names;
use crate::stage::StageError;
use impinge_volume::VolumeError;

/// The error with the bodies' names.
fn refused(names: &Names, [a, b]: [u32; 2], e: &VolumeError) -> StageError {
    let name = |s: u32| names.get(s as usize).map_or("?", String::as_str);
    StageError::Volume(format!("'{}' against '{}': {e}", name(a), name(b)))
}
