//! What is in contact where the step really ended.
//!
//! The response looked at the predicted motion. Its impulses lead elsewhere: into surfaces that the prediction kept clear of, and out
//! of others. For every body that strayed from its prediction the features on its real way are found anew, and the pairs that penetrate
//! at its end are carried on; a vertex that an impulse pushes through a wall is then a contact of the wall in the next step. All
//! other pairs keep what the response found. What the broad phase has listed holds the features of all bodies that strayed by no more
//! than their margin; only those of the others are listed anew.

use super::on_ways::on_curves;
use super::seams::{Begins, Seams, Standing, change, standing_normal};
use crate::{StepPairs, Workspace, retrack, retrack_on_ways};
use impinge_bodies::{ContactError, Dofs, Laws, Names, Shapes};
use impinge_broadphase::Aabb;
use impinge_ccd::{Kind, contact_normal};
use impinge_contact::{Advanced, Pairs, Prediction, Surface, SurfaceMap, par};
use impinge_swept::{
    Faces, Finder, Followed, List, Margin, Matter, Moving, Only, Paths, Run, SweptCandidates, TrackedNext,
    Ways, beyond, bounds_of, stray,
};

/// Bodies per block of a parallel loop.
const BODIES: usize = 64;

/// Finds them; kept from step to step for its memory alone.
pub struct EndTracker {
    paths: Paths,
    ways: Ways,
    finder: Finder,
    end: Prediction,
    surface: Surface,
    bounds: Vec<Aabb>,
    /// Bodies that strayed at all, and by how much beyond what was expected.
    strayed: Vec<bool>,
    stray: Vec<Margin>,
    /// Bodies that strayed by more than their margin: against others, against themselves.
    beyond: [Vec<bool>; 2],
    features: Vec<(u32, u32)>,
    faces: Faces,
    pairs: Pairs,
    candidates: SweptCandidates,
    workspace: [Workspace; 3],
    open: [crate::Tracked; 3],
    found: crate::Tracked,
    /// Those of it that met from inside, or at a seam.
    inner: Vec<u64>,
    seams: Seams,
    outer: crate::Tracked,
    merged: crate::Tracked,
}

impl EndTracker {
    /// Empty scratch; names for errors.
    #[must_use]
    pub fn new(names: Names) -> Self {
        Self {
            paths: Paths::Straight,
            ways: Ways::default(),
            finder: Finder::new(names).with_segments(),
            end: Prediction::default(),
            surface: Surface::default(),
            bounds: Vec::new(),
            strayed: Vec::new(),
            stray: Vec::new(),
            beyond: Default::default(),
            features: Vec::new(),
            faces: Faces::default(),
            pairs: Pairs::default(),
            candidates: SweptCandidates::default(),
            workspace: Default::default(),
            open: Default::default(),
            found: crate::Tracked::default(),
            inner: Vec::new(),
            seams: Seams::default(),
            outer: crate::Tracked::default(),
            merged: crate::Tracked::default(),
        }
    }

    /// The real motion goes on these paths.
    #[must_use]
    pub fn with_paths(self, paths: Paths) -> Self {
        Self { paths, ..self }
    }

