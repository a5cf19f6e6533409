//! broad: body pairs whose boxes meet at the start of the step, and bodies that meet themselves.

use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Bounds, Dofs, Laws, Shapes};
use impinge_contact::Pairs;
use impinge_volume::OverlapPairs;

/// Calls [`OverlapPairs::find`].
#[derive(Debug, Default)]
pub struct VolumePairs {
    finder: OverlapPairs,
}

impl Stage for VolumePairs {
    type Io = (&'static Shapes, &'static Laws, &'static Dofs, &'static Bounds, &'static mut Pairs);
    type Rows = ();

    fn name(&self) -> &'static str {
        "broad: pairs"
    }

    fn run(
        &mut self,
        (shapes, laws, dofs, bounds, pairs): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        self.finder.find(shapes, laws, dofs, &bounds.0, pairs)?;
        Ok(Outcome::items(pairs.len()))
    }
}
