//! From body descriptions to a world that can run.

use crate::components::{
    Dofs, Drivers, Forces, Laws, Name, NodeState, PairRule, Placement, Slot, State, Twist,
};
use crate::shapes::{MeshShape, Shape, Shapes};
use crate::simulation::Simulation;
use crate::standard::{Response, standard};
use crate::support::{ShapeKind, directions};
use impinge_contact::{Attachment, BodyDof, BodyKind, NodeDof, PairLaw, SurfaceMap};
use impinge_geometry::{DMat3, DVec3, MeshError, Pose, TriMesh, inverse, mass_properties};
use impinge_integrators::{AnchorSpring, Driver, ExternalForces, Scheme};
use std::sync::Arc;
use thiserror::Error;

/// Why a world could not be built.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BuildError {
    /// A body's mesh was refused.
    #[error("body '{body}': {source}")]
    Mesh {
        /// Its name.
        body: String,
        /// Why.
        source: MeshError,
    },
    /// A number is not usable.
    #[error("body '{body}': {quantity} is {value}; it must be {must}")]
    BadValue {
        /// Its name.
        body: String,
        /// What.
        quantity: &'static str,
        /// The value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// A setting of the world is not usable.
    #[error("{0}")]
    BadSetting(String),
    /// The response cannot handle a pair.
    #[error("response '{response}' cannot handle '{a}' against '{b}': {reason}")]
    Unsupported {
        /// The response.
        response: &'static str,
        /// One body.
        a: String,
        /// The other.
        b: String,
        /// Why.
        reason: &'static str,
    },
}

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
        /// World positions (m).
        positions: Vec<DVec3>,
        /// Velocities (m/s).
        velocities: Vec<DVec3>,
        /// Masses (kg).
        masses: Vec<f64>,
    },
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
    /// Pose of the centre-of-mass frame.
    pub pose: Pose,
    /// Velocity of the centre of mass (m/s).
    pub velocity: DVec3,
    /// Angular velocity, world axes (rad/s).
    pub angular_velocity: DVec3,
    /// Material index of the laws.
    pub material: u32,
    /// Linear drag (N·s/m).
    pub linear_drag: f64,
    /// Angular drag (N·m·s).
    pub angular_drag: f64,
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
        }
    }

    /// A rigid body from a closed mesh. `pose` places the mesh's own frame; the body frame is moved to the
    /// centre of mass, which comes with the inertia from the exact integrals over the mesh.
    ///
    /// # Errors
    /// [`BuildError::Mesh`] for an open or inside-out mesh, [`BuildError::BadValue`] for a bad mass.
    pub fn rigid(name: &str, mesh: &TriMesh, mass: Mass, pose: Pose) -> Result<Self, BuildError> {
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
        let pose = Pose { position: pose.point_to_world(properties.center), rotation: pose.rotation };
        Ok(Self::at_rest(name, Motion::Rigid { mass: kg, inertia }, shape, pose))
    }

    /// A body that never moves, from a closed mesh.
    ///
    /// # Errors
    /// [`BuildError::Mesh`] for an open mesh.
    pub fn fixed(name: &str, mesh: TriMesh, pose: Pose) -> Result<Self, BuildError> {
        let shape =
            MeshShape::new(mesh).map_err(|source| BuildError::Mesh { body: name.to_string(), source })?;
        Ok(Self::at_rest(name, Motion::Fixed, Shape::Mesh(Arc::new(shape)), pose))
    }

    /// A fixed half space below `normal · x = offset` (world).
    pub fn plane(name: &str, normal: DVec3, offset: f64) -> Self {
        Self::at_rest(name, Motion::Fixed, Shape::Plane { normal, offset }, Pose::identity())
    }

    /// Free vertices of equal mass (kg) at world positions (m), at rest.
    pub fn particles(name: &str, positions: Vec<DVec3>, mass: f64) -> Self {
        let n = positions.len();
        let motion =
            Motion::Particles { velocities: vec![DVec3::zero(); n], masses: vec![mass; n], positions };
        Self::at_rest(name, motion, Shape::Points { count: n }, Pose::identity())
    }
}

fn positive(body: &str, quantity: &'static str, value: f64) -> Result<(), BuildError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(BuildError::BadValue { body: body.to_string(), quantity, value, must: "a positive number" })
}

/// A world under construction.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(crate) dt: f64,
    scheme: Scheme,
    response: Response,
    forces: ExternalForces,
    bodies: Vec<BodyDesc>,
    laws: Laws,
}

