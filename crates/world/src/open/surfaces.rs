//! How the surfaces of bodies move against them, and which bodies may meet: described with the body, changed between steps.

use super::id::BodyKey;
use crate::body::{BodyDesc, Motion};
use crate::components::Laws;
use crate::simulation::Simulation;
use impinge_bodies::OpenError;
use impinge_contact::{BodyChanges, Groups, SurfaceVelocities, SurfaceVelocity};
use impinge_geometry::DVec3;

impl BodyDesc {
    /// With a surface that moves along itself with this velocity (m/s, body axes) while the body stays: a conveyor belt. Of a turntable or a
    /// roller give [`SurfaceVelocity::turning`] as [`BodyDesc::surface_velocity`]. Fixed, driven and rigid bodies can have one.
    ///
    /// Friction sees the slip against the surface. The part of the velocity across a contact is left out.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Simulation};
    /// # use impinge_geometry::DVec3;
    /// let belt = BodyDesc::plane("belt", DVec3::unit_z(), 0.0).with_surface_velocity([1.0, 0.0, 0.0]);
    /// # assert_eq!(belt.surface_velocity.linear.x, 1.0);
    /// ```
    #[must_use]
    pub fn with_surface_velocity(mut self, velocity: impl Into<DVec3>) -> Self {
        self.surface_velocity = SurfaceVelocity::along(velocity);
        self
    }

    /// With the groups that it is in and those that it meets.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Groups};
    /// # use impinge_geometry::DVec3;
    /// // In group 0, and meets group 1 alone.
    /// let gripper = BodyDesc::plane("gripper", DVec3::unit_z(), 0.0).with_groups(Groups::new(0b01, 0b10));
    /// # assert!(!gripper.groups.meets(gripper.groups));
    /// ```
    #[must_use]
    pub fn with_groups(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }
}

/// Why the surface of a body cannot move so.
fn refused(velocity: &SurfaceVelocity, made_of_nodes: bool) -> Option<String> {
    if !velocity.is_bounded() {
        return Some(format!("its surface velocity is {velocity:?}; give finite numbers of at most 1e60"));
    }
    (made_of_nodes && !velocity.is_still()).then(|| {
        "it is made of nodes, each with a velocity of its own; a surface velocity is of fixed, driven and rigid bodies".to_string()
    })
}

/// Refuses surface velocities that bodies cannot have.
pub(crate) fn check_surface(b: &BodyDesc) -> Result<(), String> {
    let nodes = matches!(b.motion, Motion::Particles { .. } | Motion::Deformable(_));
    refused(&b.surface_velocity, nodes).map_or(Ok(()), |why| Err(format!("body '{}': {why}", b.name)))
}

/// Writes what bodies say of their surfaces and groups to the laws, with what was changed since.
pub(crate) fn put_in(laws: &mut Laws, bodies: &[BodyDesc], changes: &BodyChanges) {
    let described = (0..).zip(bodies).map(|(slot, b)| (slot, b.surface_velocity));
    laws.surface_velocities =
        SurfaceVelocities::new(described.chain(changes.surface_velocities.iter().copied()));
    laws.groups.clear();
    if bodies.iter().any(|b| b.groups != Groups::default()) || !changes.groups.is_empty() {
        laws.groups.extend(bodies.iter().map(|b| b.groups));
        changes.groups.iter().for_each(|(slot, groups)| laws.groups[*slot as usize] = *groups);
    }
}

