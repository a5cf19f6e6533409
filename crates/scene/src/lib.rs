#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod assumed;
mod attach;
mod build;
mod cage;
mod check;
mod document;
mod error;
mod facets;
mod files;
mod fineness;
mod height_field;
mod load;
mod lookup;
mod measure;
mod mesh;
mod mesh_file;
mod meshes;
mod monitor;
mod names;
mod notes;
mod place;
mod pressure;
mod read;
mod reader;
mod reference;
mod replace;
mod run_settings;
mod schema;
mod settings;
mod size;
mod soft;
mod spec;
mod stated;
mod step_length;
mod suggest;
mod support;
mod twin;
mod values;

pub use error::{Issue, SceneError};
pub use height_field::{HeightField, Heights};
pub use impinge_geometry::plain;
pub use impinge_world::{Directions, ShapeKind};
pub use measure::{Measure, Subject};
pub use mesh::{MAX_TRIANGLES, MeshSpec, build_mesh};
pub use mesh_file::{MeshFile, Sizing};
pub use meshes::SceneMeshes;
pub use monitor::{Checked, Measured, Monitor, Verdict};
pub use reference::schema_markdown;
pub use replace::Replacement;
pub use run_settings::{CutSpec, RefineSpec};
pub use settings::Setting;
pub use spec::{
    AnchorSpec, BodySpec, DampingSpec, DriverSpec, Evaluate, ExpectSpec, Integrator, Keyframe, Mass,
    MaterialSpec, Motion, NotAsked, PairSpec, ParticleMotion, RecordSpec, Release, Response, RestitutionLaw,
    RigidMotion, RuleSpec, SceneSpec, SensorSpec, Shape, Sides, SlipRule, Stiffness, Suggested, Target, When,
};
pub use spec::{AttachSpec, Fabric, FieldKind, LawSpec, PressureSpec, SoftMotion, SolidSpec};
pub use suggest::{closest, did_you_mean};
