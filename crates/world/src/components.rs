//! The components: rows of body entities, and the tables of the one arena entity.

use crate::column::columns;
use crate::shapes::Shapes;
use crate::stage::StageError;
use impinge_broadphase::Aabb;
use impinge_contact::{
    Advanced, Anchors, BodyDofs, ContactImpulses, Contacts, Evaluated, External, Ledger, Loads, NodeDofs,
    PairLaw, Pairs, Patches, PlaneContacts, Prediction, Sides, Surface, SurfaceMap,
};
use impinge_geometry::{DVec3, Pose};
use impinge_integrators::{
    Books, Driver, ElasticOperator, ElasticReport, ElasticSettings, ElasticSystem, ExternalForces, Grip,
};
use impinge_qp::Thickness;

/// Which slot of the tables a body entity owns. Rows of an archetype move on despawn; slots never do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(pub u32);

/// Pose of a body's centre-of-mass frame at the start of the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement(pub Pose);

/// Velocities of a body at the start of the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Twist {
    /// Of the centre of mass (m/s).
    pub velocity: DVec3,
    /// World axes (rad/s).
    pub angular_velocity: DVec3,
}

/// The name a body has in the scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(pub String);

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

/// Degrees of freedom of the step; mass and inertia are written once, the rest by `gather`.
#[derive(Clone, Debug, Default)]
pub struct Dofs {
    /// By slot.
    pub bodies: BodyDofs,
    /// By node.
    pub nodes: NodeDofs,
}

/// An edge with its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limited {
    /// Slot of the body.
    pub body: u32,
    /// Surface vertices at its ends, which are nodes.
    pub ends: [u32; 2],
    /// Longest and shortest it may be (m); infinity and 0 for no limit.
    pub longest: f64,
    /// See `longest`.
    pub shortest: f64,
}

/// The deformables of the scene in one system, and where its nodes are in the pooled columns.
#[derive(Clone, Debug, Default)]
pub struct Elastic {
    /// Energies, masses, pins and ties.
    pub system: ElasticSystem,
    /// World node of each node of the system.
    pub nodes: Vec<u32>,
    /// Body slot of each body of the system.
    pub slots: Vec<u32>,
    /// Each node of the system from the centre of mass of its body at rest (m).
    pub rest: Vec<DVec3>,
    /// Tolerances.
    pub settings: ElasticSettings,
    /// Edges with strain limits.
    pub limited: Vec<Limited>,
}

impl Elastic {
    /// Bodies that a deformable is pinned or tied to, with it (slots, lower first), ascending. `body` names the slot of each node of the world.
    pub(crate) fn attached(&self, body: &[u32]) -> Vec<(u32, u32)> {
        let to = |grip: &Grip| match *grip {
            Grip::Rigid { body, .. } | Grip::Prescribed { body, .. } => Some(body),
            Grip::World(_) => None,
        };
        let pins = self.system.pins().iter().map(|p| (p.node, to(&p.to)));
        let ties = self.system.ties().iter().map(|t| (t.node, to(&t.to)));
        let mut out: Vec<(u32, u32)> = pins
            .chain(ties)
            .filter_map(|(n, to)| Some((body[self.nodes[n as usize] as usize], to?)))
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// The operator A of the step in progress, with its solver and buffers.
#[derive(Clone, Debug, Default)]
pub struct Operator {
    /// Values and solver; see [`ElasticOperator::apply`], [`ElasticOperator::solve`].
    pub operator: ElasticOperator,
    /// How the prediction was solved.
    pub predicted: ElasticReport,
    /// How contact was answered.
    pub responded: ElasticReport,
    /// Contact impulses on nodes of the world.
    pub(crate) node_loads: Loads,
    pub(crate) x: Vec<DVec3>,
    pub(crate) v: Vec<DVec3>,
    pub(crate) free: Vec<DVec3>,
    pub(crate) guess: Vec<DVec3>,
    pub(crate) impulse: Vec<DVec3>,
    pub(crate) books: Books,
}

/// Prescribed motions by slot.
#[derive(Clone, Debug, Default)]
pub struct Drivers(pub Vec<Option<Driver>>);

/// Gravity, drag and anchor springs.
#[derive(Clone, Debug, Default)]
pub struct Forces(pub ExternalForces);

/// Pair laws, and which pair has which.
#[derive(Clone, Debug, Default)]
pub struct Laws {
    /// The laws.
    pub laws: Vec<PairLaw>,
    /// Material of each body.
    pub material: Vec<u32>,
    /// Law of materials `(i, j)` at `i · materials + j`.
    pub of_materials: Vec<u32>,
    /// Number of materials.
    pub materials: u32,
    /// Exceptions by body pair, sorted.
    pub exceptions: Vec<((u32, u32), PairRule)>,
    /// How much contact a step may have.
    pub limits: ContactLimits,
    /// Distances that surfaces keep under the response `qp`, of the bodies and pairs that have one of their own.
    pub thickness: Thickness,
    /// Body pairs, lower slot first, that have another response than the first of the world, with its number; sorted.
    pub responses: Vec<((u32, u32), u8)>,
    /// The response whose stages are running; the pairs of the others do not touch for it.
    pub(crate) acting: Option<u8>,
}

/// How much contact a step may have before the run stops with the bodies named; nothing is left out in silence. A step that carries bodies
/// through each other would take all memory: a candidate takes 8 to 12 bytes, a contact with its impulse some hundreds. Counted after each pair of
/// bodies, or after each list of features; `volume` has limits of its own ([`impinge_volume::Limits`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactLimits {
    /// Vertices in boxes of other bodies (`penalty`), or features near each other (`cpf`, `dpf-ccd`, `cpf-implicit`, `qp`), summed over all pairs
    /// of bodies.
    pub candidates: usize,
    /// Contacts (`penalty`, `cpf`, `dpf-ccd`), or polygons of contact surfaces (`pressure`). Those of `cpf-implicit` and `qp` are fewer than
    /// their candidates.
    pub contacts: usize,
}

impl Default for ContactLimits {
    /// 2²⁶ candidates and 2²³ contacts.
    fn default() -> Self {
        Self { candidates: 1 << 26, contacts: 1 << 23 }
    }
}

/// What a rule says about one pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairRule {
    /// The pair does not touch.
    Ignore,
    /// Contact with these sides.
    Contact(Sides),
}

