//! surface and broad: boxes of the bodies around both ends of the step, and the pairs whose boxes meet.

use super::settings::PressureBodies;
use crate::adapters::pairs::PairFinder;
use crate::components::{Bounds, Dofs, Laws};
use crate::shapes::Shapes;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_broadphase::Aabb;
use impinge_contact::{Pair, Pairs, Prediction, Sides};
use impinge_geometry::DVec3;

/// Fills `bounds`: the box of a body at the start and at the predicted end together; empty for planes and nodes.
#[derive(Debug, Default)]
pub struct PlacePressure {
    /// For bodies that are followed along their path, which may turn anywhere within the step: the ball that a body fills as it turns, and twice its
    /// predicted way in every direction.
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
        bounds.0.clear();
        bounds.0.extend(bodies.bodies.iter().enumerate().map(|(b, body)| match body {
            Some(body) if !body.bounds.is_empty() => {
                if self.around {
                    let (from, to) = (dofs.bodies.pose[b].position, prediction.pose[b].position);
                    let farthest = body.bounds.centre().abs() + body.bounds.half_extent();
                    let reach = farthest.mag() + 2.0 * (to - from).mag();
                    return Aabb::new(from - DVec3::broadcast(reach), from + DVec3::broadcast(reach));
                }
                let ends = [&dofs.bodies.pose[b], &prediction.pose[b]].map(|p| body.bounds.transformed(p));
                ends[0].union(&ends[1])
            }
            _ => Aabb::empty(),
        }));
        Ok(Outcome::items(bounds.0.len()))
    }
}

/// Pairs of bodies in ascending order.
#[derive(Debug, Default)]
pub struct PressureBroad {
    finder: PairFinder,
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
        let ends = [&dofs.bodies.pose[..], &prediction.pose];
        let found = self.finder.find(shapes, laws, dofs, &ends, &bounds.0)?;
        found.sort_unstable();
        pairs.clear();
        for &(a, b) in &*found {
            if let Some((law, _)) = laws.of(a, b) {
                pairs.push(Pair { a, b, law, sides: Sides::Both });
            }
        }
        Ok(Outcome::items(pairs.len()))
    }
}
