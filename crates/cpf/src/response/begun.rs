//! Contacts that begin in a step and are none: what met from inside, and what goes over a seam. And those that take over there.

use super::seams::{Begins, Seams, Standing, change};
use crate::{Impulses, Tracked};
use impinge_bodies::Dofs;
use impinge_ccd::{Entry, contact_normal};
use impinge_contact::Surface;
use impinge_geometry::Pose;
use impinge_swept::{List, Matter, SweptCandidates, TrackedNext};

/// Finds them; kept from step to step for its memory alone.
#[derive(Default)]
pub(crate) struct Begun {
    /// Of the list that was looked at last.
    inner: Vec<u64>,
    seams: Seams,
    kept: Tracked,
}

impl Begun {
    /// Another step.
    pub fn begin(&mut self) {
        self.seams.begin();
    }

    /// Takes the contacts of `rows` that opened from inside ([`Matter::meets_outside`]) or at a seam ([`Seams`]) out of what is carried on, and
    /// notes them. Contacts do not move `frames`.
    pub fn drop_inner(
        &mut self,
        (list, rows): (List, &Impulses),
        matter: &Matter<'_>,
        surface: &Surface,
        (dofs, frames, candidates): (&Dofs, &[Pose], &SweptCandidates),
        next: &mut TrackedNext,
    ) {
        let ways = &candidates.ways;
        let x = [&surface.x0[..], &surface.x1[..]];
        let standing = Standing { matter, dofs, candidates, open: &next.0, x, frames };
        self.inner.clear();
        if list == List::Solid {
            self.seams.over_borders(&standing, |_| true, &next.0[list as usize]);
        }
        for i in (0..rows.len()).filter(|&i| rows.entry[i] == Entry::Contact) {
            // The impulse points to the free side of the first feature: out of the second body, into the first.
            let (key, stencil, normal) = (rows.key[i], rows.stencil[i], rows.normal[i]);
            let at = |v: u32| ways.at(surface, v, rows.t_in[i]);
            let outside = if ways.are_straight() {
                matter.meets_outside(list, &surface.x0, key, stencil, normal)
            } else {
                // What turns has other sides where it meets than when the step begins.
                let x = stencil.map(at);
                let n = contact_normal(list.features().0, &x, &x, 0.0, 1, &rows.weight[i]);
                let n = if n.dot(normal) < 0.0 { -n } else { n };
                matter.meets_outside_at(list, at, key, stencil, n)
            };
            let begins = Begins { list, key, stencil, normal, way: 0.0 };
            // A vertex at the back comes in by a wall that it does not look at.
            if self.seams.passes(&standing, &begins, &at) || !outside {
                self.inner.push(key);
            }
        }
        self.inner.dedup();
        let l = list as usize;
        change(&mut next.0[l], &self.inner, &mut self.seams.handed[l], &mut self.kept);
    }

    /// Whether the contact with this key is one of them.
    pub fn is_none(&self, key: u64) -> bool {
        !self.inner.is_empty() && self.inner.binary_search(&key).is_ok()
    }
}
