#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod anderson;
mod choice;
pub mod dense;
#[cfg(feature = "factor")]
mod factor;
mod filter;
mod gmres;
mod incomplete;
mod lanes;
mod lu;
mod matrix;
mod minres;
pub mod mlcp;
mod operator;
mod outcome;
pub mod pattern;
mod pcg;
mod precondition;
mod simd;
mod solver;
mod split;
mod ssor;
mod sweeps;
mod two_level;
mod vector;

pub use choice::{Choice, DENSE_UNKNOWNS, DYNAMIC_COLUMNS, FACTOR_UNKNOWNS, Method, Problem, STATIC_COLUMNS};
pub use dense::DenseCholesky;
#[cfg(feature = "factor")]
pub use factor::{Factor, FactorKind};
pub use filter::{BadDirection, Filter};
pub use gmres::{GmresWorkspace, gmres};
pub use incomplete::IncompleteCholesky;
pub use lu::{DenseLu, Number};
pub use matrix::{ApplyWorkspace, Block, BlockMatrix, MAX_PARTS, WrongLength};
pub use minres::{MinresWorkspace, minres};
pub use operator::{BadRow, Layout, LowRank, Operator, System};
pub use outcome::{MatrixError, Outcome, Reason, Settings};
pub use pattern::{BlockPattern, PatternError};
pub use pcg::{CgWorkspace, pcg};
pub use precondition::{BlockJacobi, Identity, Preconditioner};
pub use solver::Solver;
pub use ssor::{OMEGA, Ssor};
pub use sweeps::symmetric_sweeps;
pub use two_level::TwoLevel;
