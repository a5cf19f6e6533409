//! stabilise: bodies are put where Radau's method brought them; the drift of the integrator is only of its order.

use super::settings::PathEnds;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::Dofs;
use impinge_contact::Advanced;
use impinge_pressure::take_path;

/// Calls [`take_path`].
#[derive(Debug, Default)]
pub struct TakePath;

impl Stage for TakePath {
    type Io = (&'static Dofs, &'static PathEnds, &'static mut Advanced);
    type Rows = ();

    fn name(&self) -> &'static str {
        "stabilise: ends of the path"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["advanced"]
    }

    fn run(
        &mut self,
        (dofs, ends, advanced): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        Ok(Outcome::items(take_path(dofs, ends, advanced)))
    }
}
