//! Rigid bodies of simple shapes, for programs that have no mesh at hand.

use crate::body::{BodyDesc, Mass};
use crate::build_error::BuildError;
use impinge_geometry::{DVec3, MeshError, Pose, TriMesh, generators};

/// How far a flat of a round body may lie below the surface it stands for, as a part of its radius; its corners lie on that surface.
pub const ROUNDNESS: f64 = 5e-3;

/// Subdivisions of an icosahedron, and segments of a circle, that are round enough.
const SUBDIVISIONS: u32 = 3;
const SEGMENTS: u32 = 48;
const RINGS: u32 = 12;

impl BodyDesc {
    /// A rigid ball of this radius (m) about the origin of `pose`, round to [`ROUNDNESS`]: 642 vertices.
    ///
    /// ```
    /// use impinge_contact::PairLaw;
    /// use impinge_geometry::Pose;
    /// use impinge_world::{BodyDesc, Mass, Simulation};
    ///
    /// let ball = BodyDesc::ball("ball", 0.1, Mass::Total(2.0), Pose::identity())?;
    /// let sim = Simulation::builder(1e-3).law(PairLaw::elastic(1e4)).body(ball).build()?;
    /// assert_eq!(sim.mass(0), 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`] for a size or a mass that is not positive and finite.
    pub fn ball(name: &str, radius: f64, mass: Mass, pose: impl Into<Pose>) -> Result<Self, BuildError> {
        Self::made(name, generators::icosphere(radius, SUBDIVISIONS), mass, pose)
    }

    /// A rigid box with these edges (m) about the origin of `pose`, exact: 8 vertices.
    ///
    /// ```
    /// use impinge_contact::PairLaw;
    /// use impinge_geometry::Pose;
    /// use impinge_world::{BodyDesc, Mass, Simulation};
    ///
    /// let box_ = BodyDesc::cuboid("box", [0.1, 0.2, 0.3], Mass::Density(1000.0), Pose::identity())?;
    /// let sim = Simulation::builder(1e-3).law(PairLaw::elastic(1e4)).body(box_).build()?;
    /// assert!((sim.mass(0) - 6.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`BodyDesc::ball`].
    pub fn cuboid(
        name: &str,
        size: impl Into<DVec3>,
        mass: Mass,
        pose: impl Into<Pose>,
    ) -> Result<Self, BuildError> {
        Self::made(name, generators::cuboid(size.into(), [1; 3]), mass, pose)
    }

    /// A rigid cylinder of this radius and height (m), its axis along z of `pose`, its middle at the origin; round to [`ROUNDNESS`].
    ///
    /// ```
    /// use impinge_geometry::Pose;
    /// use impinge_world::{BodyDesc, Mass};
    ///
    /// let roller = BodyDesc::cylinder("roller", 0.05, 0.2, Mass::Total(1.0), Pose::identity())?;
    /// assert!(roller.pose.position.mag() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`BodyDesc::ball`].
    pub fn cylinder(
        name: &str,
        radius: f64,
        height: f64,
        mass: Mass,
        pose: impl Into<Pose>,
    ) -> Result<Self, BuildError> {
        Self::made(name, generators::cylinder(radius, height, SEGMENTS, 1), mass, pose)
    }

    /// A rigid capsule: a cylinder of this radius and length (m) along z of `pose` between two half balls, round to [`ROUNDNESS`].
    ///
    /// ```
    /// use impinge_geometry::Pose;
    /// use impinge_world::{BodyDesc, Mass};
    ///
    /// let refused = BodyDesc::capsule("limb", 0.05, -0.2, Mass::Total(1.0), Pose::identity());
    /// assert!(refused.is_err());
    /// ```
    ///
    /// # Errors
    /// As [`BodyDesc::ball`].
    pub fn capsule(
        name: &str,
        radius: f64,
        length: f64,
        mass: Mass,
        pose: impl Into<Pose>,
    ) -> Result<Self, BuildError> {
        Self::made(name, generators::capsule(radius, length, SEGMENTS, RINGS), mass, pose)
    }

    /// With a velocity of its centre of mass (m/s).
    #[must_use]
    pub fn with_velocity(mut self, velocity: impl Into<DVec3>) -> Self {
        self.velocity = velocity.into();
        self
    }

    fn made(
        name: &str,
        mesh: Result<TriMesh, MeshError>,
        mass: Mass,
        pose: impl Into<Pose>,
    ) -> Result<Self, BuildError> {
        let mesh = mesh.map_err(|source| BuildError::Mesh { body: name.to_string(), source })?;
        Self::rigid(name, &mesh, mass, pose)
    }
}
