//! Body pairs by the boxes of their predicted motion, then the features of each pair that may meet on the way, or near it:
//! where the real motion leads, the response decides, and what may meet there should not have to be found anew.

use crate::finder::{Finder, Moving};
use crate::margin::{Guess, LARGEST};
use crate::reach::Reach;
use crate::start::shallow;
use crate::tables::{Faces, Margin, SweptCandidates, Tracked};
use impinge_bodies::{ContactError, Dofs, Laws, Names, Shape, Shapes, TOUCHING};
use impinge_broadphase::Aabb;
use impinge_contact::{Pairs, Prediction, Surface, SurfaceMap};

/// Where the lists of a step go.
pub struct Swept<'a> {
    /// Body pairs, ascending.
    pub pairs: &'a mut Pairs,
    /// Their features.
    pub candidates: &'a mut SweptCandidates,
    /// Faces and edges of all surfaces; written when one is new or was cut.
    pub faces: &'a mut Faces,
}

/// Lists what may meet; kept from step to step for its memory, and for where the last step led.
pub struct SweptSearch {
    finder: Finder,
    guess: Guess,
    fixed: bool,
    thickness: Option<f64>,
    reach: Reach,
    grown: Vec<Aabb>,
}

impl SweptSearch {
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

    /// See [`Finder::with_segments`].
    #[must_use]
    pub fn with_segments(self) -> Self {
        Self { finder: self.finder.with_segments(), ..self }
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

    /// Writes what may meet in a step whose vertices move from `surface.x0` to `surface.x1` (m), on `to.candidates.ways`. `bounds` are the boxes of their ways
    /// ([`crate::bounds_of`]), `tracked` the contacts that are open; `first` where no step was made before.
    ///
    /// # Errors
    /// [`ContactError::Tree`] for a surface that is refused, [`ContactError::TooManyCandidates`] and [`ContactError::TooManyContacts`] where
    /// more comes near than is kept.
    pub fn list(
        &mut self,
        (map, shapes, laws, dofs): (&SurfaceMap, &Shapes, &Laws, &Dofs),
        (prediction, bounds, surface): (&Prediction, &[Aabb], &Surface),
        tracked: &Tracked,
        first: bool,
        to: Swept<'_>,
    ) -> Result<(), ContactError> {
        let Swept { pairs, candidates: out, faces } = to;
        let (end, mut bounds) = (&prediction.pose, bounds);
        let soft = shapes.0.iter().any(|s| matches!(s, Shape::Soft(_)));
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
            if self.thickness.is_none() && soft {
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
        for (b, shape) in (0..).zip(&shapes.0).filter(|_| self.thickness.is_none()) {
            // What keeps a distance from itself is pushed before it meets.
            if matches!(shape, Shape::Soft(s) if s.meets_itself_thin()) {
                out.margin[b as usize].own += 0.5 * laws.thickness.between(b, b);
            }
        }
        if first || !out.ways.are_straight() {
            self.grown.clear();
            for (b, around) in bounds.iter().enumerate() {
                let mut room = out.ways.sagitta(b as u32);
                out.margin[b].own += room;
                if first {
                    // What touches to rounding, or is past each other by little, and moves apart.
                    let shape = &shapes.0[b];
                    let shallow = Some(shallow(shape, shape)).filter(|s| s.is_finite());
                    room += (TOUCHING * self.finder.size(b as u32)).max(shallow.unwrap_or_default());
                }
                self.grown.push(around.inflated(room));
                out.margin[b].others += room;
            }
            bounds = &self.grown;
        }
        let guess = std::mem::take(&mut out.guess);
        let guessed = match guess.len() == surface.x1.len() {
            true => Some(&guess[..]),
            // Of rigid bodies that keep a distance most rest on others, and end as predicted, more or less: what was listed for them serves on.
            false => (self.thickness.is_some() && !self.fixed && !soft).then_some(&surface.x1[..]),
        };
        let moving = Moving { map, shapes, laws, dofs, end, bounds, surface, guess: guessed, only: None };
        let found = self.finder.find(&moving, &tracked.0, faces, pairs, out);
        out.guess = guess;
        found
    }
}
