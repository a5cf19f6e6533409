//! What moves a kinematic body, changed between steps.

use super::id::BodyKey;
use crate::body::{BodyDesc, Motion};
use crate::check_numbers::check_numbers;
use crate::components::{Dofs, Drivers};
use crate::simulation::Simulation;
use impinge_bodies::{Attach, AttachTo, OpenError};
use impinge_contact::BodyKind;
use impinge_geometry::Pose;
use impinge_integrators::{Driver, Keyframe, rotation_between};
use std::f64::consts::PI;
use std::sync::Arc;

impl Simulation {
    /// Gives a kinematic body another driver from the next step on. Its times are those of the run.
    ///
    /// The body goes in the next step from where it is to where the driver has it at the end of that step, with the velocity that this takes; its
    /// contacts stay. A driver that has it elsewhere now makes it jump there within a step, and contact sees that velocity.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Motion, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # use impinge_integrators::Driver;
    /// # let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// # let mut lift = BodyDesc::fixed("lift", cube, Pose::identity())?;
    /// # lift.motion = Motion::Kinematic(Driver::constant(Pose::identity(), DVec3::zero(), DVec3::zero()));
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(lift).build()?;
    /// sim.step()?;
    /// // Up with 0.5 m/s from where it is now.
    /// sim.drive("lift", Driver::constant_from(sim.time(), sim.pose(0), DVec3::unit_z() * 0.5, DVec3::zero()))?;
    /// sim.step()?;
    /// assert!((sim.pose(0).position.z - 0.0005).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there or not kinematic, numbers that are not finite, and a driver that turns by half a turn a step.
    pub fn drive(&mut self, body: impl BodyKey, driver: Driver) -> Result<(), OpenError> {
        let slot = self.driven(body)?;
        let mut desc = self.recipe.bodies[slot as usize].clone();
        desc.motion = Motion::Kinematic(driver.clone());
        check_numbers(&desc).map_err(OpenError::World)?;
        let finite = driver.pose(self.time() + self.dt).is_some_and(|p| p.is_bounded());
        if !finite {
            return Err(self.refusal(slot, "its driver gives no finite pose within 1e60 m for the next step"));
        }
        driver.check_turn(self.dt).map_err(|e| self.refusal(slot, e.to_string()))?;
        // What it holds was attached where the driver before had it.
        let start = self.recipe.bodies[slot as usize].driver().and_then(|d| d.pose(0.0));
        let start = start.unwrap_or(self.recipe.bodies[slot as usize].pose);
        // As a change of bodies: a driver is no state that could be written down.
        let mut members = self.members_as_built();
        hold_at(&mut members.from.bodies, slot, start);
        hold_at(&mut self.recipe.bodies, slot, start);
        members.from.bodies[slot as usize] = desc.clone();
        self.recipe.built = members.from.bodies.clone().into();
        self.members = Arc::new(members);
        self.recipe.bodies[slot as usize] = desc;
        self.given.posed.retain(|(s, _)| *s != slot);
        self.put_driver(slot, driver);
        Ok(())
    }

    /// Moves a kinematic body in the next step to `pose`, straight and by the shortest turn, with the velocity that this takes; its contacts stay. After
    /// that it stays there: call it before every step that the body is to move in. Its driver is forgotten.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Motion, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # use impinge_integrators::Driver;
    /// # let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// # let mut hand = BodyDesc::fixed("hand", cube, Pose::identity())?;
    /// # hand.motion = Motion::Kinematic(Driver::constant(Pose::identity(), DVec3::zero(), DVec3::zero()));
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(hand).build()?;
    /// sim.set_next_pose("hand", Pose::from_position(DVec3::new(0.0, 0.0, 0.002)))?;
    /// sim.step()?;
    /// assert_eq!(sim.pose(0).position.z, 0.002);
    /// sim.step()?;
    /// assert_eq!(sim.pose(0).position.z, 0.002);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there or not kinematic, a pose that is not finite, and one that is half a turn or nearly that away: nothing
    /// says then which way round it turns.
    pub fn set_next_pose(&mut self, body: impl BodyKey, pose: Pose) -> Result<(), OpenError> {
        let slot = self.driven(body)?;
        let unit = Pose { rotation: pose.rotation.normalized(), ..pose };
        // A rotor of length zero has no direction.
        if !unit.is_bounded() {
            return Err(self.refusal(
                slot,
                format!("its next pose is to be {pose:?}; give finite numbers of at most 1e60"),
            ));
        }
        let pose = unit;
        let turn = rotation_between(self.pose(slot).rotation, pose.rotation).mag();
        if turn > PI * (1.0 - 1e-9) {
            let reason = format!(
                "it is to turn by {turn:.4} rad in a step, and both ways round are as long; turn it by less than half a turn a step"
            );
            return Err(self.refusal(slot, reason));
        }
        self.given.posed.retain(|(s, _)| *s != slot);
        self.given.posed.push((slot, pose));
        self.given.posed.sort_by_key(|p| p.0);
        Ok(())
    }

    fn driven(&self, body: impl BodyKey) -> Result<u32, OpenError> {
        let slot = body.slot_in(self)?;
        let kind = self.column::<Dofs>().bodies.kind[slot as usize];
        if kind == BodyKind::Kinematic {
            return Ok(slot);
        }
        let reason = format!(
            "it is {} and has no driver; make it kinematic (`Motion::Kinematic`), or move it by `set_pose` or forces",
            kind.name()
        );
        Err(self.refusal(slot, reason))
    }

    fn put_driver(&mut self, slot: u32, driver: Driver) {
        if let Ok(drivers) = self.world.query_one_mut::<&mut Drivers>(self.arena) {
            drivers.0[slot as usize] = Some(driver);
        }
    }

    /// A step of `dt` (s) begins: bodies that the program puts from pose to pose go there in it.
    pub(crate) fn pose_step(&mut self, dt: f64) {
        let time = self.time();
        for (slot, pose) in self.given.posed.clone() {
            let here = Keyframe { time, pose: self.pose(slot) };
            let there = Keyframe { time: time + dt, pose };
            self.put_driver(slot, Driver::Keyframes(vec![here, there]));
        }
    }

    /// The drivers as bodies have them.
    pub(crate) fn put_drivers(&mut self) {
        let of = |b: &crate::BodyDesc| b.driver();
        let all = self.members.from.bodies.iter().map(of).collect();
        if let Ok(drivers) = self.world.query_one_mut::<&mut Drivers>(self.arena) {
            drivers.0 = all;
        }
    }
}

/// What is attached to a body since the start says where that was.
fn hold_at(bodies: &mut [BodyDesc], holder: u32, start: Pose) {
    for body in bodies {
        let Motion::Deformable(d) = &mut body.motion else { continue };
        let early = |a: &Attach| a.to == AttachTo::Body(holder) && a.frame.is_none();
        if d.attach.iter().any(early) {
            let attach = &mut Arc::make_mut(d).attach;
            attach.iter_mut().filter(|a| early(a)).for_each(|a| a.frame = Some(start));
        }
    }
}
