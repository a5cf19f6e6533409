//! Locked axes of rigid bodies.

use super::given::Held;
use super::id::BodyKey;
use crate::components::{Dofs, Twist};
use crate::simulation::Simulation;
use impinge_bodies::OpenError;
use impinge_contact::{Axes, BodyKind, Mobility};
use impinge_geometry::DVec3;

impl Simulation {
    /// Locks these axes of a rigid body from the next step on, and frees all others. They are axes of the world, and rotations are about the centre
    /// of mass.
    ///
    /// A body that moves along an axis that gets locked is stopped on it, as by a blow: of its spin what is left is what the free part of
    /// its angular momentum makes of it. What that takes is in the ledger of the next step ([`impinge_contact::Ledger::applied`]); what the locks do in
    /// steps is in [`impinge_contact::Ledger::locks`].
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # use impinge_contact::Axes;
    /// # let cube = generators::cuboid(DVec3::broadcast(0.6), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(2.0), Pose::identity())?;
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(body).build()?;
    /// sim.set_locked("box", Axes::all_but(Axes::Y))?;
    /// sim.apply_force("box", [5.0, 4.0, 0.0])?;
    /// sim.step()?;
    /// assert_eq!(sim.twist(0).velocity, DVec3::new(0.0, 0.002, 0.0));
    /// // The lock pushes back.
    /// assert_eq!(sim.ledger().locks[0].impulse.x, -0.005);
    /// sim.set_locked("box", Axes::NONE)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there, one that is not rigid, an axis that an actuator acts on, and one that gains are too high for once it
    /// is free.
    pub fn set_locked(&mut self, body: impl BodyKey, axes: Axes) -> Result<(), OpenError> {
        let slot = body.slot_in(self)?;
        if self.column::<Dofs>().bodies.kind[slot as usize] != BodyKind::Rigid {
            return Err(self.refusal(slot, "only rigid bodies have axes to lock; make it one"));
        }
        self.take_in_row(slot)?;
        self.no_actuator_on(slot, axes)?;
        self.actuators_take(Some((slot, axes)), self.dt)?;
        let before = self.held(slot, self.kinetic_energy(slot));
        self.lock(slot, axes);
        self.stop_locked(slot);
        let after: Held = self.held(slot, self.kinetic_energy(slot));
        self.book_change(slot, before, after);
        Ok(())
    }

    /// The locked axes of a body.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.set_gravity([0.0; 3])?;
    /// # sim.insert(BodyDesc::cuboid("box", [0.6; 3], Mass::Total(2.0), [0.0, 0.0, 0.0])?)?;
    /// # use impinge_contact::Axes;
    /// assert!(sim.locked("box")?.is_empty());
    /// sim.set_locked("box", Axes::X | Axes::Y)?;
    /// assert_eq!(sim.locked("box")?, Axes::X | Axes::Y);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError::NoBody`].
    pub fn locked(&self, body: impl BodyKey) -> Result<Axes, OpenError> {
        let slot = body.slot_in(self)?;
        Ok(self.mobility(slot).locked())
    }

    pub(crate) fn mobility(&self, slot: u32) -> Mobility {
        self.column::<Dofs>().bodies.mobility[slot as usize]
    }

    /// What is locked, for snapshots.
    pub(crate) fn locks(&self) -> Vec<(u32, Axes)> {
        let dofs = self.column::<Dofs>();
        let locked = (0..).zip(&dofs.bodies.mobility).map(|(slot, m)| (slot, m.locked()));
        locked.filter(|(_, axes)| !axes.is_empty()).collect()
    }

    /// Locks what a snapshot says, and nothing else.
    pub(crate) fn put_locks(&mut self, locks: &[(u32, Axes)]) {
        for slot in 0..self.names.len() as u32 {
            let axes = locks.iter().find(|l| l.0 == slot).map_or(Axes::NONE, |l| l.1);
            self.lock(slot, axes);
        }
    }

    fn lock(&mut self, slot: u32, axes: Axes) {
        let k = slot as usize;
        let body = &mut self.recipe.bodies[k];
        body.locked = axes;
        // Of the start nothing is left, and along a lock there must be none.
        let free = Mobility::default().locked_on(axes);
        body.velocity = free.linear(body.velocity);
        body.angular_velocity = free.angular(body.angular_velocity);
        if let Ok(dofs) = self.world.query_one_mut::<&mut Dofs>(self.arena) {
            let mobility = &mut dofs.bodies.mobility[k];
            *mobility = mobility.locked_on(axes);
        }
    }

    fn stop_locked(&mut self, slot: u32) {
        let (mobility, r, twist) = (self.mobility(slot), self.pose(slot).matrix(), self.twist(slot));
        let l = r * (*mobility.inertia() * (r.transposed() * twist.angular_velocity));
        let still = mobility.angular(twist.angular_velocity) == twist.angular_velocity;
        let spin = if still { twist.angular_velocity } else { mobility.spin(&r, l) };
        if let Ok(t) = self.world.query_one_mut::<&mut Twist>(self.entities[slot as usize]) {
            *t = Twist { velocity: mobility.linear(twist.velocity), angular_velocity: spin };
        }
        self.see_row(slot);
    }

    /// Refuses a velocity, or a spin, along what is locked.
    pub(crate) fn free_along(&self, slot: u32, v: DVec3, spin: bool) -> Result<(), OpenError> {
        let mobility = self.mobility(slot);
        if mobility.locked().is_empty() {
            return Ok(());
        }
        let free = if spin { mobility.angular(v) } else { mobility.linear(v) };
        if free == v {
            return Ok(());
        }
        let reason = format!(
            "it is to move with {v:?}, and it is locked on {}; free that axis by `set_locked`, or leave its component out",
            mobility.locked()
        );
        Err(self.refusal(slot, reason))
    }
}
