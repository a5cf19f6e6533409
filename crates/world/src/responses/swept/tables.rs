//! What the responses that follow features on their swept path share.

pub(crate) use impinge_swept::edges_of;
pub use impinge_swept::{
    Faces, FeaturePairs, Followed, List, Margin, Run, SweptCandidates, Tracked, TrackedNext,
};
