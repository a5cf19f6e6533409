//! narrow: for each candidate vertex, is it inside, how deep, which way is out.

use super::own_contact::detect_own;
use crate::adapters::vertices::Vertices;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{
    Candidates, Dofs, Laws, Names, Own, Shape, Shapes, SoftShape, Stand, in_mesh, in_mesh_facing, opposes,
    two,
};
use impinge_contact::{Contact, Contacts, PlaneContacts, Prediction, Surface, SurfaceMap, contact_key, par};
use impinge_geometry::{DVec3, Pose};
use impinge_penalty::{Evaluate, Extent, Facing, Penetrating, detect_front};
use impinge_query::MeshIndex;
use std::sync::Arc;

/// Vertex against surface and vertex against plane, at one time of the step.
#[derive(Debug)]
pub struct NarrowVertices {
    /// The time contact is evaluated at.
    pub at: Evaluate,
    /// Vertices are pushed against their own surface and not along it; see [`impinge_penalty::detect_facing`].
    pub facing: bool,
    names: Names,
    runs: Vec<Run>,
    /// By candidate.
    hits: Vec<Option<Penetrating>>,
    /// Trees of deformed surfaces by body, fitted once a step where a pair asks.
    soft: Vec<Option<SoftTree>>,
    moved: Vec<DVec3>,
}

/// The candidates of one side of one pair.
#[derive(Debug)]
struct Run {
    /// The first of them, and where the next run begins.
    range: [usize; 2],
    pair: u32,
    target: u32,
    /// The body against itself.
    own: bool,
    /// Where the target's mesh stands.
    at: Stand,
}

/// Vertices that are placed in the time that testing one candidate takes, about: where no more are there for each, all are placed once.
const ALL: usize = 16;

