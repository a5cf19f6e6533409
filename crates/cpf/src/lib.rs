#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod along;
mod anchor;
mod batch;
pub mod conserving;
mod curved;
mod discrete;
mod exact;
mod follow;
mod gauss;
mod hollow;
mod integral;
mod lanes;
pub mod layer;
mod pair;
mod params;
mod particle;
mod path;
mod plane;
mod plane_way;
mod response;
mod rows;
mod step_error;
mod ways;

pub use along::{FrictionImpulse, damping_over, depth_at, friction_along, friction_over};
pub use anchor::{FeatureFrame, from_feature, to_feature};
pub use batch::{Counts, ImpulseRow, Impulses, ImpulsesView, StepPairs, Workspace, accumulate, retrack};
pub use curved::{curved_impulses, curved_intervals, rigid_impulses, way_impulses};
pub use discrete::{at_end, tracked_discrete};
pub use follow::{Faces, FollowWorkspace, follow_faces};
pub use impinge_swept::{
    Paths, TrackedList as Tracked, TrackedRow, TrackedView, edge_edge_key, vertex_and_face, vertex_face_key,
};
pub use pair::{
    PairError, PairImpulse, PairImpulses, on_points_by_first_contact, over_interval, pair_impulses,
};
pub use params::{
    Force, Normalisation, ParamError, Params, Unstable, Used, check_stiffness, instability, longest_step,
};
pub use particle::{Particle, ParticleStep};
pub use plane::{PlaneImpulse, height_impulse, plane_impulse, plane_impulses};
pub use plane_way::{PlaneWayImpulse, plane_way_impulse};
pub use response::{
    ConservingAnswer, ContactFollower, CpfAnswer, CpfOut, EndTracker, NewtonReport, NewtonSettings,
};
pub use step_error::StepError;
pub use ways::{CurvedWays, accumulate_on_ways, retrack_on_ways};
