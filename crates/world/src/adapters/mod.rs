//! One thin file per stage: which columns it borrows, which kernel it calls. Adapters move no maths.

mod advance;
mod book;
mod broad;
mod commit;
mod correct;
mod elastic;
mod evaluate;
mod facing;
mod gather;
mod names;
mod narrow;
mod near;
mod own_contact;
mod pairs;
mod penalty;
mod predict;
mod pressure;
mod record;
pub(crate) mod standing;
mod surface;
pub(crate) mod swept;
pub(crate) mod vertices;
mod volume;

pub use crate::conserving::{NewtonReport, NewtonSettings};
pub use advance::Advance;
pub use broad::Broad;
pub use commit::Commit;
pub use gather::Gather;
pub use names::Names;
pub use narrow::NarrowVertices;
pub use near::{NearFeatures, NearPairs};
pub use penalty::PenaltyResponse;
pub use predict::Predict;
pub use pressure::{ContactSurfaces, PlacePressure, PressureBroad, PressureResponse, TakePath};
pub use record::Record;
pub use surface::PlaceSurface;
pub use swept::{
    ConservingResponse, CpfResponse, CutMotion, FindInside, FollowTracked, MovePlaces, PlaceSwept,
    QpResponse, Retrack, SweptBroad,
};
pub use volume::{MeasureOverlaps, StabiliseVolume, VolumePairs, VolumePenaltyResponse, VolumeResponse};

use evaluate::{node_positions, poses};
use names::{check, two};
