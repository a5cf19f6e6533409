//! One body as a file holds it.

use super::written_data::written;
use crate::body::{BodyDesc, Motion};
use crate::body_data::{BodyDatas, DataKind};
use impinge_bodies::{Attach, ClothSpec, Deformable, Matter, MeshShape, Own, Shape, StrainLimits};
use impinge_contact::{Actuator, Axes, Groups, SurfaceVelocity};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DMat3, DVec3, Pose, TetMesh, TriMesh};
use impinge_integrators::{Driver, Keyframe};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What bodies of the built world share with those that came later, by address; and meshes that only the latter have.
pub(super) struct BuiltParts<'a> {
    bodies: &'a [BodyDesc],
    kinds: &'a [DataKind],
    meshes: BTreeMap<*const MeshShape, u32>,
    pub(super) new: NewParts,
}

/// Meshes and data of bodies that came later.
#[derive(Default)]
pub(super) struct NewParts {
    pub(super) meshes: Vec<Arc<MeshShape>>,
    pub(super) datas: Vec<BodyDatas>,
}

impl<'a> BuiltParts<'a> {
    pub(super) fn of(bodies: &'a [BodyDesc], kinds: &'a [DataKind]) -> Self {
        let mut meshes = BTreeMap::new();
        for (slot, body) in (0..).zip(bodies) {
            if let Shape::Mesh(m) = &body.shape {
                meshes.entry(Arc::as_ptr(m)).or_insert(slot);
            }
        }
        Self { bodies, kinds, meshes, new: NewParts::default() }
    }

    pub(super) fn mesh(&mut self, mesh: &Arc<MeshShape>) -> WrittenShape {
        if let Some(slot) = self.meshes.get(&Arc::as_ptr(mesh)) {
            return WrittenShape::Built(*slot);
        }
        let new = &mut self.new.meshes;
        let known = new.iter().position(|m| Arc::ptr_eq(m, mesh));
        WrittenShape::Mesh(known.unwrap_or_else(|| {
            new.push(mesh.clone());
            new.len() - 1
        }) as u32)
    }

    /// `None` of data that cannot be written.
    fn data(&mut self, data: &BodyDatas) -> Option<OwnData> {
        if data.0.is_empty() {
            return Some(OwnData::None);
        }
        if let Some(slot) = self.slot(|of| of.data.same(data)) {
            return Some(OwnData::Built(slot));
        }
        let new = &mut self.new.datas;
        if let Some(known) = new.iter().position(|d| d.same(data)) {
            return Some(OwnData::New(known as u32));
        }
        written(data, self.kinds)?;
        new.push(data.clone());
        Some(OwnData::New(new.len() as u32 - 1))
    }

