//! Proximity: pairs of bodies whose boxes come within reach of each other, and which of their features do.

use crate::adapters::vertices::Vertices;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{
    Bounds, ContactError, Directions, Dofs, Laws, Names, PairFinder, Shape, ShapeKind, Shapes, outer_edges,
    two,
};
use impinge_broadphase::{CandidateWorkspace, CrossCandidates, FeatureTree, MOST_LEAF_PAIRS};
use impinge_contact::{
    Contact, Contacts, Pair, Pairs, PlaneContacts, Prediction, Sides, Surface, SurfaceMap, contact_key,
};
use impinge_cpf::{edge_edge_key, vertex_face_key};
use impinge_geometry::{DVec3, Topology, triangle_normal};
use impinge_penalty::{Evaluate, NearSurface, Part, near_edges, near_surface};

/// Fills the pair table: bodies whose boxes, grown by the reach in [`crate::adapters::PlaceSurface`], meet.
#[derive(Debug)]
pub struct NearPairs {
    /// The time contact is evaluated at.
    pub at: Evaluate,
    finder: PairFinder,
}

impl NearPairs {
    /// For contact evaluated at this time.
    #[must_use]
    pub fn new(at: Evaluate) -> Self {
        Self { at, finder: PairFinder::default() }
    }
}

impl Stage for NearPairs {
    type Io = (
        &'static Shapes,
        &'static Laws,
        &'static Dofs,
        &'static Prediction,
        &'static Bounds,
        &'static mut Pairs,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "broad: near"
    }

    fn run(
        &mut self,
        (shapes, laws, dofs, prediction, bounds, pairs): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        let poses = crate::adapters::evaluate::poses(laws.evaluated(self.at), dofs, prediction);
        let found = self.finder.find(shapes, laws, dofs, &[poses], &bounds.0)?;
        found.sort_unstable();
        pairs.clear();
        for &(a, b) in &*found {
            let Some((law, sides)) = laws.of(a, b) else { continue };
            // As between features found by their motion: two surfaces both ways, whatever they enclose.
            let kind = |s: u32| ShapeKind::of(&shapes.0[s as usize]);
            let sides = Directions::of_faces(kind(a), kind(b)).left_of(sides);
            pairs.push(Pair { a, b, law, sides });
        }
        Ok(Outcome::items(pairs.len()))
    }
}

/// One body's features at the time of evaluation.
struct Body {
    /// What the tree was built for; a cut gives the body another.
    of: Shape,
    tree: FeatureTree,
    x: Vec<DVec3>,
    /// The tree holds the boxes of this step.
    fresh: bool,
    /// Numbers of its first edge and face among those of all bodies.
    first: [u32; 2],
}

/// Vertices near surfaces and edges near edges, at one time of the step.
pub struct NearFeatures {
    /// The time contact is evaluated at.
    pub at: Evaluate,
    /// Distance below which features push each other (m).
    pub reach: f64,
    names: Names,
    bodies: Vec<Option<Body>>,
    workspace: CandidateWorkspace,
    list: CrossCandidates,
    turned: Vec<(u32, u32)>,
    /// Vertices that are near each other, of the first body and of the second.
    met: Vec<(u32, u32)>,
    near: [Vec<NearSurface>; 2],
    below: Vec<u32>,
}

impl NearFeatures {
    /// For contact evaluated at this time from this distance (m) on; names for errors.
    #[must_use]
    pub fn new(at: Evaluate, reach: f64, names: Names) -> Self {
        Self {
            at,
            reach,
            names,
            bodies: Vec::new(),
            workspace: CandidateWorkspace::new(),
            list: CrossCandidates::default(),
            turned: Vec::new(),
            met: Vec::new(),
            near: Default::default(),
            below: Vec::new(),
        }
    }

    /// Brings a body's tree to where the body is; `false` where it has no surface.
    fn place(&mut self, b: u32, vertices: &Vertices<'_>, first: [u32; 2]) -> Result<bool, ContactError> {
        let shape = &vertices.shapes.0[b as usize];
        let Some((mesh, topology)) = shape.surface() else { return Ok(false) };
        let tree_error = |source| ContactError::Tree {
            body: self.names.get(b as usize).cloned().unwrap_or_default(),
            source,
        };
        let slot = &mut self.bodies[b as usize];
        if slot.as_ref().is_some_and(|s| s.fresh) {
            return Ok(true);
        }
        let mut x = slot.as_mut().map(|s| std::mem::take(&mut s.x)).unwrap_or_default();
        x.clear();
        x.extend(vertices.map.range(b as usize).map(|v| vertices.position(v as u32)));
        let kept = slot.take().filter(|s| s.of.is(shape)).map(|s| s.tree);
        let mut tree = match kept {
            Some(tree) => tree,
            None => {
                // As for swept features: an edge in a plane side of a rigid body is where a mesh has put it.
                let outer = matches!(shape, Shape::Mesh(_)).then(|| outer_edges(mesh, topology));
                let keep = |e: u32| outer.as_ref().is_none_or(|o| o[e as usize]);
                FeatureTree::with_edges(mesh.triangles(), topology, &x, keep).map_err(tree_error)?
            }
        };
        tree.update(&x, &x, 0.5 * self.reach).map_err(tree_error)?;
        *slot = Some(Body { of: shape.clone(), tree, x, fresh: true, first });
        Ok(true)
    }
}

