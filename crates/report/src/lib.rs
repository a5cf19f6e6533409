#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod audit;
mod body_payload;
mod citation;
mod cloud;
mod compared;
mod comparison;
mod contact_payload;
mod csv;
mod decimate;
#[cfg(feature = "world")]
mod drawn;
mod drawn_payload;
mod encode;
mod error;
mod exact;
mod fewer;
mod gltf;
mod motion;
mod motion_payload;
#[cfg(feature = "world")]
mod nodal;
mod number;
mod packed_cloud;
mod page;
mod payload;
mod plot_payload;
mod record;
#[cfg(feature = "world")]
mod recorder;
#[cfg(feature = "world")]
mod shapes;
mod tables;
#[cfg(feature = "world")]
mod vtu;
mod write;

pub use audit::audit;
pub use citation::bibtex;
pub use compared::{ComparedRun, Comparison};
pub use comparison::{render_comparison, write_comparison};
pub use csv::{motion_csv, plot_csv, stages_csv};
pub use decimate::keep_extremes;
pub use error::ReportError;
pub use gltf::{Animation, animation};
pub use motion::Motion;
pub use page::{page_style, render_html};
pub use record::{
    BodyKind, BodyShape, Check, ContactMark, Curve, DrawnFrame, Frames, Hold, Met, MetKind, Parameter, Patch,
    Plane, Plot, PointTrack, RunRecord, StageTime, Status, Verdict,
};
#[cfg(feature = "world")]
pub use recorder::Recorder;
#[cfg(feature = "world")]
pub use vtu::VtuSeries;
pub use write::{Written, write_report};
