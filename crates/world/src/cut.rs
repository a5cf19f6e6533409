//! Topology change between steps: what was planned when the world was built, and what a caller asks for.
//!
//! Takes a change of one body, gives a world whose surface, surface map, elastic system and node rows are those of the
//! body as it is now. Broad phase and query trees of deformables are built in the step from the surface, so they follow.
//! Positions and velocities are interpolated; linear and angular momentum are kept to rounding. Friction anchors stay
//! with the vertices that were there before.
//!
//! Tables are made anew by the same code that built the world, from the bodies as they are described now: a cut world has
//! the layout of a world that was built cut. The changes themselves are state: a snapshot holds them, and restoring one
//! replays them from the bodies as they were built.

use crate::body::{BodyDesc, Motion};
use crate::check::BuildError;
use crate::components::{Candidates, Decisions, Dofs, Elastic, Forces, NodeState, Operator, State};
use crate::deformable::{Deformable, Matter};
use crate::edit::{Change, Edit, Edited};
use crate::layout::{Layout, lay_out};
use crate::qp::Multipliers;
use crate::renumber::{FeatureNumbers, Renumber, surface_of};
use crate::shapes::{Shape, Shapes};
use crate::simulation::Simulation;
use crate::swept::Tracked;
use impinge_contact::{
    Advanced, Anchors, Contacts, Ledger, Loads, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap,
    contact_key,
};
use impinge_geometry::edit::{CutOptions, NodeMap, TopologyEdit, plane_values};
use impinge_geometry::{DVec3, is_finite, try_normalized};
use impinge_integrators::{ElasticSettings, Scheme};
use std::sync::Arc;

/// A cut by a plane, planned for a time of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// When (s): before the step that starts then.
    pub time: f64,
    /// Slot of a deformable.
    pub slot: u32,
    /// A point of the plane (m, world), where the body is by then.
    pub point: DVec3,
    /// Across the plane; any length but 0.
    pub normal: DVec3,
    /// Lowest and highest corner (m, world) of the region that is cut: elements whose middle lies in it. `None` for all.
    pub within: Option<[DVec3; 2]>,
    /// How near to a node the cut may pass before it goes through it instead, as a fraction of the edge; see
    /// [`CutOptions::snap`].
    pub snap: f64,
}

/// A finer mesh from some time on: every edge of the elements in a region gets a node in its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refine {
    /// When (s): before the step that starts then.
    pub time: f64,
    /// Slot of a deformable.
    pub slot: u32,
    /// Lowest and highest corner (m, world) of the region that is refined: elements whose middle lies in it. `None` for all.
    pub within: Option<[DVec3; 2]>,
}

/// What is planned for some time of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Planned {
    Cut(Cut),
    Refine(Refine),
}

impl Planned {
    fn time(&self) -> f64 {
        match self {
            Self::Cut(c) => c.time,
            Self::Refine(r) => r.time,
        }
    }

    fn slot(&self) -> u32 {
        match self {
            Self::Cut(c) => c.slot,
            Self::Refine(r) => r.slot,
        }
    }
}

/// What a change did to the state, besides what was taken away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EditReport {
    /// Nodes before and after.
    pub nodes: [usize; 2],
    /// Surface vertices before and after.
    pub surface: [usize; 2],
    /// Mass of removed elements (kg).
    pub removed_mass: f64,
    /// Linear momentum after, plus what was removed, minus before (kg m/s).
    pub linear_change: DVec3,
    /// The same for angular momentum (kg m²/s).
    pub angular_change: DVec3,
    /// The same for kinetic energy (J).
    pub kinetic_change: f64,
}

/// What the tables of a world are made from. Empty without deformables: nothing else can change.
#[derive(Debug)]
pub(crate) struct Recipe {
    built: Arc<[BodyDesc]>,
    bodies: Vec<BodyDesc>,
    pub(crate) scheme: Scheme,
    settings: ElasticSettings,
    planned: Vec<Planned>,
    edits: Vec<Arc<Edit>>,
    maps: Vec<Arc<NodeMap>>,
}

