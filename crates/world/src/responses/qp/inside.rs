//! narrow: what is inside when the step begins, of bodies that were inside each other from the start.

use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Dofs, Elastic, Laws, Shapes};
use impinge_contact::{Pairs, Surface, SurfaceMap};
use impinge_qp::find_inside;
use impinge_swept::{Faces, Followed, List, Tracked};

/// Calls [`find_inside`].
#[derive(Default)]
pub struct FindInside;

type Bodies = (&'static SurfaceMap, &'static Shapes, &'static Laws, &'static Dofs, &'static Elastic);

impl Stage for FindInside {
    type Io =
        (Bodies, &'static Pairs, &'static Faces, &'static Tracked, &'static Surface, &'static mut Followed);
    type Rows = ();

    fn name(&self) -> &'static str {
        "narrow: inside"
    }

    fn run(
        &mut self,
        (bodies, pairs, faces, tracked, surface, out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        find_inside(bodies, (pairs, faces, tracked), &surface.x0, step.first, out);
        Ok(Outcome::items(out.0[List::Solid as usize].len()))
    }
}