impl Simulation {
    /// Changes how the surface of a body moves along itself from the next step on: [`SurfaceVelocity::along`] of a belt,
    /// [`SurfaceVelocity::turning`] of a turntable, the default to stop it. See [`BodyDesc::with_surface_velocity`].
    ///
    /// ```
    /// use impinge_world::{BodyDesc, Mass, Simulation, SurfaceVelocity};
    /// use impinge_contact::{FrictionLaw, PairLaw};
    /// use impinge_geometry::{DVec3, Pose, generators};
    /// let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// let friction = FrictionLaw { k_fp: 1e5, k_fd: 50.0, ..FrictionLaw::coulomb(0.5) };
    /// let mut sim = Simulation::builder(1e-3)
    ///     .gravity(DVec3::new(0.0, 0.0, -10.0))
    ///     .law(PairLaw { friction: Some(friction), ..PairLaw::elastic(1e5) })
    ///     .body(BodyDesc::plane("belt", DVec3::unit_z(), 0.0))
    ///     .body(BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::from_position(DVec3::unit_z() * 0.09998))?)
    ///     .build()?;
    /// sim.set_surface_velocity("belt", SurfaceVelocity::along([1.0, 0.0, 0.0]))?;
    /// for _ in 0..100 {
    ///     sim.step()?;
    /// }
    /// // μ g t.
    /// assert!((sim.twist(1).velocity.x - 0.5).abs() < 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there, one made of nodes, and numbers that are not finite.
    pub fn set_surface_velocity(
        &mut self,
        body: impl BodyKey,
        velocity: SurfaceVelocity,
    ) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        let nodes = self.column::<crate::Dofs>().bodies.kind[slot as usize].has_nodes();
        if let Some(why) = refused(&velocity, nodes) {
            return Err(self.refusal(slot, why));
        }
        self.given.bodies.set_surface_velocity(slot, velocity);
        self.put_body_changes();
        Ok(())
    }

    /// How the surface of a body moves against it.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation, SurfaceVelocity};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.set_gravity([0.0; 3])?;
    /// # sim.insert(BodyDesc::cuboid("box", [0.6; 3], Mass::Total(2.0), [0.0, 0.0, 0.0])?)?;
    /// sim.set_surface_velocity("box", SurfaceVelocity::along([0.5, 0.0, 0.0]))?;
    /// assert_eq!(sim.surface_velocity("box")?, SurfaceVelocity::along([0.5, 0.0, 0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there.
    pub fn surface_velocity(&self, body: impl BodyKey) -> Result<SurfaceVelocity, OpenError> {
        let slot = body.slot_in(self)?;
        Ok(self.column::<Laws>().surface_velocities.get(slot).copied().unwrap_or_default())
    }

    /// Changes which bodies a body may meet, from the next step on. What [`crate::Builder::rule`] says of a pair goes before groups. Contacts
    /// with bodies that it no longer meets end; the energy they had stored is in the ledger of the next step.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Groups, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// # let on_it = Pose::from_position(DVec3::unit_z() * 0.1);
    /// let mut sim = Simulation::builder(1e-3)
    ///     .gravity(DVec3::new(0.0, 0.0, -10.0))
    ///     .law(impinge_contact::PairLaw::elastic(1e5))
    ///     .body(BodyDesc::plane("trapdoor", DVec3::unit_z(), 0.0))
    ///     .body(BodyDesc::rigid("box", &cube, Mass::Total(1.0), on_it)?)
    ///     .build()?;
    /// sim.set_groups("trapdoor", Groups::new(0, 0))?;
    /// for _ in 0..100 {
    ///     sim.step()?;
    /// }
    /// assert!((sim.twist(1).velocity.z + 1.0).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there, and where a response cannot handle a pair that would meet.
    pub fn set_groups(&mut self, body: impl BodyKey, groups: Groups) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        let mut changes = self.given.bodies.clone();
        changes.set_groups(slot, groups);
        let old = Laws::clone(&self.column::<Laws>());
        let mut new = old.clone();
        put_in(&mut new, &self.members.from.bodies, &changes);
        self.check_laws(&self.responses(), new.clone(), Some(slot as usize))
            .map_err(|e| OpenError::World(e.to_string()))?;
        for other in 0..self.names.len() as u32 {
            let (a, b) = (slot.min(other), slot.max(other));
            match (old.of(a, b).is_some(), new.of(a, b).is_some()) {
                (true, false) => self.end_pair((a, b)),
                (false, true) => self.relay((a, b)),
                _ => {}
            }
        }
        self.given.bodies = changes;
        self.put_body_changes();
        self.books_anew();
        Ok(())
    }

    /// The groups of a body.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation, Groups};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.set_gravity([0.0; 3])?;
    /// # sim.insert(BodyDesc::cuboid("box", [0.6; 3], Mass::Total(2.0), [0.0, 0.0, 0.0])?)?;
    /// sim.set_groups("box", Groups::new(4, 6))?;
    /// assert_eq!(sim.groups("box")?, Groups::new(4, 6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there.
    pub fn groups(&self, body: impl BodyKey) -> Result<Groups, OpenError> {
        let slot = body.slot_in(self)?;
        Ok(self.column::<Laws>().groups.get(slot as usize).copied().unwrap_or_default())
    }

    /// The laws say what bodies are described with and what was changed since.
    pub(crate) fn put_body_changes(&mut self) {
        let (bodies, changes) = (&self.members.from.bodies, &self.given.bodies);
        if let Ok(laws) = self.world.query_one_mut::<&mut Laws>(self.arena) {
            put_in(laws, bodies, changes);
        }
    }
}
