//! Bodies that come and go between steps.
//!
//! A body keeps its slot. The slot of a body that was removed holds nothing, until the next one that comes takes the lowest such slot; sums go in
//! the order of slots. Tables are laid out anew by the code that built the world, so they are those of a world built with these bodies. Rows
//! that responses keep of other bodies stay to the bit, under the new numbers of their features.

use super::id::{BodyId, BodyKey};
use super::roster::{Members, nobody};
use crate::adapters::{Advance, Predict, Record};
use crate::body::{BodyDesc, Motion};
use crate::body_data::DataOfBodies;
use crate::build_error::BuildError;
use crate::builder::Builder;
use crate::components::{Dofs, Drivers, Forces, Laws, Name, NodeState, Placement, Slot, Twist};
use crate::layout::{Layout, lay_out};
use crate::pipeline::{Pipeline, Place};
use crate::recipe::Recipe;
use crate::simulation::Simulation;
use impinge_bodies::OpenError;
use impinge_bodies::{AttachTo, FeatureNumbers, Renaming, Shapes};
use impinge_contact::{Actuated, SurfaceMap};
use impinge_geometry::DVec3;
use std::sync::Arc;

impl Simulation {
    /// The body in a slot, if there is one.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.set_gravity([0.0; 3])?;
    /// # sim.insert(BodyDesc::cuboid("box", [0.6; 3], Mass::Total(2.0), [0.0, 0.0, 0.0])?)?;
    /// let body = sim.body("box").unwrap();
    /// assert_eq!(sim.id(0), Some(body));
    /// assert_eq!(sim.bodies().collect::<Vec<_>>(), [body]);
    /// sim.remove(body)?;
    /// assert_eq!(sim.id(0), None);
    /// assert_eq!(sim.bodies().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn id(&self, slot: u32) -> Option<BodyId> {
        let there = self.members.is_there(slot as usize);
        there.then(|| BodyId::new(slot, self.members.generation[slot as usize]))
    }

    /// The body of this name, if there is one.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.slot(name).and_then(|slot| self.id(slot))
    }

    /// All bodies, by slot.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        (0..self.names().len() as u32).filter_map(|slot| self.id(slot))
    }

    /// Adds a body now. The next step finds its contacts; those of the others go on as they were. Its momentum and energy are in the ledger
    /// of that step ([`impinge_contact::Ledger::applied`]); the books of the last step are closed. A deformable that is attached to a body holds on
    /// to the points of it that are there now.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// # let law = impinge_contact::PairLaw::elastic(1e4);
    /// # let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
    /// # let high = Pose::from_position(DVec3::unit_z());
    /// let mut sim = Simulation::builder(1e-3).law(law).body(floor).build()?;
    /// let ball = sim.insert(BodyDesc::rigid("ball", &cube, Mass::Total(1.0), high)?)?;
    /// sim.apply_impulse(ball, [1.0, 0.0, 0.0])?;
    /// sim.step()?;
    /// sim.remove(ball)?;
    /// sim.step()?;
    /// assert!(sim.apply_force(ball, [1.0, 0.0, 0.0]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for what [`Builder::build`] would refuse. The world is then as it was.
    pub fn insert(&mut self, body: BodyDesc) -> Result<BodyId, OpenError> {
        self.take_in()?;
        self.insert_now(body)
    }

    pub(crate) fn insert_now(&mut self, mut body: BodyDesc) -> Result<BodyId, OpenError> {
        self.attach_here(&mut body);
        let mut members = self.members_now();
        let free = (0..members.generation.len()).find(|&s| !members.is_there(s));
        let slot = free.unwrap_or(members.generation.len());
        if free.is_some() {
            members.generation[slot] += 1;
            members.from.bodies[slot] = body;
        } else {
            members.generation.push(0);
            members.from.bodies.push(body);
        }
        let none = (DVec3::zero(), DVec3::zero(), self.energy().total());
        self.change_members(members, slot)?;
        let slot = slot as u32;
        let after = self.held(slot, self.energy().total());
        self.book_change(slot, none, after);
        Ok(BodyId::new(slot, self.members.generation[slot as usize]))
    }

    /// Takes a body out now, with its contacts, what responses keep of them, and the sensors that ride on it. Contacts of the others stay to the bit. What it had of
    /// momentum and energy is in the ledger of the next step; the books of the last step are closed. The next body may take its slot.
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there, one that others are attached to, and one with a planned change. The world is then as it
    /// was.
    pub fn remove(&mut self, body: impl BodyKey) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        self.take_in_row(slot)?;
        let holds = |b: &&BodyDesc| match &b.motion {
            Motion::Deformable(d) => d.attach.iter().any(|a| a.to == AttachTo::Body(slot)),
            _ => false,
        };
        if let Some(held) = self.recipe.bodies.iter().find(holds) {
            return Err(self.refusal(slot, format!("'{}' is attached to it; remove that first", held.name)));
        }
        let mut members = self.members_now();
        if members.from.planned.iter().any(|p| p.slot() == slot) {
            return Err(self.refusal(slot, "a change of its mesh is planned; remove it after that"));
        }
        let k = slot as usize;
        members.generation[k] += 1;
        members.from.bodies[k] = nobody(k);
        members.from.forces.anchors.retain(|a| a.body != slot);
        members.from.timed.retain(|f| f.body != slot);
        members.from.sensors.retain(|s| s.on != Some(slot));
        members.from.laws.exceptions.retain(|((a, b), _)| *a != slot && *b != slot);
        members.from.of_pairs.retain(|((a, b), _)| *a != slot && *b != slot);
        members.from.thickness.retain(|([a, b], _)| *a != slot && *b != slot);
        let before =
            self.held(slot, self.energy().total() + self.contact_energy(|a, b| a == slot || b == slot));
        let sensors = self.sensors().to_vec();
        self.change_members(members, k)?;
        self.energy_booked(|a, b| a == slot || b == slot);
        self.given.pushes.retain(|p| p.body != slot);
        self.given.bodies.forget(slot);
        self.put_body_changes();
        self.given.posed.retain(|p| p.0 != slot);
        self.given.relaid.retain(|p| p.0 != slot && p.1 != slot);
        self.followed.forget(slot);
        self.forget_sensed(&sensors, slot);
        let none = (DVec3::zero(), DVec3::zero(), self.energy().total());
        self.book_change(slot, before, none);
        Ok(())
    }

    /// What holds a body that comes is where it is now, and not where it started.
    fn attach_here(&self, body: &mut BodyDesc) {
        let Motion::Deformable(d) = &mut body.motion else { return };
        if d.attach.is_empty() {
            return;
        }
        for attach in &mut Arc::make_mut(d).attach {
            if let AttachTo::Body(holder) = attach.to {
                attach.frame = self.id(holder).map(|id| self.pose(id.slot()));
            }
        }
    }

    /// The bodies with all changes so far: what comes next starts from here.
    pub(crate) fn members_now(&self) -> Members {
        let mut from = self.members.from.clone();
        from.bodies.clone_from(&self.recipe.bodies);
        from.planned = self.recipe.still_planned().to_vec();
        from.forces.anchors.clone_from(&self.column::<Forces>().0.anchors);
        from.responses = self.responses();
        let of_pairs = &self.column::<Laws>().responses;
        from.of_pairs = of_pairs.iter().map(|(p, n)| (*p, from.responses[*n as usize].clone())).collect();
        Members { from, generation: self.members.generation.clone() }
    }

    /// Changes the body in one slot.
    fn change_members(&mut self, mut members: Members, slot: usize) -> Result<(), OpenError> {
        // Nodes behind it get other numbers.
        let old = self.nodes_of(slot as u32);
        let grown = members.from.bodies[slot].motion.nodes() as i64 - old.len() as i64;
        for n in members.from.forces.anchors.iter_mut().filter_map(|a| a.node.as_mut()) {
            if *n as usize >= old.end {
                *n = (i64::from(*n) + grown) as u32;
            }
        }
        let laid = self.laid_out(members.from.clone(), Some(slot));
        let laid = laid.map_err(|e| OpenError::World(e.to_string()))?;
        let state = {
            let now = self.column::<NodeState>();
            let new = &laid.1.nodes;
            let own = old.start..(old.end as i64 + grown) as usize;
            let splice = |now: &[DVec3], new: &[DVec3]| -> Vec<DVec3> {
                [&now[..old.start], &new[own.clone()], &now[old.end..]].concat()
            };
            let known = !new.guess.is_empty() && !now.guess.is_empty();
            let guess = if known { splice(&now.guess, &new.guess) } else { new.guess.clone() };
            NodeState { x: splice(&now.x, &new.x), v: splice(&now.v, &new.v), guess }
        };
        let before = FeatureNumbers::of(&self.column::<SurfaceMap>(), &self.column::<Shapes>());
        let after = FeatureNumbers::of(&laid.1.map, &laid.1.shapes);
        let undo = self.snapshot();
        self.rename_kept(&Renaming::new(before, after, slot as u32));
        let put = self.put_members(Arc::new(members), laid, state, Some(slot));
        self.books_anew();
        put.map_err(|e| {
            // A snapshot of this world fits it.
            let _ = self.restore(&undo);
            OpenError::World(e.to_string())
        })
    }

    /// Checks bodies, and lays them out, as when a world is built; the pairs of the body in the slot `fresh`, or all.
    pub(crate) fn laid_out(
        &self,
        mut checked: Builder,
        fresh: Option<usize>,
    ) -> Result<(Builder, Layout), BuildError> {
        checked.dt = self.dt;
        checked.check(fresh)?;
        let layout = lay_out(&checked.bodies, checked.scheme, checked.elastic, self.dt)?;
        Ok((checked, layout))
    }

    /// Puts the tables of these bodies in the place of those that were there. The body in the slot `fresh`, or every body, starts as it is
    /// described.
    pub(crate) fn put_members(
        &mut self,
        members: Arc<Members>,
        (checked, layout): (Builder, Layout),
        state: NodeState,
        fresh: Option<usize>,
    ) -> Result<(), BuildError> {
        let bodies = checked.bodies;
        self.names = bodies.iter().map(|b| b.name.clone()).collect();
        for (slot, body) in bodies.iter().enumerate().filter(|(s, _)| fresh.is_none_or(|f| f == *s)) {
            let still = layout.dofs.bodies.kind[slot].has_nodes();
            let v = |v: DVec3| if still { DVec3::zero() } else { v };
            let twist = Twist { velocity: v(body.velocity), angular_velocity: v(body.angular_velocity) };
            let pose = match &body.motion {
                Motion::Kinematic(d) => d.pose(self.time()).unwrap_or(body.pose),
                _ => layout.dofs.bodies.pose[slot],
            };
            let row = (Slot(slot as u32), Name(body.name.clone()), Placement(pose), twist);
            let entity = match self.entities.get(slot) {
                // It keeps what a program put on it.
                Some(&same)
                    if members.is_there(slot)
                        && self.members.generation.get(slot) == members.generation.get(slot)
                        && self.world.contains(same) =>
                {
                    let _ = self.world.insert(same, row);
                    continue;
                }
                _ if members.is_there(slot) => self.world.spawn(row),
                _ => self.world.spawn(()),
            };
            if slot == self.entities.len() {
                self.entities.push(entity);
            } else {
                let gone = std::mem::replace(&mut self.entities[slot], entity);
                let _ = self.world.despawn(gone);
            }
        }
        for gone in self.entities.drain(bodies.len()..) {
            let _ = self.world.despawn(gone);
        }
        type Columns<'a> =
            (&'a mut Drivers, &'a mut DataOfBodies, &'a mut Laws, &'a mut Dofs, &'a mut Forces);
        if let Ok((drivers, data, laws, dofs, forces)) = self.world.query_one_mut::<Columns<'_>>(self.arena) {
            drivers.0 = bodies.iter().map(BodyDesc::driver).collect();
            data.0 = bodies.iter().map(|b| b.data.clone()).collect();
            *laws = checked.laws;
            dofs.bodies = layout.dofs.bodies.clone();
            forces.0.linear_drag = bodies.iter().map(|b| b.linear_drag).collect();
            forces.0.angular_drag = bodies.iter().map(|b| b.angular_drag).collect();
            forces.0.anchors = checked.forces.anchors;
            let fresh = |s: usize| fresh.is_none_or(|f| f == s);
            forces.0.actuators.retain(|a| !fresh(a.body as usize));
            for (slot, body) in bodies.iter().enumerate().filter(|(s, _)| fresh(*s)) {
                forces.0.actuators.extend(Self::actuators_of(slot as u32, body));
            }
            forces.0.actuators.sort_by_key(Actuated::key);
        }
        self.install(layout, state, |node| node);
        match fresh {
            Some(slot) => self.see_row(slot as u32),
            None => self.see_rows(),
        }
        self.recipe = Recipe::new(bodies, self.recipe.scheme, self.recipe.settings, checked.planned);
        self.members = members;
        self.put_body_changes();
        for response in self.responses() {
            response.prepare(&mut self.world, self.arena, &self.names)?;
        }
        let (scheme, names) = (self.recipe.scheme, self.names.clone());
        self.pipeline.renew_response(Pipeline::default().with_parts(&self.acting, scheme, &names));
        self.pipeline.renew(Place::Predict, Predict { scheme, names: names.clone() });
        self.pipeline.renew(Place::Advance, Advance { scheme, names: names.clone() });
        self.pipeline.renew(Place::Record, Record::new(names));
        Ok(())
    }
}
