//! narrow: for each candidate vertex, is it inside, how deep, which way is out.

use super::own_contact::detect_own;
use crate::adapters::vertices::Vertices;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Candidates, Dofs, Laws, Names, Own, Shape, Shapes, SoftShape, opposes, two};
use impinge_contact::{Contact, Contacts, PlaneContacts, Prediction, Surface, SurfaceMap, contact_key};
use impinge_geometry::{DVec3, Pose};
use impinge_penalty::{Evaluate, Extent, Facing, Penetrating, detect_facing, detect_front, detect_mesh};
use impinge_query::MeshIndex;
use std::sync::Arc;

/// Vertex against surface and vertex against plane, at one time of the step.
#[derive(Debug)]
pub struct NarrowVertices {
    /// The time contact is evaluated at.
    pub at: Evaluate,
    /// Vertices are pushed against their own surface and not along it; see [`detect_facing`].
    pub facing: bool,
    names: Names,
    hits: Vec<Option<Penetrating>>,
    /// Trees of deformed surfaces by body, fitted once a step where a pair asks.
    soft: Vec<Option<SoftTree>>,
    moved: Vec<DVec3>,
}

/// The tree over a deformable's surface. It is kept from step to step for its splits alone: no answer depends on them
/// (see [`MeshIndex::update`]), so it is no state.
#[derive(Debug)]
struct SoftTree {
    /// The surface it was built for; a cut gives the body another.
    of: Arc<SoftShape>,
    index: MeshIndex,
    /// It stands where the surface is in this step.
    fresh: bool,
}

/// Boxes that have grown this much are worth a new tree.
const LOOSE: f64 = 2.0;

/// Fits the tree of a surface to its vertices (m, world); `None` for positions that make no mesh.
fn fit(tree: &mut Option<SoftTree>, of: &Arc<SoftShape>, vertices: &[DVec3]) -> Option<()> {
    if let Some(t) = tree.as_mut().filter(|t| Arc::ptr_eq(&t.of, of)) {
        if t.fresh {
            return Some(());
        }
        t.fresh = t.index.update(vertices).is_ok() && t.index.looseness() < LOOSE;
        if t.fresh {
            return Some(());
        }
    }
    *tree = None;
    let mesh = of.standing(vertices)?;
    *tree = Some(SoftTree { of: of.clone(), index: MeshIndex::new(&mesh), fresh: true });
    Some(())
}

impl NarrowVertices {
    /// For contact evaluated at this time; names for errors.
    pub fn new(at: Evaluate, facing: bool, names: Names) -> Self {
        Self { at, facing, names, hits: Vec::new(), soft: Vec::new(), moved: Vec::new() }
    }
}

impl Stage for NarrowVertices {
    type Io = (
        &'static SurfaceMap,
        &'static Shapes,
        &'static Laws,
        &'static Dofs,
        &'static Prediction,
        &'static Candidates,
        &'static mut Surface,
        &'static mut Contacts,
        &'static mut PlaneContacts,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "narrow"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["surface"]
    }

    fn run(
        &mut self,
        (map, shapes, laws, dofs, prediction, candidates, surface, contacts, planes): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        let at = Vertices::at(self.at, map, shapes, dofs, prediction);
        self.soft.resize_with(shapes.0.len(), || None);
        self.soft.iter_mut().flatten().for_each(|t| t.fresh = false);
        let t = if self.at == Evaluate::Start { 0.0 } else { 1.0 };
        contacts.clear();
        planes.clear();
        let mut place = |v: u32| map.place(v, dofs.bodies.view(), dofs.nodes.view(), prediction, surface);
        let c = candidates.view();
        let mut i = 0;
        while i < c.len() {
            // A run: the candidates of one side of one pair.
            let (pair, target) = (c.pair[i], c.target[i]);
            let end = i + c.pair[i..]
                .iter()
                .zip(&c.target[i..])
                .take_while(|&(&p, &t)| (p, t) == (pair, target))
                .count();
            let vertices = &c.vertex[i..end];
            let pose = &at.poses[target as usize];
            let surface_of = match &shapes.0[target as usize] {
                Shape::Mesh(m) => Some((&m.mesh, &m.index, *pose)),
                Shape::Soft(s) => {
                    let slot = &mut self.soft[target as usize];
                    // Against itself the rest pose answers; see `own_contact`.
                    let own = map.body_of(vertices[0]) == target;
                    if s.closed && !own && !slot.as_ref().is_some_and(|t| t.fresh) {
                        self.moved.clear();
                        self.moved.extend(map.range(target as usize).map(|v| at.position(v as u32)));
                        if fit(slot, s, &self.moved).is_none() {
                            *slot = None;
                        }
                    }
                    s.mesh.as_ref().zip(slot.as_ref()).map(|(m, t)| (m, &t.index, Pose::identity()))
                }
                Shape::Plane { .. } | Shape::Points { .. } => None,
            };
            self.hits.clear();
            self.hits.resize(vertices.len(), None);
            let mesh = match (&shapes.0[target as usize], surface_of) {
                (Shape::Soft(s), _) if map.body_of(vertices[0]) == target => {
                    if let (Some(Own::Solid(own)), Some(mesh)) = (&s.own, &s.mesh) {
                        detect_own(&at, map, target, own, mesh, vertices, &mut self.hits);
                    }
                    s.mesh.as_ref()
                }
                (target, Some((mesh, index, pose))) => {
                    let point = |k: usize| at.position(vertices[k]);
                    let facing = Facing {
                        opposes: |k: usize, n| opposes(shapes, map, |v| at.position(v), vertices[k], n),
                        reach: |k: usize| shapes.vertex_area(map, vertices[k]).sqrt(),
                    };
                    if let Some(open) = target.mesh().filter(|m| m.open) {
                        let own = Extent::of(&at, map.body_of(vertices[0]));
                        detect_front(point, &own, &facing, open, &pose, &mut self.hits);
                    } else if self.facing {
                        detect_facing(point, &facing, index, &pose, &mut self.hits);
                    } else {
                        detect_mesh(point, index, &pose, &mut self.hits);
                    }
                    Some(mesh)
                }
                _ => None,
            };
            match (&shapes.0[target as usize], mesh) {
                (_, Some(mesh)) => {
                    let first = map.first(target as usize);
                    for (&v, hit) in vertices.iter().zip(&self.hits) {
                        let Some(h) = hit else { continue };
                        let [a, b, d] = mesh.triangles()[h.triangle as usize].map(|k| first + k);
                        [v, a, b, d].into_iter().for_each(&mut place);
                        contacts.push(Contact {
                            stencil: [v, a, b, d],
                            weight: [1.0, -h.weights[0], -h.weights[1], -h.weights[2]],
                            normal: h.normal,
                            t_in: t,
                            t_out: t,
                            area: shapes.vertex_area(map, v),
                            pair,
                            key: contact_key(target, v),
                        });
                    }
                }
                (Shape::Plane { .. }, _) => {
                    for c in
                        vertices.iter().filter_map(|&v| at.plane_contact(v, target, pair, &dofs.bodies, 0.0))
                    {
                        place(c.vertex);
                        planes.push(c);
                    }
                }
                _ => {}
            }
            let (own, count) = (map.body_of(vertices[0]), contacts.len() + planes.len());
            laws.limits.contacts(count, || two(&self.names, own.min(target), own.max(target)))?;
            i = end;
        }
        Ok(Outcome::items(contacts.len() + planes.len()))
    }
}
