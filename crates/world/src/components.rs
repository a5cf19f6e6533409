//! The components: rows of body entities, and the tables of the one arena entity.

use crate::column::columns;
use impinge_contact::{
    Advanced, Contacts, External, Ledger, Loads, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap,
};
use impinge_geometry::{DVec3, Pose};
use impinge_integrators::Driver;

pub use impinge_bodies::{
    Bounds, Candidate, Candidates, CandidatesView, ContactLimits, Decisions, Dofs, Elastic, Forces, Laws,
    Limited, NodeState, Operator, PairRule, Shapes, State, StateNext,
};

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

/// Where a body is and how it moves, as the books know it.
pub(crate) type Row = (Placement, Twist);

/// The name a body has in the scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(pub String);

/// Prescribed motions by slot.
#[derive(Clone, Debug, Default)]
pub struct Drivers(pub Vec<Option<Driver>>);

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
