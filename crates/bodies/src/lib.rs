#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod book;
mod deformable;
mod detect;
mod displaced;
mod edit;
mod elastic;
mod error;
mod facing;
mod kind;
mod laws;
mod names;
mod outer_edges;
mod pairs;
mod plane;
mod rest;
mod rigid_step;
mod shapes;
mod standing;
mod strain;
mod tables;
mod thickness;

pub use book::book;
pub use deformable::{Attach, AttachTo, ClothSpec, Deformable, DeformableError, Matter};
pub use detect::{
    Facing, Penetrating, PointImpulse, detect_facing, detect_mesh, plane_depth, point_mesh_impulses,
};
pub use displaced::{Before, displace, displaced};
pub use edit::{Change, Edit, Edited};
pub use elastic::{Elastic, Limited, Operator};
pub use error::ContactError;
pub use facing::{CONE_SLACK, opposes};
pub use kind::{Directions, ShapeKind};
pub use laws::{ContactLimits, Laws, PairRule};
pub use names::{Names, check, two};
pub use outer_edges::{COPLANAR, coplanar, outer_edges};
pub use pairs::PairFinder;
pub use plane::{foot, world_plane};
pub use rest::{resting_height, ways_up};
pub use rigid_step::RigidStep;
pub use shapes::{MeshShape, Own, OwnTets, Shape, Shapes, SoftShape};
pub use standing::{ONE_WAY, Standing, TOUCHING, WayOut, have_one_way};
pub use strain::StrainLimits;
pub use tables::{
    Bounds, Candidate, Candidates, CandidatesView, Decisions, Dofs, Forces, IdleRow, Inner, NodeState, State,
    StateNext,
};
pub use thickness::Thickness;
