#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

#[cfg(feature = "files")]
pub mod compare;
mod flow;
pub mod guide;
pub mod prelude;

pub use flow::stages_markdown;
#[doc(no_inline)]
pub use impinge_bodies as bodies;
#[doc(no_inline)]
pub use impinge_broadphase as broadphase;
#[doc(no_inline)]
pub use impinge_ccd as ccd;
#[doc(no_inline)]
pub use impinge_contact as contact;
#[doc(no_inline)]
pub use impinge_cpf as cpf;
#[doc(no_inline)]
pub use impinge_elasticity as elasticity;
#[doc(no_inline)]
pub use impinge_geometry as geometry;
#[doc(no_inline)]
pub use impinge_integrators as integrators;
#[doc(no_inline)]
pub use impinge_io as io;
#[doc(no_inline)]
pub use impinge_meshing as meshing;
#[doc(no_inline)]
pub use impinge_penalty as penalty;
#[doc(no_inline)]
pub use impinge_pressure as pressure;
#[doc(no_inline)]
pub use impinge_qp as qp;
#[doc(no_inline)]
pub use impinge_query as query;
#[cfg(feature = "files")]
#[doc(no_inline)]
pub use impinge_report as report;
#[cfg(feature = "files")]
#[doc(no_inline)]
pub use impinge_scene as scene;
#[doc(no_inline)]
pub use impinge_solvers as solvers;
#[doc(no_inline)]
pub use impinge_swept as swept;
#[doc(no_inline)]
pub use impinge_volume as volume;
#[doc(no_inline)]
pub use impinge_watch as watch;
#[doc(no_inline)]
pub use impinge_world as world;

/// The code on the repository's front page is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod front_page {}