impl Builder {
    /// A world with steps of `dt` seconds, the papers' discrete penalty, symplectic Euler and no gravity.
    pub fn new(dt: f64) -> Self {
        Self {
            dt,
            scheme: Scheme::default(),
            response: Response::penalty(),
            forces: ExternalForces::default(),
            bodies: Vec::new(),
            laws: Laws::default(),
        }
    }

    /// Gravity (m/s²).
    #[must_use]
    pub fn gravity(mut self, g: DVec3) -> Self {
        self.forces.gravity = g;
        self
    }

    /// Time integration scheme.
    #[must_use]
    pub fn scheme(mut self, scheme: Scheme) -> Self {
        self.scheme = scheme;
        self
    }

    /// Response family.
    #[must_use]
    pub fn response(mut self, response: Response) -> Self {
        self.response = response;
        self
    }

    /// One law for every pair of materials.
    #[must_use]
    pub fn law(self, law: PairLaw) -> Self {
        self.laws(vec![law], 1, vec![0])
    }

    /// Laws and the table that names one for materials `(i, j)` at `i · materials + j`.
    #[must_use]
    pub fn laws(mut self, laws: Vec<PairLaw>, materials: u32, of_materials: Vec<u32>) -> Self {
        self.laws.laws = laws;
        self.laws.materials = materials;
        self.laws.of_materials = of_materials;
        self
    }

    /// Adds a body; its slot is the number of bodies added before.
    #[must_use]
    pub fn body(mut self, body: BodyDesc) -> Self {
        self.bodies.push(body);
        self
    }

    /// An exception for one pair of slots.
    #[must_use]
    pub fn rule(mut self, a: u32, b: u32, rule: PairRule) -> Self {
        self.laws.exceptions.push(((a.min(b), a.max(b)), rule));
        self
    }

    /// A spring to an anchor. For a rigid body `arm` is from the centre of mass, body axes.
    #[must_use]
    pub fn anchor(mut self, spring: AnchorSpring) -> Self {
        self.forces.anchors.push(spring);
        self
    }

