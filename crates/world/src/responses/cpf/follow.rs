//! narrow: open contacts move their traced points to where the features are when the step begins.

use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Dofs, Laws, Shapes};
use impinge_contact::{Pairs, Surface, SurfaceMap};
use impinge_cpf::ContactFollower;
use impinge_swept::{Faces, Followed, SweptCandidates, Tracked};

/// Calls [`ContactFollower::follow`].
pub struct FollowTracked {
    follower: ContactFollower,
}

impl FollowTracked {
    /// With this band, see [`ContactFollower::new`].
    #[must_use]
    pub fn new(band: f64) -> Self {
        Self { follower: ContactFollower::new(band) }
    }
}

type Bodies = (&'static SurfaceMap, &'static Shapes, &'static Laws, &'static Dofs);
type Listed = (&'static Pairs, &'static SweptCandidates, &'static Faces);

impl Stage for FollowTracked {
    type Io = (Bodies, Listed, &'static Tracked, &'static Surface, &'static mut Followed);
    type Rows = ();

    fn name(&self) -> &'static str {
        "narrow: follow"
    }

    fn run(
        &mut self,
        (bodies, listed, tracked, surface, out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        self.follower.follow(bodies, listed, (tracked, &surface.x0), step.first, out)?;
        Ok(Outcome::items(tracked.len()))
    }
}
