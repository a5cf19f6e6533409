//! The deformables of a scene, and the operator of the step that is being made.

use impinge_contact::Loads;
use impinge_geometry::DVec3;
use impinge_integrators::{Books, ElasticOperator, ElasticReport, ElasticSettings, ElasticSystem, Grip};

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
    #[must_use]
    pub fn attached(&self, body: &[u32]) -> Vec<(u32, u32)> {
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
    pub node_loads: Loads,
    /// Positions of the nodes of the system at the start of the step (m).
    pub x: Vec<DVec3>,
    /// Their velocities then (m/s).
    pub v: Vec<DVec3>,
    /// Their change of velocity without contact (m/s).
    pub free: Vec<DVec3>,
    /// Change of velocity from which a solve starts (m/s).
    pub guess: Vec<DVec3>,
    /// Impulses on them (N·s).
    pub impulse: Vec<DVec3>,
    /// Energy and impulses of the step.
    pub books: Books,
}
