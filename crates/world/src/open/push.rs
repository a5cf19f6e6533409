//! Pushes: forces, torques and impulses that act in the next step.

use super::id::BodyKey;
use crate::components::Dofs;
use crate::simulation::Simulation;
use impinge_bodies::OpenError;
use impinge_contact::{BodyKind, Push, Wrench};
use impinge_geometry::{DVec3, is_bounded};

impl Simulation {
    /// Pushes a body with a force (N, world axes) during the next step, and no longer: call it before every step that it is to act in.
    ///
    /// A rigid body is pushed at its centre of mass. Of a deformable and of particles all nodes get one acceleration: the force over the mass.
    /// Several calls add up. The force acts evenly over the step, also where that is halved. Impulse and work are in
    /// [`impinge_contact::Ledger::applied`].
    ///
    /// ```
    /// use impinge_world::{BodyDesc, Mass, Simulation};
    /// use impinge_geometry::{DVec3, Pose, generators};
    /// let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4))
    ///     .body(BodyDesc::rigid("box", &cube, Mass::Total(2.0), Pose::identity())?)
    ///     .build()?;
    /// for _ in 0..1000 {
    ///     sim.apply_force("box", [6.0, 0.0, 0.0])?;
    ///     sim.step()?;
    /// }
    /// // v = F t / m.
    /// assert!((sim.twist(0).velocity.x - 3.0).abs() < 1e-12);
    /// assert!(sim.ledger().residual() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there, one that forces do not move, and a force that is not finite.
    pub fn apply_force(&mut self, body: impl BodyKey, force: impl Into<DVec3>) -> Result<(), OpenError> {
        self.push(body, None, [force.into(), DVec3::zero()], false)
    }

    /// Pushes a rigid body with a force (N) at a point of the world (m) during the next step. The torque is that about the centre of mass where
    /// the body is now, and is the same over the whole step.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.6), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::identity())?;
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(body).build()?;
    /// sim.apply_force_at_point("box", [0.0, 0.0, 1.0], [0.1, 0.0, 0.0])?;
    /// sim.step()?;
    /// // Torque −0.1 N·m about y over an inertia of 0.06 kg·m².
    /// assert!((sim.twist(0).angular_velocity.y + 1e-3 * 0.1 / 0.06).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Simulation::apply_force`]; bodies made of nodes have no such point, see [`Simulation::apply_node_force`].
    pub fn apply_force_at_point(
        &mut self,
        body: impl BodyKey,
        force: impl Into<DVec3>,
        point: impl Into<DVec3>,
    ) -> Result<(), OpenError> {
        self.push_at(body, force.into(), point.into(), false)
    }

    /// Turns a rigid body with a torque (N·m, world axes) during the next step.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.6), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::identity())?;
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(body).build()?;
    /// sim.apply_torque("box", [0.0, 0.0, 0.6])?;
    /// sim.step()?;
    /// assert!((sim.twist(0).angular_velocity.z - 0.01).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Simulation::apply_force_at_point`].
    pub fn apply_torque(&mut self, body: impl BodyKey, torque: impl Into<DVec3>) -> Result<(), OpenError> {
        self.push(body, None, [DVec3::zero(), torque.into()], false)
    }

    /// Gives a body an impulse (N·s), as [`Simulation::apply_force`] does with a force: it is spread evenly over the next step, whatever its
    /// length. Velocities change with that step, not with this call.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.6), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(2.0), Pose::identity())?;
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(body).build()?;
    /// sim.apply_impulse("box", [1.0, 0.0, 0.0])?;
    /// sim.step()?;
    /// assert!((sim.twist(0).velocity.x - 0.5).abs() < 1e-12);
    /// // Its work is the kinetic energy.
    /// assert!((sim.ledger().energy.work_applied - 0.25).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Simulation::apply_force`].
    pub fn apply_impulse(&mut self, body: impl BodyKey, impulse: impl Into<DVec3>) -> Result<(), OpenError> {
        self.push(body, None, [impulse.into(), DVec3::zero()], true)
    }

