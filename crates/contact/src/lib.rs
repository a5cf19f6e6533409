#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod applied;
mod apply;
mod balance;
mod bristle;
mod contacts;
mod dofs;
mod embedding;
mod events;
mod finished;
mod friction;
mod given;
mod hash;
mod keys;
mod ledger;
mod loads;
mod material;
mod momentum;
pub mod par;
mod patches;
mod pushed;
pub mod sums;
mod surface;
mod table;
pub mod wide;

pub use applied::{Applied, Push, add_applied};
pub use apply::{ApplyWorkspace, Decided, apply};
pub use balance::{BalanceWorkspace, balance, balance_parts};
pub use bristle::{Bristle, bounded_stiffness, bristle};
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
pub use hash::StateHash;
pub use keys::{edge_edge_key, vertex_and_face, vertex_face_key};
pub use ledger::{
    DamperKick, EnergyTerms, External, Ledger, MomentumBalance, PairEntry, PairLedger, PairLedgerView,
};
pub use loads::{Loads, NONE, Wrench};
pub use material::{Damper, Damping, FrictionLaw, PairLaw, RESTING_STEPS, Restitution, SlipRule, Stiffness};
pub use patches::{
    PatchRow, PatchRows, PatchRowsView, PatchShare, PatchShares, PatchSharesView, Patches, PatchesView,
};
pub use surface::{Attachment, Surface, SurfaceMap, SurfaceRow, SurfaceView};
