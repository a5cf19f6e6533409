//! broad: body pairs by the boxes of their predicted motion, then the features of each pair that may meet on the way, or near it:
//! where the real motion leads, the response decides, and what may meet there should not have to be found anew.

use super::finder::{Finder, Moving};
use super::margin::{Guess, LARGEST};
use super::reach::Reach;
use super::start::TOUCHING;
use super::tables::{Faces, FeaturePairs, Margin, SweptCandidates, Tracked};
use crate::adapters::names::Names;
use crate::components::{Bounds, Dofs, Laws};
use crate::shapes::{Shape, Shapes};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_broadphase::Aabb;
use impinge_contact::{Pairs, Prediction, Surface, SurfaceMap};

/// Fills pairs, candidates and faces.
pub struct SweptBroad {
    finder: Finder,
    guess: Guess,
    fixed: bool,
    thickness: Option<f64>,
    reach: Reach,
    grown: Vec<Aabb>,
}

impl SweptBroad {
    /// Empty scratch; names for errors.
    pub fn new(names: Names) -> Self {
        Self {
            finder: Finder::new(names),
            guess: Guess::default(),
            fixed: false,
            thickness: None,
            reach: Reach::default(),
            grown: Vec::new(),
        }
    }

    /// Margins by the size of faces alone. A response whose bits depend on what is listed needs lists that depend on the state alone, not on
    /// how far earlier steps strayed.
    #[must_use]
    pub fn with_fixed_margins(self) -> Self {
        Self { fixed: true, ..self }
    }

    /// Lists what comes within twice the distance that a body's surface keeps, too: from this one (m) or what bodies and pairs state.
    #[must_use]
    pub fn with_thickness(self, thickness: f64) -> Self {
        Self { thickness: Some(thickness), ..self }
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
        let (end, mut bounds) = (&prediction.pose, &bounds.0);
        let first = step.first;
        if self.fixed || first {
            self.finder.prepare(map, shapes, surface, faces)?;
        }
        if self.fixed {
            out.margin.clear();
            out.margin.extend((0..map.bodies()).map(|b| {
                let m = LARGEST * self.finder.size(b as u32);
                Margin { others: m, own: m }
            }));
        } else {
            self.guess.margins(map, &surface.x0, |b| self.finder.size(b), &mut out.margin);
            out.guess.clear();
            // Rigid bodies alone seldom stray beyond a margin, and looking costs more than it saves (a chain took a third longer).
            if self.thickness.is_none() && shapes.0.iter().any(|s| matches!(s, Shape::Soft(_))) {
                let ends = [&surface.x0[..], &surface.x1];
                self.guess.ends(map, ends, |b| self.finder.size(b), &mut out.guess);
            }
            self.guess.keep(&surface.x0, &surface.x1, &out.guess);
        }
        if let Some(thickness) = self.thickness {
            let reach = self.reach.set(laws, map.bodies(), 0.5 * thickness);
            for (m, r) in out.margin.iter_mut().zip(reach) {
                (m.others, m.own) = (m.others + r.others, m.own + r.own);
            }
        }
        if first {
            // What touches to rounding, and moves apart.
            self.grown.clear();
            for (b, around) in bounds.iter().enumerate() {
                let touching = TOUCHING * self.finder.size(b as u32);
                self.grown.push(around.inflated(touching));
                out.margin[b].others += touching;
            }
            bounds = &self.grown;
        }
        let guess = std::mem::take(&mut out.guess);
        let guessed = (guess.len() == surface.x1.len()).then_some(&guess[..]);
        let moving = Moving { map, shapes, laws, dofs, end, bounds, surface, guess: guessed, only: None };
        let found = self.finder.find(&moving, &tracked.0, faces, pairs, out);
        out.guess = guess;
        found?;
        let features: usize = out.lists.iter().map(FeaturePairs::len).sum();
        Ok(Outcome::items(features + out.planes.len()))
    }
}
