//! Feature pairs that cannot have come near since they were last looked at.
//!
//! Most candidates of a box that stands on another are apart by its size, step after step. How far is kept with each of them, and how far every
//! body may have gone since. While two bodies together have not gone as far as their features were apart, nobody looks. What is passed over is
//! known to be apart, so what is found does not depend on what is kept.

use impinge_contact::{Surface, SurfaceMap, par};
use impinge_geometry::DVec3;
use impinge_swept::{Faces, FeaturePairs, List, Run};

/// Pairs per parallel chunk.
const CHUNK: usize = 256;
/// Part of a distance, of ways and of coordinates by which a distance may be rounded, and far more.
const ROUNDING: f64 = 1e-9;

/// What is known of the pairs of three lists.
#[derive(Default)]
pub(crate) struct Apart {
    lists: [Known; 3],
    /// Where vertices ended when they were last followed (m).
    at: Vec<DVec3>,
    /// How far any vertex of each body has gone, at most (m).
    gone: Vec<f64>,
    /// What bodies and features were: first vertices, faces, edges, faces at edges.
    first: Vec<u32>,
    corners: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    edge_faces: Vec<[u32; 2]>,
}

/// One list as it was last looked at.
#[derive(Default)]
struct Known {
    features: Vec<(u32, u32)>,
    runs: Vec<Run>,
    /// Distance between the boxes around the ways of both features, and what their bodies had gone by then (m).
    room: Vec<f64>,
    last: Vec<f64>,
    /// Place of those that are looked at.
    asked: Vec<u32>,
    gap: Vec<f64>,
}

impl Apart {
    /// Forgets all where bodies or their features are others than before, and says so: a new step.
    pub fn begin(&mut self, map: &SurfaceMap, faces: &Faces) -> bool {
        let same = self.first.iter().copied().eq((0..map.bodies()).map(|b| map.first(b)))
            && self.at.len() == map.vertices()
            && self.corners == faces.corners
            && self.edges == faces.edges
            && self.edge_faces == faces.edge_faces
            && self.gone.iter().all(|g| g.is_finite());
        if !same {
            self.lists = Default::default();
            self.first.clear();
            self.first.extend((0..map.bodies()).map(|b| map.first(b)));
            self.corners.clone_from(&faces.corners);
            self.edges.clone_from(&faces.edges);
            self.edge_faces.clone_from(&faces.edge_faces);
            self.at.clear();
        }
        !same
    }

    /// Follows the vertices on their way through a step, or through another answer of it.
    pub fn follow(&mut self, map: &SurfaceMap, surface: &Surface) {
        if self.at.len() != surface.x1.len() {
            self.at.clone_from(&surface.x1);
            self.gone.clear();
            self.gone.resize(map.bodies(), 0.0);
        }
        for (b, gone) in self.gone.iter_mut().enumerate() {
            let far = map.range(b).fold(0.0, |far: f64, v| {
                let (x, at) = ([surface.x0[v], surface.x1[v]], self.at[v]);
                let [there, back] = x.map(|x| (x - at).mag_sq());
                // A number that is none stays, and all is looked at.
                let way = if there > back || there.is_nan() { there } else { back };
                if way > far || way.is_nan() { way } else { far }
            });
            *gone += far.sqrt();
        }
        self.at.clone_from(&surface.x1);
    }

