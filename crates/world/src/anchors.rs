//! Friction anchors, which every response may keep.

use crate::components::{State, StateNext};
use crate::kept::{Kept, Within};
use impinge_bodies::{Renaming, Renumber};
use impinge_contact::{Anchors, BY_WAY, StateHash, SurfaceMap, contact_key};
use impinge_geometry::is_finite;
use std::mem::swap;

impl Kept for State {
    type Next = StateNext;

    fn accept(&mut self, next: &mut StateNext) {
        swap(&mut self.0, &mut next.0);
    }

    fn begin(next: &mut StateNext) {
        next.0.clear();
    }

    fn hash(&self, h: &mut StateHash) {
        for &(key, anchor, slipping) in self.0.rows() {
            h.word(key);
            h.vector(anchor);
            h.word(u64::from(slipping));
        }
    }

    fn check(&self, _within: &Within<'_>) -> Result<(), String> {
        let anchors = self.0.rows();
        if anchors.windows(2).all(|w| w[0].0 < w[1].0) && anchors.iter().all(|a| is_finite(a.1)) {
            return Ok(());
        }
        Err("the snapshot's friction anchors are not finite and in ascending order of key".to_string())
    }

    /// What remembers a way and not a place is named by features, and goes with the first step that does not see it.
    fn forget_pair(&mut self, map: &SurfaceMap, (a, b): (u32, u32)) {
        let mut left = Anchors::default();
        for &(key, anchor, slipping) in self.0.rows() {
            let pair = ((key >> 32) as u32, map.body_of(key as u32));
            if key & BY_WAY != 0 || pair != (a, b) && pair != (b, a) {
                left.push(key, anchor, slipping);
            }
        }
        self.0 = left;
    }

    fn rename(&mut self, to: &Renaming) {
        let mut left = Anchors::default();
        for &(key, anchor, slipping) in self.0.rows() {
            let by_way = key & BY_WAY != 0;
            let named = if by_way { to.pair_of_features(key) } else { to.vertex_against_body(key) };
            named.into_iter().for_each(|key| left.push(key, anchor, slipping));
        }
        self.0 = left;
    }

    /// A vertex that came apart hands its anchor to both.
    fn after_cut(&self, cut: &Renumber<'_>) -> Self {
        let mut out = Anchors::default();
        // What remembers a way and not a place is named by edges and faces, which are others now: it takes hold anew.
        for &(key, anchor, slipping) in self.0.rows().iter().filter(|r| r.0 & BY_WAY == 0) {
            for v in cut.vertex(key as u32) {
                out.push(contact_key((key >> 32) as u32, v.number), anchor, slipping);
            }
        }
        out.sort();
        Self(out)
    }
}