impl Recipe {
    pub fn new(
        bodies: Vec<BodyDesc>,
        scheme: Scheme,
        settings: ElasticSettings,
        mut planned: Vec<Planned>,
    ) -> Self {
        let soft = bodies.iter().any(|b| matches!(b.motion, Motion::Deformable(_)));
        let bodies = if soft { bodies } else { Vec::new() };
        planned.sort_by(|a, b| a.time().total_cmp(&b.time()));
        let built = bodies.clone().into();
        Self { built, bodies, scheme, settings, planned, edits: Vec::new(), maps: Vec::new() }
    }

    fn deformable(&self, slot: u32) -> Option<&Arc<Deformable>> {
        match &self.bodies.get(slot as usize)?.motion {
            Motion::Deformable(d) => Some(d),
            _ => None,
        }
    }

    /// The bodies with one of them replaced.
    fn with(&self, slot: u32, body: Deformable) -> Vec<BodyDesc> {
        let mut bodies = self.bodies.clone();
        let b = &mut bodies[slot as usize];
        b.shape = Shape::Soft(body.surface.clone());
        b.motion = Motion::Deformable(Arc::new(body));
        bodies
    }
}

/// Refuses planned changes that could not be made.
pub(crate) fn check_planned(planned: &[Planned], bodies: &[BodyDesc]) -> Result<(), BuildError> {
    for p in planned {
        let (what, done) = match p {
            Planned::Cut(_) => ("cut", "cut"),
            Planned::Refine(_) => ("refinement", "refined"),
        };
        let Some(body) = bodies.get(p.slot() as usize) else {
            let what = format!("a {what} names slot {}, but there are {} bodies", p.slot(), bodies.len());
            return Err(BuildError::BadSetting(what));
        };
        let refuse = |reason: String| Err(BuildError::Deformable { body: body.name.clone(), reason });
        match &body.motion {
            Motion::Deformable(d) if d.can_be_cut() => {}
            _ => {
                return refuse(format!(
                    "it cannot be {done}: only a deformable solid with its own boundary and a sheet can"
                ));
            }
        }
        if !(p.time().is_finite() && p.time() >= 0.0) {
            return refuse(format!("it is to be {done} at {} s; give a time from 0", p.time()));
        }
        let Planned::Cut(c) = p else { continue };
        if !is_finite(c.point) || try_normalized(c.normal).is_none() {
            return refuse(
                "the plane it is to be cut by needs a finite point and a normal with a length".to_string(),
            );
        }
        if !(0.0..=0.5).contains(&c.snap) {
            return refuse(format!("the `snap` of its cut is {}; give 0 to 0.5", c.snap));
        }
    }
    Ok(())
}

