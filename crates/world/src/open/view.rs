//! What one body is and does now, by its name or id.

use super::id::{BodyId, BodyKey};
use crate::components::Twist;
use crate::response::Response;
use crate::simulation::Simulation;
use impinge_bodies::OpenError;
use impinge_geometry::{DVec3, Pose};
use std::ops::Range;

/// A body that is there, for reading. See [`Simulation::view`].
#[derive(Clone, Copy)]
pub struct BodyView<'a> {
    sim: &'a Simulation,
    id: BodyId,
}

impl std::fmt::Debug for BodyView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BodyView").field("id", &self.id).field("name", &self.name()).finish()
    }
}

impl Simulation {
    /// A body for reading, by name or id: pose, velocity, force. The readers of [`Simulation`] itself take slots, as tables have them: the slot of a
    /// removed body reads as a body at rest at the origin, and one that was taken again as the body that took it. An id is refused in both cases.
    ///
    /// ```
    /// use impinge_world::{BodyDesc, Mass, Simulation};
    /// let mut sim = Simulation::new(1e-3)?;
    /// sim.insert(BodyDesc::plane("floor", [0.0, 0.0, 1.0].into(), 0.0))?;
    /// let first = sim.insert(BodyDesc::cuboid("first", [0.2; 3], Mass::Total(2.0), [0.0, 0.0, 0.1])?)?;
    /// for _ in 0..500 {
    ///     sim.step()?;
    /// }
    /// let body = sim.view("first")?;
    /// assert!((body.contact_force().z - 2.0 * 9.81).abs() < 1e-6);
    /// assert!(body.velocity().mag() < 1e-9 && body.kinetic_energy() < 1e-18);
    /// assert_eq!((body.id(), body.name(), body.mass()), (first, "first", 2.0));
    ///
    /// // Another body takes its slot, and not its id.
    /// sim.remove(first)?;
    /// let next = sim.insert(BodyDesc::ball("next", 0.1, Mass::Total(1.0), [0.0, 0.0, 3.0])?)?;
    /// assert_eq!(next.slot(), first.slot());
    /// assert!(sim.view(first).is_err());
    /// assert_eq!(sim.view(next)?.position().z, 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError::NoBody`].
    pub fn view(&self, body: impl BodyKey) -> Result<BodyView<'_>, OpenError> {
        let slot = body.slot_in(self)?;
        let id = self.id(slot).ok_or_else(|| OpenError::NoBody {
            body: format!("in slot {slot}"),
            remedy: "it was removed".to_string(),
        })?;
        Ok(BodyView { sim: self, id })
    }

    /// The response of a pair of bodies by name or id; of a body and itself that of its own parts.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Response, Simulation};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.insert(BodyDesc::plane("floor", [0.0, 0.0, 1.0].into(), 0.0))?;
    /// # sim.insert(BodyDesc::ball("ball", 0.1, Mass::Total(1.0), [0.0, 0.0, 0.1])?)?;
    /// sim.set_response("ball", "floor", Response::qp())?;
    /// assert_eq!(sim.response_between("floor", "ball")?.name(), "qp");
    /// assert!(sim.response_between("floor", "bell").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError::NoBody`].
    pub fn response_between(&self, a: impl BodyKey, b: impl BodyKey) -> Result<&Response, OpenError> {
        Ok(self.response_of(a.slot_in(self)?, b.slot_in(self)?))
    }
}

impl<'a> BodyView<'a> {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// Its slot: the row of the tables that it has.
    #[must_use]
    pub fn slot(&self) -> u32 {
        self.id.slot()
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        &self.sim.names()[self.slot() as usize]
    }

    /// Mass (kg); 0 of a body that forces do not move.
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.sim.mass(self.slot())
    }

    /// Pose of its centre-of-mass frame; of a body made of nodes that which it was described with.
    #[must_use]
    pub fn pose(&self) -> Pose {
        self.sim.pose(self.slot())
    }

    /// Centre of mass (m); of a body made of nodes their mean by mass.
    #[must_use]
    pub fn position(&self) -> DVec3 {
        self.sim.position(self.slot())
    }

    /// Velocities of a body that moves by its pose; 0 of one made of nodes.
    #[must_use]
    pub fn twist(&self) -> Twist {
        self.sim.twist(self.slot())
    }

    /// Velocity of the centre of mass (m/s), of whatever kind the body is.
    #[must_use]
    pub fn velocity(&self) -> DVec3 {
        self.sim.velocity(self.slot()).unwrap_or_else(|| self.twist().velocity)
    }

    /// Mean contact force on it during the last step (N).
    #[must_use]
    pub fn contact_force(&self) -> DVec3 {
        self.sim.contact_force(self.slot())
    }

    /// Kinetic energy between steps (J).
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        self.sim.kinetic_energy(self.slot())
    }

    /// Its nodes in [`crate::NodeState`]; empty for a body that moves by its pose.
    #[must_use]
    pub fn nodes(&self) -> Range<usize> {
        self.sim.nodes_of(self.slot())
    }
}
