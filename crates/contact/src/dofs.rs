//! Degrees of freedom of one step: bodies by slot, free vertices by node.

use crate::{Mobility, Wrench};
use impinge_geometry::{DMat3, DVec3, Pose};

/// What moves a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyKind {
    /// Never moves.
    #[default]
    Fixed,
    /// Follows keyframes or a driver; feels nothing.
    Kinematic,
    /// Six degrees of freedom.
    Rigid,
    /// Free vertices.
    Particles,
    /// Nodes with elastic forces between them.
    Deformable,
}

impl BodyKind {
    /// `true` where forces change the motion.
    #[must_use]
    pub fn is_dynamic(self) -> bool {
        matches!(self, Self::Rigid | Self::Particles | Self::Deformable)
    }

    /// `true` where nodes move and the body's own row does not.
    #[must_use]
    pub fn has_nodes(self) -> bool {
        matches!(self, Self::Particles | Self::Deformable)
    }

    /// The word used in scene files and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Kinematic => "kinematic",
            Self::Rigid => "rigid",
            Self::Particles => "particles",
            Self::Deformable => "deformable",
        }
    }
}

crate::table! {
    /// Bodies at the start of the step, by slot. Particle bodies have a row too (mass 0, no motion).
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct BodyDofs / BodyDofsView / BodyDof {
        /// What moves it.
        kind: BodyKind,
        /// Pose of the centre-of-mass frame.
        pose: Pose,
        /// Velocity of the centre of mass (m/s).
        velocity: DVec3,
        /// Angular velocity, world axes (rad/s).
        angular_velocity: DVec3,
        /// Angular momentum about the centre of mass, world axes (kg m²/s).
        angular_momentum: DVec3,
        /// Mass (kg); 0 for bodies that forces do not move.
        mass: f64,
        /// Inertia about the centre of mass, body axes (kg m²).
        inertia: DMat3,
        /// How it answers impulses: its inverse, without what is locked.
        mobility: Mobility,
    }
}

crate::table! {
    /// Free vertices at the start of the step.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct NodeDofs / NodeDofsView / NodeDof {
        /// Position (m).
        x: DVec3,
        /// Velocity (m/s).
        v: DVec3,
        /// Mass (kg).
        mass: f64,
        /// Body slot.
        body: u32,
    }
}

/// State after external forces and before contact: `v*`, and where it would lead.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Prediction {
    /// `v*` of each body (m/s).
    pub velocity: Vec<DVec3>,
    /// Angular momentum `L*` of each body (kg m²/s).
    pub angular_momentum: Vec<DVec3>,
    /// Pose at the end of the step if nothing touches.
    pub pose: Vec<Pose>,
    /// `v*` of each node (m/s).
    pub node_v: Vec<DVec3>,
    /// Node positions at the end of the step if nothing touches (m).
    pub node_x: Vec<DVec3>,
}

/// State at the end of the step, before it is committed.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Advanced {
    /// Velocity of each body (m/s).
    pub velocity: Vec<DVec3>,
    /// Angular velocity of each body, world axes (rad/s).
    pub angular_velocity: Vec<DVec3>,
    /// Angular momentum of each body about its centre of mass (kg m²/s).
    pub angular_momentum: Vec<DVec3>,
    /// Pose of each body.
    pub pose: Vec<Pose>,
    /// Velocity of each node (m/s).
    pub node_v: Vec<DVec3>,
    /// Position of each node (m).
    pub node_x: Vec<DVec3>,
    /// What deformables did in the step.
    pub elastic: Elastic,
}

/// What the elastic system gave and took in one step, for the ledger; empty without deformables.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Elastic {
    /// Impulse on each body's nodes from outside: pins, ties to prescribed points, mass-proportional damping; about the
    /// world origin. Empty, or one for each body.
    pub held: Vec<Wrench>,
    /// Impulse of ties on each rigid body, about its centre of mass; empty like `held`.
    pub tied: Vec<Wrench>,
    /// Work of pins and ties among those impulses (J).
    pub work_held: f64,
    /// Work of mass-proportional damping (J).
    pub work_drag: f64,
    /// Work of inner forces: elasticity, damping, ties to rigid bodies (J).
    pub work: f64,
    /// Elastic energy at the end of the step (J).
    pub energy: f64,
    /// Angular momentum about the origin that the scheme is known to leak (kg m²/s).
    pub leak: DVec3,
}
