#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod book;
mod contact_pieces;
mod deformable;
mod detect;
mod displaced;
mod edit;
mod elastic;
pub mod elastic_step;
mod error;
pub mod evaluate;
mod facing;
pub mod features;
mod front;
pub mod grip;
mod kind;
mod laws;
mod look;
mod names;
mod open_error;
mod outer_edges;
mod overlap;
mod pairs;
mod places;
mod plane;
mod renaming;
mod renumber;
mod rest;
mod rigid_step;
mod rocking;
mod shapes;
pub mod stability;
pub mod stacked;
mod standing;
pub mod sticking;
mod strain;
mod tables;
mod thickness;
pub mod tipping;
pub mod unseen;
pub mod vertices;

pub use book::book;
pub use contact_pieces::{ContactPiece, ContactPieces};
pub use deformable::{Attach, AttachTo, ClothSpec, Deformable, DeformableError, Matter};
pub use detect::{
    Facing, Penetrating, PointImpulse, Stand, detect_facing, detect_mesh, in_mesh, in_mesh_facing,
    plane_depth, point_mesh_impulses,
};
pub use displaced::{Before, displace, displaced, put};
pub use edit::{Change, Edit, Edited};
pub use elastic::{Elastic, Limited, Operator};
pub use error::ContactError;
pub use facing::{CONE_SLACK, opposes};
pub use front::{Extent, detect_front};
pub use kind::{Directions, ShapeKind};
pub use laws::{ContactLimits, Laws, PairRule, first_two};
pub use look::{Closest, Met, Placed};
pub use names::{Names, check, two};
pub use open_error::OpenError;
pub use outer_edges::{COPLANAR, coplanar, outer_edges};
pub use overlap::Occupied;
pub use pairs::PairFinder;
pub use places::places;
pub use plane::{foot, world_plane};
pub use renaming::Renaming;
pub use renumber::{FeatureNumbers, Piece as CutPiece, Pieces as CutPieces, Renumber, surface_of};
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
