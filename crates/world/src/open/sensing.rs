//! What sensors see, step by step.

use super::id::BodyId;
use crate::components::{Dofs, Laws};
use crate::sensor::Sensor;
use crate::simulation::Simulation;
use impinge_bodies::{Occupied, OpenError, Placed, Shape};
use impinge_contact::{BodyKind, EventKind};
use std::fmt;
use std::sync::Arc;

/// A body that came into a sensor, or left it, in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorEvent<'a> {
    /// Began or ended.
    pub kind: EventKind,
    /// Name of the sensor.
    pub sensor: &'a str,
    /// The body.
    pub body: BodyId,
    /// Its name.
    pub name: &'a str,
}

impl fmt::Display for SensorEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let does = match self.kind {
            EventKind::Began => "enters",
            EventKind::Ended => "leaves",
        };
        write!(f, "'{}' {does} '{}'", self.name, self.sensor)
    }
}

impl Simulation {
    /// The sensors of this world.
    ///
    /// ```
    /// use impinge_geometry::{DVec3, Pose, generators};
    /// use impinge_world::{BodyDesc, Mass, Sensor, Simulation};
    /// let gate = generators::cuboid(DVec3::broadcast(1.0), [1; 3])?;
    /// let mut sim = Simulation::builder(1e-2)
    ///     .sensor(Sensor::new("gate", gate, Pose::identity())?)
    ///     .body(BodyDesc::ball("ball", 0.1, Mass::Total(1.0), [-0.655, 0.0, 0.0])?)
    ///     .build()?;
    /// assert_eq!(sim.sensors()[0].name, "gate");
    /// let ball = sim.body("ball").unwrap();
    /// sim.set_velocity(ball, [1.0, 0.0, 0.0])?;
    /// // It lacks 55 mm.
    /// for step in 1..=10 {
    ///     sim.step()?;
    ///     assert_eq!(sim.sensed("gate")?.is_empty(), step <= 5, "{step}");
    /// }
    /// assert_eq!(sim.sensed("gate")?, [ball]);
    /// assert_eq!(sim.in_sensor(0), [ball.slot()]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn sensors(&self) -> &[Sensor] {
        &self.members.from.sensors
    }

    /// The bodies that are in a sensor now, by slot. Decided by the meshes themselves, as [`Simulation::overlapping`]; also between steps, after
    /// changes of poses.
    ///
    /// # Errors
    /// [`OpenError`] for a sensor that is not there.
    pub fn sensed(&self, sensor: &str) -> Result<Vec<BodyId>, OpenError> {
        let i = self.sensor_named(sensor)?;
        Ok(self.seen_by(i..i + 1).concat().into_iter().filter_map(|s| self.id(s)).collect())
    }

    fn sensor_named(&self, sensor: &str) -> Result<usize, OpenError> {
        let Some(i) = self.sensors().iter().position(|s| s.name == sensor) else {
            let known: Vec<String> = self.sensors().iter().map(|s| format!("'{}'", s.name)).collect();
            let reason = format!("there is no sensor '{sensor}'; there are {}", known.join(", "));
            return Err(OpenError::World(if known.is_empty() {
                format!("there is no sensor '{sensor}', nor any other; add it by `Simulation::insert_sensor`")
            } else {
                reason
            }));
        };
        Ok(i)
    }

    /// Slots of the bodies that were in a sensor after the last accepted step, by its place in [`Simulation::sensors`], ascending. Before the first step,
    /// and for a sensor that is not there, none.
    #[must_use]
    pub fn in_sensor(&self, sensor: usize) -> &[u32] {
        self.sensing.inside.get(sensor).map_or(&[], |slots| slots)
    }

    /// Adds a sensor between steps. A body that is in it then enters in the next step.
    ///
    /// ```
    /// use impinge_geometry::{DVec3, Pose, generators};
    /// use impinge_world::{BodyDesc, Mass, Sensor, Simulation};
    /// let mut sim = Simulation::new(1e-2)?;
    /// let ball = sim.insert(BodyDesc::ball("ball", 0.1, Mass::Total(1.0), [0.0, 0.0, 1.0])?)?;
    /// let cube = generators::cuboid(DVec3::broadcast(0.4), [1; 3])?;
    /// sim.insert_sensor(Sensor::new("gate", cube, Pose::from_position(DVec3::unit_z()))?)?;
    /// sim.step()?;
    /// assert_eq!(sim.sensor_events().next().unwrap().to_string(), "'ball' enters 'gate'");
    /// sim.remove_sensor("gate")?;
    /// assert!(sim.sensed("gate").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for what [`crate::Builder::sensor`] would refuse, and one that rides on a body that was removed.
    pub fn insert_sensor(&mut self, sensor: Sensor) -> Result<(), OpenError> {
        self.take_in()?;
        if let Some(gone) = sensor.on.filter(|on| (*on as usize) < self.names.len() && self.id(*on).is_none())
        {
            return Err(OpenError::World(format!(
                "sensor '{}': it rides on slot {gone}, whose body was removed",
                sensor.name
            )));
        }
        let mut members = self.members_as_built();
        members.from.sensors.push(sensor);
        members.from.check_sensors().map_err(|e| OpenError::World(e.to_string()))?;
        self.sensing.inside.resize(members.from.sensors.len(), Vec::new());
        self.members = Arc::new(members);
        Ok(())
    }

    /// Takes out a sensor. What it saw leaves without an event; sensors behind it move up in [`Simulation::sensors`].
    ///
    /// # Errors
    /// [`OpenError`] for a sensor that is not there.
    pub fn remove_sensor(&mut self, sensor: &str) -> Result<(), OpenError> {
        let i = self.sensor_named(sensor)?;
        let mut members = self.members_as_built();
        members.from.sensors.remove(i);
        self.members = Arc::new(members);
        if i < self.sensing.inside.len() {
            self.sensing.inside.remove(i);
        }
        self.sensing.events.retain(|e| e.0 != i);
        self.sensing.events.iter_mut().filter(|e| e.0 > i).for_each(|e| e.0 -= 1);
        Ok(())
    }

    /// Which bodies came into sensors in the last accepted step, and which left them, by sensor and slot. A body that is in one when the
    /// world is built enters in the first step.
    pub fn sensor_events(&self) -> impl Iterator<Item = SensorEvent<'_>> {
        self.sensing.events.iter().filter_map(|&(sensor, slot, kind)| {
            let (sensor, name) = (&*self.sensors().get(sensor)?.name, &*self.names[slot as usize]);
            Some(SensorEvent { kind, sensor, body: self.id(slot)?, name })
        })
    }

    /// Slots of the bodies in sensors now, ascending, by sensor.
    fn seen_by(&self, which: std::ops::Range<usize>) -> Vec<Vec<u32>> {
        let (dofs, laws) = (self.column::<Dofs>(), self.column::<Laws>());
        let moves = |slot: u32| dofs.bodies.kind[slot as usize] != BodyKind::Fixed;
        let mut out = Vec::new();
        self.with_occupied(|all| {
            for sensor in &self.sensors()[which] {
                let pose = sensor.on.map_or(sensor.pose, |slot| {
                    let frame = self.pose(slot);
                    let rotation = (frame.rotation * sensor.pose.rotation).normalized();
                    impinge_geometry::Pose { position: frame.point_to_world(sensor.pose.position), rotation }
                });
                let shape = Shape::Mesh(sensor.shape.clone());
                let Some(own) = Occupied::new(&Placed { shape: &shape, pose, vertices: &[], tree: None })
                else {
                    out.push(Vec::new());
                    continue;
                };
                let sees = |slot: u32| {
                    let groups = laws.groups.get(slot as usize).copied().unwrap_or_default();
                    sensor.on != Some(slot)
                        && (moves(slot) || sensor.on.is_some_and(moves))
                        && sensor.groups.meets(groups)
                };
                let inside = (0..)
                    .zip(all)
                    .filter(|(slot, o)| sees(*slot) && o.as_ref().is_some_and(|o| o.overlaps(&own)));
                out.push(inside.map(|(slot, _)| slot).collect());
            }
        });
        out
    }

    /// Looks after a step.
    pub(crate) fn sense(&mut self) {
        let count = self.sensors().len();
        self.sensing.events.clear();
        if count == 0 {
            return;
        }
        let now = self.seen_by(0..count);
        self.sensing.inside.resize(count, Vec::new());
        for (i, (before, now)) in self.sensing.inside.iter().zip(&now).enumerate() {
            let came = now.iter().filter(|s| !before.contains(s)).map(|&s| (i, s, EventKind::Began));
            let left = before.iter().filter(|s| !now.contains(s)).map(|&s| (i, s, EventKind::Ended));
            let mut events: Vec<_> = came.chain(left).collect();
            events.sort_unstable_by_key(|e| e.1);
            self.sensing.events.extend(events);
        }
        self.sensing.inside = now;
    }

    /// A body is no longer there, nor are the sensors that rode on it.
    pub(crate) fn forget_sensed(&mut self, sensors: &[Sensor], slot: u32) {
        let stays: Vec<bool> = sensors.iter().map(|s| s.on != Some(slot)).collect();
        let mut stay = stays.iter();
        self.sensing.inside.retain(|_| stay.next().copied().unwrap_or(false));
        self.sensing.inside.iter_mut().for_each(|inside| inside.retain(|s| *s != slot));
        self.sensing.events.clear();
    }

    /// Who was in which sensor in another state.
    pub(crate) fn put_sensed(&mut self, inside: &[Vec<u32>]) {
        self.sensing.inside = inside.to_vec();
        self.sensing.events.clear();
    }
}
