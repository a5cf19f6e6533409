//! Tables of a step that no family owns: degrees of freedom, boxes, candidates, decisions.

use impinge_broadphase::Aabb;
use impinge_contact::{Anchors, BodyDofs, ContactImpulses, Evaluated, NodeDofs, Patches};
use impinge_geometry::DVec3;
use impinge_integrators::{Dragged, ExternalForces};

/// Positions and velocities of free vertices at the start of the next step. Vertices are not entities: they
/// are one pooled column, ranges of it belong to bodies.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NodeState {
    /// Positions (m).
    pub x: Vec<DVec3>,
    /// Velocities (m/s).
    pub v: Vec<DVec3>,
    /// Change of velocity that the last step predicted (m/s): the next solve starts from it. Empty without deformables.
    pub guess: Vec<DVec3>,
}

/// Degrees of freedom of the step; mass and inertia are written once, and are more while what has drag is in a step, the rest by `gather`.
#[derive(Clone, Debug, Default)]
pub struct Dofs {
    /// By slot.
    pub bodies: BodyDofs,
    /// By node.
    pub nodes: NodeDofs,
    /// Velocity (m/s) and spin (rad/s) with which each body came here, by slot; past the end those it has.
    pub came: Vec<[DVec3; 2]>,
    /// What drag makes heavier within a step.
    pub dragged: Dragged,
}

impl Dofs {
    /// Velocity (m/s) and spin (rad/s) with which a body came here. What is driven has those of the step to come in its row.
    #[must_use]
    pub fn came(&self, slot: usize) -> [DVec3; 2] {
        let b = &self.bodies;
        self.came.get(slot).copied().unwrap_or_else(|| [b.velocity[slot], b.angular_velocity[slot]])
    }
}

/// Gravity, drag and anchor springs.
#[derive(Clone, Debug, Default)]
pub struct Forces(pub ExternalForces);

/// World boxes of the bodies at the time contact is evaluated; empty for planes.
#[derive(Clone, Debug, Default)]
pub struct Bounds(pub Vec<Aabb>);

impinge_contact::table! {
    /// Vertices that may be inside another body, by pair, side and vertex.
    pub struct Candidates / CandidatesView / Candidate {
        /// Surface vertex.
        vertex: u32,
        /// The body it may be inside.
        target: u32,
        /// Row in the pair table.
        pair: u32,
    }
}

/// Impulses a response decided, row by row of the contact tables.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// For [`impinge_contact::Contacts`].
    pub mesh: ContactImpulses,
    /// For [`impinge_contact::PlaneContacts`].
    pub plane: ContactImpulses,
    /// What the points of mesh contacts get beside their weights' share, see [`impinge_contact::Decided::bend`]; empty for most
    /// responses.
    pub bend: Vec<[DVec3; 4]>,
    /// Contacts that are areas or volumes: found and decided by the same response.
    pub patches: Patches,
    /// When normal forces were computed.
    pub evaluated: Evaluated,
    /// Impulses inside bodies: of strain limits.
    pub inner: Vec<Inner>,
}

/// Equal and opposite impulses on two surface vertices of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inner {
    /// The vertices.
    pub ends: [u32; 2],
    /// On the first (N·s).
    pub impulse: DVec3,
}

impl Decisions {
    /// Removes every row and keeps the memory.
    pub fn clear(&mut self) {
        self.mesh.clear();
        self.plane.clear();
        self.bend.clear();
        self.patches.clear();
        self.inner.clear();
    }
}

/// A constraint that holds without an impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IdleRow {
    /// Lower slot, higher slot.
    pub bodies: [u32; 2],
    /// Its first material point at the end of the step (m, world).
    pub point: DVec3,
    /// Distance of the two surfaces there along its normal (m).
    pub gap: f64,
}

/// Friction anchors carried between steps.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct State(pub Anchors);

/// Anchors of the step in progress; they replace [`State`] when the step is accepted.
#[derive(Clone, Debug, Default)]
pub struct StateNext(pub Anchors);
