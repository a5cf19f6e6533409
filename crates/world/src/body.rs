//! Bodies before they are built: what moves them, what they look like, how heavy they are.

use crate::body_data::{BodyData, BodyDatas};
use crate::build_error::{BuildError, positive};
use impinge_bodies::{Deformable, MeshShape, Shape};
use impinge_contact::{Actuator, Axes, Groups, SurfaceVelocity};
use impinge_geometry::{DMat3, DVec3, Pose, TriMesh, mass_properties};
use impinge_integrators::Driver;
use std::sync::Arc;

/// How heavy a rigid body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mass {
    /// Total mass (kg).
    Total(f64),
    /// Density (kg/m³).
    Density(f64),
}

/// What moves a body.
#[derive(Clone, Debug)]
#[doc(alias("kinematic", "static body"))]
pub enum Motion {
    /// Nothing.
    Fixed,
    /// A driver.
    Kinematic(Driver),
    /// Forces; inertia about the centre of mass, body axes (kg m²).
    Rigid {
        /// kg.
        mass: f64,
        /// kg m².
        inertia: DMat3,
    },
    /// Forces on free vertices.
    Particles {
        /// Positions in the frame of the body's pose (m).
        positions: Vec<DVec3>,
        /// Velocities (m/s, world); the body's velocity is added.
        velocities: Vec<DVec3>,
        /// Masses (kg).
        masses: Vec<f64>,
    },
    /// Forces on nodes with elasticity between them. The body's velocity and angular velocity (about its centre of mass) are
    /// those it starts with.
    Deformable(Arc<Deformable>),
}

impl Motion {
    /// How many nodes it has.
    pub(crate) fn nodes(&self) -> usize {
        match self {
            Self::Particles { positions, .. } => positions.len(),
            Self::Deformable(d) => d.positions.len(),
            _ => 0,
        }
    }
}

/// A body to build.
#[derive(Clone, Debug)]
pub struct BodyDesc {
    /// Its name, for reports and errors.
    pub name: String,
    /// What moves it.
    pub motion: Motion,
    /// Its shape; a rigid body's mesh has the centre of mass at its origin.
    pub shape: Shape,
    /// Pose of the centre-of-mass frame; a kinematic body starts where its driver says.
    pub pose: Pose,
    /// Velocity of the centre of mass (m/s).
    pub velocity: DVec3,
    /// Angular velocity, world axes (rad/s).
    pub angular_velocity: DVec3,
    /// Material index of the laws.
    pub material: u32,
    /// Linear drag (N·s/m); of each vertex for particles.
    pub linear_drag: f64,
    /// Angular drag (N·m·s).
    pub angular_drag: f64,
    /// What single responses know of it.
    pub data: BodyDatas,
    /// Radius of its surface under the response `qp` (m), > 0: two bodies keep the sum of theirs (rᵢ + rⱼ of seed 001 §4.2), one body and
    /// itself twice its own. `None`: half of [`crate::responses::qp::settings::QpSettings::thickness`]. Cloth that meets itself
    /// under `cpf` needs one.
    pub thickness: Option<f64>,
    /// How its surface moves along itself while the body stays.
    pub surface_velocity: SurfaceVelocity,
    /// Which bodies it may meet.
    pub groups: Groups,
    /// Axes of the world that a rigid body does not move along or turn about.
    pub locked: Axes,
    /// Actuators of a rigid body, one an axis at most.
    pub actuators: Vec<Actuator>,
}

impl BodyDesc {
    fn at_rest(name: &str, motion: Motion, shape: Shape, pose: Pose) -> Self {
        Self {
            name: name.to_string(),
            motion,
            shape,
            pose,
            velocity: DVec3::zero(),
            angular_velocity: DVec3::zero(),
            material: 0,
            linear_drag: 0.0,
            angular_drag: 0.0,
            data: BodyDatas::default(),
            thickness: None,
            surface_velocity: SurfaceVelocity::default(),
            groups: Groups::default(),
            locked: Axes::NONE,
            actuators: Vec::new(),
        }
    }

    /// What moves it, where that is a driver.
    pub(crate) fn driver(&self) -> Option<Driver> {
        match &self.motion {
            Motion::Kinematic(driver) => Some(driver.clone()),
            _ => None,
        }
    }

    /// With data for a response, in the place of what it has of this type.
    #[must_use]
    pub fn with_data<T: BodyData>(mut self, data: T) -> Self {
        self.data.set(data);
        self
    }

    /// With a radius of its surface (m).
    #[must_use]
    #[doc(alias("margin", "rest offset", "contact offset"))]
    pub fn with_thickness(mut self, radius: f64) -> Self {
        self.thickness = Some(radius);
        self
    }