    /// The first body of the built world that is so.
    fn slot(&self, is: impl Fn(&BodyDesc) -> bool) -> Option<u32> {
        self.bodies.iter().position(is).map(|slot| slot as u32)
    }
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) enum WrittenShape {
    /// That of this slot of the built world.
    Built(u32),
    /// A mesh of the file.
    Mesh(u32),
    Plane {
        normal: DVec3,
        offset: f64,
    },
    Points(usize),
    /// It follows from the motion.
    Soft,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum WrittenMotion {
    /// The function, or the deformable, of this slot of the built world.
    Built(u32),
    Fixed,
    Constant {
        pose: Pose,
        velocity: DVec3,
        spin: DVec3,
    },
    Keyframes(Vec<Keyframe>),
    Rigid {
        mass: f64,
        inertia: DMat3,
    },
    Particles {
        positions: Vec<DVec3>,
        velocities: Vec<DVec3>,
        masses: Vec<f64>,
    },
    Deformable(WrittenMatter, Held),
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum WrittenMatter {
    Solid { mesh: TetMesh, model: Model, material: Material },
    Sheet { mesh: TriMesh, spec: ClothSpec },
}

/// What a deformable has beside its matter.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Held {
    attach: Vec<Attach>,
    strain: Option<StrainLimits>,
    meets_itself: bool,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum OwnData {
    None,
    /// That of this slot of the built world.
    Built(u32),
    /// Data of the file.
    New(u32),
}

/// A body.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct WrittenBody {
    name: String,
    motion: WrittenMotion,
    shape: WrittenShape,
    pose: Pose,
    velocity: DVec3,
    angular_velocity: DVec3,
    material: u32,
    linear_drag: f64,
    angular_drag: f64,
    data: OwnData,
    thickness: Option<f64>,
    surface_velocity: SurfaceVelocity,
    groups: Groups,
    locked: Axes,
    actuators: Vec<Actuator>,
}

impl WrittenBody {
    /// # Errors
    /// What of it a file cannot hold.
    pub(super) fn of(b: &BodyDesc, parts: &mut BuiltParts<'_>) -> Result<Self, String> {
        let refused =
            |what: &str| format!("the snapshot cannot be written to a file: body '{}' {what}", b.name);
        let motion = match &b.motion {
            Motion::Fixed => WrittenMotion::Fixed,
            Motion::Rigid { mass, inertia } => WrittenMotion::Rigid { mass: *mass, inertia: *inertia },
            Motion::Particles { positions, velocities, masses } => WrittenMotion::Particles {
                positions: positions.clone(),
                velocities: velocities.clone(),
                masses: masses.clone(),
            },
            Motion::Kinematic(Driver::Constant { pose, velocity, spin }) => {
                WrittenMotion::Constant { pose: *pose, velocity: *velocity, spin: *spin }
            }
            Motion::Kinematic(Driver::Keyframes(k)) => WrittenMotion::Keyframes(k.clone()),
            Motion::Kinematic(Driver::Function(f)) => {
                let same =
                    |m: &Motion| matches!(m, Motion::Kinematic(Driver::Function(g)) if Arc::ptr_eq(f, g));
                let built = parts.slot(|of| same(&of.motion));
                WrittenMotion::Built(built.ok_or_else(|| {
                    refused("moves by a function that came after the world was built; drive it by keyframes or a constant velocity")
                })?)
            }
            Motion::Deformable(d) => {
                let same = |m: &Motion| matches!(m, Motion::Deformable(e) if Arc::ptr_eq(d, e));
                match parts.slot(|of| same(&of.motion)) {
                    Some(slot) => WrittenMotion::Built(slot),
                    None => written_deformable(&b.name, d)
                        .ok_or_else(|| refused("came after the world was built, or was cut before another one came, and is no solid or cloth as `Deformable::solid` or `Deformable::cloth` makes it; keep this snapshot in memory"))?,
                }
            }
        };
        let shape = match &b.shape {
            Shape::Mesh(m) => parts.mesh(m),
            Shape::Plane { normal, offset } => WrittenShape::Plane { normal: *normal, offset: *offset },
            Shape::Points { count } => WrittenShape::Points(*count),
            Shape::Soft(_) => WrittenShape::Soft,
        };
        let data = parts.data(&b.data).ok_or_else(|| {
            refused("has data that no response says how to write (`ContactResponse::data`); keep this snapshot in memory")
        })?;
        Ok(Self {
            name: b.name.clone(),
            motion,
            shape,
            pose: b.pose,
            velocity: b.velocity,
            angular_velocity: b.angular_velocity,
            material: b.material,
            linear_drag: b.linear_drag,
            angular_drag: b.angular_drag,
            data,
            thickness: b.thickness,
            surface_velocity: b.surface_velocity,
            groups: b.groups,
            locked: b.locked,
            actuators: b.actuators.clone(),
        })
    }

    /// # Errors
    /// When it is of another world.
    pub(super) fn read(&self, built: &[BodyDesc], new: &NewParts) -> Result<BodyDesc, String> {
        let other =
            || format!("the snapshot's body '{}' shares what this world was not built with", self.name);
        let of = |slot: u32| built.get(slot as usize).ok_or_else(other);
        let motion = match &self.motion {
            WrittenMotion::Built(slot) => of(*slot)?.motion.clone(),
            WrittenMotion::Fixed => Motion::Fixed,
            WrittenMotion::Constant { pose, velocity, spin } => {
                Motion::Kinematic(Driver::constant(*pose, *velocity, *spin))
            }
            WrittenMotion::Keyframes(k) => Motion::Kinematic(Driver::Keyframes(k.clone())),
            WrittenMotion::Rigid { mass, inertia } => Motion::Rigid { mass: *mass, inertia: *inertia },
            WrittenMotion::Particles { positions, velocities, masses } => Motion::Particles {
                positions: positions.clone(),
                velocities: velocities.clone(),
                masses: masses.clone(),
            },
            WrittenMotion::Deformable(matter, held) => {
                Motion::Deformable(Arc::new(deformable(&self.name, matter, held)?))
            }
        };
        let shape = match (&self.shape, &motion) {
            (WrittenShape::Built(slot), _) => of(*slot)?.shape.clone(),
            (WrittenShape::Mesh(i), _) => Shape::Mesh(new.meshes.get(*i as usize).ok_or_else(other)?.clone()),
            (WrittenShape::Plane { normal, offset }, _) => Shape::Plane { normal: *normal, offset: *offset },
            (WrittenShape::Points(count), _) => Shape::Points { count: *count },
            (WrittenShape::Soft, Motion::Deformable(d)) => Shape::Soft(d.surface.clone()),
            (WrittenShape::Soft, _) => return Err(other()),
        };
        let data = match self.data {
            OwnData::None => BodyDatas::default(),
            OwnData::Built(slot) => of(slot)?.data.clone(),
            OwnData::New(i) => new.datas.get(i as usize).ok_or_else(other)?.clone(),
        };
        Ok(BodyDesc {
            name: self.name.clone(),
            motion,
            shape,
            pose: self.pose,
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            material: self.material,
            linear_drag: self.linear_drag,
            angular_drag: self.angular_drag,
            data,
            thickness: self.thickness,
            surface_velocity: self.surface_velocity,
            groups: self.groups,
            locked: self.locked,
            actuators: self.actuators.clone(),
        })
    }
}

/// A deformable as its maker's arguments; `None` where those do not make the same one.
fn written_deformable(name: &str, d: &Deformable) -> Option<WrittenMotion> {
    let matter = match d.matter.as_ref()? {
        Matter::Solid { mesh, model, material } => {
            WrittenMatter::Solid { mesh: mesh.clone(), model: *model, material: *material }
        }
        Matter::Sheet { mesh, spec } => WrittenMatter::Sheet { mesh: mesh.clone(), spec: *spec },
    };
    let meets_itself = matches!(d.surface.own, Some(Own::Solid(_) | Own::Sheet));
    let held = Held { attach: d.attach.clone(), strain: d.strain, meets_itself };
    let made = deformable(name, &matter, &held).ok()?;
    let text = |d: &Deformable| {
        let surface = (&d.surface.mesh, &d.surface.areas, d.surface.own.is_some());
        format!("{:?}", (&d.positions, &d.elastic, surface, &d.embedding, d.skinned))
    };
    (text(&made) == text(d)).then_some(WrittenMotion::Deformable(matter, held))
}

fn deformable(name: &str, matter: &WrittenMatter, held: &Held) -> Result<Deformable, String> {
    let made = match matter {
        WrittenMatter::Solid { mesh, model, material } => Deformable::solid(name, mesh, *model, material),
        WrittenMatter::Sheet { mesh, spec } => Deformable::cloth(name, mesh, spec),
    };
    let mut made = made.map_err(|e| e.to_string())?;
    if held.meets_itself {
        made = made.self_contact(name).map_err(|e| e.to_string())?;
    }
    made.attach.clone_from(&held.attach);
    made.strain = held.strain;
    Ok(made)
}
