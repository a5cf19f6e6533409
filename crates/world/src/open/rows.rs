//! The rows of bodies are the program's too: what it spawns, takes away and changes with hecs between two steps.
//!
//! A body is an entity. One comes with a [`BodyDesc`] as a component, and goes with its entity. Whoever changes a row of a body, a program or a
//! stage of its own, changes it as the methods of [`Simulation`] would: it is booked, or refused and put back.

use super::id::{BodyId, BodyKey};
use crate::body::BodyDesc;
use crate::components::{Name, Placement, Row, Slot, Twist};
use crate::simulation::Simulation;
use hecs::{Entity, World};
use impinge_bodies::OpenError;
use impinge_contact::{Advanced, BodyKind};

impl Simulation {
    /// Lends the hecs world to a closure, and takes in what it did. An entity spawned with a [`BodyDesc`] becomes a body ([`Simulation::insert`]),
    /// with all else that is on it. A body whose entity is despawned goes ([`Simulation::remove`]). A changed [`Placement`] or [`Twist`] is as
    /// [`Simulation::set_pose`], [`Simulation::set_velocity`] and [`Simulation::set_angular_velocity`]. All of it is in the ledger of the next step.
    ///
    /// Components of your own are yours: no snapshot and no hash has them. They stay on their body until it goes. Stages of your own read them
    /// ([`crate::Pipeline::add`]). Bodies that come together take their slots in the order of their entities.
    ///
    /// ```
    /// use impinge_geometry::Pose;
    /// use impinge_world::{BodyDesc, Mass, Simulation, Twist};
    ///
    /// struct Health(u32);
    ///
    /// let floor = BodyDesc::plane("floor", impinge_geometry::DVec3::unit_z(), 0.0);
    /// let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(floor).build()?;
    /// let ball = BodyDesc::ball("ball", 0.1, Mass::Total(2.0), Pose::from_position([0.0, 0.0, 1.0].into()))?;
    /// let entity = sim.with_world(|world| world.spawn((ball, Health(3))))?;
    /// sim.step()?;
    /// assert_eq!(sim.world().get::<&Health>(entity)?.0, 3);
    ///
    /// sim.with_world(|world| world.get::<&mut Twist>(entity).map(|mut twist| twist.velocity.x = 1.0))??;
    /// sim.step()?;
    /// assert!((sim.ledger().applied[0].impulse.x - 2.0).abs() < 1e-12);
    ///
    /// sim.with_world(|world| world.despawn(entity))??;
    /// assert!(sim.body("ball").is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The other entities of this world hold the tables of the step. A closure that despawns them ends the world: what asks for a table then panics.
    ///
    /// # Errors
    /// What the method of the same meaning refuses. A refused change is taken back, and a refused body goes with its entity; what was taken in
    /// before it stays.
    pub fn with_world<R>(&mut self, change: impl FnOnce(&mut World) -> R) -> Result<R, OpenError> {
        let out = change(&mut self.world);
        self.take_in()?;
        Ok(out)
    }

    /// The entity of a body, for components of your own.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.set_gravity([0.0; 3])?;
    /// # sim.insert(BodyDesc::cuboid("box", [0.6; 3], Mass::Total(2.0), [0.0, 0.0, 0.0])?)?;
    /// let entity = sim.entity("box")?;
    /// sim.with_world(|world| world.insert_one(entity, 7u8))??;
    /// assert_eq!(*sim.world().get::<&u8>(sim.entity("box")?)?, 7);
    /// assert_eq!(sim.body_of(entity), sim.body("box"));
    /// assert_eq!(sim.body_of(sim.arena()), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError::NoBody`].
    pub fn entity(&self, body: impl BodyKey) -> Result<Entity, OpenError> {
        Ok(self.entities[body.slot_in(self)? as usize])
    }

    /// The body of an entity; `None` for one that is no body.
    #[must_use]
    pub fn body_of(&self, entity: Entity) -> Option<BodyId> {
        let slot = self.entities.iter().position(|e| *e == entity)?;
        self.id(slot as u32)
    }

    /// Takes in what was done to rows since they were seen last.
    pub(crate) fn take_in(&mut self) -> Result<(), OpenError> {
        self.refuse_strays()?;
        for (slot, row) in self.changes() {
            let taken = self.take_row(slot, row);
            self.see_row(slot);
            taken?;
        }
        let mut coming: Vec<Entity> =
            self.world.query_mut::<(Entity, &BodyDesc)>().into_iter().map(|(e, _)| e).collect();
        coming.sort_unstable_by_key(|e| e.id());
        for entity in coming {
            let Ok(body) = self.world.remove_one::<BodyDesc>(entity) else { continue };
            let added = self.insert_at(entity, body);
            if added.is_err() && !self.entities.contains(&entity) {
                let _ = self.world.despawn(entity);
            }
            added?;
        }
        Ok(())
    }

    /// The same for one body.
    pub(crate) fn take_in_row(&mut self, slot: u32) -> Result<(), OpenError> {
        let now = self.row(slot);
        if self.rows[slot as usize] == now {
            return Ok(());
        }
        let taken = self.take_row(slot, Some(now));
        self.see_row(slot);
        taken
    }

