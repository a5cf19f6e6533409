//! External forces: gravity, drag, springs to anchors. They act in the prediction, before contact.

use impinge_contact::{Actuated, BodyDofsView, BodyKind, Couple, NodeDofsView, Push, sums::ordered_sum};
use impinge_geometry::{DVec3, Pose};

/// A spring from a point of a body, or from a node, to a fixed point of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AnchorSpring {
    /// Body slot.
    pub body: u32,
    /// Node index for particle bodies, `None` for rigid bodies.
    pub node: Option<u32>,
    /// Attachment from the centre of mass, body axes (m); rigid bodies only.
    pub arm: DVec3,
    /// The anchor (m, world).
    pub to: DVec3,
    /// Stiffness (N/m).
    pub stiffness: f64,
    /// Damping along the spring (N·s/m); along every direction when the rest length is 0.
    pub damping: f64,
    /// Rest length (m).
    pub rest_length: f64,
}

impl AnchorSpring {
    /// Force on the attachment at `x` moving with `v` (N). A spring of zero length with a rest length has no
    /// direction and gives no force.
    #[must_use]
    pub fn force(&self, x: DVec3, v: DVec3) -> DVec3 {
        self.elastic_force(x) + self.damping_force(x, v)
    }

    /// The part that comes from stretch.
    fn elastic_force(&self, x: DVec3) -> DVec3 {
        let d = x - self.to;
        if self.rest_length == 0.0 {
            return d * -self.stiffness;
        }
        let length = d.mag();
        if length == 0.0 {
            return DVec3::zero();
        }
        d * (-self.stiffness * (length - self.rest_length) / length)
    }

    /// The part that dissipates.
    pub(crate) fn damping_force(&self, x: DVec3, v: DVec3) -> DVec3 {
        if self.rest_length == 0.0 {
            return v * -self.damping;
        }
        let d = x - self.to;
        let length_squared = d.mag_sq();
        if length_squared == 0.0 {
            return DVec3::zero();
        }
        d * (-self.damping * v.dot(d) / length_squared)
    }

    /// Energy stored with the attachment at `x` (J).
    #[must_use]
    pub fn energy(&self, x: DVec3) -> f64 {
        let stretch = (x - self.to).mag() - self.rest_length;
        0.5 * self.stiffness * stretch * stretch
    }

    /// The attachment's position and velocity.
    #[must_use]
    pub fn attachment(&self, bodies: BodyDofsView<'_>, nodes: NodeDofsView<'_>) -> (DVec3, DVec3) {
        if let Some(n) = self.node {
            return (nodes.x[n as usize], nodes.v[n as usize]);
        }
        let b = self.body as usize;
        let r = bodies.pose[b].matrix() * self.arm;
        (bodies.pose[b].position + r, bodies.velocity[b] + bodies.angular_velocity[b].cross(r))
    }
}

/// Everything that acts from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalForces {
    /// Acceleration of gravity (m/s²).
    pub gravity: DVec3,
    /// Linear drag of each body, `F = −c v` (N·s/m); for particle bodies, of each node.
    pub linear_drag: Vec<f64>,
    /// Angular drag of each body, `τ = −c ω` (N·m·s).
    pub angular_drag: Vec<f64>,
    /// Springs to anchors.
    pub anchors: Vec<AnchorSpring>,
    /// Pushes of the program, as forces and torques ([`Push::over`]).
    pub pushes: Vec<Push>,
    /// Actuators on rigid bodies, by body and axis.
    pub actuators: Vec<Actuated>,
    /// Rolling and spinning friction in this step, by pair of bodies.
    pub couples: Vec<Couple>,
}

impl Default for ExternalForces {
    fn default() -> Self {
        Self {
            gravity: DVec3::zero(),
            linear_drag: Vec::new(),
            angular_drag: Vec::new(),
            anchors: Vec::new(),
            pushes: Vec::new(),
            actuators: Vec::new(),
            couples: Vec::new(),
        }
    }
}

impl ExternalForces {
    /// Potential energy (J) of gravity and of the anchors with the bodies and nodes at these positions.
    #[must_use]
    pub fn potential(
        &self,
        bodies: BodyDofsView<'_>,
        nodes: NodeDofsView<'_>,
        pose: &[Pose],
        node_x: &[DVec3],
    ) -> (f64, f64) {
        let mut gravity = -ordered_sum(nodes.len(), |n| nodes.mass[n] * self.gravity.dot(node_x[n]));
        for b in 0..bodies.len() {
            if bodies.kind[b] == BodyKind::Rigid {
                gravity -= bodies.mass[b] * self.gravity.dot(pose[b].position);
            }
        }
        let mut anchors = 0.0;
        for a in &self.anchors {
            anchors += a.energy(match a.node {
                Some(n) => node_x[n as usize],
                None => pose[a.body as usize].point_to_world(a.arm),
            });
        }
        (gravity, anchors)
    }
}
