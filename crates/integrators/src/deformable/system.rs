//! Everything deformable in one system: energies over one array of nodes, what holds the nodes, and the rigid bodies
//! they pull on. Built once, checked; the integrators read it.
//!
//! Unknowns are velocities in blocks of three: nodes first, then (linear, angular) of each rigid body that a node is
//! tied to (`impinge_solvers::Layout`). So bodies and deformables that pull on each other are rows of one operator.

use super::linear::LinearSolver;
use super::part::{Energy, Part};
use super::step::ElasticSettings;
use impinge_contact::NONE;
use impinge_geometry::DVec3;
use impinge_solvers::{BlockPattern, Filter, Layout};
use std::fmt;

/// What a node is held by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grip {
    /// A point of the world (m).
    World(DVec3),
    /// A point of a fixed or kinematic body: slot, offset from its origin in body axes (m).
    Prescribed {
        /// Body slot.
        body: u32,
        /// Body axes (m).
        arm: DVec3,
    },
    /// A point of a rigid body: slot, offset from its centre of mass in body axes (m). Springs only.
    Rigid {
        /// Body slot.
        body: u32,
        /// Body axes (m).
        arm: DVec3,
    },
}

/// A node that stands where its grip is. Not for rigid bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// Node of the system.
    pub node: u32,
    /// What holds it.
    pub to: Grip,
}

/// A spring of rest length 0 between a node and a grip: `f = −k s − c ṡ`, s from the grip to the node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// Node of the system.
    pub node: u32,
    /// What holds it.
    pub to: Grip,
    /// k (N/m).
    pub stiffness: f64,
    /// c (N·s/m).
    pub damping: f64,
}

/// A body of the system: a range of nodes with energies of its own.
#[derive(Clone, Debug, Default)]
pub struct ElasticBody {
    /// Masses of its nodes (kg).
    pub masses: Vec<f64>,
    /// Its energies; their node 0 is the body's first.
    pub energies: Vec<Energy>,
    /// Rayleigh damping in proportion to mass (1/s).
    pub mass_damping: f64,
    /// Rayleigh damping in proportion to stiffness (s).
    pub stiffness_damping: f64,
}

/// Why a system was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSystem {
    /// The body, counted in the order they were given.
    pub body: Option<usize>,
    /// What is wrong and what would be right.
    pub reason: String,
}

