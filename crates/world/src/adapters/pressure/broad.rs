//! surface and broad: boxes of the bodies around both ends of the step, and the pairs whose boxes meet.

use crate::adapters::vertices::world_plane;
use crate::components::{Bounds, Dofs, Laws};
use crate::pressure::PressureBodies;
use crate::shapes::{Shape, Shapes};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_broadphase::{Aabb, BodyPairs, plane_overlaps};
use impinge_contact::{Pair, Pairs, Prediction, Sides};

/// Fills `bounds`: the box of a body at the start and at the predicted end together; empty for planes and nodes.
#[derive(Debug, Default)]
pub struct PlacePressure;

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
    boxes: BodyPairs,
    found: Vec<(u32, u32)>,
}

impl PressureBroad {
    /// Without memory.
    pub fn new() -> Self {
        Self { boxes: BodyPairs::new(), found: Vec::new() }
    }
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
        let kind = &dofs.bodies.kind;
        let may_touch = |a: u32, b: u32| {
            let dynamic = kind[a as usize].is_dynamic() || kind[b as usize].is_dynamic();
            dynamic && laws.of(a, b).is_some()
        };
        self.boxes.find(&bounds.0, may_touch, &mut self.found)?;
        for (p, shape) in shapes.0.iter().enumerate() {
            let Shape::Plane { normal, offset } = shape else { continue };
            let ends = [&dofs.bodies.pose[p], &prediction.pose[p]].map(|x| world_plane(x, *normal, *offset));
            for (b, around) in bounds.0.iter().enumerate() {
                let (lo, hi) = (p.min(b) as u32, p.max(b) as u32);
                let near = || ends.iter().any(|&(n, o)| plane_overlaps(around, n, o));
                if b != p && may_touch(lo, hi) && matches!(shapes.0[b], Shape::Mesh(_)) && near() {
                    self.found.push((lo, hi));
                }
            }
        }
        self.found.sort_unstable();
        pairs.clear();
        for &(a, b) in &self.found {
            if let Some((law, _)) = laws.of(a, b) {
                pairs.push(Pair { a, b, law, sides: Sides::Both });
            }
        }
        Ok(Outcome::items(pairs.len()))
    }
}
