#![doc = include_str!("../README.md")]

mod filter;
mod matrix;
mod operator;
mod outcome;
pub mod pattern;
mod pcg;
mod precondition;
mod simd;
mod split;
mod ssor;
mod vector;

pub use filter::{BadDirection, Filter};
pub use matrix::{ApplyWorkspace, Block, BlockMatrix, MAX_PARTS, WrongLength};
pub use operator::{BadRow, Layout, LowRank, Operator, System};
pub use outcome::{MatrixError, Outcome, Reason, Settings};
pub use pattern::{BlockPattern, PatternError};
pub use pcg::{CgWorkspace, pcg};
pub use precondition::{BlockJacobi, Identity, Preconditioner};
pub use ssor::{OMEGA, Ssor};
