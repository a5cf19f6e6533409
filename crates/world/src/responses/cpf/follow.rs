//! narrow: open contacts move their traced points to where the features are when the step begins, and take the stiffness of what
//! they are on: a cut may have changed it.

use super::follow_edges::follow_edges;
use super::hand_over::{Ground, HandOver};
use crate::components::{Dofs, Laws};
use crate::responses::swept::inside::inside_at_start;
use crate::responses::swept::matter::Matter;
use crate::responses::swept::start::{crossing_at_start, touching_at_start};
use crate::responses::swept::tables::{Faces, Followed, List, SweptCandidates, Tracked};
use crate::shapes::Shapes;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::{Pairs, Surface, SurfaceMap};
use impinge_cpf::{FollowWorkspace, follow_faces};

/// Calls [`impinge_cpf::follow_faces`]; edges that no longer cross, or only from inside, let go.
pub struct FollowTracked {
    /// Distance over which a contact that slides off its triangle is handed on, in triangle sizes; see [`follow_faces`].
    pub band: f64,
    workspace: FollowWorkspace,
    hand_over: HandOver,
}

impl FollowTracked {
    /// With this band.
    pub fn new(band: f64) -> Self {
        Self { band, workspace: FollowWorkspace::default(), hand_over: HandOver::default() }
    }
}

type Bodies = (&'static SurfaceMap, &'static Shapes, &'static Laws, &'static Dofs);
type Listed = (&'static Pairs, &'static SweptCandidates, &'static Faces);

impl Stage for FollowTracked {
    type Io = (Bodies, Listed, &'static Tracked, &'static Surface, &'static mut Followed);
    type Rows = ();

    fn name(&self) -> &'static str {
        "narrow: follow"
    }

    fn run(
        &mut self,
        ((map, shapes, laws, dofs), (pairs, candidates, faces), tracked, surface, out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let flat = impinge_cpf::Faces { corners: &faces.corners, across: &faces.across };
        let matter = Matter { map, shapes, laws, faces };
        let x0 = &surface.x0;
        let opposes = |key, stencil, n| matter.meets_outside(List::Solid, x0, key, stencil, n);
        let on = Ground { x: x0, faces, opposes: &opposes };
        self.hand_over.begin();
        for list in List::ALL {
            let (from, to) = (&tracked.0[list as usize], &mut out.0[list as usize]);
            if list == List::Edges {
                follow_edges(from, &on, &mut self.hand_over, to);
            } else {
                follow_faces(from, x0, &flat, self.band, &mut self.workspace, to)?;
                if list == List::Solid {
                    self.hand_over.leave_faces(from, to, &on);
                }
            }
            if step.first {
                // Nothing is in contact before the first step.
                debug_assert_eq!(to.len(), 0);
                let mut rows = match list {
                    List::Solid => touching_at_start(candidates, &matter, x0),
                    List::Edges => crossing_at_start(candidates, &matter, x0),
                    List::Sheet => Vec::new(),
                };
                if list == List::Solid {
                    inside_at_start(pairs, |_, _| true, &matter, dofs, x0, &mut rows);
                }
                rows.sort_by_key(|r| r.key);
                rows.into_iter().for_each(|r| to.push(r));
            }
        }
        self.hand_over.change_faces(&mut out.0[List::Solid as usize]);
        for list in List::ALL {
            let to = &mut out.0[list as usize];
            for i in 0..to.len() {
                if let Some(k) = matter.stiffness(list, to.stencil[i], to.key[i]) {
                    to.stiffness[i] = k;
                }
            }
        }
        Ok(Outcome::items(tracked.len()))
    }
}
