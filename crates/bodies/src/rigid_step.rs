//! A step of rigid bodies on a user's own arrays: where it would end, what contact adds, where it ends.
//!
//! A contact law is called between [`RigidStep::predict`] and [`RigidStep::advance`]: it reads the rows here and writes decisions.

use crate::book::book;
use crate::elastic::{Elastic, Operator};
use crate::error::ContactError;
use crate::laws::Laws;
use crate::names::Names;
use crate::shapes::{MeshShape, Shape, Shapes};
use crate::tables::{Bounds, Decisions, Dofs, Forces};
use impinge_broadphase::Aabb;
use impinge_contact::{
    Advanced, ApplyWorkspace, Attachment, BodyDof, BodyDofs, BodyKind, Contacts, External, Ledger, Loads,
    Mobility, PairLaw, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap,
};
use impinge_geometry::{DVec3, MeshError, Pose, TriMesh, mass_properties};
use impinge_integrators::{Scheme, advance, predict, world_inertia};
use std::sync::Arc;

/// The tables of a step, and the bodies they are about.
#[derive(Debug)]
pub struct RigidStep {
    /// How bodies move.
    pub scheme: Scheme,
    /// Names by slot.
    pub names: Names,
    /// Surface vertices by slot.
    pub map: SurfaceMap,
    /// Shapes by slot.
    pub shapes: Shapes,
    /// One law for all pairs, until it is changed.
    pub laws: Laws,
    /// Gravity.
    pub forces: Forces,
    /// Bodies when the step begins.
    pub dofs: Dofs,
    /// No deformables, for laws that answer for them too.
    pub elastic: Elastic,
    /// Their operator.
    pub operator: Operator,
    /// Where the step would end without contact.
    pub prediction: Prediction,
    /// Places of surface vertices, filled by the law that wants them.
    pub surface: Surface,
    /// World boxes, filled likewise.
    pub bounds: Bounds,
    /// Pairs that may touch.
    pub pairs: Pairs,
    /// Contacts of meshes.
    pub contacts: Contacts,
    /// Contacts with planes.
    pub planes: PlaneContacts,
    /// What the law decided.
    pub decisions: Decisions,
    /// The impulses on bodies and vertices.
    pub loads: Loads,
    /// Forces by pair, energies.
    pub ledger: Ledger,
    /// Where the step ends.
    pub advanced: Advanced,
    external: External,
    workspace: ApplyWorkspace,
}

impl RigidStep {
    /// No body yet; `gravity` in m/s².
    #[must_use]
    pub fn new(scheme: Scheme, gravity: DVec3, law: PairLaw) -> Self {
        let laws = Laws { laws: vec![law], of_materials: vec![0], materials: 1, ..Laws::default() };
        let mut forces = Forces::default();
        forces.0.gravity = gravity;
        Self {
            scheme,
            names: Arc::new([]),
            map: SurfaceMap::default(),
            shapes: Shapes::default(),
            laws,
            forces,
            dofs: Dofs::default(),
            elastic: Elastic::default(),
            operator: Operator::default(),
            prediction: Prediction::default(),
            surface: Surface::default(),
            bounds: Bounds::default(),
            pairs: Pairs::default(),
            contacts: Contacts::default(),
            planes: PlaneContacts::default(),
            decisions: Decisions::default(),
            loads: Loads::default(),
            ledger: Ledger::default(),
            advanced: Advanced::default(),
            external: External::default(),
            workspace: ApplyWorkspace::default(),
        }
    }

    /// Adds a half space below `normal · x = offset` that never moves; its slot.
    pub fn add_plane(&mut self, name: &str, normal: DVec3, offset: f64) -> u32 {
        let shape = Shape::Plane { normal, offset };
        self.map.push_body(Attachment::Fixed, &[]);
        self.add(name, shape, BodyKind::Fixed, Pose::identity(), 0.0, Mobility::default())
    }

    /// Adds a closed mesh, or an open one with a front, that never moves; its slot.
    ///
    /// # Errors
    /// For a mesh that is neither.
    pub fn add_fixed(&mut self, name: &str, mesh: TriMesh, pose: Pose) -> Result<u32, MeshError> {
        let shape = MeshShape::new(mesh)?;
        self.map.push_body(Attachment::Fixed, shape.mesh.positions());
        Ok(self.add(name, Shape::Mesh(Arc::new(shape)), BodyKind::Fixed, pose, 0.0, Mobility::default()))
    }

