//! Surface space: where rigid, deformable, kinematic and fixed bodies look alike.
//!
//! A surface vertex has a body and, through the [`SurfaceMap`], a way to move: `x = S(q)`. Velocities and
//! loads use the Jacobian of `S` at the start of the step: `v = S u` going down, wrench `= Sᵀ impulse` going
//! back up, so the pair is an exact adjoint and no power is invented on the way: the works booked by [`crate::balance`] add
//! up to the change of kinetic energy only because of it.

use crate::{BodyDofsView, Loads, NodeDofsView, Prediction, Wrench};
use impinge_geometry::DVec3;

/// "No vertex" in a stencil.
pub const NONE: u32 = u32::MAX;

crate::table! {
    /// Every surface vertex of every body, bodies in slot order. Rows of rigid bodies are filled only where
    /// a contact needs them (a rest-pose tree does not need the rest); rows of free vertices always.
    pub struct Surface / SurfaceView / SurfaceRow {
        /// Position at the start of the step (m).
        x0: DVec3,
        /// Predicted position at its end (m).
        x1: DVec3,
        /// Velocity at the start of the step (m/s).
        v0: DVec3,
        /// Body slot.
        body: u32,
    }
}

/// How the surface vertices of one body follow its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attachment {
    /// Vertex `i` of the body is node `first_node + i`.
    Nodes {
        /// Index of the first node.
        first_node: u32,
    },
    /// The vertex rides on the body's pose; loads become a wrench.
    Rigid,
    /// The vertex rides on a prescribed pose; loads are recorded and move nothing.
    Kinematic,
    /// The vertex does not move; loads are recorded and move nothing.
    Fixed,
}

impl Attachment {
    /// `true` where a load changes the motion.
    pub fn is_dynamic(self) -> bool {
        matches!(self, Self::Nodes { .. } | Self::Rigid)
    }
}

/// The map `S` from degrees of freedom to surface vertices, constant during a run.
#[derive(Clone, Debug, Default)]
pub struct SurfaceMap {
    /// Offset of each vertex from the body's centre of mass in body axes (m); unused for nodes.
    arm: Vec<DVec3>,
    /// Body slot of each vertex.
    body: Vec<u32>,
    /// First vertex of each body, and one past the last body.
    start: Vec<u32>,
    attachment: Vec<Attachment>,
}

impl SurfaceMap {
    /// Appends the next body slot with its vertices (offsets from the centre of mass, body axes).
    ///
    /// # Panics
    /// When the vertices of all bodies no longer fit a 32-bit index.
    pub fn push_body(&mut self, attachment: Attachment, arms: &[DVec3]) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        let slot = u32::try_from(self.attachment.len()).expect("fewer than 2^32 bodies");
        self.arm.extend_from_slice(arms);
        self.body.resize(self.arm.len(), slot);
        self.attachment.push(attachment);
        self.start.push(u32::try_from(self.arm.len()).expect("fewer than 2^32 surface vertices"));
    }

    /// Number of bodies.
    pub fn bodies(&self) -> usize {
        self.attachment.len()
    }

    /// Number of surface vertices.
    pub fn vertices(&self) -> usize {
        self.arm.len()
    }

    /// The attachment of a body.
    pub fn attachment(&self, slot: usize) -> Attachment {
        self.attachment[slot]
    }

    /// The surface vertices of a body.
    pub fn range(&self, slot: usize) -> std::ops::Range<usize> {
        self.start[slot] as usize..self.start[slot + 1] as usize
    }

    /// First surface vertex of a body: a mesh vertex `i` is surface vertex `first(slot) + i`.
    pub fn first(&self, slot: usize) -> u32 {
        self.start[slot]
    }

    /// The body of a vertex.
    pub fn body_of(&self, vertex: u32) -> u32 {
        self.body[vertex as usize]
    }

    /// The arms (offsets from the centre of mass, body axes) of a body's vertices (m).
    pub fn arms(&self, slot: usize) -> &[DVec3] {
        &self.arm[self.range(slot)]
    }

    /// Makes the table fit the map; bodies are written once.
    pub fn shape(&self, surface: &mut Surface) {
        let n = self.vertices();
        surface.x0.resize(n, DVec3::zero());
        surface.x1.resize(n, DVec3::zero());
        surface.v0.resize(n, DVec3::zero());
        surface.body.clear();
        surface.body.extend_from_slice(&self.body);
    }

    /// Fills one vertex: `x0`, `x1` by the pose (exponential map), `v0` by its Jacobian.
    pub fn place(
        &self,
        vertex: u32,
        bodies: BodyDofsView<'_>,
        nodes: NodeDofsView<'_>,
        prediction: &Prediction,
        surface: &mut Surface,
    ) {
        let v = vertex as usize;
        let b = self.body[v] as usize;
        match self.attachment[b] {
            Attachment::Nodes { first_node } => {
                let n = first_node as usize + v - self.start[b] as usize;
                surface.x0[v] = nodes.x[n];
                surface.x1[v] = prediction.node_x[n];
                surface.v0[v] = nodes.v[n];
            }
            Attachment::Rigid | Attachment::Kinematic | Attachment::Fixed => {
                let r0 = bodies.pose[b].matrix() * self.arm[v];
                surface.x0[v] = bodies.pose[b].position + r0;
                surface.x1[v] = prediction.pose[b].point_to_world(self.arm[v]);
                surface.v0[v] = bodies.velocity[b] + bodies.angular_velocity[b].cross(r0);
            }
        }
    }

    /// `Sᵀ`: adds the impulses of the touched vertices of rigid, kinematic and fixed bodies to the bodies'
    /// wrenches, in ascending vertex order. Node impulses stay where they are.
    pub fn carry_up(&self, bodies: BodyDofsView<'_>, surface: SurfaceView<'_>, loads: &mut Loads) {
        for t in 0..loads.touched().len() {
            let v = loads.touched()[t];
            let b = self.body[v as usize] as usize;
            if !matches!(self.attachment[b], Attachment::Nodes { .. }) {
                let impulse = loads.impulse[v as usize];
                let arm = surface.x0[v as usize] - bodies.pose[b].position;
                loads.add_wrench(b, Wrench { impulse, moment: arm.cross(impulse) });
            }
        }
    }
}
