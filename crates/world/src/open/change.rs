//! Changes between two steps: velocities, poses, gravity, the length of a step.

use super::id::BodyKey;
use crate::adapters::elastic::frame;
use crate::body::Motion;
use crate::components::{Dofs, Drivers, Elastic, Laws, NodeState, Placement, Twist};
use crate::layout::lay_out;
use crate::simulation::Simulation;
use impinge_bodies::OpenError;
use impinge_bodies::{AttachTo, FeatureNumbers, Renaming, Shapes};
use impinge_contact::{BodyKind, Clock, SurfaceMap};
use impinge_geometry::{DVec3, LARGEST, Pose, is_bounded};

impl Simulation {
    /// Gives a body a velocity (m/s) now: of a rigid body that of its centre of mass, else that of all its nodes.
    ///
    /// The momentum and the energy that this takes are in the ledger of the next step ([`impinge_contact::Ledger::applied`]).
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.6), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(2.0), Pose::identity())?;
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(body).build()?;
    /// sim.set_velocity("box", [3.0, 0.0, 0.0])?;
    /// sim.step()?;
    /// assert_eq!(sim.ledger().applied[0].impulse.x, 6.0);
    /// assert_eq!(sim.ledger().energy.work_applied, 9.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there, one that forces do not move, numbers that are not finite or beyond [`impinge_geometry::LARGEST`], and a velocity along a locked axis.
    pub fn set_velocity(&mut self, body: impl BodyKey, velocity: impl Into<DVec3>) -> Result<(), OpenError> {
        let (slot, velocity) = (body.slot_in(self)?, velocity.into());
        self.take_in_row(slot)?;
        self.free_along(slot, velocity, false)?;
        self.put_velocity(slot, velocity, |twist| twist.velocity = velocity)
    }

    /// Gives a rigid body an angular velocity (rad/s, world axes) now, booked as [`Simulation::set_velocity`].
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.set_gravity([0.0; 3])?;
    /// # sim.insert(BodyDesc::cuboid("box", [0.6; 3], Mass::Total(2.0), [0.0, 0.0, 0.0])?)?;
    /// sim.set_angular_velocity("box", [0.0, 0.0, 5.0])?;
    /// sim.step()?;
    /// // Of a cube m a²/6 ω, and half of that times ω.
    /// assert!((sim.ledger().applied[0].moment.z - 0.6).abs() < 1e-12);
    /// assert!((sim.view("box")?.kinetic_energy() - 1.5).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Simulation::set_velocity`], and for a body made of nodes.
    pub fn set_angular_velocity(
        &mut self,
        body: impl BodyKey,
        spin: impl Into<DVec3>,
    ) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        self.take_in_row(slot)?;
        self.spin_now(slot, spin.into())
    }

    pub(crate) fn spin_now(&mut self, slot: u32, spin: DVec3) -> Result<(), OpenError> {
        if self.column::<Dofs>().bodies.kind[slot as usize].has_nodes() {
            return Err(
                self.refusal(slot, "it is made of nodes, each with a velocity; only a rigid body spins")
            );
        }
        self.free_along(slot, spin, true)?;
        self.put_velocity(slot, spin, |twist| twist.angular_velocity = spin)
    }

    pub(crate) fn put_velocity(
        &mut self,
        slot: u32,
        v: DVec3,
        put: impl FnOnce(&mut Twist),
    ) -> Result<(), OpenError> {
        let kind = self.moved_by_forces(slot, "velocity")?;
        if !is_bounded(v) {
            return Err(self
                .refusal(slot, format!("its velocity is to be {v:?}; give finite numbers of at most 1e60")));
        }
        let before = self.held(slot, self.kinetic_energy(slot));
        if kind.has_nodes() {
            let own = self.nodes_of(slot);
            if let Ok(nodes) = self.world.query_one_mut::<&mut NodeState>(self.arena) {
                nodes.v[own].fill(v);
            }
        } else if let Ok(twist) = self.world.query_one_mut::<&mut Twist>(self.entities[slot as usize]) {
            put(twist);
        }
        self.see_row(slot);
        let after = self.held(slot, self.kinetic_energy(slot));
        self.book_change(slot, before, after);
        Ok(())
    }

    /// Puts a body somewhere else now: a rigid or fixed one by its centre-of-mass frame, of one made of nodes the frame that rides on it (centre
    /// of mass and closest rotation). Velocities stay, in world axes.
    ///
    /// A body that is put elsewhere did not move there. Its contacts end: friction anchors, contacts on the way and warm starts of it are
    /// let go of. What it was lifted by is in the ledger of the next step, with the energy that its contacts had stored.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.6), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(2.0), Pose::identity())?;
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).gravity(DVec3::new(0.0, 0.0, -10.0)).body(body).build()?;
    /// sim.set_pose("box", Pose::from_position(DVec3::new(0.0, 0.0, 3.0)))?;
    /// sim.step()?;
    /// assert!((sim.ledger().energy.work_applied - 60.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there, one that a driver moves, one that something is attached to or that is attached, and a pose that
    /// is not finite.
    pub fn set_pose(&mut self, body: impl BodyKey, pose: Pose) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        self.take_in_row(slot)?;
        self.set_pose_now(slot, pose)
    }

    pub(crate) fn set_pose_now(&mut self, slot: u32, pose: Pose) -> Result<(), OpenError> {
        let kind = self.column::<Dofs>().bodies.kind[slot as usize];
        if kind == BodyKind::Kinematic {
            return Err(self.refusal(slot, "its driver says where it is; give it another driver"));
        }
        let unit = Pose { rotation: pose.rotation.normalized(), ..pose };
        // A rotor of length zero has no direction.
        if !unit.is_bounded() {
            return Err(self
                .refusal(slot, format!("its pose is to be {pose:?}; give finite numbers of at most 1e60")));
        }
        self.unattached(slot)?;
        let before =
            self.held(slot, self.energy().total() + self.contact_energy(|a, b| a == slot || b == slot));
        let pose = unit;
        let nodes = self.nodes_of(slot);
        if nodes.is_empty() {
            if let Ok(p) = self.world.query_one_mut::<&mut Placement>(self.entities[slot as usize]) {
                p.0 = pose;
            }
        } else {
            let from = self.frame_of(slot);
            if let Ok(state) = self.world.query_one_mut::<&mut NodeState>(self.arena) {
                for x in &mut state.x[nodes] {
                    *x = pose.point_to_world(from.point_to_body(*x));
                }
            }
        }
        self.see_row(slot);
        self.energy_booked(|a, b| a == slot || b == slot);
        self.end_contacts(slot);
        self.books_anew();
        let after = self.held(slot, self.energy().total());
        self.book_change(slot, before, after);
        Ok(())
    }

    /// Where a body is: its pose, or the frame that rides on its nodes.
    fn frame_of(&self, slot: u32) -> Pose {
        let (elastic, state) = (self.column::<Elastic>(), self.column::<NodeState>());
        match elastic.slots.iter().position(|s| *s == slot) {
            Some(b) => frame(&elastic, b, &state.x, &self.column::<Dofs>().nodes.mass),
            None => Pose::from_position(self.position(slot)),
        }
    }

    /// Refuses a body that is attached to others, or others to it.
    fn unattached(&self, slot: u32) -> Result<(), OpenError> {
        for (s, other) in self.recipe.bodies.iter().enumerate() {
            let Motion::Deformable(d) = &other.motion else { continue };
            let own = s as u32 == slot && !d.attach.is_empty();
            if own || d.attach.iter().any(|a| a.to == AttachTo::Body(slot)) {
                let reason = format!(
                    "'{}' is attached; what is held cannot be put elsewhere, move it by forces",
                    other.name
                );
                return Err(self.refusal(slot, reason));
            }
        }
        Ok(())
    }

    /// Energy that the contacts of these pairs, lower slot first, stored in the last step (J), but for those that were ended since.
    pub(crate) fn contact_energy(&self, of: impl Fn(u32, u32) -> bool) -> f64 {
        self.stored.iter().filter(|((a, b), _)| of(*a, *b)).fold(0.0, |sum, (_, energy)| sum + energy)
    }

    /// What the contacts of these pairs stored is booked.
    pub(crate) fn energy_booked(&mut self, of: impl Fn(u32, u32) -> bool) {
        self.stored.retain(|((a, b), _)| !of(*a, *b));
    }

    /// A pair of bodies, lower slot first, does not touch any more: what its contacts had stored is booked, what its response keeps goes.
    pub(crate) fn end_pair(&mut self, pair: (u32, u32)) {
        self.relay(pair);
        self.given.relaid.retain(|p| *p != pair);
        let number = self.column::<Laws>().response_of(pair.0, pair.1);
        self.part_with(number as usize, pair);
        crate::turning::end_pair(&self.world, self.arena, pair);
    }

    /// Lets go of all that responses keep of a body.
    pub(crate) fn end_contacts(&mut self, slot: u32) {
        let numbers = FeatureNumbers::of(&self.column::<SurfaceMap>(), &self.column::<Shapes>());
        self.rename_kept(&Renaming::new(numbers.clone(), numbers, slot));
    }

    /// Gives the rows that responses keep other names.
    pub(crate) fn rename_kept(&self, to: &Renaming) {
        for part in &self.acting {
            for kept in part.held.iter().filter_map(|t| t.kept.as_ref()) {
                (kept.rename)(&self.world, part.tables, to);
            }
        }
    }

    /// Changes gravity (m/s²) from the next step on. The potential that bodies gain by it is in the ledger of that step.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # let earth = [0.0, 0.0, -9.81].into();
    /// let ball = BodyDesc::ball("ball", 0.1, Mass::Total(2.0), [0.0, 0.0, 3.0])?;
    /// let mut sim = Simulation::builder(1e-2).gravity(earth).body(ball).build()?;
    /// sim.set_gravity([0.0, 0.0, -1.62])?; // the moon's
    /// sim.step()?;
    /// assert!((sim.view("ball")?.velocity().z + 0.0162).abs() < 1e-15);
    /// assert!((sim.ledger().energy.work_applied - 2.0 * 3.0 * (1.62 - 9.81)).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for numbers that are not finite.
    pub fn set_gravity(&mut self, gravity: impl Into<DVec3>) -> Result<(), OpenError> {
        let gravity = gravity.into();
        if !is_bounded(gravity) {
            return Err(OpenError::World(format!(
                "gravity is to be {gravity:?} m/s²; give finite numbers of at most 1e60"
            )));
        }
        let by = gravity - self.column::<crate::Forces>().0.gravity;
        for slot in 0..self.names().len() as u32 {
            let mass = self.mass(slot);
            let work = -mass * by.dot(self.position(slot));
            let z = DVec3::zero();
            self.book_change(slot, (z, z, 0.0), (z, z, if mass > 0.0 { work } else { 0.0 }));
        }
        self.given.gravity = Some(gravity);
        self.put_gravity();
        Ok(())
    }

    /// Mass of a body by slot (kg); 0 of one that forces do not move. [`Simulation::view`] takes a name or an id.
    ///
    /// # Panics
    /// For a slot beyond the last.
    #[must_use]
    pub fn mass(&self, slot: u32) -> f64 {
        let dofs = self.column::<Dofs>();
        self.nodes_of(slot).fold(dofs.bodies.mass[slot as usize], |sum, n| sum + dofs.nodes.mass[n])
    }

    /// Changes the length of a step (s) from the next one on. Laws stay: those that follow from bodies ([`crate::Builder::friction`]) are for the step that the
    /// world was built with, also those of bodies that come later, so that bodies alike have contacts alike.
    ///
    /// ```
    /// # let floor = impinge_world::BodyDesc::plane("floor", impinge_geometry::DVec3::unit_z(), 0.0);
    /// # let mut sim = impinge_world::Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(floor).build()?;
    /// sim.step()?;
    /// sim.set_dt(1e-4)?;
    /// sim.step()?;
    /// assert_eq!(sim.time(), 1e-3 + 1e-4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a length that is not positive, in which a driver turns too far, or that an explicit scheme cannot take with the
    /// deformables of this world, or the actuators of this world with it.
    pub fn set_dt(&mut self, dt: f64) -> Result<(), OpenError> {
        if !(dt > 0.0 && dt <= LARGEST) {
            return Err(OpenError::World(format!(
                "the length of a step is to be {dt} s; give a positive number of at most 1e60"
            )));
        }
        if !self.recipe.scheme.is_implicit() && self.deformables() > 0 {
            lay_out(&self.recipe.bodies, self.recipe.scheme, self.recipe.settings, dt)
                .map_err(|e| OpenError::World(e.to_string()))?;
        }
        for (slot, driver) in self.column::<Drivers>().0.iter().enumerate() {
            let turns = driver.as_ref().map_or(Ok(()), |d| d.check_turn(dt));
            turns.map_err(|e| self.refusal(slot as u32, e.to_string()))?;
        }
        self.actuators_take(None, dt)?;
        self.given.clock = Some(Clock { dt, step: self.step, time: self.time() });
        self.dt = dt;
        Ok(())
    }
}