/// The edges of the elements that are marked (all where nothing says which), each once.
fn edges_of<const K: usize>(elements: &[[u32; K]], within: Option<&[bool]>) -> Vec<[u32; 2]> {
    let mut edges = Vec::new();
    for (_, e) in elements.iter().enumerate().filter(|(i, _)| within.is_none_or(|w| w[*i])) {
        edges.extend((0..K).flat_map(|j| (0..j).map(move |k| [e[j].min(e[k]), e[j].max(e[k])])));
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

impl Simulation {
    /// The changes of topology so far.
    pub fn edits(&self) -> &[Arc<Edit>] {
        &self.recipe.edits
    }

    /// The nodes of the body each of [`Simulation::edits`] changed, as sums of those before it.
    pub fn node_maps(&self) -> &[Arc<NodeMap>] {
        &self.recipe.maps
    }

    /// The rest mesh of a deformable as it is now, and what fills it.
    pub fn deformable(&self, slot: u32) -> Option<&Deformable> {
        self.recipe.deformable(slot).map(Arc::as_ref)
    }

    /// Changes the topology of a body between two steps. Element and node numbers are those of
    /// [`Simulation::deformable`] and [`Simulation::nodes_of`].
    ///
    /// # Errors
    /// The reason; the world is as it was.
    pub fn edit(&mut self, slot: u32, change: Change) -> Result<EditReport, String> {
        self.apply_edit(slot, change, false)
    }

    /// Makes the planned changes whose time has come.
    pub(crate) fn make_planned(&mut self) -> Result<(), (u32, String)> {
        let done = self.recipe.edits.iter().filter(|e| e.planned).count();
        let until = self.time() + 0.5 * self.dt();
        for i in done..self.recipe.planned.len() {
            let planned = self.recipe.planned[i];
            if planned.time() > until {
                break;
            }
            let slot = planned.slot();
            let change = match planned {
                Planned::Cut(cut) => self.plane_cut(&cut),
                Planned::Refine(r) => self.refinement(&r),
            };
            self.apply_edit(slot, change.map_err(|e| (slot, e))?, true).map_err(|e| (slot, e))?;
        }
        Ok(())
    }

    fn matter(&self, slot: u32) -> Result<&Matter, String> {
        let matter = self.recipe.deformable(slot).and_then(|d| d.matter.as_ref());
        matter.ok_or("it has no elements to change".to_string())
    }

    /// Which elements of a body have their middle in a region.
    fn elements_within(&self, slot: u32, region: Option<[DVec3; 2]>) -> Result<Option<Vec<bool>>, String> {
        let Some([lo, hi]) = region else { return Ok(None) };
        let state = self.column::<NodeState>();
        let x = &state.x[self.nodes_of(slot)];
        let inside = |element: &[u32]| {
            let sum = element.iter().fold(DVec3::zero(), |s, &n| s + x[n as usize]);
            let p = sum / element.len() as f64;
            (0..3).all(|k| lo[k] <= p[k] && p[k] <= hi[k])
        };
        Ok(Some(match self.matter(slot)? {
            Matter::Solid { mesh, .. } => mesh.tets().iter().map(|t| inside(t)).collect(),
            Matter::Sheet { mesh, .. } => mesh.triangles().iter().map(|t| inside(t)).collect(),
        }))
    }

    fn plane_cut(&self, cut: &Cut) -> Result<Change, String> {
        let within = self.elements_within(cut.slot, cut.within)?;
        let state = self.column::<NodeState>();
        let x = &state.x[self.nodes_of(cut.slot)];
        let value = plane_values(x, cut.point, cut.normal).map_err(|e| e.to_string())?;
        Ok(Change::Cut { value, within, options: CutOptions { snap: cut.snap, ..CutOptions::default() } })
    }

    fn refinement(&self, refine: &Refine) -> Result<Change, String> {
        let within = self.elements_within(refine.slot, refine.within)?;
        let within = within.as_deref();
        Ok(Change::Bisect(match self.matter(refine.slot)? {
            Matter::Solid { mesh, .. } => edges_of(mesh.tets(), within),
            Matter::Sheet { mesh, .. } => edges_of(mesh.triangles(), within),
        }))
    }

    fn apply_edit(&mut self, slot: u32, change: Change, planned: bool) -> Result<EditReport, String> {
        let Some(old) = self.recipe.deformable(slot).cloned() else {
            return Err(format!("body {slot} is no deformable; only deformables can be cut or refined"));
        };
        let range = self.nodes_of(slot);
        let edited = {
            let state = self.column::<NodeState>();
            let name = &self.names()[slot as usize];
            old.edited(name, &change, &state.x[range.clone()], &state.v[range.clone()])?
        };
        let Edited { body, carried, nodes, vertex_origin, triangle_origin } = edited;
        let report = EditReport {
            nodes: [range.len(), nodes.len()],
            surface: [old.surface.vertices, body.surface.vertices],
            removed_mass: carried.removed_mass,
            linear_change: carried.linear_change,
            angular_change: carried.angular_change,
            kinetic_change: carried.kinetic_change,
        };
        let bodies = self.recipe.with(slot, body);
        let layout = lay_out(&bodies, self.recipe.scheme, self.recipe.settings, self.dt())
            .map_err(|e| e.to_string())?;
        let state = {
            let old = self.column::<NodeState>();
            let splice = |column: &[DVec3], new: &[DVec3]| -> Vec<DVec3> {
                [&column[..range.start], new, &column[range.end..]].concat()
            };
            NodeState {
                x: splice(&old.x, &carried.x),
                v: splice(&old.v, &carried.v),
                guess: splice(&old.guess, &nodes.carry(&old.guess[range.clone()])),
            }
        };
        let grown = nodes.len() as i64 - range.len() as i64;
        let (anchors, tracked) = {
            let (map, shapes) = (self.column::<SurfaceMap>(), self.column::<Shapes>());
            let open = self.column::<Tracked>();
            let (before, after) =
                (FeatureNumbers::of(&map, &shapes), FeatureNumbers::of(&layout.map, &layout.shapes));
            let b = slot as usize;
            let places =
                [surface_of(&map, b, &self.column::<NodeState>().x), surface_of(&layout.map, b, &state.x)];
            let origin = [&vertex_origin[..], &triangle_origin[..]];
            let renumber = Renumber::new([before, after], slot, origin, &layout.shapes, places);
            let held = &self.column::<State>().0;
            (moved_anchors(held, &map, &layout.map, slot, &vertex_origin), renumber.tracked(&open))
        };
        self.install(layout, state, anchors, |node| {
            if (node as usize) < range.end { node } else { (i64::from(node) + grown) as u32 }
        });
        let arena = self.arena();
        if let Ok(column) = self.world_mut().query_one_mut::<&mut Tracked>(arena) {
            *column = tracked;
        }
        // Their keys are numbers of features, which have moved up: the next step starts cold and not from another contact's multiplier.
        if let Ok(known) = self.world_mut().query_one_mut::<&mut Multipliers>(arena) {
            known.0.clear();
        }
        self.recipe.bodies = bodies;
        self.recipe.edits.push(Arc::new(Edit { slot, change, planned }));
        self.recipe.maps.push(Arc::new(nodes));
        Ok(report)
    }

    /// Puts new tables in the place of the old ones; whatever was about the step before goes.
    fn install(&mut self, layout: Layout, state: NodeState, anchors: Anchors, node: impl Fn(u32) -> u32) {
        let arena = self.arena();
        let bodies = self.names().len();
        let world = self.world_mut();
        let mut node_loads = Loads::default();
        node_loads.shape(state.x.len(), 0);
        if let Ok((map, shapes, elastic, dofs, nodes, anchored)) = world.query_one_mut::<(
            &mut SurfaceMap,
            &mut Shapes,
            &mut Elastic,
            &mut Dofs,
            &mut NodeState,
            &mut State,
        )>(arena)
        {
            (*map, *shapes, *elastic, *nodes) = (layout.map, layout.shapes, layout.elastic, state);
            dofs.nodes = layout.dofs.nodes;
            dofs.nodes.x.copy_from_slice(&nodes.x);
            dofs.nodes.v.copy_from_slice(&nodes.v);
            anchored.0 = anchors;
        }
        if let Ok((map, surface, loads)) =
            world.query_one_mut::<(&SurfaceMap, &mut Surface, &mut Loads)>(arena)
        {
            (*surface, *loads) = (Surface::default(), Loads::default());
            map.shape(surface);
            loads.shape(map.vertices(), map.bodies());
        }
        if let Ok((forces, operator)) = world.query_one_mut::<(&mut Forces, &mut Operator)>(arena) {
            forces.0.anchors.iter_mut().for_each(|a| a.node = a.node.map(&node));
            *operator = Operator { node_loads, ..Operator::default() };
        }
        if let Ok((ledger, decisions, pairs, candidates, contacts, planes, prediction, advanced)) = world
            .query_one_mut::<(
                &mut Ledger,
                &mut Decisions,
                &mut Pairs,
                &mut Candidates,
                &mut Contacts,
                &mut PlaneContacts,
                &mut Prediction,
                &mut Advanced,
            )>(arena)
        {
            ledger.reset(bodies);
            decisions.clear();
            pairs.clear();
            candidates.clear();
            contacts.clear();
            planes.clear();
            (*prediction, *advanced) = (Prediction::default(), Advanced::default());
        }
    }

    /// What these edits lead to, from the bodies as they were built; `None` where the world is already there.
    pub(crate) fn plan(&self, edits: &[Arc<Edit>]) -> Result<Option<Plan>, String> {
        if self.recipe.edits == edits {
            return Ok(None);
        }
        let mut bodies = self.recipe.built.to_vec();
        let mut maps = Vec::new();
        for e in edits {
            let Some(b) = bodies.get_mut(e.slot as usize) else {
                return Err(format!("the snapshot cut body {}, which is not there", e.slot));
            };
            let Motion::Deformable(d) = &b.motion else {
                return Err(format!("the snapshot cut body {}, which is no deformable here", e.slot));
            };
            let still = vec![DVec3::zero(); d.positions.len()];
            let edited = d.edited(&b.name, &e.change, &d.positions, &still)?;
            b.shape = Shape::Soft(edited.body.surface.clone());
            b.motion = Motion::Deformable(Arc::new(edited.body));
            maps.push(Arc::new(edited.nodes));
        }
        let layout = lay_out(&bodies, self.recipe.scheme, self.recipe.settings, self.dt())
            .map_err(|e| e.to_string())?;
        Ok(Some(Plan { layout, bodies, maps, edits: edits.to_vec() }))
    }

    /// Brings the topology to where a plan leads. State is that of the start; whoever calls this overwrites it.
    pub(crate) fn follow(&mut self, plan: Plan) {
        let (before, after) = (first_nodes(&self.recipe.bodies), first_nodes(&plan.bodies));
        // Particles keep their springs: a node keeps its place within its body.
        let node = |n: u32| {
            let b = before.partition_point(|f| *f <= n) - 1;
            after[b] + (n - before[b])
        };
        let state = plan.layout.nodes.clone();
        self.install(plan.layout, state, Anchors::default(), node);
        self.recipe.bodies = plan.bodies;
        self.recipe.edits = plan.edits;
        self.recipe.maps = plan.maps;
    }
}

/// A topology that a snapshot asks for.
pub(crate) struct Plan {
    pub layout: Layout,
    bodies: Vec<BodyDesc>,
    maps: Vec<Arc<NodeMap>>,
    edits: Vec<Arc<Edit>>,
}

/// First node of each body.
fn first_nodes(bodies: &[BodyDesc]) -> Vec<u32> {
    let mut at = 0;
    let mut out = Vec::new();
    for b in bodies {
        out.push(at);
        at += match &b.motion {
            Motion::Particles { positions, .. } => positions.len(),
            Motion::Deformable(d) => d.positions.len(),
            _ => 0,
        } as u32;
    }
    out
}

/// Anchors under the new vertex numbers; a vertex that came apart hands its anchor to both.
fn moved_anchors(
    old: &Anchors,
    before: &SurfaceMap,
    after: &SurfaceMap,
    slot: u32,
    vertex_origin: &[u32],
) -> Anchors {
    let mut copies: Vec<(u32, u32)> = vertex_origin
        .iter()
        .enumerate()
        .filter(|(_, o)| **o != TopologyEdit::NONE)
        .map(|(new, o)| (*o, new as u32))
        .collect();
    copies.sort_unstable();
    let mut out = Anchors::default();
    for &(key, anchor, slipping) in old.rows() {
        let (target, vertex) = ((key >> 32) as u32, key as u32);
        let b = before.body_of(vertex);
        let local = vertex - before.first(b as usize);
        let first = after.first(b as usize);
        if b != slot {
            out.push(contact_key(target, first + local), anchor, slipping);
            continue;
        }
        let from = copies.partition_point(|c| c.0 < local);
        for c in copies[from..].iter().take_while(|c| c.0 == local) {
            out.push(contact_key(target, first + c.1), anchor, slipping);
        }
    }
    out.sort();
    out
}
