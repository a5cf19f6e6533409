//! A world that runs: step, look, snapshot, restore, hash.

use crate::acting::Acting;
use crate::body_data::DataOfBodies;
use crate::builder::Builder;
use crate::column::{Column, Origin};
use crate::components::{Dofs, Drivers, Elastic, Forces, Laws, NodeState, Operator, Placement, Row, Twist};
use crate::energy_books::EnergyBooks;
use crate::halving::{Halved, Watch};
use crate::halvings::Halving;
use crate::open::roster::Members;
use crate::part::Part;
use crate::pipeline::Pipeline;
use crate::recipe::Recipe;
use crate::response::Response;
use crate::sensor::Sensing;
use crate::stage::{StageError, Step};
use crate::standard::standard_parts;
use crate::standings::Standings;
use crate::tables;
use hecs::{Entity, World};
use impinge_bodies::Shapes;
use impinge_contact::{Advanced, BodyKind, ContactEvents, EnergyTerms, External, Given, Ledger, SurfaceMap};
use impinge_geometry::{DVec3, Pose};
use impinge_integrators::{elastic_energy, world_inertia};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// A step that failed. The world still holds the last accepted state.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
#[error("step {step} (t = {time} s{}), stage '{stage}': {source}", halved_by(.halvings))]
pub struct StepError {
    /// Step index, counted from 0.
    pub step: u64,
    /// Time at its start (s).
    pub time: f64,
    /// Name of the stage.
    pub stage: String,
    /// Why.
    pub source: StageError,
    /// How often it had been halved, see [`crate::Builder::halvings`]; `time` is the start of the part that failed.
    pub halvings: u32,
}

fn halved_by(halvings: &u32) -> String {
    if *halvings == 0 { String::new() } else { format!(", after {halvings} halvings") }
}

pub(crate) type Constant = (SurfaceMap, Drivers, Shapes, Forces, Laws, Elastic, DataOfBodies);
pub(crate) type Initial = (Dofs, NodeState);

/// A hecs world, its pipeline and the time.
#[doc(alias("physics world"))]
pub struct Simulation {
    pub(crate) world: World,
    pub(crate) arena: Entity,
    pub(crate) entities: Vec<Entity>,
    pub(crate) rows: Vec<Row>,
    pub(crate) names: Arc<[String]>,
    /// The stages; swap them between steps.
    pub pipeline: Pipeline,
    pub(crate) acting: Vec<Acting>,
    pub(crate) dt: f64,
    pub(crate) given: Given,
    pub(crate) origin: Arc<Members>,
    pub(crate) members: Arc<Members>,
    pub(crate) followed: ContactEvents,
    /// Energy that contacts of pairs stored in the last step (J), lower slot first, but for what is booked since.
    pub(crate) stored: Vec<((u32, u32), f64)>,
    pub(crate) energy_books: Option<EnergyBooks>,
    pub(crate) sensing: Sensing,
    pub(crate) standings: Standings,
    pub(crate) step: u64,
    pub(crate) recipe: Recipe,
    pub(crate) halving: Halving,
    pub(crate) halved: Halved,
    pub(crate) last_dt: f64,
    pub(crate) wish: Option<Arc<AtomicBool>>,
}

impl Simulation {
    pub(crate) fn assemble(
        mut world: World,
        entities: Vec<Entity>,
        names: Arc<[String]>,
        dt: f64,
        responses: &[Response],
        (map, drivers, shapes, forces, laws, elastic, data): Constant,
        (dofs, nodes): Initial,
        recipe: Recipe,
    ) -> Self {
        let mut operator = Operator::default();
        operator.node_loads.shape(nodes.x.len(), 0);
        let mut arena = hecs::EntityBuilder::new();
        arena.add(elastic).add(operator).add(data).add(External::default()).add(Advanced::default());
        let surface = map.clone();
        arena.add(map).add(drivers).add(shapes).add(forces).add(laws).add(dofs).add(nodes);
        let arena = world.spawn(arena.build());
        tables::add(&mut world, arena, &surface);
        let acting = vec![Acting::new(responses[0].clone(), arena)];
        let pipeline = Pipeline::default();
        let mut sim = Self {
            world,
            arena,
            entities,
            rows: Vec::new(),
            names,
            pipeline,
            acting,
            dt,
            given: Given::default(),
            origin: Members::new(Builder::new(dt)),
            members: Members::new(Builder::new(dt)),
            followed: ContactEvents::default(),
            stored: Vec::new(),
            energy_books: None,
            sensing: Sensing::default(),
            standings: Standings::default(),
            step: 0,
            recipe,
            halving: Halving::default(),
            halved: Halved::default(),
            last_dt: dt,
            wish: None,
        };
        sim.see_rows();
        sim.place_parts(responses);
        sim.pipeline = standard_parts(&sim.acting, sim.recipe.scheme, &sim.names);
        sim
    }