    /// The pairs that may touch on the way of `surface`, or end nearer than `within` (m) of their bodies, in the order of the list.
    pub fn near(
        &mut self,
        (faces, surface): (&Faces, &Surface),
        (list, pairs): (List, &FeaturePairs),
        within: impl Fn([u32; 2]) -> f64,
        out: &mut Vec<(u32, u32)>,
    ) {
        out.clear();
        let known = &mut self.lists[list as usize];
        known.take(pairs);
        let of = |run: &Run| {
            let [a, b] = run.bodies;
            (self.gone[a as usize] + self.gone[b as usize], within([a, b]) * (1.0 + ROUNDING))
        };
        let Known { asked, gap, room, runs, features, .. } = known;
        asked.clear();
        let mut from = 0;
        for run in runs.iter() {
            let (gone, within) = of(run);
            let here = (from..run.end).filter(|&i| {
                let known_apart = room[i] > gone + within;
                !known_apart
            });
            asked.extend(here.map(|i| i as u32));
            from = run.end;
        }
        let candidates = list.candidates(features, faces);
        let first = if list == List::Edges { 2 } else { 1 };
        gap.clear();
        gap.resize(asked.len(), 0.0);
        par::fill(gap, CHUNK, |k, gap| {
            let stencil = candidates.stencil(asked[k] as usize);
            *gap = stencil.map_or(f64::NEG_INFINITY, |s| between(s, first, surface));
        });
        let mut asked = asked.iter().zip(gap.iter()).peekable();
        for run in runs.iter() {
            let (gone, within) = of(run);
            while let Some((&i, &gap)) = asked.next_if(|(i, _)| (**i as usize) < run.end) {
                let gap = gap - ROUNDING * gone;
                room[i as usize] = gap + gone;
                let known_apart = gap > within;
                if !known_apart {
                    out.push(features[i as usize]);
                }
            }
        }
    }
}

impl Known {
    /// Knows of these pairs what it knew of them, and nothing of others.
    fn take(&mut self, pairs: &FeaturePairs) {
        if self.features == pairs.features && self.runs == pairs.runs {
            return;
        }
        std::mem::swap(&mut self.room, &mut self.last);
        self.room.clear();
        self.room.resize(pairs.len(), f64::NEG_INFINITY);
        let (mut from, mut old) = (0, 0);
        for run in &pairs.runs {
            let here = from..run.end;
            from = run.end;
            while self.runs.get(old).is_some_and(|o| o.bodies < run.bodies) {
                old += 1;
            }
            let Some(o) = self.runs.get(old).filter(|o| o.bodies == run.bodies) else { continue };
            let there = if old == 0 { 0 } else { self.runs[old - 1].end }..o.end;
            if self.features[there.clone()] == pairs.features[here.clone()] {
                self.room[here].copy_from_slice(&self.last[there]);
            }
        }
        self.features.clone_from(&pairs.features);
        self.runs.clone_from(&pairs.runs);
    }
}

/// Components of `x` where they are further, else those of `a`. (What compares numbers that may be none is four times as dear.)
#[inline]
fn further(a: DVec3, x: DVec3, is: impl Fn(f64, f64) -> bool) -> DVec3 {
    let of = |a: f64, x: f64| if is(a, x) { x } else { a };
    DVec3::new(of(a.x, x.x), of(a.y, x.y), of(a.z, x.z))
}

