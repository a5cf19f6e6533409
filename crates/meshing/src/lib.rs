#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

pub mod repair;

mod cross;
mod fill;
mod health;
mod marks;
mod merge;
mod pairs;
mod parts;
mod self_intersections;
mod tets;
mod text;
mod thicken;
mod units;

pub use cross::triangles_cross;
pub use fill::{FillError, FillOptions, FillQuality, Filled, dihedral_angles, fill, fill_fitted, tets_about};
pub use health::{Health, HealthOptions, Merged, health, health_with};
pub use marks::{FaultKind, FaultMark, fault_marks};
pub use merge::merge_map;
pub use parts::Part;
pub use repair::{Repair, RepairError, RepairReport, Repaired, suggest};
pub use self_intersections::{Crossing, self_intersections};
pub use tets::{TetHealth, repair_tets, tet_health};
pub use thicken::thicken;
pub use units::{Unit, UnitGuess, guess_unit};
