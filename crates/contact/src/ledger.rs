//! The ledger: what is reported is what was applied.
//!
//! [`crate::apply`] is the only way a contact impulse reaches a body, and the same call writes the pair's row. So a
//! reported force is applied impulse / Δt by construction; it cannot be computed some other way and differ. Rolling and spinning friction acts
//! beside it ([`crate::couples`]): [`crate::balance`] books the couples that were applied.

use crate::{Applied, Axis, Wrench};
use impinge_geometry::DVec3;

crate::table! {
    /// One row per body pair that exchanged an impulse in the step.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct PairLedger / PairLedgerView / PairEntry {
        /// Lower slot.
        a: u32,
        /// Higher slot.
        b: u32,
        /// Normal impulse on `a` (N·s); `b` received the opposite.
        normal: DVec3,
        /// Friction impulse on `a` (N·s).
        friction: DVec3,
        /// Sum of the magnitudes of the contacts' normal impulses (N·s): what the pair is pressed with even
        /// where normals oppose each other.
        pressed: f64,
        /// Point of application: mean of the contact points weighted by impulse magnitude (m).
        point: DVec3,
        /// Moment on `a` about that point (N·m·s), rolling and spinning friction included.
        moment: DVec3,
        /// Of patches the area of the contact (m²). Of contact rows the sum of the areas that their vertices and edges stand for: a weight
        /// of the law, not an area of contact, which counts a face once for each of its sides that is tested and for each of its features.
        area: f64,
        /// Volume both bodies claim (m³); 0 for responses that do not measure it.
        volume: f64,
        /// Largest depth (m).
        depth_max: f64,
        /// Mean depth weighted by area, or plain mean where no area is known (m).
        depth_mean: f64,
        /// Potential stored in the contacts (J).
        energy: f64,
        /// Number of contact rows.
        contacts: u32,
        /// Work of the normal impulses on both bodies in this step (J).
        work_normal: f64,
        /// Work of the friction impulses (J, ≤ 0 when it dissipates).
        work_friction: f64,
    }
}

/// Energy by term at the end of the step, and what the step's impulses did (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EnergyTerms {
    /// ½ m v² of bodies and nodes.
    pub translational: f64,
    /// ½ ω·L of rigid bodies.
    pub rotational: f64,
    /// −m g·x.
    pub gravity: f64,
    /// Springs to anchors.
    pub anchors: f64,
    /// Stored in deformables and in the ties that hold them.
    pub elastic: f64,
    /// Stored in contacts, at the time the response evaluated them.
    pub contact: f64,
    /// Work of the normal contact impulses this step.
    pub work_normal: f64,
    /// Work of friction this step.
    pub work_friction: f64,
    /// Work of drag this step, mass-proportional damping of deformables included.
    pub work_drag: f64,
    /// Work of the dampers of anchor springs this step.
    pub work_anchor_damping: f64,
    /// Work that prescribed (kinematic) bodies put in through contact this step. `work_normal` and
    /// `work_friction` are relative to the surface touched, so this is the rest of what the bodies received.
    pub work_driven: f64,
    /// Work of the inner forces of deformables this step: elasticity, damping, ties to rigid bodies. Added to the growth of
    /// `elastic` it is what damping and the scheme took out of the run (negative) or put in.
    pub work_elastic: f64,
    /// Work of position corrections this step: growth of `gravity`, `anchors` and `elastic` by what moves positions and no momentum after the
    /// velocities are known (surfaces that are too near or overlap are moved apart, ways are cut short). 0 where nothing was corrected.
    pub work_corrections: f64,
    /// Work of what the program did: pushes in this step, changes before it ([`Ledger::applied`]).
    pub work_applied: f64,
    /// Potential that contacts gained, or lost, when they were handed from feature to feature or given up before this step. Booked by
    /// responses that conserve energy otherwise; 0 for the others.
    pub handed: f64,
}

impl EnergyTerms {
    /// Kinetic and potential energy together (J).
    #[must_use]
    pub fn total(&self) -> f64 {
        self.translational + self.rotational + self.gravity + self.anchors + self.elastic + self.contact
    }

    /// Kinetic energy (J).
    #[must_use]
    pub fn kinetic(&self) -> f64 {
        self.translational + self.rotational
    }
}

/// Momentum bookkeeping of one step, over all dynamic bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MomentumBalance {
    /// Linear momentum at the end of the step (kg m/s).
    pub linear: DVec3,
    /// Angular momentum about the world origin at the end of the step (kg m²/s).
    pub angular: DVec3,
    /// `ΔP − Σ external + Σ contact impulses on bodies that do not move` (kg m/s): zero but for rounding. `P` is
    /// computed from velocities before and after, so a pair that does not exchange equal and opposite impulses
    /// shows here.
    pub linear_residual: DVec3,
    /// The same for angular momentum about the world origin, from poses and velocities. Where a scheme is known
    /// to leak it equals [`Self::predicted_leak`] to rounding.
    pub angular_residual: DVec3,
    /// `−Δt Σ v*ᵢ × Iᵢ` over the mesh contacts (kg m²/s): the couple a response evaluated at the end makes
    /// (ACCEPTANCE B55), plus the couple of friction on loose vertices, which take no couple back, plus what implicit steps
    /// of deformables leak (inner forces of the end applied at the start; exact where the step was solved to the end).
    pub predicted_leak: DVec3,
    /// Scale the residuals are to be read against (kg m/s).
    pub linear_scale: f64,
    /// The same for angular momentum (kg m²/s).
    pub angular_scale: f64,
}

