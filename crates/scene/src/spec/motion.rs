//! How a body moves, and what holds it.

use super::SoftMotion;
use impinge_contact::Axes;
use impinge_geometry::DVec3;
use impinge_integrators::Keyframe;
use impinge_world::Mass;

/// How a body moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// As the forces on it say.
    Rigid(RigidMotion),
    /// Free points.
    Particles(ParticleMotion),
    /// Nodes with elasticity between them.
    Deformable(SoftMotion),
    /// As a function of time says.
    Kinematic(DriverSpec),
    /// Not at all.
    Fixed,
}

/// State at the start and forces of a rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidMotion {
    /// Its mass, spread evenly over its volume.
    pub mass: Mass,
    /// Of the centre of mass (m/s).
    pub velocity: DVec3,
    /// About the centre of mass, world axes (rad/s).
    pub angular_velocity: DVec3,
    /// Force against velocity (N·s/m).
    pub linear_drag: f64,
    /// Torque against angular velocity (N·m·s/rad).
    pub angular_drag: f64,
    /// Axes of the world that it does not move on.
    pub locked: Axes,
    /// Springs; `at` is a point of the body frame.
    pub anchors: Vec<AnchorSpec<DVec3>>,
}

/// State at the start and forces of particles.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleMotion {
    /// Of all points together (kg); each has an equal share.
    pub mass: f64,
    /// Of every point (m/s).
    pub velocity: DVec3,
    /// Force against velocity on each point (N·s/m).
    pub linear_drag: f64,
    /// Springs; `at` is a point's number.
    pub anchors: Vec<AnchorSpec<usize>>,
}

/// A damped spring to a point of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnchorSpec<At> {
    /// Where it holds the body.
    pub at: At,
    /// Where it holds in the world (m).
    pub to: DVec3,
    /// N/m.
    pub stiffness: f64,
    /// N·s/m along the spring; along every direction when the rest length is 0.
    pub damping: f64,
    /// Length without force (m).
    pub rest_length: f64,
}

/// The motion of a kinematic body, from its pose at the start: [`impinge_integrators::Driver`] in the words of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum DriverSpec {
    /// Two or more of the body frame, times increasing.
    Keyframes(Vec<Keyframe>),
    /// position + amplitude · sin(2π · frequency · t + phase).
    Sine {
        /// Direction and reach (m).
        amplitude: DVec3,
        /// Swings per second (Hz).
        frequency: f64,
        /// rad.
        phase: f64,
    },
    /// position + velocity · t.
    ConstantVelocity {
        /// m/s.
        velocity: DVec3,
    },
    /// Turns about the body frame's origin.
    Spin {
        /// World axes (rad/s).
        angular_velocity: DVec3,
    },
}