    /// One step, after what is planned for its start. On error nothing is committed: the state, the ledger of the failed
    /// step and everything recorded so far can still be read.
    ///
    /// # Errors
    /// [`StepError`] names the step, the stage and the body, also where the world has a million times the energy it ever had or was given
    /// ([`crate::EnergyBooks`]): what follows would be no physics.
    pub fn step(&mut self) -> Result<(), StepError> {
        self.step_watched(&mut |_, _, _| ())
    }

    pub(crate) fn step_watched(&mut self, watch: Watch<'_>) -> Result<(), StepError> {
        let step = Step {
            index: self.step,
            time: self.time(),
            dt: self.dt,
            scheme: self.recipe.scheme,
            first: self.step == 0,
            accept_unfinished: self.halving.accept,
        };
        self.take_in().map_err(|e| StepError {
            step: step.index,
            time: step.time,
            stage: "rows".to_string(),
            source: e.into(),
            halvings: 0,
        })?;
        self.make_planned().map_err(|(slot, reason)| StepError {
            step: step.index,
            time: step.time,
            stage: "change of topology".to_string(),
            source: StageError::Topology { body: self.names[slot as usize].clone(), reason },
            halvings: 0,
        })?;
        if let Some(place) = self.pipeline.lacks() {
            let source = StageError::Incomplete(place);
            return Err(StepError {
                step: step.index,
                time: step.time,
                stage: "pipeline".to_string(),
                source,
                halvings: 0,
            });
        }
        self.begin_books();
        self.push_step(step.dt);
        let made = self.made_or_given_up(&step, watch);
        self.pushed(made.is_ok());
        self.step += u64::from(made.is_ok());
        if made.is_ok() {
            self.sense();
        } else if let Ok(mut dofs) = self.world.get::<&mut Dofs>(self.arena) {
            // Within a step what has drag is heavier.
            let Dofs { bodies, nodes, dragged, .. } = &mut *dofs;
            dragged.lighten(bodies, nodes);
        }
        made
    }

    /// The responses of the world by number: first that of the pairs that have none of their own.
    #[must_use]
    pub fn responses(&self) -> Vec<Response> {
        self.acting.iter().map(|a| a.response.clone()).collect()
    }

    /// The response of the pairs that have none of their own; [`Simulation::response_between`] tells that of a pair.
    #[must_use]
    pub fn response(&self) -> &Response {
        &self.acting[0].response
    }

    /// Steps committed.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// let mut sim = Simulation::new(1e-3)?;
    /// sim.insert(BodyDesc::ball("ball", 0.1, Mass::Total(2.0), [0.0, 0.0, 3.0])?)?;
    /// let start = sim.energy();
    /// (0..3).try_for_each(|_| sim.step())?;
    /// assert_eq!((sim.steps(), sim.dt(), sim.time()), (3, 1e-3, 3e-3));
    /// assert_eq!((sim.names(), sim.slot("ball")), (&["ball".to_string()][..], Some(0)));
    /// // A fall from 3 m: m g h at first, and nothing is lost but what symplectic Euler does not keep.
    /// assert!((start.gravity - 2.0 * 9.81 * 3.0).abs() < 1e-12);
    /// assert!((sim.energy().total() - start.total()).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Length of a step (s).
    #[must_use]
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// Time (s): steps times `dt`, so that it does not drift.
    #[must_use]
    pub fn time(&self) -> f64 {
        match self.given.clock {
            Some(c) => c.time + (self.step - c.step) as f64 * c.dt,
            None => self.step as f64 * self.dt,
        }
    }

