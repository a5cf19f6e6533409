//! One thin file per stage: which columns it borrows, which kernel it calls. Adapters move no maths.

mod advance;
pub(crate) mod book;
mod commit;
pub(crate) mod correct;
pub(crate) mod elastic;
pub(crate) mod evaluate;
pub(crate) mod facing;
mod gather;
pub(crate) mod names;
pub(crate) mod pairs;
mod predict;
mod pressure;
mod record;
pub(crate) mod standing;
mod surface;
pub(crate) mod vertices;
mod volume;

pub use crate::responses::cpf::follow::FollowTracked;
pub use crate::responses::cpf::implicit::response::ConservingResponse;
pub use crate::responses::cpf::implicit::settings::{NewtonReport, NewtonSettings};
pub use crate::responses::cpf::response::CpfResponse;
pub use crate::responses::cpf::retrack::Retrack;
pub use crate::responses::penalty::broad::Broad;
pub use crate::responses::penalty::narrow::NarrowVertices;
pub use crate::responses::penalty::near::{NearFeatures, NearPairs};
pub use crate::responses::penalty::response::PenaltyResponse;
pub use crate::responses::qp::cut::CutMotion;
pub use crate::responses::qp::inside::FindInside;
pub use crate::responses::qp::response::QpResponse;
pub use crate::responses::qp::shift::MovePlaces;
pub use crate::responses::swept::broad::SweptBroad;
pub use crate::responses::swept::place::PlaceSwept;
pub use advance::Advance;
pub use commit::Commit;
pub use gather::Gather;
pub use names::Names;
pub use predict::Predict;
pub use pressure::{ContactSurfaces, PlacePressure, PressureBroad, PressureResponse, TakePath};
pub use record::Record;
pub use surface::PlaceSurface;
pub use volume::{MeasureOverlaps, StabiliseVolume, VolumePairs, VolumePenaltyResponse, VolumeResponse};

use evaluate::{node_positions, poses};
use names::{check, two};
