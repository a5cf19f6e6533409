//! surface and broad: boxes of the bodies around both ends of the step, and the pairs whose boxes meet.

use super::settings::PressureBodies;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Bounds, Dofs, Laws, Shapes};
use impinge_contact::{Pairs, Prediction};
use impinge_pressure::{PressurePairs, place_boxes};

/// Calls [`place_boxes`].
#[derive(Debug, Default)]
pub struct PlacePressure {
    /// For bodies that are followed along their path.
    pub around: bool,
}

impl Stage for PlacePressure {
    type Io = (&'static PressureBodies, &'static Dofs, &'static Prediction, &'static mut Bounds);
    type Rows = ();

    fn name(&self) -> &'static str {
        "surface: pressure"
    }

    fn run(
        &mut self,
        (bodies, dofs, prediction, bounds): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        place_boxes(bodies, dofs, prediction, self.around, &mut bounds.0);
        Ok(Outcome::items(bounds.0.len()))
    }
}

/// Calls [`PressurePairs::find`].
#[derive(Debug, Default)]
pub struct PressureBroad {
    finder: PressurePairs,
}

impl Stage for PressureBroad {
    type Io = (
        &'static Shapes,
        &'static Laws,
        &'static Dofs,
        &'static Prediction,
        &'static Bounds,
        &'static mut Pairs,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "broad: pressure"
    }

    fn run(
        &mut self,
        (shapes, laws, dofs, prediction, bounds, pairs): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        self.finder.find(shapes, laws, (dofs, prediction), &bounds.0, pairs)?;
        Ok(Outcome::items(pairs.len()))
    }
}