impl fmt::Display for BadSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.body {
            Some(b) => write!(f, "deformable {b}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for BadSystem {}

/// The constant part of a system of deformables.
#[derive(Clone, Debug, Default)]
pub struct ElasticSystem {
    pub(super) parts: Vec<Part>,
    pub(super) mass: Vec<f64>,
    /// α m and drag (kg/s).
    pub(super) mass_damping: Vec<f64>,
    /// β (s).
    pub(super) stiffness_damping: Vec<f64>,
    pub(super) pins: Vec<Pin>,
    pub(super) ties: Vec<Tie>,
    /// Row of the tied rigid body, [`NONE`] for other grips.
    pub(super) tie_row: Vec<u32>,
    pub(super) tie_slots: Vec<[[u32; 3]; 3]>,
    /// Slots of the rigid bodies that nodes are tied to, ascending.
    pub(super) rigid: Vec<u32>,
    pub(super) layout: Layout,
    pub(super) pattern: BlockPattern,
    pub(super) filter: Filter,
    /// First node of each body, and one past the last.
    pub(super) start: Vec<usize>,
    /// Bodies nothing holds: their momentum is theirs alone.
    pub(super) free: Vec<bool>,
    pub(super) damped: bool,
    /// D is β times the stiffness, block by block: no dashpots, and no ties, whose stiffness is not damped by β.
    pub(super) proportional: bool,
}

impl ElasticSystem {
    /// The same with drag `F = −c v` on each node, c (N·s/m) by body, beside the damping in proportion to mass.
    #[must_use]
    pub fn with_drag(mut self, drag: impl Fn(usize) -> f64) -> Self {
        for b in 0..self.bodies() {
            let c = drag(b);
            self.mass_damping[self.start[b]..self.start[b + 1]].iter_mut().for_each(|d| *d += c);
        }
        self
    }

    /// Joins bodies, pins and ties; nodes are numbered through the bodies in order.
    ///
    /// # Errors
    /// [`BadSystem`]: a mass or damping that is not a positive (or zero) number, an energy that names a node its body does
    /// not have, a node in no element, a grip on such a node, a node pinned twice, a pin to a rigid body.
    pub fn new(bodies: Vec<ElasticBody>, pins: Vec<Pin>, ties: Vec<Tie>) -> Result<Self, BadSystem> {
        let mut s = Self { start: vec![0], ..Self::default() };
        let mut stencils: Vec<[u32; 4]> = Vec::new();
        for (b, body) in bodies.iter().enumerate() {
            let first = s.mass.len();
            check_body(b, body)?;
            for e in &body.energies {
                e.stencils(first as u32, &mut stencils);
            }
            s.mass.extend_from_slice(&body.masses);
            s.mass_damping.extend(body.masses.iter().map(|m| m * body.mass_damping));
            s.stiffness_damping.resize(s.mass.len(), body.stiffness_damping);
            s.damped |= body.stiffness_damping > 0.0;
            s.start.push(s.mass.len());
            s.free.push(true);
        }
        let nodes = s.mass.len();
        s.rigid = ties.iter().filter_map(|t| rigid(&t.to)).collect();
        s.rigid.sort_unstable();
        s.rigid.dedup();
        s.layout = Layout { nodes, bodies: s.rigid.len() };
        s.check_grips(&pins, &ties)?;
        for t in &ties {
            let row = rigid(&t.to).map(|b| s.rigid.partition_point(|r| *r < b));
            s.tie_row.push(row.map_or(NONE, |r| r as u32));
            s.damped |= t.damping > 0.0;
            if let Some(r) = row {
                stencils.push([t.node, s.layout.linear(r), s.layout.angular(r), NONE]);
            }
        }
        s.pattern = BlockPattern::new(s.layout.blocks(), stencils.iter().map(|n| &n[..]))
            .map_err(|e| BadSystem { body: None, reason: e.to_string() })?;
        let mut dashpots = false;
        for (b, body) in bodies.into_iter().enumerate() {
            for energy in body.energies {
                let part = Part::new(energy, s.start[b], &s.pattern);
                dashpots |= part.has_dashpots();
                s.parts.push(part);
            }
        }
        s.damped |= dashpots;
        s.proportional = s.damped && !dashpots && ties.is_empty();
        for (t, &row) in ties.iter().zip(&s.tie_row) {
            let of = |r: u32| [t.node, s.layout.linear(r as usize), s.layout.angular(r as usize)];
            let blocks = if row == NONE { [t.node, NONE, NONE] } else { of(row) };
            s.tie_slots.push(
                blocks.map(|i| {
                    blocks.map(|j| if i == NONE || j == NONE { NONE } else { s.pattern.slot(i, j) })
                }),
            );
        }
        for p in &pins {
            s.filter.fix(p.node);
        }
        (s.pins, s.ties) = (pins, ties);
        Ok(s)
    }

    fn check_grips(&mut self, pins: &[Pin], ties: &[Tie]) -> Result<(), BadSystem> {
        let nodes = self.mass.len();
        let refuse = |body, reason| Err(BadSystem { body, reason });
        let mut pinned = vec![false; nodes];
        let held =
            pins.iter().map(|p| (p.node, p.to, true)).chain(ties.iter().map(|t| (t.node, t.to, false)));
        for (node, to, pin) in held {
            if node as usize >= nodes {
                return refuse(
                    None,
                    format!("an attachment names node {node}, but there are {nodes} (from 0)"),
                );
            }
            let body = self.body_of(node as usize);
            if pin && std::mem::replace(&mut pinned[node as usize], true) {
                return refuse(
                    Some(body),
                    format!("node {} is pinned twice; keep one", node as usize - self.start[body]),
                );
            }
            if pin && rigid(&to).is_some() {
                return refuse(
                    Some(body),
                    "a node cannot be pinned to a rigid body; tie it by a stiffness".to_string(),
                );
            }
            let point = match to {
                Grip::World(p) => p,
                Grip::Prescribed { arm, .. } | Grip::Rigid { arm, .. } => arm,
            };
            if !impinge_geometry::is_finite(point) {
                return refuse(Some(body), "an attachment's point is not finite".to_string());
            }
            self.free[body] = false;
        }
        for t in ties {
            if !(t.stiffness.is_finite() && t.stiffness > 0.0 && t.damping.is_finite() && t.damping >= 0.0) {
                let what = format!(
                    "an attachment has stiffness {} N/m and damping {} N·s/m; the first must be positive, the second not negative",
                    t.stiffness, t.damping
                );
                return refuse(Some(self.body_of(t.node as usize)), what);
            }
        }
        Ok(())
    }

    fn body_of(&self, node: usize) -> usize {
        self.start.partition_point(|s| *s <= node) - 1
    }

    /// Nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.mass.len()
    }

    /// Nothing deforms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mass.is_empty()
    }

