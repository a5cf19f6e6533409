//! Boxes of the bodies around both ends of the step, and the pairs whose boxes meet.

use super::tables::PressureBodies;
use impinge_bodies::{ContactError, Dofs, Laws, PairFinder, Shapes};
use impinge_broadphase::Aabb;
use impinge_contact::{Pair, Pairs, Prediction, Sides};
use impinge_geometry::DVec3;

/// Writes the box of each body at the start and at the predicted end together (world); empty for planes and nodes. With `around`, for bodies
/// that are followed along their path, which may turn anywhere within the step: the ball that a body fills as it turns, and twice its
/// predicted way in every direction.
pub fn place_boxes(
    bodies: &PressureBodies,
    dofs: &Dofs,
    prediction: &Prediction,
    around: bool,
    bounds: &mut Vec<Aabb>,
) {
    bounds.clear();
    bounds.extend(bodies.bodies.iter().enumerate().map(|(b, body)| match body {
        Some(body) if !body.bounds.is_empty() => {
            if around {
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
}

/// Finds pairs that may touch; kept from step to step for its memory alone.
#[derive(Debug, Default)]
pub struct PressurePairs {
    finder: PairFinder,
}

impl PressurePairs {
    /// Writes the pairs whose boxes meet and that a law lets touch, ascending.
    ///
    /// # Errors
    /// [`ContactError::Broad`] for a box that is not finite.
    pub fn find(
        &mut self,
        shapes: &Shapes,
        laws: &Laws,
        (dofs, prediction): (&Dofs, &Prediction),
        bounds: &[Aabb],
        pairs: &mut Pairs,
    ) -> Result<(), ContactError> {
        let ends = [&dofs.bodies.pose[..], &prediction.pose];
        let found = self.finder.find(shapes, laws, dofs, &ends, bounds)?;
        found.sort_unstable();
        pairs.clear();
        for &(a, b) in &*found {
            if let Some((law, _)) = laws.of(a, b) {
                pairs.push(Pair { a, b, law, sides: Sides::Both });
            }
        }
        Ok(())
    }
}
