#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod acting;
pub mod adapters;
mod against_springs;
mod alike;
mod anchors;
mod asked;
mod assign;
mod body;
mod body_data;
mod books;
mod build;
mod build_error;
mod builder;
mod check;
mod check_actuators;
mod check_counts;
mod check_numbers;
mod check_thickness;
mod check_world;
mod coarse;
mod column;
mod components;
mod contact_points;
mod crossed;
mod cut;
mod drawing;
mod energy_books;
mod falls;
mod given_up;
mod halving;
mod halvings;
mod in_turn;
mod join;
mod kept;
mod layout;
mod leans;
mod load;
mod lying;
mod open;
mod papers;
mod part;
mod parts;
mod pieces;
mod pipeline;
mod planned;
mod planned_edits;
mod reader;
mod rebound;
mod recipe;
mod registered;
mod registry;
mod response;
pub(crate) mod responses;
mod scene_digest;
pub mod schema;
mod scoped;
mod seen;
mod sensor;
mod settings;
mod shadow;
mod simple_bodies;
mod simulation;
mod snapshot;
mod stability;
mod stacks;
mod stage;
mod standard;
mod standings;
mod suggested;
mod tables;
mod timed_force;
mod told_laws;
mod trace;
mod turning;
mod unseen;
mod worst;

pub use body::{BodyDesc, Mass, Motion};
pub use body_data::{BodyData, BodyDatas, DataKind, DataOfBodies};
pub use build_error::BuildError;
pub use builder::Builder;
pub use column::{Access, Column, Io, Origin};
pub use components::{
    Bounds, Candidate, Candidates, CandidatesView, ContactLimits, Decisions, Dofs, Drivers, Elastic, Forces,
    Laws, Limited, Name, NodeState, Operator, PairRule, Placement, Shapes, Slot, State, StateNext, Twist,
};
pub use contact_points::ContactPoint;
pub use cut::EditReport;
pub use drawing::{Drawing, IdleRow};
pub use energy_books::EnergyBooks;
pub use features::Features;
pub use grip::Grip;
pub use halving::Halved;
pub use halvings::HALVINGS;
pub use hecs;
pub use impinge_bodies::OpenError;
pub use impinge_bodies::{
    Attach, AttachTo, Change, ClothSpec, ContactError, ContactPiece, ContactPieces, CutPiece, CutPieces,
    Deformable, DeformableError, Directions, Edit, Matter, MeshShape, Renaming, Renumber, Shape, ShapeKind,
    SoftShape, StrainLimits,
};
use impinge_bodies::{features, grip};
pub use impinge_contact::{Clock, Given, Groups, SurfaceVelocity};
pub use impinge_solvers::mlcp::MOST_FRICTION;
pub use impinge_volume::{FrictionAt, Walls};
pub use kept::{Kept, KeptTables, Stored, Within};
pub use open::id::{BodyId, BodyKey};
pub use open::read::Event;
pub use open::roster::Roster;
pub use open::sensing::SensorEvent;
pub use open::view::BodyView;
pub use part::Part;
pub use pipeline::{Dangling, FlowLine, Pipeline, Place, Repeat};
pub use planned::{Cut, Refine};
pub use reader::{ContactReader, Pieces, Touch};
pub use rebound::Unmet;
pub use registered::Registered;
pub use registry::{Family, RESPONSES, register};
pub use response::{ContactResponse, Effort, InitialOverlap, Response, RestStiffness, StillForce};
pub use responses::cpf::implicit::object::CpfImplicit;
pub use responses::cpf::implicit::settings::{NewtonReport, NewtonSettings};
pub use responses::cpf::object::Cpf;
pub use responses::penalty::object::{Detection, Penalty};
pub use responses::pressure::body::moved_field;
pub use responses::pressure::settings::{
    Bristles, BristlesNext, PathEnds, PressureBodies, PressureBody, PressureField, PressureFriction,
    PressurePatch, PressurePatches, PressureReport, PressureSettings, PressureStep, Yielding,
};
pub use responses::qp::settings::{
    Multiplier, Multipliers, MultipliersNext, PlaceShift, QpReport, QpSettings,
};
pub use responses::swept::tables::{
    Faces, FeaturePairs, Followed, List, Margin, Run, SweptCandidates, Tracked, TrackedNext,
};
pub use responses::volume::settings::{
    CellImpulse, CellImpulses, CellImpulsesNext, MeasuredPair, Measurement, Overlaps, VolumeFriction,
    VolumePenaltySettings, VolumeReport, VolumeSettings,
};
pub use seen::{Seen, SeenBody};
pub use sensor::Sensor;
pub use settings::{Finding, SettingValue, Settings};
pub use simple_bodies::ROUNDNESS;
pub use simulation::{Simulation, StepError};
pub use snapshot::Snapshot;
pub use stability::StiffContact;
pub use stage::{AnyStage, Outcome, Stage, StageCost, StageError, Step};
pub use standard::standard;
pub use suggested::{FRICTION, Suggested};
pub use tables::Table;
pub use timed_force::TimedForce;
pub use trace::StageDigest;
pub use turning::{Turning, TurningNext};
pub use unseen::Unseen;
pub use worst::worst;
