//! broad: body pairs by the boxes of their motion, then the features of each pair that may meet on the way.
//!
//! The pair of bodies of an open contact stays on the list whatever the boxes say: the contact ends when its depth is zero.

use super::super::Names;
use super::super::vertices::world_plane;
use super::surfaces::{BodySurface, Surfaces};
use crate::components::{Bounds, Candidate, Dofs, Laws};
use crate::shapes::{Shape, Shapes};
use crate::stage::{Outcome, Stage, StageError, Step};
use crate::swept::{Faces, FeaturePair, FeaturePairs, List, SweptCandidates, Tracked};
use hecs::{Query, QueryBorrow};
use impinge_broadphase::{BodyPairs, CandidateWorkspace, CrossCandidates, SelfCandidates, plane_overlaps};
use impinge_contact::{Pair, Pairs, Prediction, Sides, Surface, SurfaceMap};
use impinge_cpf::{edge_edge_key, vertex_face_key};

/// Body pairs ascending; feature pairs by body pair, in the order of the lists of `impinge-broadphase`.
pub struct SweptBroad {
    names: Names,
    boxes: BodyPairs,
    surfaces: Surfaces,
    found: Vec<(u32, u32)>,
    workspace: CandidateWorkspace,
    cross: CrossCandidates,
    own: SelfCandidates,
}

impl SweptBroad {
    /// Empty scratch; names for errors.
    pub fn new(names: Names) -> Self {
        Self {
            names,
            boxes: BodyPairs::new(),
            surfaces: Surfaces::default(),
            found: Vec::new(),
            workspace: CandidateWorkspace::new(),
            cross: CrossCandidates::default(),
            own: SelfCandidates::default(),
        }
    }

    /// Body pairs whose motions may meet, those that are open, and bodies that may touch themselves.
    fn body_pairs(
        &mut self,
        shapes: &Shapes,
        laws: &Laws,
        dofs: &Dofs,
        prediction: &Prediction,
        bounds: &Bounds,
        map: &SurfaceMap,
        tracked: &Tracked,
    ) -> Result<(), StageError> {
        let kind = &dofs.bodies.kind;
        let may_touch = |a: u32, b: u32| {
            let dynamic = kind[a as usize].is_dynamic() || kind[b as usize].is_dynamic();
            dynamic && laws.of(a, b).is_some()
        };
        self.boxes.find(&bounds.0, may_touch, &mut self.found)?;
        for (p, shape) in shapes.0.iter().enumerate() {
            let Shape::Plane { normal, offset } = shape else { continue };
            let ends = [&dofs.bodies.pose[p], &prediction.pose[p]].map(|x| world_plane(x, *normal, *offset));
            for (b, around) in bounds.0.iter().enumerate() {
                let (lo, hi) = (p.min(b) as u32, p.max(b) as u32);
                if b != p && may_touch(lo, hi) && ends.iter().any(|&(n, o)| plane_overlaps(around, n, o)) {
                    self.found.push((lo, hi));
                }
            }
        }
        for (b, shape) in shapes.0.iter().enumerate() {
            let slot = b as u32;
            if matches!(shape, Shape::Soft(s) if s.own.is_some()) && may_touch(slot, slot) {
                self.found.push((slot, slot));
            }
        }
        for stencil in tracked.0.iter().flat_map(|t| &t.stencil) {
            let (a, b) = (map.body_of(stencil[0]), map.body_of(stencil[3]));
            self.found.push((a.min(b), a.max(b)));
        }
        self.found.sort_unstable();
        self.found.dedup();
        Ok(())
    }

    /// The feature pairs of one body pair.
    fn features(
        &mut self,
        (a, b): (u32, u32),
        pair: u32,
        area: impl Fn(u32) -> f64,
        out: &mut SweptCandidates,
    ) {
        let (Some(first), Some(second)) = (self.surfaces.get(a), self.surfaces.get(b)) else { return };
        let vertex_face = |p: &BodySurface, f: &BodySurface, v: u32, face: u32| {
            let v = v + p.first_vertex;
            let [x, y, z] = f.faces[face as usize];
            let key = vertex_face_key(v, f.first_face + face);
            FeaturePair { stencil: [v, x, y, z], pair, key, area: area(v) }
        };
        let edge_edge = |e: &BodySurface, f: &BodySurface, i: u32, j: u32| {
            let ([p, q], [r, s]) = (e.edges[i as usize], f.edges[j as usize]);
            let key = edge_edge_key(e.first_edge + i, f.first_edge + j);
            FeaturePair { stencil: [p, q, r, s], pair, key, area: e.edge_area[i as usize] }
        };
        let list = |s: &BodySurface| if s.solid { List::Solid as usize } else { List::Sheet as usize };
        let lists = &mut out.lists;
        if a == b {
            first.tree.self_candidates(&mut self.workspace, &mut self.own);
            for &(v, f) in &self.own.vertex_face {
                lists[list(first)].push(vertex_face(first, first, v, f));
            }
            for &(e, f) in &self.own.edge_edge {
                lists[List::Edges as usize].push(edge_edge(first, first, e, f));
            }
            return;
        }
        first.tree.candidates(&second.tree, &mut self.workspace, &mut self.cross);
        for &(v, f) in &self.cross.vertex_face {
            lists[list(second)].push(vertex_face(first, second, v, f));
        }
        for &(f, v) in &self.cross.face_vertex {
            lists[list(first)].push(vertex_face(second, first, v, f));
        }
        for &(e, f) in &self.cross.edge_edge {
            lists[List::Edges as usize].push(edge_edge(first, second, e, f));
        }
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
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        self.surfaces.follow(map, &shapes.0, surface, &self.names, faces)?;
        self.body_pairs(shapes, laws, dofs, prediction, bounds, map, tracked)?;
        pairs.clear();
        out.lists.iter_mut().for_each(FeaturePairs::clear);
        out.planes.clear();
        let found = std::mem::take(&mut self.found);
        for &(a, b) in &found {
            let Some((law, sides)) = laws.of(a, b) else { continue };
            let pair = pairs.len() as u32;
            let plane = |s: u32| matches!(shapes.0[s as usize], Shape::Plane { .. });
            match (plane(a), plane(b)) {
                (true, true) => continue,
                (false, false) => {
                    self.surfaces.refresh(a, map, surface, &self.names)?;
                    self.surfaces.refresh(b, map, surface, &self.names)?;
                    self.features((a, b), pair, |v| shapes.vertex_area(map, v), out);
                }
                (first_is_plane, _) => {
                    let (body, target) = if first_is_plane { (b, a) } else { (a, b) };
                    let Shape::Plane { normal, offset } = shapes.0[target as usize] else { continue };
                    let t = target as usize;
                    let (n0, d0) = world_plane(&dofs.bodies.pose[t], normal, offset);
                    let (n1, d1) = world_plane(&prediction.pose[t], normal, offset);
                    for v in map.range(body as usize) {
                        if n0.dot(surface.x0[v]) <= d0 || n1.dot(surface.x1[v]) <= d1 {
                            out.planes.push(Candidate { vertex: v as u32, target, pair });
                        }
                    }
                }
            }
            // A plane has no vertices of its own; features of two surfaces are tested both ways.
            let sides = match (plane(a), plane(b)) {
                (true, _) => Sides::Second,
                (_, true) => Sides::First,
                _ => sides,
            };
            pairs.push(Pair { a, b, law, sides });
        }
        self.found = found;
        let features: usize = out.lists.iter().map(FeaturePairs::len).sum();
        Ok(Outcome::items(features + out.planes.len()))
    }
}