/// Marks the names of further contacts of a vertex with a body; a bit that slots and vertices do not reach.
const ALSO: u64 = 1 << 62;

/// Sum of the unit normals of the faces at an edge.
fn normals(body: &Body, topology: &Topology, edge: u32) -> DVec3 {
    let Some((mesh, _)) = body.of.surface() else { return DVec3::zero() };
    let corners = |f: &u32| mesh.triangles()[*f as usize].map(|v| body.x[v as usize]);
    topology
        .faces_of_edge(edge)
        .iter()
        .filter_map(|f| triangle_normal(corners(f)))
        .fold(DVec3::zero(), |s, n| s + n)
}

/// Where the contacts of a pair go.
struct Found<'a, P> {
    contacts: &'a mut Contacts,
    /// Places a surface vertex for the response.
    place: P,
    pair: u32,
    /// When contact is evaluated, as a part of the step.
    t: f64,
}

impl<P: FnMut(u32)> Found<'_, P> {
    fn push(&mut self, stencil: [u32; 4], weight: [f64; 4], normal: DVec3, area: f64, key: u64) {
        stencil.into_iter().for_each(&mut self.place);
        let (t, pair) = (self.t, self.pair);
        self.contacts.push(Contact { stencil, weight, normal, t_in: t, t_out: t, area, pair, key });
    }
}

impl NearFeatures {
    /// Contacts of two surfaces that have been placed; `on`: whether the vertices of the first, of the second are tested.
    fn between(
        &mut self,
        at: &Vertices<'_>,
        [a, b]: [u32; 2],
        on: [bool; 2],
        laws: &Laws,
        out: &mut Found<'_, impl FnMut(u32)>,
    ) -> Result<(), ContactError> {
        let [Some(one), Some(other)] = [a, b].map(|s| self.bodies[s as usize].as_ref()) else {
            return Ok(());
        };
        one.tree.candidates(&other.tree, &mut self.workspace, &mut self.list);
        let list = &self.list;
        let count = list.vertex_face.len() + list.face_vertex.len() + list.edge_edge.len();
        laws.limits.candidates(count, || two(&self.names, a, b))?;
        if self.workspace.left_out() > 0 {
            let [a, b] = two(&self.names, a, b);
            let left_out = self.workspace.left_out();
            return Err(ContactError::TooManyCandidates { a, b, most: MOST_LEAF_PAIRS, left_out });
        }
        self.turned.clear();
        self.turned.extend(list.face_vertex.iter().map(|&(f, v)| (v, f)));
        self.turned.sort_unstable();
        let [scratch, near] = &mut self.near;
        self.met.clear();
        let area = |v: u32| at.shapes.vertex_area(at.map, v);
        let first = |s: u32| at.map.first(s as usize);
        for (k, (list, from, to)) in
            [(&list.vertex_face, (a, one), (b, other)), (&self.turned, (b, other), (a, one))]
                .into_iter()
                .enumerate()
        {
            let Some((mesh, topology)) = to.1.of.surface().filter(|_| on[k]) else { continue };
            for run in list.chunk_by(|p, q| p.0 == q.0) {
                let (v, faces) = (run[0].0, run.iter().map(|p| p.1));
                let surface = (mesh.triangles(), topology);
                near.clear();
                near_surface(from.1.x[v as usize], faces, surface, &to.1.x, self.reach, scratch, near);
                // The nearest is the vertex' contact with the body, by the name that a deeper one would have; the rest have names of their own.
                let nearest = (near.iter().enumerate())
                    .min_by(|p, q| p.1.distance.total_cmp(&q.1.distance))
                    .map(|(i, _)| i);
                for (i, n) in near.iter().enumerate() {
                    let [p, q, r] = mesh.triangles()[n.face as usize].map(|c| first(to.0) + c);
                    let (vertex, w) = (first(from.0) + v, n.weights);
                    if let Part::Vertex(other) = n.part {
                        let both = [(vertex, first(to.0) + other), (first(to.0) + other, vertex)][k];
                        if k == 0 {
                            self.met.push(both);
                        } else if self.met.binary_search(&both).is_ok() {
                            continue;
                        }
                    }
                    let key = if Some(i) == nearest {
                        contact_key(to.0, vertex)
                    } else {
                        ALSO | vertex_face_key(vertex, to.1.first[1] + n.face)
                    };
                    out.push([vertex, p, q, r], [1.0, -w[0], -w[1], -w[2]], n.normal, area(vertex), key);
                }
            }
            if k == 0 {
                self.met.sort_unstable();
            }
        }
        let (Some((_, of_a)), Some((_, of_b)), [true, true]) = (one.of.surface(), other.of.surface(), on)
        else {
            return Ok(());
        };
        for &(e, f) in &list.edge_edge {
            let ends = [of_a.edges()[e as usize], of_b.edges()[f as usize]];
            let places = [(one, ends[0]), (other, ends[1])].map(|(s, ends)| ends.map(|v| s.x[v as usize]));
            let free = || normals(other, of_b, f) - normals(one, of_a, e);
            let Some(n) = near_edges(places[0], places[1], self.reach, free) else { continue };
            let ([s, u], [p, q]) = (n.parameters, ends[0].map(|v| first(a) + v));
            let [c, d] = ends[1].map(|v| first(b) + v);
            // The finer mesh makes the contacts.
            let area = [p, q, c, d].map(area).into_iter().fold(f64::INFINITY, f64::min);
            let key = edge_edge_key(one.first[0] + e, other.first[0] + f);
            out.push([p, q, c, d], [1.0 - s, s, u - 1.0, -u], n.normal, area, key);
        }
        Ok(())
    }
}

