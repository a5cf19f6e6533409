//! The swept path of the step: every surface vertex moves straight from where it is to its predicted place, feature pairs that may
//! meet on the way are listed, and the response integrates over their penetration intervals. Where the impulses lead elsewhere, what
//! is in contact is found again.

mod acting;
mod broad;
mod conserving;
mod edges;
mod finder;
mod follow;
mod follow_edges;
mod hand_over;
mod inside;
mod inverse_blocks;
mod laid;
mod line;
mod margin;
mod matter;
mod newton;
pub(crate) mod outer_edges;
mod place;
mod posed;
mod qp;
mod reach;
mod response;
mod retrack;
mod start;
mod surfaces;
mod trial;
mod unknowns;

pub(super) use edges::CONE_SLACK;
pub(crate) use qp::have_one_way;
pub(crate) use start::TOUCHING;

pub use broad::SweptBroad;
pub use conserving::ConservingResponse;
pub use follow::FollowTracked;
pub use place::PlaceSwept;
pub use qp::{CutMotion, FindInside, MovePlaces, QpResponse};
pub use response::CpfResponse;
pub use retrack::Retrack;

use matter::{Matter, part};
