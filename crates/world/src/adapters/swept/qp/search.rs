//! Which feature pairs touch or come near on a motion: lists of the broad phase, made anew when a body leaves the boxes they
//! were made for.

use super::super::edges::{CONE_SLACK, leaves};
use super::super::finder::{Finder, Moving};
use super::super::margin::stray;
use super::super::place::bounds_of;
use super::loose::Loose;
use super::near::{ENDS, Near, RISE, near, parallel, stands_on, touching};
use super::neighbours::Neighbours;
use crate::adapters::Names;
use crate::components::{Dofs, Laws};
use crate::shapes::Shapes;
use crate::stage::StageError;
use crate::swept::{Faces, List, Margin, SweptCandidates};
use impinge_broadphase::Aabb;
use impinge_ccd::{ContactWorkspace, FirstContacts, first_contacts};
use impinge_contact::{Pairs, Surface, SurfaceMap, par};
use impinge_geometry::{DVec3, Pose, closest_between_segments, closest_on_triangle, try_normalized};

/// Candidates per parallel chunk.
const CHUNK: usize = 256;

/// The world as the search sees it.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub map: &'a SurfaceMap,
    pub shapes: &'a Shapes,
    pub laws: &'a Laws,
    pub dofs: &'a Dofs,
    pub faces: &'a Faces,
    /// From the broad phase, and the ends it was made for (m).
    pub listed: &'a SweptCandidates,
    pub predicted: &'a [DVec3],
    /// The farthest that any two surfaces keep from each other (m).
    pub thickness: f64,
    /// Of surfaces that state none (m).
    pub radius: f64,
}

/// Of the distance at rest of two features of one body, what they keep at most.
const OF_REST: f64 = 0.5;

impl Scene<'_> {
    /// Distance that the surfaces of two bodies keep (m).
    pub fn between(&self, a: u32, b: u32) -> f64 {
        self.laws.thickness.between_or(a, b, self.radius)
    }

    /// Distance that a pair of features keeps (m). Two of one body keep no more than half of what is between them at rest:
    /// neighbours in a mesh finer than the thickness are not pushed apart, nor are the two sides of a fold. What touches at rest keeps
    /// nothing, and is no contact: the two lips of a cut.
    pub fn keeps(&self, list: List, stencil: [u32; 4]) -> f64 {
        let (body, other) = (self.map.body_of(stencil[0]), self.map.body_of(stencil[3]));
        let thickness = self.between(body, other);
        if other != body {
            return thickness;
        }
        let Some(mesh) = self.shapes.0[body as usize].triangles() else { return thickness };
        let first = self.map.first(body as usize);
        let x = stencil.map(|v| mesh.positions()[(v - first) as usize]);
        let apart = distance_squared(list, x);
        if touching(apart, &x) { 0.0 } else { thickness.min(OF_REST * apart.sqrt()) }
    }
}

/// Of two features with these vertices (m²).
pub(super) fn distance_squared(list: List, [a, b, c, d]: [DVec3; 4]) -> f64 {
    match list {
        List::Edges => closest_between_segments([a, b], [c, d]).distance_squared,
        List::Solid | List::Sheet => closest_on_triangle(a, [b, c, d]).distance_squared,
    }
}

/// A feature pair that touches on the way, or ends too near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub list: List,
    pub key: u64,
    pub stencil: [u32; 4],
    pub near: Near,
    /// Distance that it keeps (m), > 0.
    pub keeps: f64,
    /// When it first touches, fraction of the step; `None` where it is only near.
    pub touch: Option<f64>,
}

/// Scratch; what is found does not depend on what it holds.
pub(super) struct Search {
    finder: Finder,
    bounds: Vec<Aabb>,
    pairs: Pairs,
    /// Lists made anew in this step, and the ends they were made for.
    own: SweptCandidates,
    own_faces: Faces,
    ends: Vec<DVec3>,
    anew: bool,
    loose: Loose,
    neighbours: Neighbours,
    scratch: Scratch,
}

impl Search {
    /// Empty scratch; names for errors.
    pub fn new(names: Names) -> Self {
        Self {
            finder: Finder::new(names),
            bounds: Vec::new(),
            pairs: Pairs::default(),
            own: SweptCandidates::default(),
            own_faces: Faces::default(),
            ends: Vec::new(),
            anew: false,
            loose: Loose::default(),
            neighbours: Neighbours::default(),
            scratch: Scratch::default(),
        }
    }

    /// Back to the lists of the broad phase: a new step.
    pub fn begin(&mut self, scene: &Scene<'_>) {
        self.anew = false;
        self.neighbours.set(scene.faces, scene.map.vertices());
        self.loose.begin(scene);
    }