    /// The nodes of body `b`.
    #[must_use]
    pub fn range(&self, b: usize) -> std::ops::Range<usize> {
        self.start[b]..self.start[b + 1]
    }

    /// Bodies.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.free.len()
    }

    /// Rayleigh damping of body `b`: α (1/s), β (s).
    #[must_use]
    pub fn rayleigh(&self, b: usize) -> [f64; 2] {
        let first = self.start[b];
        [self.mass_damping[first] / self.mass[first], self.stiffness_damping[first]]
    }

    /// Slots of the rigid bodies in the system, ascending.
    #[must_use]
    pub fn rigid(&self) -> &[u32] {
        &self.rigid
    }

    /// Where nodes and rigid bodies lie in a vector of the system.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The block graph of the operator.
    #[must_use]
    pub fn pattern(&self) -> &BlockPattern {
        &self.pattern
    }

    /// The linear solver that a step with these settings uses, and why it does.
    #[must_use]
    pub fn solver(&self, settings: &ElasticSettings) -> (String, String) {
        let choice = LinearSolver::choose(&self.pattern, settings.method);
        (choice.method.name().to_string(), choice.reason)
    }

    /// Takes what pins hold out of a vector over the blocks; longer vectors keep their rest.
    pub fn hold(&self, v: &mut [DVec3]) {
        self.filter.project(v);
    }

    /// Pinned nodes.
    #[must_use]
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// Tied nodes.
    #[must_use]
    pub fn ties(&self) -> &[Tie] {
        &self.ties
    }
}

fn rigid(to: &Grip) -> Option<u32> {
    match to {
        Grip::Rigid { body, .. } => Some(*body),
        _ => None,
    }
}

fn check_body(b: usize, body: &ElasticBody) -> Result<(), BadSystem> {
    let refuse = |reason| Err(BadSystem { body: Some(b), reason });
    let n = body.masses.len();
    let mut used = vec![false; n];
    let mut stencils = Vec::new();
    body.energies.iter().for_each(|e| e.stencils(0, &mut stencils));
    for &node in stencils.iter().flatten().filter(|i| **i != NONE) {
        match used.get_mut(node as usize) {
            Some(u) => *u = true,
            None => return refuse(format!("an element names node {node}, but the body has {n} (from 0)")),
        }
    }
    if let Some(i) = used.iter().position(|u| !u) {
        return refuse(format!("node {i} is in no element; leave it out, or join it to the rest"));
    }
    if let Some(i) = body.masses.iter().position(|m| !(m.is_finite() && *m > 0.0)) {
        return refuse(format!(
            "node {i} has mass {} kg; it must be a positive number: check the density",
            body.masses[i]
        ));
    }
    for (name, value) in [("α (1/s)", body.mass_damping), ("β (s)", body.stiffness_damping)] {
        if !(value.is_finite() && value >= 0.0) {
            return refuse(format!("Rayleigh damping {name} is {value}; it must be zero or positive"));
        }
    }
    Ok(())
}