    /// Adds a rigid body of `mass` (kg) from a closed mesh, at rest; its slot. `pose` places the mesh's own frame; the body frame is moved to
    /// the centre of mass.
    ///
    /// # Errors
    /// For a mesh that encloses no volume.
    pub fn add_rigid(&mut self, name: &str, mesh: &TriMesh, mass: f64, pose: Pose) -> Result<u32, MeshError> {
        let properties = mass_properties(mesh)?;
        let shape = MeshShape::new(mesh.mapped(|p| p - properties.center)?)?;
        let mobility = Mobility::new(properties.inertia_for_mass(mass)).unwrap_or_default();
        let pose = Pose { position: pose.point_to_world(properties.center), rotation: pose.rotation };
        self.map.push_body(Attachment::Rigid, shape.mesh.positions());
        Ok(self.add(name, Shape::Mesh(Arc::new(shape)), BodyKind::Rigid, pose, mass, mobility))
    }

    fn add(
        &mut self,
        name: &str,
        shape: Shape,
        kind: BodyKind,
        pose: Pose,
        mass: f64,
        mobility: Mobility,
    ) -> u32 {
        let slot = self.shapes.0.len() as u32;
        self.names = self.names.iter().cloned().chain([name.to_string()]).collect();
        self.shapes.0.push(shape);
        self.laws.material.push(0);
        self.forces.0.linear_drag.push(0.0);
        self.forces.0.angular_drag.push(0.0);
        let still = DVec3::zero();
        let (velocity, angular_velocity, angular_momentum) = (still, still, still);
        self.dofs.bodies.push(BodyDof {
            kind,
            pose,
            velocity,
            angular_velocity,
            angular_momentum,
            mass,
            inertia: *mobility.inertia(),
            mobility,
        });
        slot
    }

    /// Says where a step of `dt` (s) would end without contact, and empties what is decided in it.
    pub fn predict(&mut self, dt: f64) {
        let bodies = &mut self.dofs.bodies;
        for b in (0..bodies.len()).filter(|&b| bodies.kind[b] == BodyKind::Rigid) {
            bodies.angular_momentum[b] =
                world_inertia(&bodies.pose[b], &bodies.inertia[b]) * bodies.angular_velocity[b];
        }
        let Dofs { bodies, nodes, dragged, .. } = &mut self.dofs;
        dragged.weigh_down(dt, &self.forces.0, bodies, nodes);
        let (bodies, nodes) = (bodies.view(), nodes.view());
        let target = |b: usize| bodies.pose[b];
        let (to, external) = (&mut self.prediction, &mut self.external);
        predict(self.scheme, dt, bodies, nodes, &self.forces.0, target, to, external);
        self.map.shape(&mut self.surface);
        self.loads.shape(self.map.vertices(), self.map.bodies());
        self.pairs.clear();
        self.contacts.clear();
        self.planes.clear();
        self.decisions.clear();
    }

    /// Writes the world box of each body where it is when the step begins; empty for planes.
    pub fn bound_at_start(&mut self) {
        let poses = &self.dofs.bodies.pose;
        let of = |(shape, pose): (&Shape, &Pose)| {
            shape.mesh().map_or(Aabb::empty(), |m| m.bounds.transformed(pose))
        };
        self.bounds.0.clear();
        self.bounds.0.extend(self.shapes.0.iter().zip(poses).map(of));
    }

    /// Applies what was decided ([`book`]); moments are about the bodies and the surface given, else about those of this step.
    ///
    /// # Errors
    /// [`ContactError::NonFinite`].
    pub fn book(&mut self, about: Option<(&BodyDofs, &Surface)>) -> Result<(), ContactError> {
        let (bodies, surface) = about.unwrap_or((&self.dofs.bodies, &self.surface));
        let tables = (self.contacts.view(), self.planes.view());
        book(
            &self.names,
            &self.map,
            bodies.view(),
            surface.view(),
            self.pairs.view(),
            tables,
            &self.decisions,
            &mut self.loads,
            &mut self.ledger,
            &mut self.workspace,
        )
    }

    /// Moves bodies with the loads.
    pub fn advance(&mut self, dt: f64) {
        let (bodies, nodes) = (self.dofs.bodies.view(), self.dofs.nodes.view());
        advance(self.scheme, dt, &self.map, bodies, nodes, &self.prediction, &self.loads, &mut self.advanced);
        let Dofs { bodies, nodes, dragged, .. } = &mut self.dofs;
        dragged.book(self.scheme, &self.forces.0, bodies, nodes, &mut self.advanced, &mut self.external);
    }

    /// The step is made: the next one begins where this one ends.
    pub fn accept(&mut self) {
        let bodies = &mut self.dofs.bodies;
        for b in (0..bodies.len()).filter(|&b| bodies.kind[b] == BodyKind::Rigid) {
            bodies.pose[b] = self.advanced.pose[b];
            bodies.velocity[b] = self.advanced.velocity[b];
            bodies.angular_velocity[b] = self.advanced.angular_velocity[b];
        }
    }
}
