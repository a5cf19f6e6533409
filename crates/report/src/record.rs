//! The record of one run: everything the report shows, as plain arrays with units.
//!
//! Whoever ran the scene fills it; this crate only reads it. Every list may be empty and every number may be
//! NaN or infinite: the page leaves a gap there. The record is also a file format (serde): non-finite numbers
//! are written as the strings `"NaN"`, `"inf"`, `"-inf"`, everything else reads back bit for bit.

use crate::exact;
use crate::motion::Motion;
use serde::{Deserialize, Serialize};

/// One run of one scene under one response.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRecord {
    /// Headline of the page.
    pub title: String,
    /// Name of the scene (`drop`, `stack`, ...).
    pub scene: String,
    /// A sentence or two on what the scene shows.
    pub description: String,
    /// The contact response that ran (`penalty`, ...).
    pub response: String,
    /// How the run ended.
    pub status: Status,
    /// Why what was computed is no physics, a sentence each: told at the top of the page. Empty for other runs.
    pub lost: Vec<String>,
    /// Length of a step (s).
    #[serde(with = "exact")]
    pub dt: f64,
    /// Steps that were completed.
    pub steps: u64,
    /// Hash over the whole state after the last step; equal hashes mean equal bits.
    pub state_hash: String,
    /// What was set, in the order to show it.
    pub parameters: Vec<Parameter>,
    /// `(what, version)`: crates, compiler, machine, commit.
    pub versions: Vec<(String, String)>,
    /// The bodies of the playback.
    pub bodies: Vec<BodyShape>,
    /// Where the bodies were, frame by frame.
    pub frames: Frames,
    /// Curves over time; each becomes an interactive plot and a CSV file.
    pub plots: Vec<Plot>,
    /// How bodies moved, for their CSV file.
    pub motion: Motion,
    /// Cost of each stage of the step.
    pub stages: Vec<StageTime>,
    /// Measured values held against expected ones.
    pub checks: Vec<Check>,
    /// Laws used, approximations, residuals: one paragraph each.
    pub notes: Vec<String>,
}

/// How a run ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum Status {
    /// All steps ran.
    #[default]
    Completed,
    /// A step failed; the record holds everything before it.
    Stopped {
        /// What went wrong and, if known, what to change.
        reason: String,
        /// The step that failed (0-based).
        step: u64,
        /// Time at the start of that step (s).
        #[serde(with = "exact")]
        time: f64,
        /// The stage that failed, if one did.
        stage: Option<String>,
        /// The body at fault, if one is known.
        body: Option<String>,
    },
    /// Somebody stopped the run (Ctrl-C); the record holds everything up to there.
    Interrupted {
        /// The first step that did not run (0-based).
        step: u64,
        /// Time reached (s).
        #[serde(with = "exact")]
        time: f64,
    },
}

/// A named setting of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameter {
    /// Name, as in the scene file.
    pub name: String,
    /// Value as text, without the unit.
    pub value: String,
    /// Unit (`N/m`, `s`, ...); empty for a pure number.
    pub unit: String,
    /// Where the value comes from or what it means; may be empty.
    pub note: String,
}

/// What moves a body; decides how it is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyKind {
    /// Moved by forces.
    #[default]
    Rigid,
    /// Never moves; drawn grey.
    Fixed,
    /// Moved by a driver.
    Kinematic,
    /// A cloud of points, or a deforming mesh if it has triangles; positions come from a [`PointTrack`].
    Particles,
    /// An infinite plane; drawn as a large grid.
    Plane,
}

/// The half-space `normal · x <= offset` (world frame); its surface is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Plane {
    /// Outward direction; need not be a unit vector, but then `offset` scales with it.
    #[serde(with = "exact")]
    pub normal: [f32; 3],
    /// Distance from the origin along a unit normal (m).
    #[serde(with = "exact")]
    pub offset: f32,
}

