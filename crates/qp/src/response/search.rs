//! Which feature pairs touch or come near on a motion: lists of the broad phase, made anew when a body leaves the boxes they
//! were made for.

use super::apart::Apart;
use super::near::{Beside, ENDS, Near, RISE, near, parallel, touching};
use super::neighbours::Neighbours;
use super::points_and_cables::PointsAndCables;
use super::scene::{BESIDE, Found, HELD, Scene, distance_squared};
use impinge_bodies::{CONE_SLACK, ContactError, Names};
use impinge_broadphase::Aabb;
use impinge_ccd::{ContactWorkspace, FirstContacts, first_contacts};
use impinge_contact::{Pairs, Surface, par};
use impinge_geometry::{DVec3, Pose, triangle_area_vector, try_normalized};
use impinge_swept::{Faces, Finder, List, Moving, SweptCandidates, bounds_of, stray};

/// Candidates per parallel chunk.
const CHUNK: usize = 256;

/// Scratch; what is found does not depend on what it holds.
pub(crate) struct Search {
    finder: Finder,
    bounds: Vec<Aabb>,
    pairs: Pairs,
    /// Lists made anew in this step, and the ends they were made for.
    own: SweptCandidates,
    own_faces: Faces,
    ends: Vec<DVec3>,
    anew: bool,
    points_and_cables: PointsAndCables,
    neighbours: Neighbours,
    apart: Apart,
    near: Vec<(u32, u32)>,
    scratch: Scratch,
}

impl Search {
    /// Empty scratch; names for errors.
    pub fn new(names: Names) -> Self {
        Self {
            points_and_cables: PointsAndCables::new(names.clone()),
            finder: Finder::new(names),
            bounds: Vec::new(),
            pairs: Pairs::default(),
            own: SweptCandidates::default(),
            own_faces: Faces::default(),
            ends: Vec::new(),
            anew: false,
            neighbours: Neighbours::default(),
            apart: Apart::default(),
            near: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Back to the lists of the broad phase: a new step.
    pub fn begin(&mut self, scene: &Scene<'_>) {
        self.anew = false;
        if self.apart.begin(scene.map, scene.faces) {
            self.neighbours.set(scene.faces, scene.map.vertices());
        }
        self.points_and_cables.begin(scene);
    }

    /// Makes sure that the lists hold all that may come near on the way of `surface`, which ends at poses `end`.
    fn follow(&mut self, scene: &Scene<'_>, surface: &Surface, end: &[Pose]) -> Result<(), ContactError> {
        let (ends, margin) = match self.anew {
            true => (&self.ends[..], &self.own.margin),
            false => (scene.predicted, &scene.listed.margin),
        };
        // Half of the distance is kept by either.
        let room = |m: f64, reach: f64| m - 0.5 * reach;
        let holds = |b: usize| {
            let r = scene.map.range(b);
            let strayed = stray(&ends[r.clone()], &surface.x1[r]);
            let m = margin.get(b).copied().unwrap_or_default();
            let reach = scene.reach.get(b).copied().unwrap_or_default();
            strayed.others <= room(m.others, reach.others) && strayed.own <= room(m.own, reach.own)
        };
        if (0..scene.map.bodies()).all(holds) {
            return Ok(());
        }
        self.anew = true;
        self.ends.clone_from(&surface.x1);
        self.own.margin.clear();
        self.own.margin.extend_from_slice(scene.reach);
        let Scene { map, shapes, laws, dofs, .. } = *scene;
        bounds_of(map, shapes, surface, &mut self.bounds);
        let moving =
            Moving { map, shapes, laws, dofs, end, bounds: &self.bounds, surface, guess: None, only: None };
        self.finder.find(&moving, &Default::default(), &mut self.own_faces, &mut self.pairs, &mut self.own)
    }

    /// Feature pairs that touch on the way of `surface`, or end nearer than the thickness (with `ends_near`), ascending by list
    /// and key.
    pub fn find(
        &mut self,
        scene: &Scene<'_>,
        surface: &Surface,
        end: &[Pose],
        ends_near: bool,
        out: &mut Vec<Found>,
    ) -> Result<(), ContactError> {
        self.follow(scene, surface, end)?;
        self.points_and_cables.find(scene, surface)?;
        out.clear();
        self.apart.follow(scene.map, surface);
        let within = |[a, b]: [u32; 2]| if ends_near { scene.between(a, b) * BESIDE } else { 0.0 };
        let listed = if self.anew { &self.own.lists } else { &scene.listed.lists };
        for list in List::ALL {
            let look =
                Look { scene, list, faces: scene.faces, neighbours: &self.neighbours, surface, ends_near };
            let pairs = (list, &listed[list as usize]);
            self.apart.near((scene.faces, surface), pairs, within, &mut self.near);
            look.at(&self.near, &mut self.scratch, out)?;
            let look = Look { faces: &self.points_and_cables.faces, ..look };
            look.at(&self.points_and_cables.lists[list as usize].features, &mut self.scratch, out)?;
            if list == List::Edges {
                self.scratch.touched.clear();
                look.near(&self.points_and_cables.nodes, &mut self.scratch, out);
            }
        }
        // Mostly few are out of order, and they are large.
        if !out.is_sorted_by_key(|f| (f.list, f.key)) {
            let Scratch { order, sorted, .. } = &mut self.scratch;
            order.clear();
            order.extend(out.iter().zip(0..).map(|(f, i)| (f.list, f.key, i)));
            sort_nearly(order);
            sorted.clear();
            sorted.extend(order.iter().map(|o| out[o.2 as usize]));
            std::mem::swap(out, sorted);
        }
        Ok(())
    }
}

/// Scratch of one list.
#[derive(Default)]
struct Scratch {
    ccd: ContactWorkspace,
    first: FirstContacts,
    near: Vec<Option<(Near, f64)>>,
    touched: Vec<u32>,
    /// What was found by list, key and place, and in that order.
    order: Vec<(List, u64, u32)>,
    sorted: Vec<Found>,
}

/// One list on one motion.
#[derive(Clone, Copy)]
struct Look<'a> {
    scene: &'a Scene<'a>,
    list: List,
    faces: &'a Faces,
    neighbours: &'a Neighbours,
    surface: &'a Surface,
    /// Those that end too near as well.
    ends_near: bool,
}

impl Look<'_> {
    fn at(
        &self,
        features: &[(u32, u32)],
        ws: &mut Scratch,
        out: &mut Vec<Found>,
    ) -> Result<(), ContactError> {
        let Look { scene, list, faces, surface, .. } = *self;
        ws.touched.clear();
        if features.is_empty() {
            return Ok(());
        }
        let candidates = list.candidates(features, faces);
        first_contacts(&surface.x0, &surface.x1, candidates, &mut ws.ccd, &mut ws.first)
            .map_err(|e| ContactError::refused("constraints", e.to_string()))?;
        let touch = &ws.first;
        for i in 0..touch.len() {
            let c = touch.candidate[i] as usize;
            let Some(stencil) = candidates.stencil(c) else { continue };
            let near = Near { weight: touch.weight[i], normal: touch.normal[i] };
            let (known, keeps) = (near.normal != DVec3::zero(), scene.keeps(list, stencil));
            let beside = self.beside(stencil);
            let at = (touch.t[i], keeps);
            let outside = || from_outside(list, features[c], stencil, beside, surface, &near, at);
            let slides = || slides_in_its_plane(list, features[c], stencil, beside, surface, near.normal);
            if known && keeps > 0.0 && outside() && !slides() {
                ws.touched.push(c as u32);
                let (key, touch) = (list.key(features[c]), Some(touch.t[i]));
                out.push(Found { list, key, stencil, near, keeps, touch });
            }
        }
        self.near(features, ws, out);
        Ok(())
    }

