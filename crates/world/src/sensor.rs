//! A sensor before it is built: a closed surface that sees which bodies are in it and pushes none.

use crate::build_error::BuildError;
use crate::builder::Builder;
use impinge_bodies::MeshShape;
use impinge_contact::{EventKind, Groups};
use impinge_geometry::{MeshError, Pose, TriMesh};
use std::sync::Arc;

/// A closed surface that sees which bodies overlap it, and exchanges no force: a light barrier, a zone that must stay clear, a finger tip.
///
/// What neither forces nor drivers move is not seen by a sensor that does not move either.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Its name, among the sensors.
    pub name: String,
    /// Its surface.
    pub shape: Arc<MeshShape>,
    /// The slot of the body that it rides on, and does not see.
    pub on: Option<u32>,
    /// Its pose in the world, or in the centre-of-mass frame of what it rides on.
    pub pose: Pose,
    /// Which bodies it sees: those that it would meet.
    pub groups: Groups,
}

impl Sensor {
    /// At a place of the world.
    ///
    /// # Errors
    /// [`BuildError::Mesh`] for a mesh that is not closed.
    pub fn new(name: &str, mesh: TriMesh, pose: Pose) -> Result<Self, BuildError> {
        let shape =
            Self::closed(mesh).map_err(|source| BuildError::Mesh { body: name.to_string(), source })?;
        let groups = Groups::default();
        Ok(Self { name: name.to_string(), shape: Arc::new(shape), on: None, pose, groups })
    }

    fn closed(mesh: TriMesh) -> Result<MeshShape, MeshError> {
        let shape = MeshShape::new(mesh)?;
        shape.topology.require_closed()?;
        Ok(shape)
    }

    /// Riding on the rigid, driven or fixed body in this slot; its pose is then in that body's centre-of-mass frame.
    #[must_use]
    pub fn on(mut self, slot: u32) -> Self {
        self.on = Some(slot);
        self
    }

    /// With the groups that it is in and those that it sees.
    #[must_use]
    pub fn with_groups(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }
}

/// Who was in which sensor after the last step, and what changed in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sensing {
    /// Slots by sensor, ascending.
    pub(crate) inside: Vec<Vec<u32>>,
    /// Sensor, slot and what happened, in order.
    pub(crate) events: Vec<(usize, u32, EventKind)>,
}

impl Builder {
    /// Adds a sensor.
    ///
    /// ```
    /// use impinge_world::{BodyDesc, Mass, Sensor, Simulation};
    /// use impinge_geometry::{DVec3, Pose, generators};
    /// let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// let high = Pose::from_position(DVec3::unit_z());
    /// let mut sim = Simulation::builder(1e-3)
    ///     .gravity(DVec3::new(0.0, 0.0, -10.0))
    ///     .law(impinge_contact::PairLaw::elastic(1e4))
    ///     .body(BodyDesc::rigid("box", &cube, Mass::Total(1.0), high)?)
    ///     .sensor(Sensor::new("gate", generators::cuboid(DVec3::broadcast(0.4), [1; 3])?, Pose::identity())?)
    ///     .build()?;
    /// let mut said = Vec::new();
    /// for _ in 0..800 {
    ///     sim.step()?;
    ///     said.extend(sim.sensor_events().map(|e| e.to_string()));
    /// }
    /// assert_eq!(said, ["'box' enters 'gate'", "'box' leaves 'gate'"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn sensor(mut self, sensor: Sensor) -> Self {
        self.sensors.push(sensor);
        self
    }

    /// Refuses sensors that are not usable.
    pub(crate) fn check_sensors(&self) -> Result<(), BuildError> {
        let mut names = std::collections::BTreeSet::new();
        for s in &self.sensors {
            let bad = |what: String| Err(BuildError::BadSetting(format!("sensor '{}': {what}", s.name)));
            if !names.insert(&s.name) {
                return bad("there are two of this name; names must differ".to_string());
            }
            if !s.pose.is_bounded() || (s.pose.rotation.mag_sq() - 1.0).abs() > 1e-9 {
                return bad("its pose is not finite, more than 1e60 m away, or its rotation no unit rotor; build it with Pose::new"
                    .to_string());
            }
            let Some(on) = s.on else { continue };
            match self.bodies.get(on as usize) {
                None => {
                    return bad(format!("it rides on slot {on}, but there are {} bodies", self.bodies.len()));
                }
                Some(b) if b.motion.nodes() > 0 || matches!(b.motion, crate::Motion::Deformable(_)) => {
                    return bad(format!(
                        "it rides on '{}', which is made of nodes and has no pose; let it ride on a rigid, driven or fixed body",
                        b.name
                    ));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}
