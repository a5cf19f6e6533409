//! Open contacts move their traced points to where the features are when the step begins, and take the stiffness of what
//! they are on: a cut may have changed it.

use super::follow_edges::follow_edges;
use super::ground::Ground;
use super::hand_over::HandOver;
use super::seams::let_go;
use crate::{FollowWorkspace, follow_faces};
use impinge_bodies::{ContactError, Dofs, Laws, Shapes};
use impinge_contact::{Pairs, SurfaceMap};
use impinge_geometry::DVec3;
use impinge_swept::{
    Faces, Followed, List, Matter, SweptCandidates, Tracked, crossing_at_start, inside_at_start,
    touching_at_start,
};

/// Moves traced points; edges that no longer cross, or only from inside, let go. Kept from step to step for its memory alone.
pub struct ContactFollower {
    /// Distance over which a contact that slides off its triangle is handed on, in triangle sizes; see [`follow_faces`].
    band: f64,
    workspace: FollowWorkspace,
    hand_over: HandOver,
    kept: crate::Tracked,
}

impl ContactFollower {
    /// With this band.
    #[must_use]
    pub fn new(band: f64) -> Self {
        Self {
            band,
            workspace: FollowWorkspace::default(),
            hand_over: HandOver::default(),
            kept: crate::Tracked::default(),
        }
    }

    /// Writes `tracked` to `out` with every traced point where it is when the step begins, surface vertices at `x0` (m). Before the `first` step
    /// those of `candidates` are open that touch, cross or are inside then.
    ///
    /// # Errors
    /// [`ContactError::Refused`] for contacts that are not of these surfaces.
    pub fn follow(
        &mut self,
        (map, shapes, laws, dofs): (&SurfaceMap, &Shapes, &Laws, &Dofs),
        (pairs, candidates, faces): (&Pairs, &SweptCandidates, &Faces),
        (tracked, x0): (&Tracked, &[DVec3]),
        first: bool,
        out: &mut Followed,
    ) -> Result<(), ContactError> {
        let flat = crate::Faces { corners: &faces.corners, across: &faces.across };
        let matter = Matter { map, shapes, laws, faces };
        let opposes = |key, stencil, n| matter.meets_outside(List::Solid, x0, key, stencil, n);
        let on = Ground { x: x0, faces, opposes: &opposes };
        self.hand_over.begin();
        for list in List::ALL {
            let from = &tracked.0[list as usize];
            let [solid, sheet, edges] = &mut out.0;
            let to = match list {
                List::Edges => {
                    follow_edges(from, solid, &on, &mut self.hand_over, edges);
                    edges
                }
                List::Solid => {
                    follow_faces(from, x0, &flat, self.band, &mut self.workspace, solid)?;
                    let_go(&matter, x0, solid, &mut self.kept);
                    self.hand_over.leave_faces(from, solid, &on);
                    solid
                }
                List::Sheet => {
                    follow_faces(from, x0, &flat, self.band, &mut self.workspace, sheet)?;
                    sheet
                }
            };
            if first {
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
        Ok(())
    }
}