impl std::fmt::Debug for NearFeatures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NearFeatures").field("at", &self.at).field("reach", &self.reach).finish()
    }
}

impl Stage for NearFeatures {
    type Io = (
        &'static SurfaceMap,
        &'static Shapes,
        &'static Laws,
        &'static Dofs,
        &'static Prediction,
        &'static Pairs,
        &'static mut Surface,
        &'static mut Contacts,
        &'static mut PlaneContacts,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "narrow: near"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["surface"]
    }

    fn run(
        &mut self,
        (map, shapes, laws, dofs, prediction, pairs, surface, contacts, planes): <Self::Io as Query>::Item<
            '_,
        >,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        let at = Vertices::at(laws.evaluated(self.at), map, shapes, dofs, prediction);
        let t = if laws.evaluated(self.at) == Evaluate::Start { 0.0 } else { 1.0 };
        contacts.clear();
        planes.clear();
        self.bodies.resize_with(shapes.0.len(), || None);
        self.bodies.iter_mut().flatten().for_each(|s| s.fresh = false);
        // Features are numbered over all bodies, for their names.
        let mut firsts = Vec::with_capacity(shapes.0.len());
        let mut first = [0u32; 2];
        for shape in &shapes.0 {
            firsts.push(first);
            if let Some((mesh, topology)) = shape.surface() {
                first[0] += topology.edges().len() as u32;
                first[1] += mesh.triangles().len() as u32;
            }
        }
        for pair in 0..pairs.len() {
            let (a, b, sides) = (pairs.a[pair], pairs.b[pair], pairs.sides[pair]);
            let directions = [(a, b, sides != Sides::Second), (b, a, sides != Sides::First)];
            let mut place = |v: u32| map.place(v, dofs.bodies.view(), dofs.nodes.view(), prediction, surface);
            let surfaces =
                self.place(a, &at, firsts[a as usize])? && self.place(b, &at, firsts[b as usize])?;
            if surfaces {
                let mut found = Found { contacts, place: &mut place, pair: pair as u32, t };
                self.between(&at, [a, b], directions.map(|d| d.2), laws, &mut found)?;
            } else {
                for (own, target, _) in directions.into_iter().filter(|d| d.2) {
                    at.near_plane(own, target, self.reach, &mut self.below);
                    for &v in &self.below {
                        let near = at.plane_contact(v, target, pair as u32, &dofs.bodies, self.reach);
                        near.into_iter().for_each(|c| {
                            place(c.vertex);
                            planes.push(c);
                        });
                    }
                }
            }
            let count = contacts.len() + planes.len();
            laws.limits.contacts(count, || two(&self.names, a, b))?;
        }
        Ok(Outcome::items(contacts.len() + planes.len()))
    }
}
