//! The swept path of the step: every surface vertex moves straight from where it is to its predicted place, feature pairs that may
//! meet on the way are listed, and the response integrates over their penetration intervals.

mod broad;
mod place;
mod response;
mod surfaces;

pub use broad::SweptBroad;
pub use place::PlaceSwept;
pub use response::CpfResponse;
