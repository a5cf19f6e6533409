//! One sensor as a file holds it.

use super::written_body::{BuiltParts, NewParts, WrittenShape};
use crate::builder::Builder;
use crate::sensor::Sensor;
use impinge_bodies::Shape;
use impinge_contact::Groups;
use impinge_geometry::Pose;
use std::sync::Arc;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) enum WrittenSensor {
    /// That of this place among those of the built world.
    Built(u32),
    /// One that came later.
    New { name: String, shape: WrittenShape, on: Option<u32>, pose: Pose, groups: Groups },
}

impl WrittenSensor {
    pub(super) fn of(sensor: &Sensor, built: &[Sensor], parts: &mut BuiltParts<'_>) -> Self {
        let Sensor { name, shape, on, pose, groups } = sensor;
        let same = |s: &Sensor| {
            Arc::ptr_eq(&s.shape, shape) && (&s.name, &s.on, &s.pose, &s.groups) == (name, on, pose, groups)
        };
        match built.iter().position(same) {
            Some(i) => Self::Built(i as u32),
            None => {
                let shape = parts.mesh(shape);
                Self::New { name: name.clone(), shape, on: *on, pose: *pose, groups: *groups }
            }
        }
    }

    /// `None` where the built world, or the file, has no such sensor or mesh.
    pub(super) fn read(&self, built: &Builder, new: &NewParts) -> Option<Sensor> {
        let (name, shape, on, pose, groups) = match self {
            Self::Built(i) => return built.sensors.get(*i as usize).cloned(),
            Self::New { name, shape, on, pose, groups } => (name, shape, on, pose, groups),
        };
        let shape = match shape {
            WrittenShape::Built(slot) => match &built.bodies.get(*slot as usize)?.shape {
                Shape::Mesh(m) => m.clone(),
                _ => return None,
            },
            WrittenShape::Mesh(i) => new.meshes.get(*i as usize)?.clone(),
            _ => return None,
        };
        shape.topology.require_closed().ok()?;
        Some(Sensor { name: name.clone(), shape, on: *on, pose: *pose, groups: *groups })
    }
}