    /// Gives a rigid body an impulse (N·s) at a point of the world (m), as [`Simulation::apply_impulse`].
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.6), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::identity())?;
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(body).build()?;
    /// sim.apply_impulse_at_point("box", [0.0, 0.06, 0.0], [0.3, 0.0, 0.0])?;
    /// sim.step()?;
    /// assert!((sim.twist(0).angular_velocity.z - 0.3).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Simulation::apply_force_at_point`].
    pub fn apply_impulse_at_point(
        &mut self,
        body: impl BodyKey,
        impulse: impl Into<DVec3>,
        point: impl Into<DVec3>,
    ) -> Result<(), OpenError> {
        self.push_at(body, impulse.into(), point.into(), true)
    }

    /// Pushes one node of a deformable or of particles with a force (N) during the next step. Nodes are counted from the first of the body, see
    /// [`Simulation::nodes_of`]. A cut that takes the node before that step takes the push along.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Simulation};
    /// # use impinge_geometry::DVec3;
    /// # let dust = BodyDesc::particles("dust", vec![DVec3::zero(), DVec3::unit_x()], 0.5);
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(dust).build()?;
    /// sim.apply_node_force("dust", 1, [0.0, 0.0, 5.0])?;
    /// sim.step()?;
    /// // One of two equal nodes moves with 10 mm/s.
    /// assert!((sim.velocity(0).unwrap().z - 0.005).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Simulation::apply_force`], and where the body has no such node.
    pub fn apply_node_force(
        &mut self,
        body: impl BodyKey,
        node: u32,
        force: impl Into<DVec3>,
    ) -> Result<(), OpenError> {
        self.push(body, Some(node), [force.into(), DVec3::zero()], false)
    }

    /// Gives one node an impulse (N·s), as [`Simulation::apply_node_force`] and [`Simulation::apply_impulse`].
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, NodeState, Simulation};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.set_gravity([0.0; 3])?;
    /// # let places = vec![[0.0; 3].into(), [1.0, 0.0, 0.0].into()];
    /// sim.insert(BodyDesc::particles("dust", places, 0.5))?;
    /// sim.apply_node_impulse("dust", 1, [0.0, 0.0, 0.5])?;
    /// sim.step()?;
    /// // p/m of one node, and nothing of the other.
    /// let mass = sim.view("dust")?.mass();
    /// let nodes = sim.column::<NodeState>();
    /// assert_eq!(nodes.v[1].z, 0.5 / (mass / 2.0));
    /// assert_eq!(nodes.v[0].z, 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Simulation::apply_node_force`].
    pub fn apply_node_impulse(
        &mut self,
        body: impl BodyKey,
        node: u32,
        impulse: impl Into<DVec3>,
    ) -> Result<(), OpenError> {
        self.push(body, Some(node), [impulse.into(), DVec3::zero()], true)
    }

    fn push_at(
        &mut self,
        body: impl BodyKey,
        push: DVec3,
        point: DVec3,
        whole: bool,
    ) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        if !is_bounded(point) {
            return Err(self.refusal(
                slot,
                format!("it is pushed at {point:?}; give a finite point at most 1e60 m away"),
            ));
        }
        if self.column::<Dofs>().bodies.kind[slot as usize].has_nodes() {
            let reason = "it is made of nodes and has no such point; push one of them by `apply_node_force`";
            return Err(self.refusal(slot, reason));
        }
        let arm = point - self.pose(slot).position;
        self.push(slot, None, [push, arm.cross(push)], whole)
    }

    fn push(
        &mut self,
        body: impl BodyKey,
        node: Option<u32>,
        [impulse, moment]: [DVec3; 2],
        whole: bool,
    ) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        let kind = self.moved_by_forces(slot, "push")?;
        if !(is_bounded(impulse) && is_bounded(moment)) {
            let reason = format!(
                "it is pushed with {impulse:?} and turned with {moment:?}; give finite numbers of at most 1e60"
            );
            return Err(self.refusal(slot, reason));
        }
        let nodes = self.nodes_of(slot).len();
        match node {
            Some(_) if kind == BodyKind::Rigid => {
                let reason = "it is rigid and has no nodes; push it by `apply_force_at_point`";
                return Err(self.refusal(slot, reason));
            }
            Some(n) if n as usize >= nodes => {
                return Err(self.refusal(slot, format!("it has no node {n}; it has {nodes}, counted from 0")));
            }
            _ => {}
        }
        if kind.has_nodes() && moment != DVec3::zero() {
            let reason = "it is made of nodes and takes no torque; push its nodes by `apply_node_force`";
            return Err(self.refusal(slot, reason));
        }
        let wrench = Wrench { impulse, moment };
        self.given.pushes.push(Push { body: slot, node, wrench, whole });
        Ok(())
    }

    /// What moves a body, where that is forces.
    pub(crate) fn moved_by_forces(&self, slot: u32, what: &str) -> Result<BodyKind, OpenError> {
        let kind = self.column::<Dofs>().bodies.kind[slot as usize];
        match kind {
            BodyKind::Fixed => Err(self.refusal(
                slot,
                format!("it is fixed and takes no {what}; give it a mass (`BodyDesc::rigid`)"),
            )),
            BodyKind::Kinematic => Err(self.refusal(
                slot,
                format!("its driver moves it, it takes no {what}; give it a mass, or another driver"),
            )),
            _ => Ok(kind),
        }
    }

    pub(crate) fn refusal(&self, slot: u32, reason: impl Into<String>) -> OpenError {
        let body = self.names().get(slot as usize).cloned().unwrap_or_default();
        OpenError::Refused { body, reason: reason.into() }
    }
}
