//! The bodies of a changed world as a file holds them: what is as it was built, and in full what is not.
//!
//! A file does not hold the world that it is of. Meshes, functions and data that the built world has are named by a slot of it; meshes that came later
//! are written out, and their trees are made anew.

use super::roster::{Members, nobody};
use super::written_body::{BuiltParts, NewParts, WrittenBody};
use super::written_data::{WrittenData, read, written};
use super::written_sensor::WrittenSensor;
use crate::body_data::DataKind;
use crate::components::PairRule;
use crate::planned::Planned;
use crate::timed_force::TimedForce;
use impinge_bodies::MeshShape;
use impinge_contact::PairLaw;
use impinge_geometry::TriMesh;
use impinge_integrators::AnchorSpring;
use std::sync::Arc;

/// One slot.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Occupant {
    /// As the world was built.
    Built,
    /// Nobody.
    Gone,
    Changed(Box<WrittenBody>),
}

/// What a changed world has that the built one has not.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Written {
    pub(crate) digest: u64,
    generation: Vec<u32>,
    /// Meshes of bodies and sensors that came later.
    meshes: Vec<TriMesh>,
    /// Data of them.
    datas: Vec<Vec<WrittenData>>,
    occupants: Vec<Occupant>,
    anchors: Vec<AnchorSpring>,
    timed: Vec<TimedForce>,
    sensors: Vec<WrittenSensor>,
    exceptions: Vec<((u32, u32), PairRule)>,
    laws: Vec<PairLaw>,
    of_materials: Vec<u32>,
    thickness: Vec<([u32; 2], f64)>,
    planned: Vec<Planned>,
}

impl Written {
    /// # Errors
    /// Names a body that a file cannot hold.
    pub(crate) fn of(now: &Members, built: &Members, kinds: &[DataKind]) -> Result<Self, String> {
        let mut parts = BuiltParts::of(&built.from.bodies, kinds);
        let mut occupants = Vec::with_capacity(now.from.bodies.len());
        for (slot, body) in now.from.bodies.iter().enumerate() {
            if !now.is_there(slot) {
                occupants.push(Occupant::Gone);
                continue;
            }
            let written = WrittenBody::of(body, &mut parts)?;
            let before = built.from.bodies.get(slot).filter(|_| built.is_there(slot));
            let same = before.is_some_and(|b| WrittenBody::of(b, &mut parts).is_ok_and(|b| b == written));
            occupants.push(if same { Occupant::Built } else { Occupant::Changed(Box::new(written)) });
        }
        let from = &now.from;
        let sensors =
            from.sensors.iter().map(|s| WrittenSensor::of(s, &built.from.sensors, &mut parts)).collect();
        Ok(Self {
            digest: now.digest(),
            generation: now.generation.clone(),
            meshes: parts.new.meshes.iter().map(|m| m.mesh.clone()).collect(),
            datas: parts.new.datas.iter().filter_map(|d| written(d, kinds)).collect(),
            occupants,
            anchors: from.forces.anchors.clone(),
            timed: from.timed.clone(),
            sensors,
            exceptions: from.laws.exceptions.clone(),
            laws: from.laws.laws.clone(),
            of_materials: from.laws.of_materials.clone(),
            thickness: from.thickness.clone(),
            planned: from.planned.clone(),
        })
    }

    /// The bodies, in the world that was built.
    ///
    /// # Errors
    /// When that is another world.
    pub(crate) fn in_world(&self, built: &Members, kinds: &[DataKind]) -> Result<Members, String> {
        let other = || "the snapshot is of another world than this one was built as".to_string();
        if self.generation.len() != self.occupants.len() {
            return Err("the snapshot's bodies are incomplete".to_string());
        }
        let shape = |mesh: &TriMesh| MeshShape::new(mesh.clone()).map(Arc::new).map_err(|e| e.to_string());
        let new = NewParts {
            meshes: self.meshes.iter().map(shape).collect::<Result<_, _>>()?,
            datas: self.datas.iter().map(|d| read(d, kinds)).collect::<Result<_, _>>()?,
        };
        let mut from = built.from.clone();
        from.bodies.clear();
        for (slot, occupant) in self.occupants.iter().enumerate() {
            from.bodies.push(match occupant {
                Occupant::Gone => nobody(slot),
                Occupant::Built => built.from.bodies.get(slot).ok_or_else(other)?.clone(),
                Occupant::Changed(body) => body.read(&built.from.bodies, &new)?,
            });
        }
        from.forces.anchors.clone_from(&self.anchors);
        from.timed.clone_from(&self.timed);
        let sensors = self.sensors.iter().map(|s| s.read(&built.from, &new));
        from.sensors = sensors.collect::<Option<_>>().ok_or_else(other)?;
        from.laws.exceptions.clone_from(&self.exceptions);
        from.laws.laws.clone_from(&self.laws);
        from.laws.of_materials.clone_from(&self.of_materials);
        from.thickness.clone_from(&self.thickness);
        from.planned.clone_from(&self.planned);
        let members = Members { from, generation: self.generation.clone() };
        if members.digest() == self.digest { Ok(members) } else { Err(other()) }
    }
}
