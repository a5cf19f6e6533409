//! stabilise: bodies are put where Radau's method brought them; the drift of the integrator is only of its order.

use super::settings::PathEnds;
use crate::components::Dofs;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::Advanced;

/// Poses of the path, and the spins that go with them. Velocities and momenta are those that the booked impulses make.
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
        let moved = ends.0.iter().enumerate().filter_map(|(b, pose)| Some((b, (*pose)?)));
        let mut count = 0;
        for (b, pose) in moved {
            let r = pose.matrix();
            let momentum = advanced.angular_momentum[b];
            advanced.pose[b] = pose;
            advanced.angular_velocity[b] = r * (dofs.bodies.inverse_inertia[b] * (r.transposed() * momentum));
            count += 1;
        }
        Ok(Outcome::items(count))
    }
}