impl ContactLimits {
    /// # Errors
    /// [`StageError::TooManyContacts`] where there are more candidates by now than this; `names` are those of the bodies just done.
    pub(crate) fn candidates(
        &self,
        count: usize,
        names: impl FnOnce() -> [String; 2],
    ) -> Result<(), StageError> {
        over("candidates", count, self.candidates, names)
    }

    /// # Errors
    /// As [`ContactLimits::candidates`], of contacts.
    pub(crate) fn contacts(
        &self,
        count: usize,
        names: impl FnOnce() -> [String; 2],
    ) -> Result<(), StageError> {
        over("contacts", count, self.contacts, names)
    }
}

fn over(
    what: &'static str,
    count: usize,
    most: usize,
    names: impl FnOnce() -> [String; 2],
) -> Result<(), StageError> {
    if count <= most {
        return Ok(());
    }
    let [a, b] = names().map(String::into_boxed_str);
    Err(StageError::TooManyContacts { what, a, b, count, most })
}

impl Laws {
    /// Number of the response of a body pair, lower slot first, among those of the world.
    pub fn response_of(&self, a: u32, b: u32) -> u8 {
        self.responses.binary_search_by_key(&(a, b), |r| r.0).map_or(0, |i| self.responses[i].1)
    }

    /// The law of a body pair and the sides tested, or `None` when a rule says they do not touch.
    pub fn of(&self, a: u32, b: u32) -> Option<(u32, Sides)> {
        if self.acting.is_some_and(|k| k != self.response_of(a, b)) {
            return None;
        }
        let sides = match self.exceptions.binary_search_by_key(&(a, b), |e| e.0) {
            Ok(i) => match self.exceptions[i].1 {
                PairRule::Ignore => return None,
                PairRule::Contact(sides) => sides,
            },
            Err(_) => Sides::Both,
        };
        let (i, j) = (self.material[a as usize], self.material[b as usize]);
        Some((self.of_materials[(i * self.materials + j) as usize], sides))
    }
}

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
    /// For [`Contacts`].
    pub mesh: ContactImpulses,
    /// For [`PlaneContacts`].
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

/// Friction anchors carried between steps.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct State(pub Anchors);

/// Anchors of the step in progress; they replace [`State`] when the step is accepted.
#[derive(Clone, Debug, Default)]
pub struct StateNext(pub Anchors);

columns! {
    Slot => "slot", Scene;
    Placement => "placement", State;
    Twist => "twist", State;
    NodeState => "node state", State;
    State => "state", State;
    Shapes => "shapes", Scene;
    SurfaceMap => "surface map", Scene;
    Drivers => "drivers", Scene;
    Forces => "forces", Scene;
    Laws => "laws", Scene;
    Elastic => "elastic", Scene;
    Operator => "operator", Step;
    Dofs => "dofs", Step;
    Prediction => "prediction", Step;
    External => "external", Step;
    Surface => "surface", Step;
    Bounds => "bounds", Step;
    Pairs => "pairs", Step;
    Candidates => "candidates", Step;
    Contacts => "contacts", Step;
    PlaneContacts => "plane contacts", Step;
    Decisions => "decisions", Step;
    StateNext => "state next", Step;
    Loads => "loads", Step;
    Ledger => "ledger", Step;
    Advanced => "advanced", Step;
}
