//! broad: body pairs on the BVH of world boxes, then the vertices of each that may be inside the other.

use super::vertices::{Vertices, world_plane};
use crate::components::{Bounds, Candidate, Candidates, Dofs, Laws};
use crate::shapes::{Shape, Shapes};
use crate::stage::{Outcome, Stage, StageError, Step};
use crate::support::{Directions, Family, ShapeKind, directions};
use hecs::{Query, QueryBorrow};
use impinge_broadphase::{BodyPairs, plane_overlaps};
use impinge_contact::{Pair, Pairs, Prediction, Sides, SurfaceMap};
use impinge_penalty::Evaluate;

/// Pairs and candidates, both in ascending order.
#[derive(Debug)]
pub struct Broad {
    /// The time contact is evaluated at.
    pub at: Evaluate,
    boxes: BodyPairs,
    found: Vec<(u32, u32)>,
    local: Vec<u32>,
}

impl Broad {
    /// For contact evaluated at this time.
    pub fn new(at: Evaluate) -> Self {
        Self { at, boxes: BodyPairs::new(), found: Vec::new(), local: Vec::new() }
    }
}

impl Stage for Broad {
    type Io = (
        &'static SurfaceMap,
        &'static Shapes,
        &'static Laws,
        &'static Dofs,
        &'static Prediction,
        &'static Bounds,
        &'static mut Pairs,
        &'static mut Candidates,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "broad"
    }

    fn run(
        &mut self,
        (map, shapes, laws, dofs, prediction, bounds, pairs, candidates): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        let kind = &dofs.bodies.kind;
        let may_touch = |a: u32, b: u32| {
            let dynamic = kind[a as usize].is_dynamic() || kind[b as usize].is_dynamic();
            dynamic && laws.of(a, b).is_some()
        };
        self.boxes.find(&bounds.0, may_touch, &mut self.found)?;
        let vertices = Vertices::at(self.at, map, shapes, dofs, prediction);
        for (p, shape) in shapes.0.iter().enumerate() {
            let Shape::Plane { normal, offset } = shape else { continue };
            let (n, o) = world_plane(&vertices.poses[p], *normal, *offset);
            for (b, around) in bounds.0.iter().enumerate() {
                let (lo, hi) = (p.min(b) as u32, p.max(b) as u32);
                if b != p && may_touch(lo, hi) && plane_overlaps(around, n, o) {
                    self.found.push((lo, hi));
                }
            }
        }
        // Deformables that meet themselves.
        for (b, shape) in shapes.0.iter().enumerate() {
            if matches!(shape, Shape::Soft(s) if s.own.is_some()) {
                self.found.push((b as u32, b as u32));
            }
        }
        self.found.sort_unstable();

        pairs.clear();
        candidates.clear();
        for &(a, b) in &self.found {
            let Some((law, sides)) = laws.of(a, b) else { continue };
            let kind = |s: u32| ShapeKind::of(&shapes.0[s as usize]);
            // `Both` is what is left of it: a plane has no vertices, loose points have no surface.
            let sides = match (sides, directions(Family::Penalty, kind(a), kind(b))) {
                (Sides::Both, Directions { first: true, second: false }) => Sides::First,
                (Sides::Both, Directions { first: false, second: true }) => Sides::Second,
                _ => sides,
            };
            let pair = pairs.len() as u32;
            pairs.push(Pair { a, b, law, sides });
            let mut own_done = false;
            for (own, target, on) in [(a, b, sides != Sides::Second), (b, a, sides != Sides::First)] {
                // A body against itself has one direction.
                if on && !(a == b && own_done) {
                    own_done = true;
                    vertices.inside(own, target, &bounds.0[target as usize], &mut self.local);
                    let first = map.first(own as usize);
                    for &v in &self.local {
                        candidates.push(Candidate { vertex: first + v, target, pair });
                    }
                }
            }
        }
        Ok(Outcome::items(candidates.len()))
    }
}