    /// Slots are the world's to give: a row of the program's with one would be taken for that of a body.
    fn refuse_strays(&mut self) -> Result<(), OpenError> {
        let entities = &self.entities;
        let own = |e: &Entity, slot: &Slot| entities.get(slot.0 as usize) == Some(e) || entities.contains(e);
        let strays: Vec<Entity> = self
            .world
            .query_mut::<(Entity, &Slot)>()
            .into_iter()
            .filter(|(e, s)| !own(e, s))
            .map(|(e, _)| e)
            .collect();
        let Some(&first) = strays.first() else { return Ok(()) };
        for entity in &strays {
            let _ = self.world.remove_one::<Slot>(*entity);
        }
        let reason =
            format!("entity {first:?} has a Slot, which the world gives to bodies; spawn a BodyDesc instead");
        Err(OpenError::World(reason))
    }

    /// Rows that are others than they were, with what they are now: nothing where one has gone.
    fn changes(&mut self) -> Vec<(u32, Option<Row>)> {
        let (mut met, mut out) = (0, Vec::new());
        for (entity, slot, name, placement, twist) in
            self.world.query_mut::<(Entity, &Slot, &Name, &Placement, &Twist)>()
        {
            let s = slot.0 as usize;
            if self.entities.get(s) != Some(&entity) {
                continue;
            }
            met += 1;
            if self.rows[s] != (*placement, *twist) || self.names[s] != name.0 {
                out.push((slot.0, Some((*placement, *twist))));
            }
        }
        if met < self.members.present() {
            let gone = (0..self.entities.len()).filter(|&s| self.members.is_there(s) && !self.is_whole(s));
            out.extend(gone.map(|s| (s as u32, None)));
        }
        out.sort_unstable_by_key(|c| c.0);
        out
    }

    /// Whether the entity of a slot has the row of that slot.
    fn is_whole(&self, slot: usize) -> bool {
        self.world.entity(self.entities[slot]).is_ok_and(|e| {
            e.get::<&Slot>().is_some_and(|s| s.0 as usize == slot)
                && e.satisfies::<(&Name, &Placement, &Twist)>()
        })
    }

    /// Makes of a changed row what the method of its meaning makes.
    fn take_row(&mut self, slot: u32, now: Option<Row>) -> Result<(), OpenError> {
        let s = slot as usize;
        let (entity, before) = (self.entities[s], self.rows[s]);
        let row = (Slot(slot), Name(self.names[s].clone()), before.0, before.1);
        let Some((placement, twist)) = now else {
            if self.world.insert(entity, row.clone()).is_ok() {
                return Err(self.refusal(
                    slot,
                    "its entity lost a component of the step (Slot, Name, Placement, Twist); despawn the entity to take the body out",
                ));
            }
            self.entities[s] = self.world.spawn(row);
            return self.remove(slot);
        };
        let renamed = self.world.get::<&Name>(entity).is_ok_and(|n| n.0 != self.names[s]);
        let _ = self.world.insert(entity, row);
        if renamed {
            return Err(
                self.refusal(slot, "a name stays while the body is there; remove it and insert it anew")
            );
        }
        let nodes = self.column::<crate::Dofs>().bodies.kind[s].has_nodes();
        if placement != before.0 {
            if nodes {
                return Err(self.refusal(slot, "its nodes say where it is, not its Placement; call set_pose"));
            }
            self.set_pose_now(slot, placement.0)?;
        }
        if twist.velocity != before.1.velocity {
            if nodes {
                return Err(self.refusal(slot, "its nodes have velocities, not its Twist; call set_velocity"));
            }
            self.free_along(slot, twist.velocity, false)?;
            self.put_velocity(slot, twist.velocity, |t| t.velocity = twist.velocity)?;
        }
        if twist.angular_velocity != before.1.angular_velocity {
            self.spin_now(slot, twist.angular_velocity)?;
        }
        Ok(())
    }

    /// A described body for an entity that is there.
    fn insert_at(&mut self, entity: Entity, body: BodyDesc) -> Result<BodyId, OpenError> {
        if self.entities.contains(&entity) {
            return Err(OpenError::Refused {
                body: body.name,
                reason: "its entity is a body already; spawn another entity".to_string(),
            });
        }
        let id = self.insert_now(body)?;
        let spawned = std::mem::replace(&mut self.entities[id.slot() as usize], entity);
        if let Ok(row) = self.world.remove::<(Slot, Name, Placement, Twist)>(spawned) {
            let _ = self.world.insert(entity, row);
            let _ = self.world.despawn(spawned);
        }
        Ok(id)
    }

    fn row(&self, slot: u32) -> Row {
        (Placement(self.pose(slot)), self.twist(slot))
    }

    /// A row is as it should be.
    pub(crate) fn see_row(&mut self, slot: u32) {
        let row = self.row(slot);
        match self.rows.get_mut(slot as usize) {
            Some(seen) => *seen = row,
            // Of a body that has just come.
            None => self.rows.push(row),
        }
    }

    /// All rows are as they should be.
    pub(crate) fn see_rows(&mut self) {
        self.rows = (0..self.entities.len() as u32).map(|s| self.row(s)).collect();
    }

    /// Rows are to be what the step made of them: a later stage may have changed them since.
    pub(crate) fn see_step(&mut self) {
        let (Ok(dofs), Ok(end)) =
            (self.world.get::<&crate::Dofs>(self.arena), self.world.get::<&Advanced>(self.arena))
        else {
            return;
        };
        for (b, row) in self.rows.iter_mut().enumerate() {
            if matches!(dofs.bodies.kind[b], BodyKind::Rigid | BodyKind::Kinematic) {
                let twist = Twist { velocity: end.velocity[b], angular_velocity: end.angular_velocity[b] };
                *row = (Placement(end.pose[b]), twist);
            }
        }
    }
}