/// The shape of one body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BodyShape {
    /// Name, as in the scene file.
    pub name: String,
    /// What moves it.
    pub kind: BodyKind,
    /// Vertices in the body's frame (m). The pose of a frame carries them to the world.
    #[serde(with = "exact")]
    pub vertices: Vec<[f32; 3]>,
    /// Triangles, counter-clockwise seen from outside. Without any, the vertices are drawn as points.
    pub triangles: Vec<[u32; 3]>,
    /// The plane, for [`BodyKind::Plane`].
    pub plane: Option<Plane>,
    /// Colour to use (sRGB) instead of the next one of the palette.
    pub colour: Option<[u8; 3]>,
    /// Its points are joined in a row, as those of a cable.
    pub line: bool,
    /// Mass (kg); 0 where it is not known or forces do not move the body.
    #[serde(with = "exact")]
    pub mass: f64,
}

/// Positions over time. All lists run over the same frames; frame `f` was taken at `time[f]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Frames {
    /// Time of each frame (s), rising.
    #[serde(with = "exact")]
    pub time: Vec<f64>,
    /// `poses[frame][body]`: position (m) and unit quaternion, `x y z qx qy qz qw`. A body whose pose is
    /// missing keeps its last one, or sits at the origin if it never had one.
    #[serde(with = "exact")]
    pub poses: Vec<Vec<[f32; 7]>>,
    /// World positions of particles and of deforming meshes.
    pub points: Vec<PointTrack>,
    /// `contacts[frame]`: the contacts acting in the step that ended at that frame.
    pub contacts: Vec<Vec<ContactMark>>,
    /// What pushed with a surface, and constraints without an impulse; ascending by frame. A frame that is missing shows the one before it.
    pub drawn: Vec<DrawnFrame>,
    /// The two bodies of each pair that [`ContactMark::pair`] names; used in the contact's label. May be empty.
    pub pairs: Vec<[u32; 2]>,
    /// Static and kinetic coefficient of friction of each of [`Frames::pairs`]; zeros without friction. May be empty.
    #[serde(with = "exact")]
    pub friction: Vec<[f32; 2]>,
    /// What met, each once; [`ContactMark::met`] names them. May be empty.
    pub met: Vec<Met>,
    /// Contacts of each frame that acted and are not in [`Frames::contacts`], the weakest of it. Empty where all are there.
    pub left_out: Vec<u32>,
}

/// Which kind of features met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetKind {
    /// Not known.
    #[default]
    Unknown,
    /// A vertex, and a triangle by its corners.
    VertexFace,
    /// An edge by its ends, and another.
    EdgeEdge,
    /// A vertex, and a plane.
    VertexPlane,
    /// The contact surface of two bodies.
    Surface,
    /// The intersection volume of two bodies.
    Volume,
    /// The part of it in one cell: its place on the grid, and which place where those are told apart.
    Cell,
}

/// What met at one contact or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Met {
    /// Which pair of bodies: a row of [`Frames::pairs`].
    pub pair: u32,
    /// What.
    pub kind: MetKind,
    /// The vertex, or the first edge, is of the pair's second body.
    pub turned: bool,
    /// Vertices as the body's shape has them, in the order of the kind, or place and part of a cell; zeros where it needs fewer.
    pub ids: [i32; 4],
}

/// What friction does at a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// There is no friction.
    #[default]
    None,
    /// Held; the static coefficient bounds it.
    Sticks,
    /// Slides, at the kinetic coefficient.
    Slides,
    /// At the bound of the static coefficient.
    Breaks,
    /// Part of a surface slides.
    SlidesInPart,
    /// Gives way slowly below the bound of the kinetic coefficient.
    Creeps,
    /// Parted within the step.
    Parted,
    /// Bounded by something else than a round cone.
    OtherCone,
}

/// World positions of one body's points over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PointTrack {
    /// Index of the body.
    pub body: u32,
    /// `positions[frame]` (m, world). The count may change from frame to frame unless the body has triangles.
    #[serde(with = "exact")]
    pub positions: Vec<Vec<[f32; 3]>>,
}

