#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod actuator;
mod applied;
mod apply;
mod axes;
mod balance;
mod body_changes;
mod bristle;
mod contacts;
mod dofs;
mod embedding;
mod events;
mod finished;
mod friction;
mod given;
mod groups;
mod hash;
mod keys;
mod ledger;
mod loads;
mod material;
mod mobility;
mod momentum;
mod patches;
mod pulls;
mod pushed;
mod rebound;
pub mod sums;
mod surface;
mod surface_velocity;
mod turning;
mod typical;

pub use actuator::{Actuated, Actuator};
pub use applied::{Applied, Push, add_actuator, add_applied};
pub use apply::{ApplyWorkspace, Decided, apply};
pub use axes::{Axes, Axis};
pub use balance::{BalanceWorkspace, balance, balance_parts, chord_spin};
pub use body_changes::BodyChanges;
pub use bristle::{Bristle, bounded_stiffness, bristle, stable_bristles};
pub use contacts::{
    BY_WAY, Contact, ContactImpulse, ContactImpulses, ContactImpulsesView, Contacts, ContactsView, Pair,
    Pairs, PairsView, PlaneContact, PlaneContacts, PlaneContactsView, Sides, contact_key, first_point,
};
pub use dofs::{
    Advanced, BodyDof, BodyDofs, BodyDofsView, BodyKind, Elastic, NodeDof, NodeDofs, NodeDofsView, Prediction,
};
pub use embedding::{Embedding, EmbeddingError};
pub use events::{ContactEvent, ContactEvents, EventKind, Touching};
pub use finished::{Evaluate, Evaluated, FinishedStep};
pub use friction::{Anchors, FrictionStep, SlipState, anchored};
pub use given::{Clock, Given};
pub use groups::Groups;
pub use hash::StateHash;
pub use impinge_geometry::{for_each_set, halt, par, table, wide};
pub use keys::{edge_edge_key, vertex_and_face, vertex_face_key};
pub use ledger::{
    ActuatorWork, DamperKick, EnergyTerms, External, Ledger, MomentumBalance, PairEntry, PairLedger,
    PairLedgerView,
};
pub use loads::{Loads, NONE, Wrench};
pub use material::{Damper, Damping, FrictionLaw, PairLaw, Restitution, SlipRule, Stiffness};
pub use mobility::Mobility;
pub use patches::{
    PatchRow, PatchRows, PatchRowsView, PatchShare, PatchShares, PatchSharesView, Patches, PatchesView,
};
pub use pulls::{FOLLOWED, Pull, Pulled, Pulls, Takes, Touched, friction_part};
pub use rebound::{RowWork, STILL, smaller_share};
pub use surface::{Attachment, Surface, SurfaceMap, SurfaceRow, SurfaceView};
pub use surface_velocity::{SurfaceVelocities, SurfaceVelocity};
pub use turning::{Couple, TurningFriction, TurningSpring, couples};
pub use typical::Surfaces;
