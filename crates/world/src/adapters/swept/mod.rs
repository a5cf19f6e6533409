//! The swept path of the step: every surface vertex moves straight from where it is to its predicted place, feature pairs that may
//! meet on the way are listed, and the response integrates over their penetration intervals. Where the impulses lead elsewhere, what
//! is in contact is found again.

mod qp;

pub(crate) use qp::have_one_way;

pub use qp::{CutMotion, FindInside, MovePlaces, QpResponse};
