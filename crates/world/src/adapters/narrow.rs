//! narrow: for each candidate vertex, is it inside, how deep, which way is out.

use super::vertices::Vertices;
use crate::components::{Candidates, Dofs};
use crate::shapes::{Shape, Shapes};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::{Contact, Contacts, PlaneContacts, Prediction, Surface, SurfaceMap, contact_key};
use impinge_geometry::Pose;
use impinge_penalty::{Evaluate, Penetrating, detect_mesh};
use impinge_query::MeshIndex;

/// Vertex against surface and vertex against plane, at one time of the step.
#[derive(Debug)]
pub struct NarrowVertices {
    /// The time contact is evaluated at.
    pub at: Evaluate,
    hits: Vec<Option<Penetrating>>,
    /// Trees of deformed surfaces by body, built once a step where a pair asks.
    soft: Vec<Option<MeshIndex>>,
}

impl NarrowVertices {
    /// For contact evaluated at this time.
    pub fn new(at: Evaluate) -> Self {
        Self { at, hits: Vec::new(), soft: Vec::new() }
    }
}

impl Stage for NarrowVertices {
    type Io = (
        &'static SurfaceMap,
        &'static Shapes,
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
        (map, shapes, dofs, prediction, candidates, surface, contacts, planes): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        let at = Vertices::at(self.at, map, shapes, dofs, prediction);
        self.soft.clear();
        self.soft.resize_with(shapes.0.len(), || None);
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
                    let built = match (s.mesh.as_ref().filter(|_| s.closed), &slot) {
                        (Some(mesh), None) => {
                            let mut v = map.first(target as usize);
                            let world = mesh.mapped(|_| {
                                v += 1;
                                at.position(v - 1)
                            });
                            world.ok().map(|w| MeshIndex::new(&w))
                        }
                        _ => None,
                    };
                    if built.is_some() {
                        *slot = built;
                    }
                    s.mesh.as_ref().zip(slot.as_ref()).map(|(m, i)| (m, i, Pose::identity()))
                }
                Shape::Plane { .. } | Shape::Points { .. } => None,
            };
            match (&shapes.0[target as usize], surface_of) {
                (_, Some((mesh, index, pose))) => {
                    self.hits.clear();
                    self.hits.resize(vertices.len(), None);
                    detect_mesh(|k| at.position(vertices[k]), index, &pose, &mut self.hits);
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
                            area: at.area(v),
                            pair,
                            key: contact_key(target, v),
                        });
                    }
                }
                (Shape::Plane { .. }, _) => {
                    for c in vertices.iter().filter_map(|&v| at.plane_contact(v, target, pair, &dofs.bodies))
                    {
                        place(c.vertex);
                        planes.push(c);
                    }
                }
                _ => {}
            }
            i = end;
        }
        Ok(Outcome::items(contacts.len() + planes.len()))
    }
}