    /// With these axes of the world locked: a rigid body does not move along them and does not turn about them, whatever acts on it. Rotations are
    /// about its centre of mass. What the locks do is in [`impinge_contact::Ledger::locks`].
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// use impinge_contact::Axes;
    /// # let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// let slider = BodyDesc::rigid("slider", &cube, Mass::Total(1.0), Pose::identity())?
    ///     .locked(Axes::all_but(Axes::Y | Axes::RY));
    /// let mut sim = Simulation::builder(1e-3)
    ///     .gravity(DVec3::new(0.0, -1.0, -9.81))
    ///     .law(impinge_contact::PairLaw::elastic(1e4))
    ///     .body(slider)
    ///     .build()?;
    /// sim.step()?;
    /// assert_eq!(sim.twist(0).velocity, DVec3::new(0.0, -1e-3, 0.0));
    /// assert!((sim.ledger().locks[0].impulse.z - 9.81e-3).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn locked(mut self, axes: impl Into<Axes>) -> Self {
        self.locked = axes.into();
        self
    }

    /// With an actuator on one of its axes.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// use impinge_contact::{Actuator, Axis};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// let finger = BodyDesc::rigid("finger", &cube, Mass::Total(0.1), Pose::identity())?
    ///     .actuator(Actuator::force(Axis::Y, 8.0).damping(50.0));
    /// let mut sim =
    ///     Simulation::builder(1e-4).law(impinge_contact::PairLaw::elastic(1e4)).body(finger).build()?;
    /// for _ in 0..1000 {
    ///     sim.step()?;
    /// }
    /// // As fast as 8 N push it against 50 N·s/m.
    /// assert!((sim.twist(0).velocity.y - 0.16).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn actuator(mut self, actuator: Actuator) -> Self {
        self.actuators.push(actuator);
        self
    }

    /// A rigid body from a closed mesh. `pose` places the mesh's own frame; the body frame is moved to the
    /// centre of mass, which comes with the inertia from the exact integrals over the mesh.
    ///
    /// # Errors
    /// [`BuildError::Mesh`] for an open or inside-out mesh, [`BuildError::BadValue`] for a bad mass.
    #[doc(alias("dynamic body", "rigid body"))]
    pub fn rigid(name: &str, mesh: &TriMesh, mass: Mass, pose: impl Into<Pose>) -> Result<Self, BuildError> {
        let refused = |source| BuildError::Mesh { body: name.to_string(), source };
        let properties = mass_properties(mesh).map_err(refused)?;
        let kg = match mass {
            Mass::Total(m) => m,
            Mass::Density(d) => d * properties.volume,
        };
        positive(name, "mass (kg)", kg)?;
        let centred = mesh.mapped(|p| p - properties.center).map_err(refused)?;
        let shape = Shape::Mesh(Arc::new(MeshShape::new(centred).map_err(refused)?));
        let inertia = properties.inertia_for_mass(kg);
        let pose: Pose = pose.into();
        let pose = Pose { position: pose.point_to_world(properties.center), rotation: pose.rotation };
        Ok(Self::at_rest(name, Motion::Rigid { mass: kg, inertia }, shape, pose))
    }

    /// A body that never moves, from a closed mesh, or an open one: ground that is met from its front. What needs an inside refuses an open
    /// one when the world is built.
    ///
    /// # Errors
    /// [`BuildError::Mesh`] for a mesh with edges of more than two triangles, or of two that do not face one way.
    pub fn fixed(name: &str, mesh: TriMesh, pose: impl Into<Pose>) -> Result<Self, BuildError> {
        let shape =
            MeshShape::new(mesh).map_err(|source| BuildError::Mesh { body: name.to_string(), source })?;
        Ok(Self::at_rest(name, Motion::Fixed, Shape::Mesh(Arc::new(shape)), pose.into()))
    }

    /// A fixed half space below `normal · x = offset` (world).
    #[doc(alias("half space", "ground plane"))]
    #[must_use]
    pub fn plane(name: &str, normal: DVec3, offset: f64) -> Self {
        Self::at_rest(name, Motion::Fixed, Shape::Plane { normal, offset }, Pose::identity())
    }

    /// A deformable body; `pose` places the frame its nodes are given in.
    #[must_use]
    pub fn deformable(name: &str, body: Deformable, pose: Pose) -> Self {
        let shape = Shape::Soft(body.surface.clone());
        Self::at_rest(name, Motion::Deformable(Arc::new(body)), shape, pose)
    }

    /// Free vertices of equal mass (kg each) at world positions (m), at rest.
    #[must_use]
    pub fn particles(name: &str, positions: Vec<DVec3>, mass: f64) -> Self {
        let n = positions.len();
        let motion =
            Motion::Particles { velocities: vec![DVec3::zero(); n], masses: vec![mass; n], positions };
        Self::at_rest(name, motion, Shape::Points { count: n }, Pose::identity())
    }
}
