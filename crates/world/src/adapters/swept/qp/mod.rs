//! Contacts as linear constraints of the implicit step (seed 001): one quadratic program for all that moves.
//!
//! The step has been predicted, so b of seed 001 (3) is spent: K Δv = 0 without contact, and Δv is what contact adds to the
//! predicted velocity. K is the operator of the step (`dynamics.rs`), rows come from what is nearer than the thickness where
//! the step ends, or crossed on the way there (`near.rs`, `search.rs`, `rows.rs`); detection is repeated at each answer. The
//! multipliers leave as contact impulses through the ledger, and `advance` applies them with the same operator, so that the
//! velocities are those of the program. What is too near is moved apart by a second program, of places (`places.rs`).

mod aim;
mod coil;
mod cut;
mod dynamics;
mod inside;
mod loose;
mod near;
mod neighbours;
mod places;
mod response;
mod row;
mod rows;
mod scene;
mod search;
mod shift;
mod strain;

pub use cut::CutMotion;
pub use inside::FindInside;
pub(crate) use inside::have_one_way;
pub use response::QpResponse;
pub use shift::MovePlaces;