/// Distance between the boxes around the ways of the first vertices of a stencil and of the others (m), and surely no more.
fn between(stencil: [u32; 4], first: usize, surface: &Surface) -> f64 {
    let around = |of: &[u32]| {
        let start = surface.x0[of[0] as usize];
        // What is no number is passed over here, and seen by how far its body has gone.
        let wider = |(lo, hi), x| (further(lo, x, |l, x| x < l), further(hi, x, |h, x| x > h));
        of.iter().fold((start, start), |around, &v| {
            wider(wider(around, surface.x0[v as usize]), surface.x1[v as usize])
        })
    };
    let ((lo, hi), (low, high)) = (around(&stencil[..first]), around(&stencil[first..]));
    let gap = (low - hi).max_by_component(lo - high).component_max();
    let size = lo.abs().max_by_component(hi.abs()).max_by_component(low.abs().max_by_component(high.abs()));
    gap - ROUNDING * (gap.abs() + size.component_max())
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_contact::Attachment;

    /// Triangles, one for each body.
    const BODIES: u32 = 5;

    fn world() -> (SurfaceMap, Faces) {
        let (mut map, mut faces) = (SurfaceMap::default(), Faces::default());
        for b in 0..BODIES {
            map.push_body(Attachment::Rigid, &[DVec3::zero(); 3]);
            let v = 3 * b;
            faces.corners.push([v, v + 1, v + 2]);
            faces.edges.extend([[v, v + 1], [v + 1, v + 2], [v + 2, v]]);
        }
        (map, faces)
    }

    /// All pairs of features of bodies that are listed.
    fn pairs(list: List, listed: impl Fn(u32, u32) -> bool) -> FeaturePairs {
        let mut out = FeaturePairs::default();
        for a in 0..BODIES {
            for b in (a + 1..BODIES).filter(|&b| listed(a, b)) {
                for i in 0..3 {
                    match list {
                        List::Edges => out.features.extend((0..3).map(|j| (3 * a + i, 3 * b + j))),
                        List::Solid | List::Sheet => out.features.push((3 * a + i, b)),
                    }
                }
                out.close([a, b]);
            }
        }
        out
    }

    /// What is found is what a look without memory finds, however far bodies go and whatever is listed; and what lies still is not looked at.
    #[test]
    fn what_is_kept_changes_nothing_but_the_work() {
        let (map, faces) = world();
        let mut seed = 7u64;
        let mut number = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let x1 = (0..3 * BODIES).map(|_| DVec3::new(number(), number(), number()) * 3.0).collect();
        let mut surface = Surface { x1, ..Surface::default() };
        let mut kept = Apart::default();
        assert!(kept.begin(&map, &faces));
        let (mut most, mut looked, mut all, mut found) = (0, 0, 0, 0);
        for step in 0..400 {
            assert_eq!(kept.begin(&map, &faces), step == 0);
            surface.x0 = surface.x1.clone();
            // Some steps rest.
            let size = if step % 8 < 4 { 10f64.powf(4.0 * number() - 2.0) } else { 1e-6 };
            for b in 0..BODIES as usize {
                let way = DVec3::new(number(), number(), number()) * size;
                surface.x1[3 * b..3 * b + 3].iter_mut().for_each(|x| *x += way);
            }
            kept.follow(&map, &surface);
            for list in [List::Solid, List::Edges] {
                let listed = pairs(list, |a, b| (a + 2 * b + step / 16) % 5 != 0);
                let within = |[a, b]: [u32; 2]| 0.02 * f64::from(a + b);
                let mut out = Vec::new();
                kept.near((&faces, &surface), (list, &listed), within, &mut out);
                let asked = kept.lists[list as usize].asked.len();
                let mut fresh = Apart::default();
                fresh.begin(&map, &faces);
                fresh.follow(&map, &surface);
                let mut expected = Vec::new();
                fresh.near((&faces, &surface), (list, &listed), within, &mut expected);
                assert_eq!(out, expected, "step {step}");
                assert_eq!(fresh.lists[list as usize].asked.len(), listed.len());
                if size == 1e-6 {
                    (looked, all) = (looked + asked, all + listed.len());
                }
                (most, found) = (most.max(out.len()), found + out.len());
            }
        }
        assert!(most > 5 && found > 400, "{most} {found}");
        assert!(looked * 2 < all, "{looked} of {all}");
    }

    /// A place that is no number is looked at, and is no reason to pass over others later.
    #[test]
    fn no_number_is_near_everything() {
        let (map, faces) = world();
        let listed = pairs(List::Solid, |_, _| true);
        let far: Vec<DVec3> =
            (0..15).map(|v| DVec3::new(f64::from(v / 3) * 10.0, f64::from(v % 3), 0.0)).collect();
        let mut surface = Surface { x0: far.clone(), x1: far.clone(), ..Surface::default() };
        let mut apart = Apart::default();
        let mut look = |surface: &Surface| {
            let mut out = Vec::new();
            apart.begin(&map, &faces);
            apart.follow(&map, surface);
            apart.near((&faces, surface), (List::Solid, &listed), |_| 0.1, &mut out);
            out.len()
        };
        assert_eq!(look(&surface), 0);
        surface.x1[4].y = f64::NAN;
        assert_eq!(look(&surface), 12);
        surface.x1 = far;
        assert_eq!(look(&surface), 0);
    }
}
