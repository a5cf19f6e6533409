//! Topology change between steps: what [`crate::planned`] has for the time, and what a caller asks for.
//!
//! Takes a change of one body, gives a world whose surface, surface map, elastic system and node rows are those of the
//! body as it is now. Broad phase and query trees of deformables are built in the step from the surface, so they follow.
//! Positions and velocities are interpolated; linear and angular momentum are kept to rounding. Friction anchors stay
//! with the vertices that were there before.
//!
//! Tables are made anew by the same code that built the world, from the bodies as they are described now: a cut world has
//! the layout of a world that was built cut. The changes themselves are state: a snapshot holds them, and restoring one
//! replays them from the bodies as they were built.

use crate::acting::Acting;
use crate::body::{BodyDesc, Motion};
use crate::components::{Dofs, Elastic, Forces, NodeState, Operator};
use crate::kept::AnyKept;
use crate::layout::{Layout, lay_out};
use crate::simulation::Simulation;
use crate::tables::{self, KeptTable};
use impinge_bodies::{Change, Deformable, Edit, Edited, FeatureNumbers, Renumber, Shape, Shapes, surface_of};
use impinge_contact::{Advanced, Loads, SurfaceMap};
use impinge_geometry::DVec3;
use impinge_geometry::edit::NodeMap;
use std::sync::Arc;

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

impl Simulation {
    /// The changes of topology so far.
    #[must_use]
    pub fn edits(&self) -> &[Arc<Edit>] {
        &self.recipe.edits
    }

    /// The nodes of the body each of [`Simulation::edits`] changed, as sums of those before it.
    #[must_use]
    pub fn node_maps(&self) -> &[Arc<NodeMap>] {
        &self.recipe.maps
    }

    /// The rest mesh of a deformable as it is now, and what fills it.
    #[must_use]
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

    pub(crate) fn apply_edit(
        &mut self,
        slot: u32,
        change: Change,
        planned: bool,
    ) -> Result<EditReport, String> {
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
        let kept: Vec<Vec<(KeptTable, Box<dyn AnyKept>)>> = {
            let (map, shapes) = (self.column::<SurfaceMap>(), self.column::<Shapes>());
            let (before, after) =
                (FeatureNumbers::of(&map, &shapes), FeatureNumbers::of(&layout.map, &layout.shapes));
            let b = slot as usize;
            let places =
                [surface_of(&map, b, &self.column::<NodeState>().x), surface_of(&layout.map, b, &state.x)];
            let origin = [&vertex_origin[..], &triangle_origin[..]];
            let cut = Renumber::new([before, after], slot, origin, &layout.shapes, places);
            let left = |part: &Acting| {
                let kept = part.held.iter().filter_map(|t| t.kept);
                kept.map(|k| (k, (k.after_cut)(&self.world, part.tables, &cut))).collect()
            };
            self.acting.iter().map(left).collect()
        };
        self.prepare_for(&layout.shapes)?;
        self.install(layout, state, |node| {
            if (node as usize) < range.end { node } else { (i64::from(node) + grown) as u32 }
        });
        for (part, kept) in self.acting.iter().zip(kept) {
            kept.into_iter().for_each(|(k, left)| (k.put)(&self.world, part.tables, Some(&*left)));
        }
        self.recipe.bodies = bodies;
        self.recipe.edits.push(Arc::new(Edit { slot, change, planned }));
        self.recipe.maps.push(Arc::new(nodes));
        Ok(report)
    }

    /// Lets the responses make anew what they compute from the bodies, which will have these shapes.
    ///
    /// # Errors
    /// What a response refuses; all are then prepared for the shapes that are there.
    pub(crate) fn prepare_for(&mut self, shapes: &Shapes) -> Result<(), String> {
        let before = Shapes::clone(&self.column::<Shapes>());
        let mut prepare = |shapes: &Shapes| {
            if let Ok(there) = self.world.query_one_mut::<&mut Shapes>(self.arena) {
                there.clone_from(shapes);
            }
            self.acting.iter().try_for_each(|a| a.response.prepare(&mut self.world, self.arena, &self.names))
        };
        prepare(shapes).map_err(|e| {
            // They were prepared for these once.
            let _ = prepare(&before);
            e.to_string()
        })
    }

    /// Puts new tables in the place of the old ones; whatever was about the step before goes.
    pub(crate) fn install(&mut self, layout: Layout, state: NodeState, node: impl Fn(u32) -> u32) {
        let arena = self.arena();
        let world = &mut self.world;
        let mut node_loads = Loads::default();
        node_loads.shape(state.x.len(), 0);
        if let Ok((map, shapes, elastic, dofs, nodes, forces, operator, advanced)) = world.query_one_mut::<(
            &mut SurfaceMap,
            &mut Shapes,
            &mut Elastic,
            &mut Dofs,
            &mut NodeState,
            &mut Forces,
            &mut Operator,
            &mut Advanced,
        )>(arena)
        {
            (*map, *shapes, *elastic, *nodes) = (layout.map, layout.shapes, layout.elastic, state);
            dofs.nodes = layout.dofs.nodes;
            dofs.nodes.x.copy_from_slice(&nodes.x);
            dofs.nodes.v.copy_from_slice(&nodes.v);
            forces.0.anchors.iter_mut().for_each(|a| a.node = a.node.map(&node));
            *operator = Operator { node_loads, ..Operator::default() };
            *advanced = Advanced::default();
        }
        let map = self.column::<SurfaceMap>();
        for part in &self.acting {
            // The arena has them too, and lends itself to the stages of several responses.
            for at in [part.tables, arena] {
                tables::renew(&self.world, at, &part.held, &map);
            }
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
        self.install(plan.layout, state, node);
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
        at += b.motion.nodes() as u32;
    }
    out
}
