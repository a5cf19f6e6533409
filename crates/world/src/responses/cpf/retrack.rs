//! stabilise: what is in contact where the step really ended.

use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Dofs, Laws, Names, Shapes};
use impinge_contact::{Advanced, Prediction, Surface, SurfaceMap};
use impinge_cpf::EndTracker;
use impinge_swept::{Faces, Followed, Paths, SweptCandidates, TrackedNext};

/// Calls [`EndTracker::track`].
pub struct Retrack {
    tracker: EndTracker,
}

impl Retrack {
    /// Empty scratch; names for errors.
    #[must_use]
    pub fn new(names: Names) -> Self {
        Self { tracker: EndTracker::new(names) }
    }

    /// The real motion goes on these paths.
    #[must_use]
    pub fn with_paths(self, paths: Paths) -> Self {
        Self { tracker: self.tracker.with_paths(paths) }
    }
}

type Bodies = ((&'static SurfaceMap, &'static Shapes, &'static Laws, &'static Dofs), &'static Prediction);
type Ends = (&'static Surface, &'static Advanced, &'static Followed);
type Listed = (&'static SweptCandidates, &'static Faces);

impl Stage for Retrack {
    type Io = (Bodies, Ends, Listed, &'static mut TrackedNext);
    type Rows = ();

    fn name(&self) -> &'static str {
        "stabilise: retrack"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["tracked next"]
    }

    fn run(
        &mut self,
        ((bodies, prediction), ends, listed, next): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        Ok(Outcome::items(self.tracker.track(bodies, (prediction, step.dt), ends, listed, next)?))
    }
}
