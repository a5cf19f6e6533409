//! The stages that all responses share: which columns each borrows, which kernel it calls.

mod advance;
mod commit;
mod gather;
mod predict;
mod record;
mod surface;
mod turn;

pub(crate) use impinge_bodies::{elastic_step as elastic, evaluate, vertices};

pub use crate::responses::cpf::follow::FollowTracked;
pub use crate::responses::cpf::implicit::response::ConservingResponse;
pub use crate::responses::cpf::implicit::settings::{NewtonReport, NewtonSettings};
pub use crate::responses::cpf::response::CpfResponse;
pub use crate::responses::cpf::retrack::Retrack;
pub use crate::responses::penalty::broad::Broad;
pub use crate::responses::penalty::narrow::NarrowVertices;
pub use crate::responses::penalty::near::{NearFeatures, NearPairs};
pub use crate::responses::penalty::response::PenaltyResponse;
pub use crate::responses::pressure::broad::{PlacePressure, PressureBroad};
pub use crate::responses::pressure::narrow::ContactSurfaces;
pub use crate::responses::pressure::response::PressureResponse;
pub use crate::responses::pressure::take::TakePath;
pub use crate::responses::qp::cut::CutMotion;
pub use crate::responses::qp::inside::FindInside;
pub use crate::responses::qp::response::QpResponse;
pub use crate::responses::qp::shift::MovePlaces;
pub use crate::responses::swept::broad::SweptBroad;
pub use crate::responses::swept::place::PlaceSwept;
pub use crate::responses::volume::narrow::MeasureOverlaps;
pub use crate::responses::volume::pairs::VolumePairs;
pub use crate::responses::volume::penalty::VolumePenaltyResponse;
pub use crate::responses::volume::response::VolumeResponse;
pub use crate::responses::volume::stabilise::StabiliseVolume;
pub use advance::Advance;
pub use commit::Commit;
pub use gather::Gather;
pub use impinge_bodies::Names;
pub use predict::Predict;
pub use record::Record;
pub use surface::PlaceSurface;
pub use turn::{Turn, Turned};
