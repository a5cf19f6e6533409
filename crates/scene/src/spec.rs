//! A scene as plain, validated data: what a file says, with names resolved to indices and nothing built yet.
//!
//! SI units throughout: m, kg, s, N, rad.

mod actuator;
mod law;
mod motion;
mod pressure;
mod sensor;
mod soft;

use crate::document::{Document, Place};
use crate::measure::Measure;
use crate::mesh::MeshSpec;
use impinge_geometry::{DVec3, Pose};
use impinge_world::{Groups, SurfaceVelocity};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A validated scene.
///
/// Made by [`SceneSpec::from_str`](crate::SceneSpec::from_str) or [`SceneSpec::load`](crate::SceneSpec::load);
/// changed key by key with [`SceneSpec::set`](crate::SceneSpec::set), which validates again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SceneSpec {
    /// One line, shown in lists and on reports.
    pub title: String,
    /// What there is to see.
    pub description: String,
    /// The paper, figure or benchmark the scene comes from; may be empty.
    pub source: String,
    /// Acceleration of free fall (m/s²).
    pub gravity: DVec3,
    /// Time step (s).
    pub dt: f64,
    /// The file states no step: it follows from the bodies, as the reference of scene files says.
    pub dt_suggested: bool,
    /// Simulated time (s).
    pub duration: f64,
    /// How the step is taken.
    pub integrator: Integrator,
    /// The response of every pair without a rule.
    pub response: Response,
    /// How often a step may be halved whose solve did not end.
    pub halvings: u32,
    /// Whether the best state of a solve that did not end is taken.
    pub accept_unfinished: bool,
    /// Each response with the settings of its table.
    pub responses: BTreeMap<Response, impinge_world::Response>,
    /// The materials, in the order of the file.
    pub materials: Vec<MaterialSpec>,
    /// The laws between materials, in the order of the file.
    pub pairs: Vec<PairSpec>,
    /// The bodies in the order of the file, copies written out.
    pub bodies: Vec<BodySpec>,
    /// Exceptions for pairs of bodies, in the order of the file; the last that fits holds.
    pub rules: Vec<RuleSpec>,
    /// Actuators, in the order of the file.
    pub actuators: Vec<ActuatorSpec>,
    /// Forces for a part of the run, in the order of the file.
    pub forces: Vec<ForceSpec>,
    /// Sensors, in the order of the file.
    pub sensors: Vec<SensorSpec>,
    /// How implicit steps of deformables are solved.
    pub deformable: ElasticSettings,
    /// Cuts during the run, in the order of the file.
    pub cuts: Vec<CutSpec>,
    /// What is made finer during the run.
    pub refinements: Vec<RefineSpec>,
    /// What must come out, in the order of the file.
    pub expectations: Vec<ExpectSpec>,
    /// What is expected of every response and not asked of these.
    pub not_asked: Vec<NotAsked>,
    /// How much is kept for the report.
    pub record: RecordSpec,
    /// The folder that mesh paths are relative to.
    pub base_dir: PathBuf,
    pub(crate) origin: PathBuf,
    pub(crate) document: Document,
}

pub use impinge_contact::{Evaluate, Sides, SlipRule, Stiffness};
pub use impinge_integrators::Scheme as Integrator;
pub use impinge_penalty::Release;
pub use impinge_world::Family as Response;

pub use crate::run_settings::{CutSpec, RefineSpec};
pub use actuator::{ActuatorSpec, ForceSpec};
pub use impinge_integrators::ElasticSettings;
pub use impinge_integrators::Keyframe;
pub use impinge_world::{Mass, Suggested};
pub use law::{DampingSpec, MaterialSpec, PairSpec, RestitutionLaw};
pub use motion::{AnchorSpec, DriverSpec, Motion, ParticleMotion, RigidMotion};
pub use pressure::{FieldKind, LawSpec, PressureSpec};
pub use sensor::SensorSpec;
pub use soft::{AttachSpec, Fabric, SoftMotion, SolidSpec};

