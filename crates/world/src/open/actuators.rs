//! Actuators of a running world.

use super::id::BodyKey;
use crate::body::BodyDesc;
use crate::check_actuators::check_actuator;
use crate::components::{Dofs, Forces};
use crate::simulation::Simulation;
use impinge_bodies::OpenError;
use impinge_contact::{Actuated, Actuator, Advanced, Axes, Axis};
use impinge_integrators::rotation_between;

impl Simulation {
    /// Gives a rigid body an actuator, in the place of the one that it has on this axis. Its position counts from where the body is
    /// now; of one that had an actuator on this axis it goes on.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # use impinge_contact::{Actuator, Axis};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.6), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(2.0), Pose::identity())?;
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(body).build()?;
    /// sim.set_actuator("box", Actuator::force(Axis::X, 4.0))?;
    /// sim.step()?;
    /// sim.step()?;
    /// assert_eq!(sim.twist(0).velocity.x, 0.004);
    /// assert_eq!(sim.ledger().actuators[0].impulse, 0.004);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there or not rigid, a locked axis, numbers that are none, and gains that steps of this length do not take.
    pub fn set_actuator(&mut self, body: impl BodyKey, actuator: Actuator) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        let fresh = Actuated::new(slot, actuator, &self.pose(slot));
        let mark = self.actuated(slot, actuator.axis).map_or(fresh.mark, |a| a.mark);
        self.actuation_fits(slot, &actuator)?;
        self.change_actuators(slot, |all| {
            let at = all.partition_point(|a| a.key() < fresh.key());
            let same = usize::from(all.get(at).is_some_and(|a| a.key() == fresh.key()));
            all.splice(at..at + same, [Actuated { mark, ..fresh }]);
        });
        Ok(())
    }

    /// Takes the actuator on an axis away.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.set_gravity([0.0; 3])?;
    /// # sim.insert(BodyDesc::cuboid("box", [0.6; 3], Mass::Total(2.0), [0.0, 0.0, 0.0])?)?;
    /// # use impinge_contact::{Actuator, Axis};
    /// sim.set_actuator("box", Actuator::force(Axis::X, 4.0))?;
    /// sim.step()?;
    /// sim.remove_actuator("box", Axis::X)?;
    /// sim.step()?;
    /// // It pushed for one step: F Δt/m.
    /// assert_eq!(sim.view("box")?.velocity().x, 0.002);
    /// assert!(sim.actuator("box", Axis::X).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there or has no actuator on this axis.
    pub fn remove_actuator(&mut self, body: impl BodyKey, axis: Axis) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        self.actuator(slot, axis)?;
        self.change_actuators(slot, |all| all.retain(|a| a.key() != (slot, axis)));
        Ok(())
    }

    /// Gives the actuator on an axis another position (m, rad) and velocity (m/s, rad/s) to go for.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # use impinge_contact::{Actuator, Axis};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.6), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(2.0), Pose::identity())?
    /// #     .actuator(Actuator::servo(Axis::X, 800.0, 80.0));
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(body).build()?;
    /// sim.set_actuator_target("box", Axis::X, 0.3, 0.0)?;
    /// for _ in 0..2000 {
    ///     sim.step()?;
    /// }
    /// assert!((sim.actuator_position("box", Axis::X)? - 0.3).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Simulation::remove_actuator`], and for numbers that are not finite.
    pub fn set_actuator_target(
        &mut self,
        body: impl BodyKey,
        axis: Axis,
        position: f64,
        velocity: f64,
    ) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        let actuator = self.actuator(slot, axis)?;
        self.set_actuator(slot, Actuator { position, velocity, ..actuator })
    }

    /// Gives the actuator on an axis another constant force (N) or torque (N·m).
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.set_gravity([0.0; 3])?;
    /// # sim.insert(BodyDesc::cuboid("box", [0.6; 3], Mass::Total(2.0), [0.0, 0.0, 0.0])?)?;
    /// # use impinge_contact::{Actuator, Axis};
    /// sim.set_actuator("box", Actuator::force(Axis::X, 4.0))?;
    /// sim.step()?;
    /// sim.set_actuator_force("box", Axis::X, -4.0)?;
    /// assert_eq!(sim.actuator("box", Axis::X)?.force, -4.0);
    /// sim.step()?;
    /// assert!(sim.view("box")?.velocity().x.abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Simulation::set_actuator_target`].
    pub fn set_actuator_force(
        &mut self,
        body: impl BodyKey,
        axis: Axis,
        force: f64,
    ) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        let actuator = self.actuator(slot, axis)?;
        self.set_actuator(slot, Actuator { force, ..actuator })
    }

    /// The actuator on an axis.
    ///
    /// # Errors
    /// As [`Simulation::remove_actuator`].
    pub fn actuator(&self, body: impl BodyKey, axis: Axis) -> Result<Actuator, OpenError> {
        let slot = body.slot_in(self)?;
        let found = self.actuated(slot, axis).map(|a| a.actuator);
        found.ok_or_else(|| {
            self.refusal(slot, format!("it has no actuator on the {axis}; give it one by `set_actuator`"))
        })
    }

    /// How far a body has moved along the axis of an actuator, or turned about it, since it got that (m, rad). [`Simulation::set_pose`] moves, and
    /// does not turn.
    ///
    /// # Errors
    /// As [`Simulation::remove_actuator`].
    pub fn actuator_position(&self, body: impl BodyKey, axis: Axis) -> Result<f64, OpenError> {
        let slot = body.slot_in(self)?;
        self.actuator(slot, axis)?;
        Ok(self.actuated(slot, axis).map_or(0.0, |a| a.position(&self.pose(slot))))
    }

    fn actuated(&self, slot: u32, axis: Axis) -> Option<Actuated> {
        self.column::<Forces>().0.actuators.iter().find(|a| a.key() == (slot, axis)).copied()
    }

    fn actuation_fits(&self, slot: u32, actuator: &Actuator) -> Result<(), OpenError> {
        let kind = self.moved_by_forces(slot, "actuator")?;
        if kind.has_nodes() {
            return Err(self.refusal(slot, "it is made of nodes; only rigid bodies take an actuator"));
        }
        let fits = check_actuator(actuator, self.mass(slot), &self.mobility(slot), &self.pose(slot), self.dt);
        fits.map_err(|reason| self.refusal(slot, reason))
    }

    /// Whether all actuators take steps of this length.
    pub(crate) fn actuators_take(&self, locked: Option<(u32, Axes)>, dt: f64) -> Result<(), OpenError> {
        for a in &self.column::<Forces>().0.actuators {
            let slot = a.body;
            let axes = locked.filter(|l| l.0 == slot).map(|l| l.1);
            if locked.is_some() && axes.is_none() {
                continue;
            }
            let mobility = axes.map_or(self.mobility(slot), |axes| self.mobility(slot).locked_on(axes));
            check_actuator(&a.actuator, self.mass(slot), &mobility, &self.pose(slot), dt)
                .map_err(|reason| self.refusal(slot, reason))?;
        }
        Ok(())
    }

    /// Refuses to lock an axis that an actuator of a body is on.
    pub(crate) fn no_actuator_on(&self, slot: u32, axes: Axes) -> Result<(), OpenError> {
        let forces = self.column::<Forces>();
        match forces.0.actuators.iter().find(|a| a.body == slot && axes.contains(a.actuator.axis)) {
            None => Ok(()),
            Some(a) => Err(self.refusal(
                slot,
                format!(
                    "it has an actuator on the {}; take it out by `remove_actuator` first",
                    a.actuator.axis
                ),
            )),
        }
    }

    /// Changes those of one body.
    fn change_actuators(&mut self, slot: u32, change: impl FnOnce(&mut Vec<Actuated>)) {
        if let Ok(forces) = self.world.query_one_mut::<&mut Forces>(self.arena) {
            let all = &mut forces.0.actuators;
            change(all);
            // They are in the order of bodies.
            let own = all.partition_point(|a| a.body < slot)..all.partition_point(|a| a.body <= slot);
            self.recipe.bodies[slot as usize].actuators = all[own].iter().map(|a| a.actuator).collect();
        }
    }

    /// These and no others.
    pub(crate) fn put_actuators(&mut self, mut all: Vec<Actuated>) {
        all.sort_by_key(Actuated::key);
        self.recipe.bodies.iter_mut().for_each(|body| body.actuators.clear());
        for a in &all {
            if let Some(body) = self.recipe.bodies.get_mut(a.body as usize) {
                body.actuators.push(a.actuator);
            }
        }
        if let Ok(forces) = self.world.query_one_mut::<&mut Forces>(self.arena) {
            forces.0.actuators = all;
        }
    }

    /// The actuators of a body as it is described, where it starts.
    pub(crate) fn actuators_of(slot: u32, body: &BodyDesc) -> impl Iterator<Item = Actuated> + '_ {
        body.actuators.iter().map(move |a| Actuated::new(slot, *a, &body.pose))
    }

    /// A step, or a part of one, was made: what turned has turned.
    pub(crate) fn actuators_follow(&mut self) {
        type Columns<'a> = (&'a mut Forces, &'a Dofs, &'a Advanced);
        if let Ok((forces, dofs, advanced)) = self.world.query_one_mut::<Columns<'_>>(self.arena) {
            for a in forces.0.actuators.iter_mut().filter(|a| a.actuator.axis.turns()) {
                let (b, to) = (a.body as usize, &advanced.pose[a.body as usize]);
                a.turn(rotation_between(dofs.bodies.pose[b].rotation, to.rotation));
            }
        }
    }
}
