//! The list of the step. A reader starts here.

use crate::acting::Acting;
use crate::adapters::{Advance, Commit, Gather, Names, PlaceSurface, Predict, Record};
use crate::pipeline::{Pipeline, Place};
use crate::response::{Detection, Response};
use crate::responses::cpf::follow::FollowTracked;
use crate::responses::cpf::implicit::response::ConservingResponse;
use crate::responses::cpf::response::CpfResponse;
use crate::responses::cpf::retrack::Retrack;
use crate::responses::penalty::broad::Broad;
use crate::responses::penalty::narrow::NarrowVertices;
use crate::responses::penalty::near::{NearFeatures, NearPairs};
use crate::responses::penalty::response::PenaltyResponse;
use crate::responses::pressure::broad::{PlacePressure, PressureBroad};
use crate::responses::pressure::narrow::ContactSurfaces;
use crate::responses::pressure::response::PressureResponse;
use crate::responses::pressure::settings::PressureStep;
use crate::responses::pressure::take::TakePath;
use crate::responses::qp::cut::CutMotion;
use crate::responses::qp::inside::FindInside;
use crate::responses::qp::response::QpResponse;
use crate::responses::qp::shift::MovePlaces;
use crate::responses::swept::broad::SweptBroad;
use crate::responses::swept::place::PlaceSwept;
use crate::responses::volume::narrow::MeasureOverlaps;
use crate::responses::volume::pairs::VolumePairs;
use crate::responses::volume::penalty::VolumePenaltyResponse;
use crate::responses::volume::response::VolumeResponse;
use crate::responses::volume::stabilise::StabiliseVolume;
use impinge_integrators::Scheme;
use impinge_penalty::Evaluate;

/// One step with this response.
pub fn standard(response: Response, scheme: Scheme, names: &Names) -> Pipeline {
    step(scheme, names, |pipeline| pipeline.with_recipe(response, names))
}

/// One step with all responses of a world.
pub(crate) fn standard_parts(parts: &[Acting], scheme: Scheme, names: &Names) -> Pipeline {
    step(scheme, names, |pipeline| pipeline.with_parts(parts, scheme, names))
}

fn step(scheme: Scheme, names: &Names, contact: impl FnOnce(Pipeline) -> Pipeline) -> Pipeline {
    let before = Pipeline::default()
        .with(Place::Gather, Gather)
        .with(Place::Predict, Predict { scheme, names: names.clone() });
    contact(before)
        .with(Place::Advance, Advance { scheme, names: names.clone() })
        .with(Place::Record, Record::new(names.clone()))
        .with(Place::Commit, Commit)
}

impl Pipeline {
    /// Adds the stages a response family needs: where it looks, what it finds, what it does about it.
    #[must_use]
    pub fn with_recipe(self, response: Response, names: &Names) -> Self {
        match response {
            Response::Penalty { evaluate, release, detection: Detection::Proximity { reach } } => self
                .with(Place::Surface, PlaceSurface { at: evaluate, reach })
                .with(Place::Broad, NearPairs::new(evaluate))
                .with(Place::Narrow, NearFeatures::new(evaluate, reach, names.clone()))
                .with(Place::Response, PenaltyResponse::new(evaluate, release, reach, names.clone())),
            Response::Penalty { evaluate, release, detection } => self
                .with(Place::Surface, PlaceSurface { at: evaluate, reach: 0.0 })
                .with(Place::Broad, Broad::new(evaluate, names.clone()))
                .with(
                    Place::Narrow,
                    NarrowVertices::new(evaluate, detection == Detection::Facing, names.clone()),
                )
                .with(Place::Response, PenaltyResponse::new(evaluate, release, 0.0, names.clone())),
            Response::Cpf { force, normalisation, band, friction_along } => self
                .with(Place::Surface, PlaceSwept)
                .with(Place::Broad, SweptBroad::new(names.clone()))
                .with(Place::Narrow, FollowTracked::new(band))
                .with(
                    Place::Response,
                    CpfResponse::new(force, normalisation, names.clone()).with_friction_along(friction_along),
                )
                .with(Place::Stabilise, Retrack::new(names.clone())),
            Response::CpfImplicit { gradient, newton, band } => self
                .with(Place::Surface, PlaceSwept)
                .with(Place::Broad, SweptBroad::new(names.clone()).with_fixed_margins())
                .with(Place::Narrow, FollowTracked::new(band))
                .with(Place::Response, ConservingResponse::new(gradient, newton, names.clone())),
            Response::Qp(settings) => self
                .with(Place::Surface, PlaceSwept)
                .with(Place::Broad, SweptBroad::new(names.clone()).with_thickness(settings.thickness))
                .with(Place::Narrow, FindInside)
                .with(Place::Response, QpResponse::new(settings, names.clone()))
                .with(Place::Stabilise, MovePlaces::default())
                .with(Place::Stabilise, CutMotion::new(settings, names.clone())),
            Response::Volume(settings) => self
                .with(Place::Surface, PlaceSurface { at: Evaluate::Start, reach: 0.0 })
                .with(Place::Broad, VolumePairs::default())
                .with(Place::Narrow, MeasureOverlaps::of_constraints(settings.measure, names.clone()))
                .with(Place::Response, VolumeResponse::new(settings, names.clone()))
                .with(Place::Stabilise, StabiliseVolume::new(settings, names.clone())),
            Response::VolumePenalty(settings) => self
                .with(Place::Surface, PlaceSurface { at: Evaluate::Start, reach: 0.0 })
                .with(Place::Broad, VolumePairs::default())
                .with(Place::Narrow, MeasureOverlaps::new(settings.measure, names.clone()))
                .with(Place::Response, VolumePenaltyResponse::new(settings, names.clone())),
            Response::Pressure(settings) => {
                let recipe = self
                    .with(Place::Surface, PlacePressure { around: settings.step == PressureStep::Radau })
                    .with(Place::Broad, PressureBroad::default())
                    .with(Place::Narrow, ContactSurfaces::new(settings, names.clone()))
                    .with(Place::Response, PressureResponse::new(settings, names.clone()));
                match settings.step {
                    PressureStep::Radau => recipe.with(Place::Stabilise, TakePath),
                    PressureStep::Implicit | PressureStep::Explicit => recipe,
                }
            }
        }
    }
}