    /// Names of the bodies by slot.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Slot of a body by name.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|n| n == name).map(|i| i as u32)
    }

    /// The responses of this world, with their tables: first that of the pairs without a rule, then the others.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> + '_ {
        let dt = [self.dt, self.last_dt];
        (0..).zip(&self.acting).map(move |(number, acting)| Part {
            world: &self.world,
            arena: self.arena,
            tables: acting.tables,
            response: &acting.response,
            number,
            names: &self.names,
            dt,
            timed: &self.members.from.timed,
        })
    }

    /// What of this world may surprise under its responses, a sentence each; to be asked before the first step.
    #[must_use]
    pub fn response_warnings(&self) -> Vec<String> {
        self.parts().flat_map(|part| part.response().warnings(part)).collect()
    }

    /// Why the body in a slot may rock without end on what it lies on now, and what helps, where a response lets it.
    #[must_use]
    pub fn rocks(&self, body: u32) -> Option<String> {
        self.parts().find_map(|part| part.response().rocks(part, body))
    }

    /// The response of a pair of slots. [`Simulation::response_between`] takes names and ids.
    ///
    /// # Panics
    /// For a slot beyond the last.
    #[must_use]
    pub fn response_of(&self, a: u32, b: u32) -> &Response {
        let number = self.column::<Laws>().response_of(a.min(b), a.max(b));
        &self.acting[number as usize].response
    }

    /// The hecs world: bodies are entities with [`crate::Slot`], [`crate::Name`], [`Placement`], [`Twist`].
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The arena entity that holds the step's tables.
    #[must_use]
    pub fn arena(&self) -> Entity {
        self.arena
    }

    /// A column of the arena.
    ///
    /// # Panics
    /// When the arena has no such column: tables of a response are there when it acts, see [`Simulation::get_column`].
    #[must_use]
    pub fn column<T: Column>(&self) -> hecs::Ref<'_, T> {
        self.world.get::<&T>(self.arena).unwrap_or_else(|e| panic!("column {}: {e}", T::NAME))
    }

    /// The same; `None` where the arena has no such column: tables of a response are there when it acts.
    #[must_use]
    pub fn get_column<T: Column>(&self) -> Option<hecs::Ref<'_, T>> {
        self.world.get::<&T>(self.arena).ok()
    }

    /// Adds a column of your own to the arena, for stages of your own. Give it [`crate::Origin::Scene`] or
    /// [`crate::Origin::Step`].
    ///
    /// # Errors
    /// For a column of [`crate::Origin::State`]: state belongs to a response, which lists it by [`crate::Table::kept`]; only then is it in
    /// snapshots and in the hash.
    pub fn insert_column<T: Column>(&mut self, column: T) -> Result<(), String> {
        if T::ORIGIN == Origin::State {
            return Err(format!(
                "column {}: state of your own belongs to a response that lists it (`Table::kept`), so that snapshots hold it; or recompute it \
                 in the step",
                T::NAME
            ));
        }
        // The arena entity lives as long as the simulation.
        let _ = self.world.insert_one(self.arena, column);
        Ok(())
    }

    /// What was applied in the last step.
    #[must_use]
    pub fn ledger(&self) -> hecs::Ref<'_, Ledger> {
        self.column::<Ledger>()
    }

    /// Pose of a body's centre-of-mass frame, by slot; identity where that holds no body any more. [`Simulation::view`] takes a name or an id, and
    /// refuses a body that was removed.
    ///
    /// # Panics
    /// For a slot beyond the last.
    #[must_use]
    pub fn pose(&self, slot: u32) -> Pose {
        self.world.get::<&Placement>(self.entities[slot as usize]).map_or_else(|_| Pose::identity(), |p| p.0)
    }

    /// Velocities of a body by slot; 0 where that holds no body any more, see [`Simulation::view`].
    ///
    /// # Panics
    /// For a slot beyond the last.
    #[must_use]
    pub fn twist(&self, slot: u32) -> Twist {
        let still = Twist { velocity: DVec3::zero(), angular_velocity: DVec3::zero() };
        self.world.get::<&Twist>(self.entities[slot as usize]).map_or(still, |t| *t)
    }

    /// Mean contact force on a body during the last step (N), by slot; 0 where that holds no body, see [`Simulation::view`].
    #[must_use]
    pub fn contact_force(&self, slot: u32) -> DVec3 {
        self.ledger().contact.get(slot as usize).map_or(DVec3::zero(), |w| w.impulse / self.dt)
    }

    /// Centre of mass of a body by slot (m); of a particle body or a deformable, the mean of its nodes by mass. The origin where that holds no body any
    /// more, see [`Simulation::view`].
    ///
    /// # Panics
    /// For a slot beyond the last.
    #[must_use]
    pub fn position(&self, slot: u32) -> DVec3 {
        self.mean_of_nodes(slot, |n| &n.x).unwrap_or_else(|| self.pose(slot).position)
    }

    /// Velocity of the centre of mass of a particle body or a deformable (m/s), by slot; `None` for other bodies, see
    /// [`Simulation::twist`]. [`Simulation::view`] has that of any body.
    #[must_use]
    pub fn velocity(&self, slot: u32) -> Option<DVec3> {
        self.mean_of_nodes(slot, |n| &n.v)
    }

    /// How many bodies are deformable.
    #[must_use]
    pub fn deformables(&self) -> usize {
        self.column::<Elastic>().slots.len()
    }

    /// The nodes of a body in [`NodeState`]; empty for a body that moves by its pose.
    #[must_use]
    pub fn nodes_of(&self, slot: u32) -> std::ops::Range<usize> {
        // Nodes come in the order of their bodies.
        let dofs = self.column::<Dofs>();
        let body = &dofs.nodes.body;
        body.partition_point(|b| *b < slot)..body.partition_point(|b| *b <= slot)
    }

    fn mean_of_nodes(&self, slot: u32, column: impl Fn(&NodeState) -> &Vec<DVec3>) -> Option<DVec3> {
        let (state, dofs) = (self.column::<NodeState>(), self.column::<Dofs>());
        let (mut sum, mut mass) = (DVec3::zero(), 0.0);
        for n in self.nodes_of(slot) {
            sum += column(&state)[n] * dofs.nodes.mass[n];
            mass += dofs.nodes.mass[n];
        }
        (mass > 0.0).then(|| sum / mass)
    }

    /// Kinetic energy of one body between steps (J), by slot; 0 where that holds no body any more, see [`Simulation::view`].
    ///
    /// # Panics
    /// For a slot beyond the last.
    #[must_use]
    pub fn kinetic_energy(&self, slot: u32) -> f64 {
        let (state, dofs) = (self.column::<NodeState>(), self.column::<Dofs>());
        let b = slot as usize;
        let (pose, twist) = (self.pose(slot), self.twist(slot));
        let mut energy = 0.0;
        if dofs.bodies.kind[b] == BodyKind::Rigid {
            let l = world_inertia(&pose, &dofs.bodies.inertia[b]) * twist.angular_velocity;
            energy = 0.5 * (dofs.bodies.mass[b] * twist.velocity.mag_sq() + twist.angular_velocity.dot(l));
        }
        for n in self.nodes_of(slot) {
            energy += 0.5 * dofs.nodes.mass[n] * state.v[n].mag_sq();
        }
        energy
    }

    /// Kinetic energy and the potentials of gravity, anchors and deformables between steps (J). Contact energy is known at the
    /// moment a response evaluates it, so it is in the [`Ledger`] of a step and 0 here.
    #[must_use]
    pub fn energy(&self) -> EnergyTerms {
        let mut e = EnergyTerms::default();
        let dofs = self.column::<Dofs>();
        let poses: Vec<Pose> = (0..self.entities.len() as u32).map(|s| self.pose(s)).collect();
        for b in 0..poses.len() {
            let all = self.kinetic_energy(b as u32);
            let moving = 0.5 * dofs.bodies.mass[b] * self.twist(b as u32).velocity.mag_sq();
            let translational = if dofs.bodies.kind[b] == BodyKind::Rigid { moving } else { all };
            e.translational += translational;
            e.rotational += all - translational;
        }
        let nodes = self.column::<NodeState>();
        let forces = self.column::<Forces>();
        (e.gravity, e.anchors) = forces.0.potential(dofs.bodies.view(), dofs.nodes.view(), &poses, &nodes.x);
        let elastic = self.column::<Elastic>();
        let x: Vec<DVec3> = elastic.nodes.iter().map(|&n| nodes.x[n as usize]).collect();
        e.elastic = elastic_energy(&elastic.system, &x, &poses);
        e
    }
}
