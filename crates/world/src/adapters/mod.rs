//! One thin file per stage: which columns it borrows, which kernel it calls. Adapters move no maths.

mod advance;
mod book;
mod broad;
mod commit;
mod correct;
mod elastic;
mod facing;
mod gather;
mod narrow;
mod near;
mod own_contact;
mod pairs;
mod penalty;
mod predict;
mod pressure;
mod record;
mod standing;
mod surface;
mod swept;
mod unseen;
pub(crate) mod vertices;
mod volume;

pub use advance::Advance;
pub use broad::Broad;
pub use commit::Commit;
pub use gather::Gather;
pub use narrow::NarrowVertices;
pub use near::{NearFeatures, NearPairs};
pub use penalty::PenaltyResponse;
pub use predict::Predict;
pub use pressure::{ContactSurfaces, PlacePressure, PressureBroad, PressureResponse, TakePath};
pub use record::Record;
pub use surface::PlaceSurface;
pub use swept::{
    ConservingResponse, CpfResponse, CutMotion, FindInside, FollowTracked, MovePlaces, NewtonReport,
    NewtonSettings, PlaceSwept, QpResponse, Retrack, SweptBroad,
};
pub use unseen::Unseen;
pub use volume::{MeasureOverlaps, StabiliseVolume, VolumePairs, VolumePenaltyResponse, VolumeResponse};

use crate::components::Dofs;
use crate::stage::StageError;
use impinge_contact::Prediction;
use impinge_geometry::{DVec3, Pose};
use impinge_penalty::Evaluate;
use std::sync::Arc;

/// Names of the bodies by slot, for errors.
pub type Names = Arc<[String]>;

/// Names of two bodies.
fn two(names: &Names, a: u32, b: u32) -> [String; 2] {
    [a, b].map(|s| names.get(s as usize).cloned().unwrap_or_else(|| format!("#{s}")))
}

/// Poses at the time contact is evaluated.
fn poses<'a>(at: Evaluate, dofs: &'a Dofs, prediction: &'a Prediction) -> &'a [Pose] {
    match at {
        Evaluate::Start => &dofs.bodies.pose,
        Evaluate::End => &prediction.pose,
    }
}

/// Node positions at the time contact is evaluated.
fn node_positions<'a>(at: Evaluate, dofs: &'a Dofs, prediction: &'a Prediction) -> &'a [DVec3] {
    match at {
        Evaluate::Start => &dofs.nodes.x,
        Evaluate::End => &prediction.node_x,
    }
}

/// Stops the run when a number of a body or node is not finite.
fn check(names: &Names, body: usize, ok: bool, quantity: &'static str) -> Result<(), StageError> {
    if ok {
        return Ok(());
    }
    let body = names.get(body).cloned().unwrap_or_else(|| format!("#{body}"));
    Err(StageError::NonFinite { body, quantity })
}
