#![doc = include_str!("../README.md")]

mod cursor;
mod error;
mod obj;
mod options;
mod ply;
mod ply_header;
mod problem;
mod read;
mod scalar;
mod statement;
mod stl;
mod weld;
mod write;

pub use error::{LineProblem, ReadError, WriteError};
pub use obj::{read_obj, read_obj_from};
pub use options::{ReadOptions, UpAxis};
pub use ply::{read_ply, read_ply_from};
pub use problem::{FormatProblem, Place};
pub use read::{SUPPORTED_EXTENSIONS, read_mesh};
pub use stl::{read_stl, read_stl_from};
pub use write::{write_obj, write_obj_to};