    /// Checks everything and builds the world.
    ///
    /// # Errors
    /// [`BuildError`], with the body and the fix.
    pub fn build(mut self) -> Result<Simulation, BuildError> {
        self.check()?;
        let (mut dofs, mut map, mut nodes) = (Dofs::default(), SurfaceMap::default(), NodeState::default());
        let (mut drivers, mut shapes) = (Drivers::default(), Shapes::default());
        let mut world = hecs::World::new();
        let mut entities = Vec::new();
        for (slot, body) in self.bodies.iter().enumerate() {
            let slot = slot as u32;
            let mut dof = BodyDof {
                kind: BodyKind::Fixed,
                pose: body.pose,
                velocity: body.velocity,
                angular_velocity: body.angular_velocity,
                angular_momentum: DVec3::zero(),
                mass: 0.0,
                inertia: DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero()),
                inverse_inertia: DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero()),
            };
            let mut placement = body.pose;
            let mut driver = None;
            let arms = body.shape.mesh().map_or(&[][..], |m| m.mesh.positions());
            match &body.motion {
                Motion::Fixed => map.push_body(Attachment::Fixed, arms),
                Motion::Kinematic(d) => {
                    dof.kind = BodyKind::Kinematic;
                    placement = d.pose(0.0).unwrap_or(placement);
                    driver = Some(d.clone());
                    map.push_body(Attachment::Kinematic, arms);
                }
                Motion::Rigid { mass, inertia } => {
                    dof.kind = BodyKind::Rigid;
                    dof.mass = *mass;
                    dof.inertia = *inertia;
                    dof.inverse_inertia = inverse(inertia).ok_or(BuildError::BadValue {
                        body: body.name.clone(),
                        quantity: "determinant of the inertia",
                        value: 0.0,
                        must: "positive",
                    })?;
                    map.push_body(Attachment::Rigid, arms);
                }
                Motion::Particles { positions, velocities, masses } => {
                    dof.kind = BodyKind::Particles;
                    let first_node = nodes.x.len() as u32;
                    map.push_body(Attachment::Nodes { first_node }, &vec![DVec3::zero(); positions.len()]);
                    nodes.x.extend_from_slice(positions);
                    nodes.v.extend_from_slice(velocities);
                    for ((&x, &v), &mass) in positions.iter().zip(velocities).zip(masses) {
                        dofs.nodes.push(NodeDof { x, v, mass, body: slot });
                    }
                }
            }
            dofs.bodies.push(dof);
            drivers.0.push(driver);
            shapes.0.push(body.shape.clone());
            self.forces.linear_drag.push(body.linear_drag);
            self.forces.angular_drag.push(body.angular_drag);
            let twist = Twist { velocity: body.velocity, angular_velocity: body.angular_velocity };
            entities.push(world.spawn((Slot(slot), Name(body.name.clone()), Placement(placement), twist)));
        }
        let names: Arc<[String]> = self.bodies.iter().map(|b| b.name.clone()).collect();
        let pipeline = standard(self.response, self.scheme, &names);
        let constant = (map, drivers, shapes, Forces(self.forces), self.laws);
        let state = (dofs, nodes, State::default());
        Ok(Simulation::assemble(world, entities, names, pipeline, self.dt, self.response, constant, state))
    }

    fn check(&mut self) -> Result<(), BuildError> {
        let bad = |s: String| Err(BuildError::BadSetting(s));
        if !(self.dt.is_finite() && self.dt > 0.0) {
            return bad(format!("dt is {} s; a step must be a positive, finite time", self.dt));
        }
        let g = self.forces.gravity;
        if !(g.x.is_finite() && g.y.is_finite() && g.z.is_finite()) {
            return bad("gravity is not finite; give three finite numbers in m/s²".to_string());
        }
        if self.bodies.is_empty() {
            return bad("the world has no body; add at least one".to_string());
        }
        for law in &self.laws.laws {
            law.validate().or_else(bad)?;
        }
        let m = self.laws.materials;
        let table_fits = self.laws.of_materials.len() == (m * m) as usize
            && self.laws.of_materials.iter().all(|&l| (l as usize) < self.laws.laws.len());
        if !table_fits {
            return bad("the table of laws does not fit the number of materials and laws".to_string());
        }
        for (i, b) in self.bodies.iter().enumerate() {
            match (&b.motion, &b.shape) {
                (Motion::Rigid { mass, .. }, Shape::Mesh(_)) => positive(&b.name, "mass (kg)", *mass)?,
                (Motion::Rigid { .. }, _) => {
                    return bad(format!(
                        "body '{}': a rigid body needs a closed mesh; planes are fixed or kinematic",
                        b.name
                    ));
                }
                (Motion::Particles { positions, velocities, masses }, Shape::Points { count }) => {
                    if [velocities.len(), masses.len(), *count].iter().any(|&n| n != positions.len()) {
                        return bad(format!(
                            "body '{}': positions, velocities and masses differ in number",
                            b.name
                        ));
                    }
                    for &mass in masses {
                        positive(&b.name, "node mass (kg)", mass)?;
                    }
                }
                (Motion::Particles { .. }, _) | (_, Shape::Points { .. }) => {
                    return bad(format!(
                        "body '{}': free vertices and only they have the shape of points",
                        b.name
                    ));
                }
                _ => {}
            }
            if !b.pose.is_finite() {
                return bad(format!("body '{}': its pose is not finite", b.name));
            }
            for (quantity, value) in
                [("linear drag (N·s/m)", b.linear_drag), ("angular drag (N·m·s)", b.angular_drag)]
            {
                if !(value.is_finite() && value >= 0.0) {
                    let must = "zero or a positive number";
                    return Err(BuildError::BadValue { body: b.name.clone(), quantity, value, must });
                }
            }
            if b.material >= m {
                return bad(format!(
                    "body '{}': material {} has no law; call law() or laws()",
                    b.name, b.material
                ));
            }
            debug_assert_eq!(self.laws.material.len(), i);
            self.laws.material.push(b.material);
        }
        self.laws.exceptions.sort_by_key(|e| e.0);
        self.laws.exceptions.dedup_by_key(|e| e.0);
        self.check_support()
    }

    fn check_support(&self) -> Result<(), BuildError> {
        let moved_by_forces =
            |b: &BodyDesc| matches!(b.motion, Motion::Rigid { .. } | Motion::Particles { .. });
        for (j, b) in self.bodies.iter().enumerate() {
            for (i, a) in self.bodies[..j].iter().enumerate() {
                // Two bodies that forces do not move exchange nothing.
                let meet = moved_by_forces(a) || moved_by_forces(b);
                if !meet || self.laws.of(i as u32, j as u32).is_none() {
                    continue;
                }
                let family = self.response.family();
                if !directions(family, ShapeKind::of(&a.shape), ShapeKind::of(&b.shape)).any() {
                    return Err(BuildError::Unsupported {
                        response: family.name(),
                        a: a.name.clone(),
                        b: b.name.clone(),
                        reason: "neither has vertices that the other's surface could be tested with; add a rule that \
                                 lets them pass through each other, or give one of them a mesh",
                    });
                }
            }
        }
        Ok(())
    }
}
