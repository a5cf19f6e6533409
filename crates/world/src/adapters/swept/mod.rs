//! The swept path of the step: every surface vertex moves straight from where it is to its predicted place, feature pairs that may
//! meet on the way are listed, and the response integrates over their penetration intervals. Where the impulses lead elsewhere, what
//! is in contact is found again.

mod acting;
mod conserving;
mod follow;
mod follow_edges;
mod hand_over;
mod inverse_blocks;
mod laid;
mod line;
mod newton;
mod posed;
mod qp;
mod response;
mod retrack;
mod trial;
mod unknowns;

pub(crate) use qp::have_one_way;

pub use conserving::ConservingResponse;
pub use follow::FollowTracked;
pub use qp::{CutMotion, FindInside, MovePlaces, QpResponse};
pub use response::CpfResponse;
pub use retrack::Retrack;
