//! Continuous penalty over the penetration intervals of tracked feature pairs. Where the impulses lead elsewhere than predicted, what is in
//! contact is found again.

mod beside;
pub(crate) mod cables;
pub(crate) mod follow;
pub(crate) mod implicit;
pub(crate) mod object;
pub(crate) mod response;
pub(crate) mod retrack;
pub(crate) mod schema;
