//! The state of a run as a value: to go back to, to compare, to hash.

use crate::components::{NodeState, Twist};
use crate::edit::Edit;
use crate::pressure::Bristles;
use crate::qp::Multipliers;
use crate::swept::Tracked;
use crate::volume::CellImpulses;
use impinge_contact::{Anchors, StateHash};
use impinge_geometry::{DVec3, Pose, is_finite};
use std::sync::Arc;

/// Steps that a double counts one by one; the time of a step is their product with `dt`.
const MOST_STEPS: u64 = 1 << 53;

/// The state of a run between two steps: all of it, and nothing that can be computed from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Steps committed.
    pub step: u64,
    /// Pose and velocities by slot.
    pub bodies: Vec<(Pose, Twist)>,
    /// Free vertices.
    pub nodes: NodeState,
    /// Friction anchors.
    pub anchors: Anchors,
    /// Open contacts of the swept responses.
    pub tracked: Tracked,
    /// Multipliers of the constraints of the last step.
    pub multipliers: Multipliers,
    /// Impulses of the cells of intersection volume in the last step.
    pub cell_impulses: CellImpulses,
    /// What the friction of contact surfaces remembers.
    pub bristles: Bristles,
    /// Changes of topology since the world was built.
    pub edits: Vec<Arc<Edit>>,
}

impl Snapshot {
    /// A snapshot taken by this crate passes; one read from elsewhere may not.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.step > MOST_STEPS {
            return Err(format!(
                "the snapshot counts {} steps; no run has more than {MOST_STEPS}",
                self.step
            ));
        }
        let finite = |v: &DVec3| is_finite(*v);
        let body =
            |(p, t): &(Pose, Twist)| p.is_finite() && finite(&t.velocity) && finite(&t.angular_velocity);
        if let Some(i) = self.bodies.iter().position(|b| !body(b)) {
            return Err(format!("the snapshot's body {i} is not finite"));
        }
        if !self.nodes.guess.iter().all(finite) {
            return Err("the snapshot's guess for the next solve is not finite".to_string());
        }
        if let Some(i) = self.nodes.x.iter().zip(&self.nodes.v).position(|(x, v)| !(finite(x) && finite(v))) {
            return Err(format!("the snapshot's vertex {i} is not finite"));
        }
        let anchors = self.anchors.rows();
        if !anchors.windows(2).all(|w| w[0].0 < w[1].0) || !anchors.iter().all(|a| finite(&a.1)) {
            return Err(
                "the snapshot's friction anchors are not finite and in ascending order of key".to_string()
            );
        }
        self.multipliers.check()?;
        self.cell_impulses.check()?;
        self.bristles.check(self.bodies.len())
    }

    /// Hash over every bit.
    pub fn hash(&self) -> u64 {
        let mut h = StateHash::default();
        h.word(self.step);
        for (pose, twist) in &self.bodies {
            h.pose(pose);
            h.vector(twist.velocity);
            h.vector(twist.angular_velocity);
        }
        self.nodes.x.iter().chain(&self.nodes.v).chain(&self.nodes.guess).for_each(|&v| h.vector(v));
        for &(key, anchor, slipping) in self.anchors.rows() {
            h.word(key);
            h.vector(anchor);
            h.word(u64::from(slipping));
        }
        self.tracked.hash(&mut h);
        self.multipliers.hash(&mut h);
        self.cell_impulses.hash(&mut h);
        self.bristles.hash(&mut h);
        h.finish()
    }
}
