#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod backend;
mod block_lu;
mod contact;
#[cfg(feature = "factor")]
mod correction;
mod coulomb;
mod dual;
mod islands;
mod kkt;
mod newton;
mod outer;
mod paper;
mod point;
mod problem;
mod reduced;
mod response;
mod rows;
mod solver;
#[cfg(feature = "factor")]
mod sparse;
mod step;
mod strain;
mod term;

pub use contact::{PointRow, ccd_row, contact_row, edge_edge, friction_rows, vertex_triangle};
pub use kkt::Kkt;
pub use outer::{Detector, OuterReport, OuterSettings, Penetration, resolve};
pub use point::{Point, gradient_of, push_friction_points, push_points};
pub use problem::{Dof, Method, Problem, QpError, Regularisation, Report, Settings, Status};
pub use response::{
    MotionCut, Multiplier, Multipliers, MultipliersNext, PlaceShift, QpAnswer, QpOut, QpReport, QpSettings,
    find_inside, holds_crossed, move_places,
};
pub use rows::{Friction, Row, RowError, RowKind, Rows};
pub use solver::Solver;
pub use strain::{fixed_velocity, strain_lower, strain_rate, strain_upper, strain_upper_at};
