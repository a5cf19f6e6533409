//! broad: body pairs on the BVH of world boxes, then the vertices of each that may be inside the other.

use crate::adapters::vertices::Vertices;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{
    Bounds, Candidate, Candidates, Directions, Dofs, Laws, Names, PairFinder, Shape, ShapeKind, Shapes, two,
};
use impinge_contact::{Pair, Pairs, Prediction, Sides, SurfaceMap};
use impinge_penalty::Evaluate;

/// Pairs and candidates, both in ascending order.
#[derive(Debug)]
pub struct Broad {
    /// The time contact is evaluated at.
    pub at: Evaluate,
    names: Names,
    finder: PairFinder,
    local: Vec<u32>,
}

impl Broad {
    /// For contact evaluated at this time; names for errors.
    #[must_use]
    pub fn new(at: Evaluate, names: Names) -> Self {
        Self { at, names, finder: PairFinder::default(), local: Vec::new() }
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
        let vertices = Vertices::at(laws.evaluated(self.at), map, shapes, dofs, prediction);
        let found = self.finder.find(shapes, laws, dofs, &[vertices.poses], &bounds.0)?;
        // Deformables that meet themselves.
        for (b, shape) in shapes.0.iter().enumerate() {
            if matches!(shape, Shape::Soft(s) if s.own.is_some()) {
                found.push((b as u32, b as u32));
            }
        }
        found.sort_unstable();

        pairs.clear();
        candidates.clear();
        for &(a, b) in &*found {
            let Some((law, sides)) = laws.of(a, b) else { continue };
            let kind = |s: u32| ShapeKind::of(&shapes.0[s as usize]);
            let sides = Directions::of_vertices_inside(kind(a), kind(b)).left_of(sides);
            let pair = pairs.len() as u32;
            pairs.push(Pair { a, b, law, sides });
            let mut own_done = false;
            for (own, target, on) in [(a, b, sides != Sides::Second), (b, a, sides != Sides::First)] {
                // A body against itself has one direction.
                if on && !(a == b && own_done) {
                    own_done = true;
                    vertices.inside(own, target, &bounds.0[target as usize], &mut self.local);
                    let count = candidates.len() + self.local.len();
                    laws.limits.candidates(count, || two(&self.names, a, b))?;
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
