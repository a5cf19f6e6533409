//! broad: feature pairs that may meet on the way of the step, or near it.

use super::tables::{Faces, FeaturePairs, SweptCandidates, Tracked};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Bounds, Dofs, Laws, Names, Shapes};
use impinge_contact::{BodyKind, Pairs, Prediction, Surface, SurfaceMap};
use impinge_swept::{Paths, Swept, SweptSearch};

/// Calls [`SweptSearch::list`].
pub struct SweptBroad {
    search: SweptSearch,
    paths: Paths,
}

impl SweptBroad {
    /// Empty scratch; names for errors.
    #[must_use]
    pub fn new(names: Names) -> Self {
        Self { search: SweptSearch::new(names), paths: Paths::Straight }
    }

    /// See [`SweptSearch::with_fixed_margins`].
    #[must_use]
    pub fn with_fixed_margins(self) -> Self {
        Self { search: self.search.with_fixed_margins(), ..self }
    }

    /// See [`SweptSearch::with_segments`].
    #[must_use]
    pub fn with_segments(self) -> Self {
        Self { search: self.search.with_segments(), ..self }
    }

    /// See [`SweptSearch::with_thickness`].
    #[must_use]
    pub fn with_thickness(self, thickness: f64) -> Self {
        Self { search: self.search.with_thickness(thickness), ..self }
    }

    /// Vertices go on these paths.
    #[must_use]
    pub fn with_paths(self, paths: Paths) -> Self {
        Self { paths, ..self }
    }
}

impl Stage for SweptBroad {
    type Io = (
        &'static SurfaceMap,
        &'static Shapes,
        &'static Laws,
        &'static Dofs,
        &'static Prediction,
        &'static Bounds,
        &'static Surface,
        &'static Tracked,
        &'static mut Pairs,
        &'static mut SweptCandidates,
        &'static mut Faces,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "broad: swept"
    }

    fn run(
        &mut self,
        (map, shapes, laws, dofs, prediction, bounds, surface, tracked, pairs, out, faces): <Self::Io as Query>::Item<
            '_,
        >,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (bodies, motion) = ((map, shapes, laws, dofs), (prediction, &bounds.0[..], surface));
        let spin = |b: usize| {
            let (body, pose) = (dofs.bodies.row(b), &prediction.pose[b]);
            match body.kind {
                BodyKind::Rigid => body.mobility.spin(&pose.matrix(), prediction.angular_momentum[b]),
                _ => body.angular_velocity,
            }
        };
        out.ways.set((self.paths, step.dt), (map, dofs), (&prediction.pose, spin), prediction, surface);
        let to = Swept { pairs, candidates: out, faces };
        self.search.list(bodies, motion, tracked, step.first, to)?;
        let features: usize = out.lists.iter().map(FeaturePairs::len).sum();
        Ok(Outcome::items(features + out.planes.len()))
    }
}