    fn beside(&self, stencil: [u32; 4]) -> Beside<'_> {
        let thin = self.scene.meets_itself_thin(stencil);
        Beside { faces: self.faces, neighbours: self.neighbours, thin, before: &self.surface.x0 }
    }

    /// Those that end too near, but for those of `ws.touched`.
    fn near(&self, features: &[(u32, u32)], ws: &mut Scratch, out: &mut Vec<Found>) {
        let Look { scene, list, faces, surface, ends_near, .. } = *self;
        if !ends_near || features.is_empty() {
            return;
        }
        let candidates = list.candidates(features, faces);
        ws.near.clear();
        ws.near.resize(features.len(), None);
        par::fill(&mut ws.near, CHUNK, |i, n| {
            let Some(stencil) = candidates.stencil(i) else { return };
            let beside = self.beside(stencil);
            let at = |x: &[DVec3], level: f64, within: f64| {
                near(list, features[i], stencil, beside, x, (level, within))
            };
            let began = |within: f64| {
                distance_squared(list, stencil.map(|v| surface.x0[v as usize])) < within * within
            };
            // One look is as far as what began near is held; whether it did is asked of what is found farther off than others are.
            let ends = |within: f64| {
                let found = at(&surface.x1, within, HELD * within);
                found.filter(|(_, apart)| *apart < within * within || began(within)).map(|f| f.0)
            };
            let thickness = scene.between_vertices(stencil) * BESIDE;
            let within = || thickness.min(scene.keeps(list, stencil) * BESIDE);
            let ends = ends(thickness).and_then(|found| match within() {
                kept if kept < thickness => ends(kept),
                _ => Some(found),
            });
            // What starts past the other by less than that does not come from outside, and may end too deep to be near.
            let solid = || list == List::Solid || list == List::Edges && beside.are_solid(features[i]);
            let starts = || {
                let there = stencil.map(|v| surface.x0[v as usize]);
                let past = |n: &Near| is_past(n, &there);
                if list == List::Solid && is_over(&there) {
                    return None;
                }
                solid().then(|| at(&surface.x0, within(), within()).map(|f| f.0).filter(past)).flatten()
            };
            *n = ends.or_else(starts).map(|f| (f, scene.keeps(list, stencil)));
        });
        for (i, n) in ws.near.iter().enumerate() {
            let Some((near, keeps)) = *n else { continue };
            if ws.touched.binary_search(&(i as u32)).is_err()
                && let Some(stencil) = candidates.stencil(i)
            {
                out.push(Found { list, key: list.key(features[i]), stencil, near, keeps, touch: None });
            }
        }
    }
}

