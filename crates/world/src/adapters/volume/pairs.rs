//! broad: body pairs whose boxes meet at the start of the step.

use super::super::vertices::world_plane;
use crate::components::{Bounds, Dofs, Laws};
use crate::shapes::{Shape, Shapes};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_broadphase::{Aabb, BodyPairs, plane_overlaps};
use impinge_contact::{Pair, Pairs};
use impinge_geometry::Pose;

/// Finds the pairs of bodies whose boxes meet.
#[derive(Debug, Default)]
pub(super) struct PairFinder {
    boxes: BodyPairs,
    found: Vec<(u32, u32)>,
}

impl PairFinder {
    /// Pairs with the index of their law, ascending.
    pub fn find(
        &mut self,
        shapes: &Shapes,
        laws: &Laws,
        dofs: &Dofs,
        poses: &[Pose],
        bounds: &[Aabb],
        mut out: impl FnMut([u32; 2], u32),
    ) -> Result<(), StageError> {
        let kind = &dofs.bodies.kind;
        let may_touch = |a: u32, b: u32| {
            let dynamic = kind[a as usize].is_dynamic() || kind[b as usize].is_dynamic();
            dynamic && laws.of(a, b).is_some()
        };
        self.boxes.find(bounds, may_touch, &mut self.found)?;
        for (p, shape) in shapes.0.iter().enumerate() {
            let Shape::Plane { normal, offset } = shape else { continue };
            let (n, o) = world_plane(&poses[p], *normal, *offset);
            for (b, around) in bounds.iter().enumerate() {
                let (lo, hi) = (p.min(b) as u32, p.max(b) as u32);
                if b != p && may_touch(lo, hi) && plane_overlaps(around, n, o) {
                    self.found.push((lo, hi));
                }
            }
        }
        self.found.sort_unstable();
        for &(a, b) in &self.found {
            if let Some((law, _)) = laws.of(a, b) {
                out([a, b], law);
            }
        }
        Ok(())
    }
}

/// Fills the pair table. A rule's sides mean nothing here: a volume belongs to both bodies.
#[derive(Debug, Default)]
pub struct VolumePairs {
    finder: PairFinder,
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
        pairs.clear();
        self.finder.find(shapes, laws, dofs, &dofs.bodies.pose, &bounds.0, |[a, b], law| {
            let sides = laws.of(a, b).map(|l| l.1).unwrap_or_default();
            pairs.push(Pair { a, b, law, sides });
        })?;
        Ok(Outcome::items(pairs.len()))
    }
}