/// What a body's surface is.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Triangles, in the body frame.
    Mesh(MeshSpec),
    /// The half space normal · x < offset is inside; world axes, unit normal.
    Plane {
        /// Out of the solid; unit.
        normal: DVec3,
        /// m.
        offset: f64,
    },
    /// Particles, in the body frame (m).
    Points(Vec<DVec3>),
    /// A solid of tets, in the body frame.
    Solid(SolidSpec),
    /// Cloth, in the body frame: it has no inside.
    Sheet(MeshSpec),
    /// A cable, in the body frame (m).
    Line(Vec<DVec3>),
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec {
    /// Unique name; a copy's is `base-0`, `base-1`, ….
    pub name: String,
    /// Its surface.
    pub shape: Shape,
    /// Index into [`SceneSpec::materials`].
    pub material: usize,
    /// How it moves.
    pub motion: Motion,
    /// The body frame at the start; the first keyframe's for a body with keyframes.
    pub pose: Pose,
    /// Its pressure field; without one it is rigid to the response `pressure`.
    pub pressure: Option<PressureSpec>,
    /// Radius of its surface under the response `qp` (m); `None`: half of [`impinge_world::QpSettings::thickness`].
    pub thickness: Option<f64>,
    /// How its surface moves along itself, in the body frame; about that frame's origin.
    pub surface_velocity: SurfaceVelocity,
    /// Which bodies it may meet.
    pub groups: Groups,
    /// For playback, if the file says.
    pub color: Option<[u8; 3]>,
    /// Whether the command line's mesh takes the place of this one's.
    pub replaceable: bool,
    pub(crate) place: Place,
    pub(crate) material_place: Place,
    pub(crate) base: usize,
}

/// An exception for pairs of bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSpec {
    /// Two patterns over body names; `*` stands for any letters.
    pub bodies: [String; 2],
    /// The pairs' response, where the rule states one; else it is that of the run.
    pub response: Option<Response>,
    /// They pass through each other.
    pub none: bool,
    /// Whose vertices are tested, first and second as in `bodies`.
    pub sides: Sides,
    /// Distance that the pairs keep under the response `qp` (m); `None`: the sum of the bodies'.
    pub thickness: Option<f64>,
}

/// When an expectation is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// After the last step.
    End,
    /// After the step that reaches this time (s).
    At(f64),
    /// Over the steps between two times (s).
    Window(f64, f64),
}

/// What an expectation is measured on; indices into [`SceneSpec::bodies`] and [`SceneSpec::sensors`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The whole scene.
    Scene,
    /// One body.
    Body(usize),
    /// Two bodies.
    Pair(usize, usize),
    /// A sensor, and the only body of those in it that counts.
    Sensor(usize, Option<usize>),
}

/// Something that must come out of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectSpec {
    /// Unique for its response.
    pub name: String,
    /// The response it is said of.
    pub response: Response,
    /// What is measured.
    pub measure: Measure,
    /// On what.
    pub target: Target,
    /// When.
    pub when: When,
    /// The expected value, with the distance it may have from it: the larger of `abs` and `rel · |value|`.
    pub value: Option<(f64, f64)>,
    /// The least it may be.
    pub min: Option<f64>,
    /// The most it may be.
    pub max: Option<f64>,
    /// Why this response cannot meet it, for an expected failure.
    pub fails: Option<String>,
}

/// Something that is no test of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAsked {
    /// The name of the expectation.
    pub name: String,
    /// The response that is not asked.
    pub response: Response,
    /// Why.
    pub why: String,
}

impl ExpectSpec {
    /// Whether a measured value meets the expectation; NaN never does.
    #[must_use]
    pub fn holds(&self, measured: f64) -> bool {
        measured.is_finite()
            && self.value.is_none_or(|(value, tolerance)| (measured - value).abs() <= tolerance)
            && self.min.is_none_or(|min| measured >= min)
            && self.max.is_none_or(|max| measured <= max)
    }

    /// How far a measured value is above what is asked (positive) or below it (negative); 0 within, and for NaN.
    #[must_use]
    pub fn off(&self, measured: f64) -> f64 {
        let (low, high) = self.value.map_or((f64::NEG_INFINITY, f64::INFINITY), |(v, t)| (v - t, v + t));
        let (low, high) = (self.min.map_or(low, |m| m.max(low)), self.max.map_or(high, |m| m.min(high)));
        (measured - high).max(0.0) + (measured - low).min(0.0)
    }
}

/// How much is kept for the report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordSpec {
    /// Time between two kept moments (s); a recorder keeps at most one per step.
    pub frame_interval: f64,
}