/// Candidates tested in one go, of as many pairs as there are among them.
const CHUNK: usize = 64;

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
    #[must_use]
    pub fn new(at: Evaluate, facing: bool, names: Names) -> Self {
        Self { at, facing, names, runs: Vec::new(), hits: Vec::new(), soft: Vec::new(), moved: Vec::new() }
    }

    /// Tests the candidates of all runs against meshes that are closed, but for bodies against themselves.
    fn find(&mut self, at: &Vertices<'_>, (map, shapes): (&SurfaceMap, &Shapes), vertices: &[u32]) {
        self.hits.clear();
        self.hits.resize(vertices.len(), None);
        let Self { runs, soft, facing, hits, .. } = self;
        let inside = |run: &Run, v: u32| {
            let target = run.target as usize;
            let index = match &shapes.0[target] {
                Shape::Mesh(m) if !m.open => &m.index,
                Shape::Soft(_) if !run.own => &soft[target].as_ref()?.index,
                _ => return None,
            };
            let x = at.position(v);
            if !*facing {
                return in_mesh(x, index, &run.at);
            }
            let opposes = |n| opposes(shapes, map, |v| at.position(v), v, n);
            in_mesh_facing(x, opposes, || shapes.vertex_area(map, v).sqrt(), index, &run.at)
        };
        par::for_each_chunk(hits, CHUNK, |c, hits| {
            let mut at_run = runs.partition_point(|r| r.range[1] <= c * CHUNK);
            for (i, hit) in (c * CHUNK..).zip(hits) {
                at_run += usize::from(runs.get(at_run).is_some_and(|r| r.range[1] <= i));
                if let Some(run) = runs.get(at_run) {
                    *hit = inside(run, vertices[i]);
                }
            }
        });
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
        let at = Vertices::at(laws.evaluated(self.at), map, shapes, dofs, prediction);
        self.soft.resize_with(shapes.0.len(), || None);
        self.soft.iter_mut().flatten().for_each(|t| t.fresh = false);
        let at_start = laws.evaluated(self.at) == Evaluate::Start;
        let t = if at_start { 0.0 } else { 1.0 };
        contacts.clear();
        planes.clear();
        let c = candidates.view();
        let all = map.vertices() <= ALL * c.len();
        if all {
            map.place_all(dofs.bodies.view(), dofs.nodes.view(), prediction, surface);
        }
        let placed = if at_start { &surface.x0 } else { &surface.x1 };
        let at = Vertices { placed: all.then_some(&placed[..]), ..at };
        self.runs.clear();
        let mut i = 0;
        while i < c.len() {
            let (pair, target) = (c.pair[i], c.target[i]);
            let same = |&(&p, &t): &(&u32, &u32)| (p, t) == (pair, target);
            let end = i + c.pair[i..].iter().zip(&c.target[i..]).take_while(same).count();
            let own = map.body_of(c.vertex[i]) == target;
            let pose = match &shapes.0[target as usize] {
                Shape::Mesh(_) => at.poses[target as usize],
                Shape::Soft(s) => {
                    let slot = &mut self.soft[target as usize];
                    // Against itself the rest pose answers; see `own_contact`.
                    if s.closed && !own && !slot.as_ref().is_some_and(|t| t.fresh) {
                        self.moved.clear();
                        self.moved.extend(map.range(target as usize).map(|v| at.position(v as u32)));
                        if fit(slot, s, &self.moved).is_none() {
                            *slot = None;
                        }
                    }
                    Pose::identity()
                }
                Shape::Plane { .. } | Shape::Points { .. } => Pose::identity(),
            };
            self.runs.push(Run { range: [i, end], pair, target, own, at: Stand::new(&pose) });
            i = end;
        }
        self.find(&at, (map, shapes), c.vertex);
        for run in &self.runs {
            let Run { range: [from, end], pair, target, own, .. } = *run;
            let (vertices, hits) = (&c.vertex[from..end], &mut self.hits[from..end]);
            let mesh = match &shapes.0[target as usize] {
                Shape::Mesh(m) => {
                    if m.open {
                        let facing = Facing {
                            opposes: |k: usize, n| opposes(shapes, map, |v| at.position(v), vertices[k], n),
                            reach: |k: usize| shapes.vertex_area(map, vertices[k]).sqrt(),
                        };
                        let (point, own) =
                            (|k: usize| at.position(vertices[k]), Extent::of(&at, map.body_of(vertices[0])));
                        detect_front(point, &own, &facing, m, &at.poses[target as usize], hits);
                    }
                    Some(&m.mesh)
                }
                Shape::Soft(s) => {
                    if let (true, Some(Own::Solid(own)), Some(mesh)) = (own, &s.own, &s.mesh) {
                        detect_own(&at, map, target, own, mesh, vertices, hits);
                    }
                    s.mesh.as_ref().filter(|_| own || self.soft[target as usize].is_some())
                }
                Shape::Plane { .. } | Shape::Points { .. } => None,
            };
            match (&shapes.0[target as usize], mesh) {
                (_, Some(mesh)) => {
                    let first = map.first(target as usize);
                    for (&v, hit) in vertices.iter().zip(&*hits) {
                        let Some(h) = hit else { continue };
                        let [a, b, d] = mesh.triangles()[h.triangle as usize].map(|k| first + k);
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
                    let below = |&v: &u32| at.plane_contact(v, target, pair, &dofs.bodies, 0.0);
                    vertices.iter().filter_map(below).for_each(|c| planes.push(c));
                }
                _ => {}
            }
            let (own, count) = (map.body_of(vertices[0]), contacts.len() + planes.len());
            laws.limits.contacts(count, || two(&self.names, own.min(target), own.max(target)))?;
        }
        if !all {
            let named = contacts.stencil.iter().flatten().chain(&planes.vertex);
            for &v in named {
                map.place(v, dofs.bodies.view(), dofs.nodes.view(), prediction, surface);
            }
        }
        Ok(Outcome::items(contacts.len() + planes.len()))
    }
}
