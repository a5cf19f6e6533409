//! Contacts as linear constraints of the implicit step (seed 001): one quadratic program for all that moves.
//!
//! The step has been predicted, so b of seed 001 (3) is spent: K Δv = 0 without contact, and Δv is what contact adds to the
//! predicted velocity. K is the operator of the step (`dynamics.rs`), rows come from what is nearer than the thickness where
//! the step ends, or crossed on the way there (`near.rs`, `search.rs`, `rows.rs`); detection is repeated at each answer. The
//! multipliers leave as contact impulses through the ledger, and whoever advances the bodies applies them with the same operator, so that the
//! velocities are those of the program. What is too near is moved apart by a second program, of places (`places.rs`).

mod answer;
mod apart;
mod built;
mod cables;
mod cut;
mod dynamics;
mod inside;
mod low;
mod near;
mod neighbours;
mod places;
mod points_and_cables;
mod program;
mod rebound;
mod rigid_pair;
mod row;
mod rows;
mod scene;
mod search;
mod shift;
mod slip_plane;
mod strain;
mod tables;

pub use answer::{QpAnswer, QpOut};
pub use cut::MotionCut;
pub use inside::find_inside;
pub use near::holds_crossed;
pub use shift::move_places;
pub use tables::{Multiplier, Multipliers, MultipliersNext, PlaceShift, QpReport, QpSettings};
