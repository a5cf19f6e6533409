//! The list of the step. A reader starts here.

use crate::acting::Acting;
use crate::adapters::{Advance, Commit, Gather, Names, Predict, Record, Turn, Turned};
use crate::pipeline::{Pipeline, Place};
use crate::response::ContactResponse;
use impinge_integrators::Scheme;

/// One step with this response.
#[must_use]
pub fn standard(response: &dyn ContactResponse, scheme: Scheme, names: &Names) -> Pipeline {
    step(scheme, names, |pipeline| response.stages(pipeline, names))
}

/// One step with all responses of a world.
pub(crate) fn standard_parts(parts: &[Acting], scheme: Scheme, names: &Names) -> Pipeline {
    step(scheme, names, |pipeline| pipeline.with_parts(parts, scheme, names))
}

fn step(scheme: Scheme, names: &Names, contact: impl FnOnce(Pipeline) -> Pipeline) -> Pipeline {
    let before = Pipeline::default()
        .with(Place::Gather, Gather)
        .with(Place::Predict, Turn::default())
        .with(Place::Predict, Predict { scheme, names: names.clone() });
    contact(before)
        .with(Place::Advance, Advance { scheme, names: names.clone() })
        .with(Place::Record, Record::new(names.clone()))
        .with(Place::Record, Turned)
        .with(Place::Commit, Commit)
        .into_recipe()
}