/// Features at `x` (m) are past each other, or touch.
fn is_past(near: &Near, x: &[DVec3; 4]) -> bool {
    let gap = (0..4).fold(DVec3::zero(), |sum, k| sum + x[k] * near.weight[k]).dot(near.normal);
    gap <= 0.0 || touching(gap * gap, x)
}

/// Shifts per element after which what is sorted is not nearly in order.
const SHIFTS: usize = 8;

/// Sorts what is mostly out of order within a pair of bodies only.
fn sort_nearly<T: Ord>(items: &mut [T]) {
    let mut left = SHIFTS * items.len();
    for i in 1..items.len() {
        let mut at = i;
        while at > 0 && items[at] < items[at - 1] {
            items.swap(at, at - 1);
            at -= 1;
            if left == 0 {
                items.sort_unstable();
                return;
            }
            left -= 1;
        }
    }
}

/// A vertex is clearly on the outer side of a face's plane, so that it is not past that face.
fn is_over(x: &[DVec3; 4]) -> bool {
    let [p, a, b, c] = *x;
    let area = triangle_area_vector([a, b, c]);
    let height = (p - a).dot(area);
    height > 0.0 && !touching(height * height / area.mag_sq(), x)
}

/// A pair that moves within its plane and is no contact by that: its normal is only against the motion, and where it ends says what it is. One
/// that touches from the start came from nowhere; of solids, a vertex that slides onto a face it is level with and an edge onto another are
/// met by the faces beside. (A box without friction that stood on a floor without a gap lost 0.63 of its speed to such normals.)
fn slides_in_its_plane(
    list: List,
    features: (u32, u32),
    stencil: [u32; 4],
    beside: Beside<'_>,
    surface: &Surface,
    normal: DVec3,
) -> bool {
    let x = stencil.map(|v| surface.x0[v as usize]);
    let [a, b, c, d] = x;
    let across = match list {
        List::Edges => (b - a).cross(d - c),
        List::Solid | List::Sheet => (c - b).cross(d - b),
    };
    if normal.dot(across).abs() > RISE * across.mag() {
        return false;
    }
    let level = || match list {
        List::Solid => true,
        List::Sheet => false,
        List::Edges => beside.are_solid(features),
    };
    let off = || try_normalized(across).map_or(0.0, |n| n.dot(a - c));
    touching(distance_squared(list, x), &x) || level() && touching(off().powi(2), &x)
}

/// A pair that meets from inside a solid is no contact: it leaves. What the surfaces say about it they say at the start of the step or at the `time` of
/// the touch (fraction of the step): a body that turns brings down a corner that did not look that way before. (By the start alone, dice that
/// tumbled by more than the slack in a step went through a table.)
fn from_outside(
    list: List,
    features: (u32, u32),
    stencil: [u32; 4],
    beside: Beside<'_>,
    surface: &Surface,
    near: &Near,
    (time, keeps): (f64, f64),
) -> bool {
    let start = |v: u32| surface.x0[v as usize];
    let met = |v: u32| start(v) + (surface.x1[v as usize] - start(v)) * time;
    from_outside_at(list, features, stencil, beside, &start, (near, keeps))
        || from_outside_at(list, features, stencil, beside, &met, (near, keeps))
}

/// The same, told by surfaces with vertices at `x` (m).
fn from_outside_at(
    list: List,
    features: (u32, u32),
    stencil: [u32; 4],
    beside: Beside<'_>,
    x: &impl Fn(u32) -> DVec3,
    (near, keeps): (&Near, f64),
) -> bool {
    let [a, b, c, d] = stencil;
    match list {
        List::Sheet => true,
        List::Solid => {
            let face = [b, c, d].map(x);
            let outer = try_normalized(triangle_area_vector(face));
            // A vertex that starts in the plane of the face may come down past its rim: then the face beside it is met, not this one.
            let p = x(a);
            let along = |n: DVec3| touching(n.dot(p - face[0]).powi(2), &[p, face[0], face[1], face[2]]);
            let rim = near.weight[1..].iter().any(|w| w.abs() <= ENDS);
            outer.is_none_or(|n| {
                let stands = || !(rim && along(n)) || beside.stands_on(n, a, x, RISE);
                let beyond = beside.stands_on(near.normal, a, x, CONE_SLACK);
                n.dot(near.normal) >= 0.0 && beyond && stands()
            })
        }
        List::Edges => {
            let [p, q, r, s] = stencil.map(x);
            // Segments that lie along each other are no vertex and face instead.
            let loose = beside.faces.is_segment(features.0) && beside.faces.is_segment(features.1);
            let along = || parallel(q - p, s - r, beside.are_solid(features), keeps);
            (loose || !along()) && beside.leaves(x, features, stencil, near.normal, CONE_SLACK)
        }
    }
}
