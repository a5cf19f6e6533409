//! Finds features of two surfaces that may meet on their way: body pairs by the boxes of their motion, then feature trees.
//!
//! The pair of bodies of an open contact is looked at whatever the boxes say: the contact ends when its depth is zero.

use super::super::Names;
use super::super::vertices::world_plane;
use super::surfaces::{BodySurface, Surfaces};
use crate::components::{Candidate, Dofs, Laws};
use crate::shapes::{Shape, Shapes};
use crate::stage::StageError;
use crate::swept::{Faces, FeaturePair, FeaturePairs, List, SweptCandidates};
use impinge_broadphase::{
    Aabb, BodyPairs, CandidateWorkspace, CrossCandidates, SelfCandidates, plane_overlaps,
};
use impinge_contact::{Pair, Pairs, Sides, Surface, SurfaceMap};
use impinge_cpf::{edge_edge_key, vertex_face_key};
use impinge_geometry::Pose;

/// Surfaces on their way through a step.
pub(super) struct Moving<'a> {
    pub map: &'a SurfaceMap,
    pub shapes: &'a Shapes,
    pub laws: &'a Laws,
    pub dofs: &'a Dofs,
    /// Poses at the end.
    pub end: &'a [Pose],
    /// Boxes around the way of each body.
    pub bounds: &'a [Aabb],
    pub surface: &'a Surface,
    /// Bodies of which at least one takes part in every pair; `None` for all, and planes too.
    pub only: Option<&'a [bool]>,
}

impl Moving<'_> {
    fn asked_for(&self, a: u32, b: u32) -> bool {
        self.only.is_none_or(|o| o[a as usize] || o[b as usize])
    }

    fn may_touch(&self, a: u32, b: u32) -> bool {
        let kind = &self.dofs.bodies.kind;
        let dynamic = kind[a as usize].is_dynamic() || kind[b as usize].is_dynamic();
        dynamic && self.asked_for(a, b) && self.laws.of(a, b).is_some()
    }
}

/// Body pairs ascending; feature pairs by body pair, in the order of the lists of `impinge-broadphase`.
pub(super) struct Finder {
    names: Names,
    boxes: BodyPairs,
    surfaces: Surfaces,
    found: Vec<(u32, u32)>,
    workspace: CandidateWorkspace,
    cross: CrossCandidates,
    own: SelfCandidates,
}

impl Finder {
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

    /// Fills pairs and candidates; `faces` when a surface is new or was cut. `open` are the contacts that are open.
    pub fn find(
        &mut self,
        m: &Moving<'_>,
        open: &[impinge_cpf::Tracked; 3],
        faces: &mut Faces,
        pairs: &mut Pairs,
        out: &mut SweptCandidates,
    ) -> Result<(), StageError> {
        self.surfaces.follow(m.map, &m.shapes.0, m.surface, &self.names, faces)?;
        self.body_pairs(m, open)?;
        pairs.clear();
        out.lists.iter_mut().for_each(FeaturePairs::clear);
        out.planes.clear();
        let found = std::mem::take(&mut self.found);
        for &(a, b) in &found {
            let Some((law, sides)) = m.laws.of(a, b) else { continue };
            let pair = pairs.len() as u32;
            let plane = |s: u32| matches!(m.shapes.0[s as usize], Shape::Plane { .. });
            match (plane(a), plane(b)) {
                (true, true) => continue,
                (false, false) if a == b => {
                    self.surfaces.refresh_own(a, m.map, m.surface, &self.names)?;
                    self.features((a, b), sides, pair, |v| m.shapes.vertex_area(m.map, v), out);
                }
                (false, false) => {
                    self.surfaces.refresh(a, m.map, m.surface, &self.names)?;
                    self.surfaces.refresh(b, m.map, m.surface, &self.names)?;
                    self.features((a, b), sides, pair, |v| m.shapes.vertex_area(m.map, v), out);
                }
                (first_is_plane, _) => plane_candidates(m, (a, b), first_is_plane, pair, out),
            }
            // A plane has no vertices of its own.
            let sides = match (plane(a), plane(b)) {
                (true, _) => Sides::Second,
                (_, true) => Sides::First,
                _ => sides,
            };
            pairs.push(Pair { a, b, law, sides });
        }
        self.found = found;
        Ok(())
    }

