//! Contacts as linear constraints of the implicit step (seed 001): one quadratic program for all that moves.
//!
//! The step has been predicted, so b of seed 001 (3) is spent: K Δv = 0 without contact, and Δv is what contact adds to the
//! predicted velocity. K is the operator of the step (`dynamics.rs`), rows come from what is nearer than the thickness where
//! the step ends, or crossed on the way there (`near.rs`, `search.rs`, `rows.rs`); detection is repeated at each answer. The
//! multipliers leave as contact impulses through the ledger, and `advance` applies them with the same operator, so that the
//! velocities are those of the program. What is too near is moved apart by a second program, of places (`places.rs`).

pub(crate) mod cable_self_contact;
pub(crate) mod cut;
pub(crate) mod dynamics;
pub(crate) mod inside;
pub(crate) mod near;
pub(crate) mod neighbours;
pub(crate) mod object;
pub(crate) mod places;
pub(crate) mod points_and_cables;
pub(crate) mod program;
pub(crate) mod response;
pub(crate) mod row;
pub(crate) mod rows;
pub(crate) mod scene;
pub(crate) mod search;
pub(crate) mod settings;
pub(crate) mod shift;
pub(crate) mod strain;