/// One contact of one frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContactMark {
    /// Where (m, world).
    #[serde(with = "exact")]
    pub point: [f32; 3],
    /// Mean force over the step on the first body of the pair (N, world axes).
    #[serde(with = "exact")]
    pub force: [f32; 3],
    /// Which pair of bodies: a row of [`Frames::pairs`].
    pub pair: u32,
    /// Penetration depth (m), positive when the bodies overlap.
    #[serde(with = "exact")]
    pub depth: f32,
    /// Multiplier of a constraint: its normal impulse in the step (N·s); 0 where there are no constraints.
    #[serde(with = "exact")]
    pub multiplier: f32,
    /// When the features overlapped, as fractions of the step that ended at the frame; both 0 where that was not found.
    #[serde(with = "exact")]
    pub span: [f32; 2],
    /// Size of the normal force (N).
    #[serde(with = "exact")]
    pub normal: f32,
    /// Size of the friction (N).
    #[serde(with = "exact")]
    pub friction: f32,
    /// What friction does.
    pub hold: Hold,
    /// What met: a row of [`Frames::met`]; `None` where that is not known.
    pub met: Option<u32>,
}

/// What is drawn of the contacts of one frame beside their points.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DrawnFrame {
    /// Index of the frame.
    pub frame: u32,
    /// Corners of the patches, those of one after another (m, world).
    #[serde(with = "exact")]
    pub corners: Vec<[f32; 3]>,
    /// Polygons of contact surfaces, and squares for cells of intersection volume.
    pub patches: Vec<Patch>,
    /// Constraints that hold without an impulse; their depth is the gap with the sign turned.
    pub idle: Vec<ContactMark>,
}

/// A flat polygon that pushes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Patch {
    /// Which pair of bodies: a row of [`Frames::pairs`].
    pub pair: u32,
    /// How many of [`DrawnFrame::corners`] are its own.
    pub corners: u32,
    /// Mean pressure (Pa).
    #[serde(with = "exact")]
    pub pressure: f32,
}

/// Curves over time that share an axis.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plot {
    /// Short name; also the name of the CSV file.
    pub id: String,
    /// Headline.
    pub title: String,
    /// Unit of all curves, in base units (`N`, `J`, `m`, `s`): the axis picks the SI prefix. Empty for counts.
    pub unit: String,
    /// Time of each sample (s), rising.
    #[serde(with = "exact")]
    pub x: Vec<f64>,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Logarithmic value axis; values that are not positive are gaps.
    pub log: bool,
    /// A sentence under the plot; may be empty.
    pub note: String,
}

/// One curve of a [`Plot`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// One value per entry of [`Plot::x`]; NaN or infinite is a gap.
    #[serde(with = "exact")]
    pub values: Vec<f64>,
}

/// Cost of one stage over the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StageTime {
    /// Name of the stage.
    pub name: String,
    /// Wall clock over all steps (s).
    #[serde(with = "exact")]
    pub total_seconds: f64,
    /// Median of a step (µs).
    #[serde(with = "exact")]
    pub median_microseconds: f64,
    /// 99th percentile of a step (µs).
    #[serde(with = "exact")]
    pub p99_microseconds: f64,
    /// Mean number of items the stage worked on per step.
    #[serde(with = "exact")]
    pub items_mean: f64,
}

/// Outcome of a [`Check`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Within tolerance.
    #[default]
    Pass,
    /// Outside tolerance.
    Fail,
    /// Outside tolerance, and the model is known to be: the note says why.
    ExpectedFail,
    /// Measured for the reader; the run was not the one the expectation speaks of.
    NotJudged,
}

/// A measured value held against an expected one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Check {
    /// What is checked.
    pub name: String,
    /// What is measured, of what and when, in words; may be empty.
    pub what: String,
    /// What should come out, in words: `9.81 ± 0.01`, `≥ 0`.
    pub expected: String,
    /// The value that came out; NaN if the run ended before.
    #[serde(with = "exact")]
    pub measured: f64,
    /// Unit of the numbers; may be empty.
    pub unit: String,
    /// Outcome.
    pub verdict: Verdict,
    /// Reason or source; may be empty.
    pub note: String,
}