    /// Carries on in `next` what is in contact where the step really ended, at `advanced`, for bodies that strayed from what was `predicted`;
    /// `followed` are the contacts that were open. Accelerations of a step of `dt` (s) are those of its `prediction`. Returns how many were found anew.
    ///
    /// # Errors
    /// As [`impinge_swept::Finder::find`], and [`ContactError::Refused`] for contacts that are not of these surfaces.
    pub fn track(
        &mut self,
        (map, shapes, laws, dofs): (&SurfaceMap, &Shapes, &Laws, &Dofs),
        (prediction, dt): (&Prediction, f64),
        (predicted, advanced, followed): (&Surface, &Advanced, &Followed),
        (listed, faces): (&SweptCandidates, &Faces),
        next: &mut TrackedNext,
    ) -> Result<usize, ContactError> {
        self.end.pose.clone_from(&advanced.pose);
        self.end.node_x.clone_from(&advanced.node_x);
        map.shape(&mut self.surface);
        self.surface.x0.clone_from(&predicted.x0);
        map.place_ends(&self.end, &mut self.surface.x1);
        let real = &self.surface;
        let spin = |b: usize| advanced.angular_velocity[b];
        self.ways.set((self.paths, dt), (map, dofs), (&advanced.pose, spin), prediction, real);
        let ways = &self.ways;
        self.strayed.clear();
        self.strayed.extend((0..map.bodies()).map(|b| predicted.x1[map.range(b)] != real.x1[map.range(b)]));
        self.stray.clear();
        let guess = (listed.guess.len() == real.x1.len()).then_some(&listed.guess[..]);
        self.stray.resize(map.bodies(), Margin::default());
        let moved = &self.strayed;
        par::fill(&mut self.stray, BODIES, |b, stray_of| {
            let range = map.range(b);
            let (x0, x1, end) =
                (&real.x0[range.clone()], &predicted.x1[range.clone()], &real.x1[range.clone()]);
            *stray_of = match guess {
                _ if !moved[b] => Margin::default(),
                Some(guess) => {
                    // No larger one is asked for.
                    let enough = listed.margin.get(b).copied().unwrap_or_default();
                    beyond([x0, x1, &guess[range]], end, enough)
                }
                None => stray(x1, end),
            };
            let off = ways.sagitta(b as u32);
            *stray_of = Margin { others: stray_of.others + off, own: stray_of.own + off };
        });
        let strayed = |b: u32| self.strayed[b as usize];
        if !(0..map.bodies()).any(|b| strayed(b as u32)) {
            return Ok(0);
        }
        let ours = |s: &[u32; 4]| strayed(map.body_of(s[0])) || strayed(map.body_of(s[3]));
        // Where all that is open is ours, as it mostly is, nothing is copied.
        let open = if followed.0.iter().all(|all| all.stencil.iter().all(ours)) {
            &followed.0
        } else {
            for (all, open) in followed.0.iter().zip(&mut self.open) {
                open.clear();
                (0..all.len()).filter(|&i| ours(&all.stencil[i])).for_each(|i| open.push(all.row(i)));
            }
            &self.open
        };
        let [others, own] = &mut self.beyond;
        let known = self.stray.iter().zip(&listed.margin);
        others.clear();
        others.extend(known.clone().map(|(s, m)| s.others > m.others));
        own.clear();
        own.extend(known.map(|(s, m)| s.own > m.own));
        let only = Only { others, own };
        let anew = others.contains(&true) || own.contains(&true);
        if anew {
            bounds_of(map, shapes, real, &mut self.bounds);
            let margin = &mut self.candidates.margin;
            margin.clear();
            if !ways.are_straight() {
                let off = |b: usize| ways.sagitta(b as u32);
                margin.extend((0..map.bodies()).map(|b| Margin { others: off(b), own: off(b) }));
                (0..).zip(&mut self.bounds).for_each(|(b, around)| *around = around.inflated(off(b)));
            }
            let (end, bounds) = (&self.end.pose, &self.bounds);
            let moving =
                Moving { map, shapes, laws, dofs, end, bounds, surface: real, guess: None, only: Some(only) };
            let (pairs, candidates) = (&mut self.pairs, &mut self.candidates);
            self.finder.find(&moving, open, &mut self.faces, pairs, candidates)?;
        }
        // Listed, and near enough to be all there is.
        let holds = |r: &Run| {
            let [a, b] = r.bodies;
            let ours = strayed(a) || strayed(b);
            ours && if a == b { !own[a as usize] } else { !(others[a as usize] || others[b as usize]) }
        };
        let matter = Matter { map, shapes, laws, faces };
        let mut items = 0;
        self.seams.begin();
        for list in List::ALL {
            let l = list as usize;
            let c = &listed.lists[l];
            let features = if !anew && c.runs.iter().all(holds) {
                &c.features
            } else {
                self.features.clear();
                let mut from = 0;
                for run in &c.runs {
                    if holds(run) {
                        self.features.extend_from_slice(&c.features[from..run.end]);
                    }
                    from = run.end;
                }
                if anew {
                    self.features.extend_from_slice(&self.candidates.lists[l].features);
                }
                &self.features
            };
            let candidates = list.candidates(features, faces);
            let named = |i: usize| matter.named(list, features[i], &candidates, i);
            let step_pairs = StepPairs { candidates, named: &named, opens: list.features().1 };
            let (ws, found) = (&mut self.workspace[l], &mut self.found);
            ws.segments_from = Some(faces.edge_faces.len() as u32);
            if ways.are_straight() {
                retrack(&real.x0, &real.x1, &step_pairs, &open[l], ws, found)?;
            } else {
                on_curves(real, ways, map, |curved| {
                    retrack_on_ways(curved, &step_pairs, &open[l], ws, found)
                })?;
            }
            // What turns has other sides where it is now than when the step began.
            let x = if ways.are_straight() { &real.x0 } else { &real.x1 };
            let open = &open[l];
            let at_end = |v: u32| real.x1[v as usize];
            let ends = [&real.x0[..], &real.x1[..]];
            let frames = &prediction.pose[..];
            let standing =
                Standing { matter: &matter, dofs, candidates: listed, open: &next.0, x: ends, frames };
            self.inner.clear();
            if list == List::Solid {
                self.seams.over_borders(&standing, strayed, found);
            }
            let mut at = 0;
            for i in 0..found.len() {
                let (key, stencil, weight, side) =
                    (found.key[i], found.stencil[i], found.weight[i], found.side[i]);
                if open.find_next(key, &mut at).is_some() {
                    continue;
                }
                let [p0, p1] = ends.map(|x| stencil.map(|v| x[v as usize]));
                // Edges that met from inside let go when they are followed.
                let (normal, outside) = if list == List::Edges {
                    (standing_normal(Kind::EdgeEdge, &p1, side, &weight), true)
                } else {
                    let n = contact_normal(Kind::VertexFace, &p0, &p1, 1.0, side, &weight);
                    (n, matter.meets_outside(list, x, key, stencil, n))
                };
                let moved = [0, 1, 2, 3].map(|i: usize| p1[i] - p0[i]);
                let way = moved[1..].iter().map(|m| (*m - moved[0]).mag()).fold(0.0, f64::max);
                let begins = Begins { list, key, stencil, normal, way };
                if self.seams.passes(&standing, &begins, &at_end) || !outside {
                    self.inner.push(key);
                }
            }
            change(found, &self.inner, &mut self.seams.handed[l], &mut self.outer);
            items += found.len();
            let kept = &mut next.0[l];
            keep_anchors(list == List::Edges, kept, found);
            if kept.stencil.iter().all(ours) {
                std::mem::swap(kept, found);
            } else {
                merge(kept, |i| !ours(&kept.stencil[i]), found, &mut self.merged);
                std::mem::swap(kept, &mut self.merged);
            }
        }
        Ok(items)
    }
}

/// Friction has moved its anchors in the step: contacts that are found again take theirs from the rows of `kept`.
fn keep_anchors(edges: bool, kept: &crate::Tracked, found: &mut crate::Tracked) {
    let mut near = 0;
    for i in 0..found.len() {
        let Some(j) = kept.find_next(found.key[i], &mut near) else { continue };
        (found.anchor[i], found.grip[i]) = (kept.anchor[j], kept.grip[j]);
        if edges {
            // The anchor of edges belongs to the weights that it was laid with.
            found.weight[i] = kept.weight[j];
        }
    }
}

/// The rows of `kept` that pass and all of `found`, ascending by key; these two have no key in common.
fn merge(
    kept: &crate::Tracked,
    keep: impl Fn(usize) -> bool,
    found: &crate::Tracked,
    out: &mut crate::Tracked,
) {
    out.clear();
    let mut at = 0;
    for i in (0..kept.len()).filter(|&i| keep(i)) {
        while at < found.len() && found.key[at] < kept.key[i] {
            out.push(found.row(at));
            at += 1;
        }
        out.push(kept.row(i));
    }
    (at..found.len()).for_each(|i| out.push(found.row(i)));
}
