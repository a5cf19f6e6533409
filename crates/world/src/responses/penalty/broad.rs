//! broad: body pairs on the BVH of world boxes, then the vertices of each that may be inside the other.

use crate::adapters::vertices::Vertices;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{
    Bounds, Candidate, Candidates, Directions, Dofs, Laws, Names, PairFinder, Shape, ShapeKind, Shapes, two,
};
use impinge_broadphase::Aabb;
use impinge_contact::{Pair, Pairs, Prediction, Sides, SurfaceMap, par};
use impinge_penalty::Evaluate;

/// Pairs and candidates, both in ascending order.
#[derive(Debug)]
pub struct Broad {
    /// The time contact is evaluated at.
    pub at: Evaluate,
    names: Names,
    finder: PairFinder,
    blocks: Vec<Block>,
}

/// What some pairs of bodies have.
#[derive(Debug, Default)]
struct Block {
    local: Vec<u32>,
    /// With the number of candidates of the block up to each.
    pairs: Vec<(Pair, usize)>,
    candidates: Vec<Candidate>,
}

/// Pairs of bodies in a block.
const BLOCK: usize = 16;
/// Blocks before their candidates are counted: between two looks at the limit.
const BLOCKS: usize = 32;

impl Broad {
    /// For contact evaluated at this time; names for errors.
    #[must_use]
    pub fn new(at: Evaluate, names: Names) -> Self {
        Self { at, names, finder: PairFinder::default(), blocks: Vec::new() }
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
        let bounds = &bounds.0[..];
        for found in found.chunks(BLOCK * BLOCKS) {
            let count = found.len().div_ceil(BLOCK);
            if self.blocks.len() < count {
                self.blocks.resize_with(count, Block::default);
            }
            par::fill(&mut self.blocks[..count], 1, |i, block| {
                let end = found.len().min((i + 1) * BLOCK);
                block.fill(&vertices, laws, bounds, &found[i * BLOCK..end]);
            });
            for block in &self.blocks[..count] {
                let mut from = 0;
                for &(row, end) in &block.pairs {
                    let pair = pairs.len() as u32;
                    pairs.push(row);
                    block.candidates[from..end]
                        .iter()
                        .for_each(|c| candidates.push(Candidate { pair, ..*c }));
                    from = end;
                    laws.limits.candidates(candidates.len(), || two(&self.names, row.a, row.b))?;
                }
            }
        }
        Ok(Outcome::items(candidates.len()))
    }
}

impl Block {
    fn fill(&mut self, vertices: &Vertices<'_>, laws: &Laws, bounds: &[Aabb], found: &[(u32, u32)]) {
        let Self { local, pairs, candidates } = self;
        pairs.clear();
        candidates.clear();
        for &(a, b) in found {
            let Some((law, sides)) = laws.of(a, b) else { continue };
            let kind = |s: u32| ShapeKind::of(&vertices.shapes.0[s as usize]);
            let sides = Directions::of_vertices_inside(kind(a), kind(b)).left_of(sides);
            let mut own_done = false;
            for (own, target, on) in [(a, b, sides != Sides::Second), (b, a, sides != Sides::First)] {
                // A body against itself has one direction.
                if on && !(a == b && own_done) {
                    own_done = true;
                    vertices.inside(own, target, &bounds[target as usize], local);
                    let first = vertices.map.first(own as usize);
                    candidates.extend(local.iter().map(|v| Candidate { vertex: first + v, target, pair: 0 }));
                }
            }
            pairs.push((Pair { a, b, law, sides }, candidates.len()));
        }
    }
}