impl Default for MomentumBalance {
    fn default() -> Self {
        let z = DVec3::zero();
        Self {
            linear: z,
            angular: z,
            linear_residual: z,
            angular_residual: z,
            predicted_leak: z,
            linear_scale: 0.0,
            angular_scale: 0.0,
        }
    }
}

/// External wrenches of one step on each body (about its centre of mass; for particle bodies about the
/// world origin), by term.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct External {
    /// Weight.
    pub gravity: Vec<Wrench>,
    /// Linear and angular drag.
    pub drag: Vec<Wrench>,
    /// Springs to anchors.
    pub anchors: Vec<Wrench>,
    /// Pushes of the program; empty in a step without.
    pub applied: Vec<Wrench>,
    /// Impulse of pushes on each node (N·s), for the books; empty in a step without.
    pub node_applied: Vec<DVec3>,
    /// Impulse of drag on each node (N·s), for the books; empty where no body with nodes has drag.
    pub node_drag: Vec<DVec3>,
    /// What the dampers of anchor springs did; part of `anchors`.
    pub dampers: Vec<DamperKick>,
    /// Impulses of actuators, without their work yet; part of `applied`.
    pub actuators: Vec<ActuatorWork>,
    /// Couples of rolling and spinning friction, as they act on each body (N·m·s); empty in a step without. The books have them with the contacts.
    pub turned: Vec<DVec3>,
}

/// Impulse of the damper of one anchor spring.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DamperKick {
    /// Slot of the body.
    pub body: u32,
    /// The node it acts on, of bodies that have nodes.
    pub node: Option<u32>,
    /// Where it acts, at the start of the step (m).
    pub point: DVec3,
    /// N·s.
    pub impulse: DVec3,
}

impl External {
    /// Makes room for `bodies` and zeroes everything.
    pub fn reset(&mut self, bodies: usize) {
        for t in [&mut self.gravity, &mut self.drag, &mut self.anchors] {
            t.clear();
            t.resize(bodies, Wrench::default());
        }
        self.applied.clear();
        self.node_applied.clear();
        self.node_drag.clear();
        self.dampers.clear();
        self.actuators.clear();
        self.turned.clear();
    }
}

/// Everything applied in one step.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(alias("contact force", "contact results"))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ledger {
    /// Rows by body pair, in pair order.
    pub pairs: PairLedger,
    /// Total contact wrench on each body about its centre of mass at the start of the step, halfway under [`crate::Evaluated::Mean`] (the
    /// origin of its frame where it has none); for particle and deformable bodies about the world origin.
    pub contact: Vec<Wrench>,
    /// Energy by term.
    pub energy: EnergyTerms,
    /// Momentum balance.
    pub momentum: MomentumBalance,
    /// What the program did to bodies, by slot: its pushes in the step, and its changes between the step before and this one.
    pub applied: Vec<Applied>,
    /// What the locks of rigid bodies did, by slot: the impulse and the moment that keep locked axes still. They do no work.
    pub locks: Vec<Applied>,
    /// What actuators did, by body and axis; part of `applied`.
    pub actuators: Vec<ActuatorWork>,
}

/// What an actuator did in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ActuatorWork {
    /// Slot of the body.
    pub body: u32,
    /// Its axis.
    pub axis: Axis,
    /// Along the axis (N·s), or about it and the centre of mass (N·m·s).
    pub impulse: f64,
    /// Work (J).
    pub work: f64,
}

impl Ledger {
    /// Clears the rows for the next step.
    pub fn reset(&mut self, bodies: usize) {
        self.pairs.clear();
        self.contact.clear();
        self.contact.resize(bodies, Wrench::default());
        self.energy = EnergyTerms::default();
        self.momentum = MomentumBalance::default();
        self.applied.clear();
        self.locks.clear();
        self.actuators.clear();
    }

    /// The larger of the residuals of linear and angular momentum, less what the scheme is known to leak, as part of their scales.
    #[must_use]
    pub fn residual(&self) -> f64 {
        let m = &self.momentum;
        let of =
            |residual: DVec3, scale: f64| if scale > 0.0 { residual.mag() / scale } else { residual.mag() };
        of(m.linear_residual, m.linear_scale).max(of(m.angular_residual - m.predicted_leak, m.angular_scale))
    }
}