    /// Makes sure that the lists hold all that may come near on the way of `surface`, which ends at poses `end`.
    fn follow(&mut self, scene: &Scene<'_>, surface: &Surface, end: &[Pose]) -> Result<(), StageError> {
        let (ends, margin) = match self.anew {
            true => (&self.ends[..], &self.own.margin),
            false => (scene.predicted, &scene.listed.margin),
        };
        // Half of the thickness is kept by either.
        let room = |m: f64| m - 0.5 * scene.thickness;
        let holds = |b: usize| {
            let r = scene.map.range(b);
            let strayed = stray(&ends[r.clone()], &surface.x1[r]);
            let m = margin.get(b).copied().unwrap_or_default();
            strayed.others <= room(m.others) && strayed.own <= room(m.own)
        };
        if (0..scene.map.bodies()).all(holds) {
            return Ok(());
        }
        self.anew = true;
        self.ends.clone_from(&surface.x1);
        self.own.margin.clear();
        self.own.margin.resize(scene.map.bodies(), Margin { others: scene.thickness, own: scene.thickness });
        let Scene { map, shapes, laws, dofs, .. } = *scene;
        bounds_of(map, shapes, surface, &mut self.bounds);
        let moving = Moving { map, shapes, laws, dofs, end, bounds: &self.bounds, surface, only: None };
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
    ) -> Result<(), StageError> {
        self.follow(scene, surface, end)?;
        self.loose.find(scene, surface);
        out.clear();
        let listed = if self.anew { &self.own.lists } else { &scene.listed.lists };
        for list in List::ALL {
            let look =
                Look { scene, list, faces: scene.faces, neighbours: &self.neighbours, surface, ends_near };
            look.at(&listed[list as usize].features, &mut self.scratch, out)?;
            let look = Look { faces: &self.loose.faces, ..look };
            look.at(&self.loose.lists[list as usize].features, &mut self.scratch, out)?;
        }
        out.sort_by_key(|f| (f.list, f.key));
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
    fn at(&self, features: &[(u32, u32)], ws: &mut Scratch, out: &mut Vec<Found>) -> Result<(), StageError> {
        let Look { scene, list, faces, neighbours, surface, ends_near } = *self;
        if features.is_empty() {
            return Ok(());
        }
        let candidates = list.candidates(features, faces);
        first_contacts(&surface.x0, &surface.x1, candidates, &mut ws.ccd, &mut ws.first)
            .map_err(|e| StageError::Qp(e.to_string()))?;
        let touch = &ws.first;
        ws.touched.clear();
        for i in 0..touch.len() {
            let c = touch.candidate[i] as usize;
            let Some(stencil) = candidates.stencil(c) else { continue };
            let near = Near { weight: touch.weight[i], normal: touch.normal[i] };
            let (known, keeps) = (near.normal != DVec3::zero(), scene.keeps(list, stencil));
            let outside = || from_outside(list, features[c], stencil, (faces, neighbours), surface, &near);
            if known && keeps > 0.0 && outside() {
                ws.touched.push(c as u32);
                let (key, touch) = (list.key(features[c]), Some(touch.t[i]));
                out.push(Found { list, key, stencil, near, keeps, touch });
            }
        }
        if !ends_near {
            return Ok(());
        }
        ws.near.clear();
        ws.near.resize(features.len(), None);
        par::fill(&mut ws.near, CHUNK, |i, n| {
            let Some(stencil) = candidates.stencil(i) else { return };
            let at = |within: f64| near(list, features[i], stencil, (faces, neighbours), &surface.x1, within);
            let Some(found) = at(scene.thickness) else { return };
            let keeps = scene.keeps(list, stencil);
            let found = if keeps < scene.thickness { at(keeps) } else { Some(found) };
            *n = found.map(|f| (f, keeps));
        });
        for (i, n) in ws.near.iter().enumerate() {
            let Some((near, keeps)) = *n else { continue };
            if ws.touched.binary_search(&(i as u32)).is_err()
                && let Some(stencil) = candidates.stencil(i)
            {
                out.push(Found { list, key: list.key(features[i]), stencil, near, keeps, touch: None });
            }
        }
        Ok(())
    }
}

/// A pair that meets from inside a solid is no contact: it leaves.
fn from_outside(
    list: List,
    features: (u32, u32),
    stencil: [u32; 4],
    (faces, neighbours): (&Faces, &Neighbours),
    surface: &Surface,
    near: &Near,
) -> bool {
    let [a, b, c, d] = stencil;
    match list {
        List::Sheet => true,
        List::Solid => {
            let face = [b, c, d].map(|v| surface.x0[v as usize]);
            let outer = try_normalized(impinge_geometry::triangle_area_vector(face));
            // A vertex that starts in the plane of the face may come down past its rim: then the face beside it is met, not this one.
            let p = surface.x0[a as usize];
            let along = |n: DVec3| touching(n.dot(p - face[0]).powi(2), &[p, face[0], face[1], face[2]]);
            let rim = near.weight[1..].iter().any(|w| w.abs() <= ENDS);
            outer.is_none_or(|n| {
                let stands = || !(rim && along(n)) || stands_on(n, a, neighbours, &surface.x0, RISE);
                let beyond = stands_on(near.normal, a, neighbours, &surface.x0, CONE_SLACK);
                n.dot(near.normal) >= 0.0 && beyond && stands()
            })
        }
        List::Edges => {
            let [p, q, r, s] = stencil.map(|v| surface.x0[v as usize]);
            !parallel(q - p, s - r)
                && leaves(faces, &surface.x0, features.0, [a, b], -near.normal, CONE_SLACK)
                && leaves(faces, &surface.x0, features.1, [c, d], near.normal, CONE_SLACK)
        }
    }
}