    /// Body pairs whose motions may meet, those that are open, and bodies that may touch themselves.
    fn body_pairs(&mut self, m: &Moving<'_>, open: &[impinge_cpf::Tracked; 3]) -> Result<(), StageError> {
        self.boxes.find(m.bounds, |a, b| m.may_touch(a, b), &mut self.found)?;
        for (p, shape) in m.shapes.0.iter().enumerate().filter(|_| m.only.is_none()) {
            let Shape::Plane { normal, offset } = shape else { continue };
            let ends = [&m.dofs.bodies.pose[p], &m.end[p]].map(|x| world_plane(x, *normal, *offset));
            for (b, around) in m.bounds.iter().enumerate() {
                let (lo, hi) = (p.min(b) as u32, p.max(b) as u32);
                if b != p && m.may_touch(lo, hi) && ends.iter().any(|&(n, o)| plane_overlaps(around, n, o)) {
                    self.found.push((lo, hi));
                }
            }
        }
        for (b, shape) in m.shapes.0.iter().enumerate() {
            let slot = b as u32;
            if matches!(shape, Shape::Soft(s) if s.own.is_some()) && m.may_touch(slot, slot) {
                self.found.push((slot, slot));
            }
        }
        for stencil in open.iter().flat_map(|t| &t.stencil) {
            let (a, b) = (m.map.body_of(stencil[0]), m.map.body_of(stencil[3]));
            if m.asked_for(a, b) {
                self.found.push((a.min(b), a.max(b)));
            }
        }
        self.found.sort_unstable();
        self.found.dedup();
        Ok(())
    }

    /// The feature pairs of one body pair. Where only the vertices of one body are asked for, the other's and all edges are left out.
    fn features(
        &mut self,
        (a, b): (u32, u32),
        sides: Sides,
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
            let Some(tree) = &first.own else { return };
            tree.self_candidates(&mut self.workspace, &mut self.own);
            for &(v, f) in &self.own.vertex_face {
                lists[list(first)].push(vertex_face(first, first, v, f));
            }
            for &(e, f) in &self.own.edge_edge {
                lists[List::Edges as usize].push(edge_edge(first, first, e, f));
            }
            return;
        }
        first.tree.candidates(&second.tree, &mut self.workspace, &mut self.cross);
        if sides != Sides::Second {
            for &(v, f) in &self.cross.vertex_face {
                lists[list(second)].push(vertex_face(first, second, v, f));
            }
        }
        if sides != Sides::First {
            for &(f, v) in &self.cross.face_vertex {
                lists[list(first)].push(vertex_face(second, first, v, f));
            }
        }
        if sides == Sides::Both {
            for &(e, f) in &self.cross.edge_edge {
                lists[List::Edges as usize].push(edge_edge(first, second, e, f));
            }
        }
    }
}

/// Vertices of a body that are below a plane at one end of the step.
fn plane_candidates(
    m: &Moving<'_>,
    (a, b): (u32, u32),
    first_is_plane: bool,
    pair: u32,
    out: &mut SweptCandidates,
) {
    let (body, target) = if first_is_plane { (b, a) } else { (a, b) };
    let Shape::Plane { normal, offset } = m.shapes.0[target as usize] else { return };
    let t = target as usize;
    let (n0, d0) = world_plane(&m.dofs.bodies.pose[t], normal, offset);
    let (n1, d1) = world_plane(&m.end[t], normal, offset);
    for v in m.map.range(body as usize) {
        if n0.dot(m.surface.x0[v]) <= d0 || n1.dot(m.surface.x1[v]) <= d1 {
            out.planes.push(Candidate { vertex: v as u32, target, pair });
        }
    }
}
